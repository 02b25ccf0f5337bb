// A backward frees what the forward has saved for it. A second one through the same graph finds
// nothing there, and throws.

#include "Check.h"
#include "Graphs.h"

namespace gradtidy {
namespace {

class DoubleBackward : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Backward;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &backward = visit.event;
    if (backward.site->begin().isMacroID())
      return; // Of a macro, perhaps a test that expects it to throw.
    const LastGraphs &latest = visit.before.valueOf(backward.subject).autograd.latest;
    Finding finding(Level::Certain, backward);
    if (const SiteId forward = freedIn(visit, latest)) {
      const Event &first = *visit.before.freedBy(forward);
      finding.message = "this backward goes through a graph that a backward before it has freed: "
                        "it throws";
      explain(visit, visit.unit.tables().sites.event(forward), finding);
      finding.notes.push_back({first, "this backward frees it"});
    } else if (latest.freed && !latest.again && recordsGraph(visit, *latest.freed)) {
      finding.message = "this backward goes through the graph of an earlier round, which the "
                        "backward there has freed: it throws";
      explain(visit, *latest.freed, finding);
    } else {
      return;
    }
    reporter.report(std::move(finding));
  }

private:
  /// A forward whose graph is part of that of the loss and freed, or 0. What a module gives in
  /// several pieces may have a graph for each.
  static SiteId freedIn(const Visit &visit, const LastGraphs &latest) {
    const Tables &tables = visit.unit.tables();
    for (SiteId site : tables.histories.members(latest.sites)) {
      const Event &forward = tables.sites.event(site);
      if (visit.before.freedBy(site) && forward.resultRole == TypeRole::Tensor &&
          recordsGraph(visit, forward))
        return site;
    }
    return 0;
  }

  static void explain(const Visit &visit, const Event &forward, Finding &finding) {
    finding.notes.push_back({forward, "this forward pass records the graph"});
  }
};

} // namespace

std::unique_ptr<Check> makeDoubleBackward() { return std::make_unique<DoubleBackward>(); }

} // namespace gradtidy
