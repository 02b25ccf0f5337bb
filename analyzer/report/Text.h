// Findings as text: as clang-tidy prints them, with their levels or without.
#pragma once

#include "SourceText.h"
#include "checks/Finding.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace clang::tidy {
struct ClangTidyError;
} // namespace clang::tidy

namespace gradtidy {

/// What became of the fix of a finding.
enum class FixState {
  NotTried,
  Applied,
  Failed,
};

/// Writes \p errors in their order: the text, the line of source and the notes of each. Names and
/// messages are made printable, and no line is a command to a build server.
/// \param levels what stands between the message and the name of the check, one for each of
///               \p errors; if it is empty, the text is clang-tidy's to the letter.
/// \param fixes  one state for each of \p errors; none of all were tried if it is empty.
/// \param text   the sources as they were analyzed.
void writeText(llvm::raw_ostream &out, llvm::ArrayRef<clang::tidy::ClangTidyError> errors,
               llvm::ArrayRef<std::optional<Level>> levels, llvm::ArrayRef<FixState> fixes,
               bool useColor, SourceText &text);

} // namespace gradtidy
