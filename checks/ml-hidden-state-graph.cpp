// The state of a recurrent network carries the graph of all steps that led to it. Handed from one
// iteration to the next as it is, every backward goes back to the first iteration, through graphs
// that earlier backwards have freed.

#include "Check.h"
#include "Fixes.h"
#include "Graphs.h"
#include "Loops.h"
#include "Moments.h"

namespace gradtidy {
namespace {

class HiddenStateGraph : public Check {
public:
  bool wants(const Moment &moment) const override {
    return isPass(moment) || moment.event.kind == EventKind::Backward;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    if (isModuleCall(visit.event)) {
      take(visit);
    } else if (visit.event.kind == EventKind::Backward) {
      const Event *forward = visit.before.valueOf(visit.event.subject).autograd.latest.again;
      if (const auto known = taken.find(forward); known != taken.end()) {
        Finding finding = known->second;
        finding.notes.push_back({visit.event, "this backward goes through both"});
        reporter.report(std::move(finding));
      }
    }
  }

private:
  /// Keeps what there is to say of a forward that takes up a graph of the last round, should a
  /// backward go through it.
  void take(const Visit &visit) {
    const Event &forward = visit.event;
    const Event *passed = visit.before.passedBy(visit.site);
    if (!passed || forward.site->begin().isMacroID() || !recordsGraph(visit, forward))
      return;
    for (const Operand &operand : forward.operands) {
      if (!operand.isTensor || !operand.expr || !carries(visit, operand))
        continue;
      const std::string spelling = visit.unit.tables().paths.spelling(operand.path);
      const std::string name = spelling.empty() ? "the state" : "'" + spelling + "'";
      Finding finding(Level::Certain, *operand.expr);
      if (visit.before.freedBy(visit.site)) {
        finding.message = name + " still has the graph of the last round, which the backward there "
                                 "has freed: the next one throws; detach it";
      } else {
        finding.level = Level::Likely;
        finding.message = name + " still has the graphs of all rounds before: every backward goes "
                                 "through all of them; detach it";
      }
      finding.notes.push_back({*passed, "the backward of the last round"});
      finding.fixes = repair(visit, operand);
      taken.try_emplace(&forward, std::move(finding));
      return;
    }
  }

  static bool carries(const Visit &visit, const Operand &operand) {
    return llvm::is_contained(
        visit.unit.tables().histories.members(visit.before.valueOf(operand).autograd.latest.sites),
        visit.site);
  }

  /// Detaches the tensor, or those of which the tuple is made on the spot.
  static Fix repair(const Visit &visit, const Operand &operand) {
    if (operand.role == TypeRole::Tensor)
      return append(visit, operand.expr, phrase(visit.unit.code(), Phrase::Detach));
    const PathTable &paths = visit.unit.tables().paths;
    Fix fix;
    if (!paths.isTemporary(operand.path))
      return fix;
    for (const Block &block : visit.event.function->blocks)
      for (const Event &event : block.events)
        if (event.kind == EventKind::Bind && paths.parent(event.subject.path) == operand.path)
          for (const Operand &part : event.operands)
            if (part.role == TypeRole::Tensor && part.expr && carries(visit, part))
              fix.append(append(visit, part.expr, phrase(visit.unit.code(), Phrase::Detach)));
    return fix;
  }

  llvm::DenseMap<const Event *, Finding> taken;
};

} // namespace

std::unique_ptr<Check> makeHiddenStateGraph() { return std::make_unique<HiddenStateGraph>(); }

} // namespace gradtidy
