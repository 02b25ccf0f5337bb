// Everything that happens to one unit, from its sources to its result.
#pragma once

#include "UnitResult.h"
#include "analyzer/source/Partners.h"

namespace clang::tidy {
class ClangTidyContext;
} // namespace clang::tidy

namespace gradtidy {

class HeaderCache;
class Model;

/// A unit is analysed together with the sources that it shares functions with: see
/// docs/decisions/0011-partners.md.
class UnitRunner {
public:
  /// All arguments must outlive this object. \p headers may be null.
  UnitRunner(const JobList &list, clang::tidy::ClangTidyContext &context, HeaderCache *headers,
             Partners &partners, bool traces, bool makesOwnHeaders);

  UnitResult run(const Job &job);

private:
  UnitResult runTogether(const Job &job, const Model &model);

  clang::tidy::ClangTidyContext &context;
  Frontend frontend;
  Partners &partners;
};

} // namespace gradtidy
