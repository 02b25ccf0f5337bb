// What a watched run says of static findings: the file that `gradtidy watch --format=json` wrote.
#pragma once

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace clang::tidy {
struct ClangTidyError;
} // namespace clang::tidy

namespace gradtidy {

/// Adds to each of \p findings of gradtidy's checks a note: that the run has seen it, that the run
/// reached its line and did not see it, or that the run did not reach it. What the run alone has
/// seen in one of \p sources is added as a finding. An error if \p file is none of a watched run.
llvm::Error addEvidence(const std::string &file, const std::vector<std::string> &sources,
                        std::vector<clang::tidy::ClangTidyError> &findings);

} // namespace gradtidy
