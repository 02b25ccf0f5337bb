// Everything that happens to one unit, from its sources to its result.
#pragma once

#include "UnitResult.h"
#include "analyzer/source/Partners.h"

#include <map>
#include <string>

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
             Partners &partners, const Overlay &overlay, bool traces, bool makesOwnHeaders);

  struct Results {
    UnitResult own;
    std::map<std::string, UnitResult> others; ///< Of units that were analysed with it, by source.
  };

  /// \param others  units whose results are of use, too, by source: see
  ///                docs/decisions/0015-companions.md. If there are any, a crash may be theirs.
  /// \param alone   leaves out whatever else the unit is analysed with.
  Results run(const Job &job, const std::map<std::string, const Job *> &others, bool alone);

private:
  Results runTogether(const Job &job, const Model &model,
                      const std::map<std::string, const Job *> &others);
  void complete(UnitResult &result) const;

  const JobList &list;
  clang::tidy::ClangTidyContext &context;
  Frontend frontend;
  Partners &partners;
};

} // namespace gradtidy
