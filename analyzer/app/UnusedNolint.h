// NOLINT comments that silence nothing.
#pragma once

#include "analyzer/frontend/Frontend.h"
#include "analyzer/report/SourceText.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <set>
#include <string>
#include <vector>

namespace gradtidy {

/// A warning for each name or glob of checks of gradtidy in a NOLINT comment of \p files that none
/// of
/// \p silenced is due to. A comment without names may be for other linters.
/// \param isEnabled whether one of the checks that match a glob was on for a file.
std::vector<clang::tidy::ClangTidyError>
findUnusedNolint(const std::set<std::string> &files, const std::vector<SilencedFinding> &silenced,
                 llvm::function_ref<bool(llvm::StringRef glob, llvm::StringRef file)> isEnabled,
                 SourceText &text);

} // namespace gradtidy
