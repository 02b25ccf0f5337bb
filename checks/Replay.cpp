#include "Replay.h"

#include "DroppedCode.h"

#include "analyzer/flow/UnitAnalysis.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"

namespace gradtidy {
namespace {

/// Passes one finding on for each place, the worst, in source order.
class Collector : public Reporter {
public:
  Collector(const LoweredUnit &unit, const Source &sources)
      : sources(sources), dropped(unit, sources) {}

  void report(Finding finding) override {
    if (dropped.precedes(finding.location))
      finding.level = Level::Advice;
    const auto [known, isNew] =
        indices.try_emplace(finding.location.getRawEncoding(), findings.size());
    if (isNew)
      findings.push_back(std::move(finding));
    else if (Finding &other = findings[known->second]; finding.level < other.level)
      other = std::move(finding);
  }

  void flush(Reporter &reporter) {
    std::stable_sort(findings.begin(), findings.end(), [&](const Finding &a, const Finding &b) {
      return sources.isBefore(a.location, b.location);
    });
    for (Finding &finding : findings)
      reporter.report(std::move(finding));
  }

private:
  const Source &sources;
  DroppedCode dropped;
  std::vector<Finding> findings;
  llvm::DenseMap<unsigned, size_t> indices; ///< By the place.
};

bool isWanted(const Check &check, const Moment &moment) {
  if (moment.isOfInputs)
    return !moment.isBehind && check.wantsForInputs(moment);
  return moment.isBehind ? check.wantsBehind(moment) : check.wants(moment);
}

} // namespace

Interest interestOf(llvm::ArrayRef<const Check *> checks) {
  return [checks](const Moment &moment) {
    return llvm::any_of(checks, [&](const Check *check) { return isWanted(*check, moment); });
  };
}

void replay(const UnitAnalysis &analysis, const Source &source, Check &check, Reporter &reporter) {
  Collector collector(analysis.code(), source);
  std::vector<const Observation *> wanted;
  for (const Observation &seen : analysis.observations())
    if (isWanted(check, seen.moment()))
      wanted.push_back(&seen);
  const UnitVisit all{analysis, source, wanted};
  for (const Observation *seen : wanted)
    check.on(visitOf(all, *seen), collector);
  check.onUnit(all, collector);
  for (const ModuleClass &view : analysis.code().classes())
    check.onClass({view, analysis, source}, collector);
  for (const FunctionBody *function : analysis.code().functions())
    if (function->linkedFrom.empty())
      check.onFunction({*function, analysis, source}, collector);
  for (const FunctionBody *function : analysis.program().launchers())
    check.onLauncher({*function, function->kernelCare, analysis, source}, collector);
  for (const auto &[function, care] : analysis.program().handings())
    check.onHanding({*function, care, analysis, source}, collector);
  collector.flush(reporter);
}

} // namespace gradtidy
