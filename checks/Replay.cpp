#include "Replay.h"

#include "analyzer/flow/UnitAnalysis.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

#include <set>

namespace gradtidy {
namespace {

/// Passes each finding on once, in source order.
class Collector : public Reporter {
public:
  explicit Collector(const clang::SourceManager &sources) : sources(sources) {}

  void report(Finding finding) override {
    if (known.emplace(finding.location.getRawEncoding(), finding.message).second)
      findings.push_back(std::move(finding));
  }

  void flush(Reporter &reporter) {
    std::stable_sort(findings.begin(), findings.end(), [&](const Finding &a, const Finding &b) {
      return sources.isBeforeInTranslationUnit(a.location, b.location);
    });
    for (Finding &finding : findings)
      reporter.report(std::move(finding));
  }

private:
  const clang::SourceManager &sources;
  std::vector<Finding> findings;
  std::set<std::pair<unsigned, std::string>> known;
};

} // namespace

void replay(const UnitAnalysis &analysis, Check &check, Reporter &reporter) {
  Collector collector(analysis.context().getSourceManager());
  for (const Observation &seen : analysis.observations())
    check.on({*seen.event, seen.before, seen.callers, seen.site, analysis, analysis.context()},
             collector);
  for (const ModuleClass &view : analysis.classes())
    check.onClass({view, analysis.context()}, collector);
  for (const FunctionBody *function : analysis.launchers())
    check.onLauncher({*function, analysis.kernelCareOf(*function), analysis, analysis.context()},
                     collector);
  collector.flush(reporter);
}

} // namespace gradtidy
