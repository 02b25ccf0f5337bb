// Everything that happens to one unit: it is analysed by itself, and where it shares functions with
// other sources, together with these.
#pragma once

#include "UnitResult.h"
#include "analyzer/source/Partners.h"

namespace clang::tidy {
class ClangTidyContext;
} // namespace clang::tidy

namespace gradtidy {

class HeaderCache;

class UnitRunner {
public:
  /// All arguments must outlive this object.
  UnitRunner(const JobList &list, clang::tidy::ClangTidyContext &context, HeaderCache *headers,
             Partners &partners, bool traces);

  UnitResult run(const Job &job);

private:
  /// Runs the checks once.
  UnitResult runOnce(const Job &job, const std::vector<std::string> &frameworkHeaders);

  clang::tidy::ClangTidyContext &context;
  Frontend frontend;
  Partners &partners;
};

} // namespace gradtidy
