// Sequences of different lengths are filled up to make a batch of them. A recurrent layer goes on
// through what they are filled up with, so what it has at the end is not that of their last step,
// and a loss counts it as if it were labels.

#include "Check.h"
#include "Types.h"

#include "analyzer/ir/Typing.h"

namespace gradtidy {
namespace {

class UnpackedPadding : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.kind == EventKind::Forward ||
           (moment.event.typing && moment.event.typing->rule == ResultRule::ClassLoss);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    if (event.typing && event.typing->rule == ResultRule::ClassLoss)
      checkLoss(visit, reporter);
    else if (event.kind == EventKind::Forward)
      checkInputs(visit, reporter);
  }

private:
  static void checkInputs(const Visit &visit, Reporter &reporter) {
    const Event &event = visit.event;
    for (unsigned i = 0; i < event.operands.size(); ++i) {
      const bool isLayer = event.operation == Operation::Recur && i == 0;
      const Event *layer = isLayer ? &event : visit.unit.receiverOf(event, i).layer;
      const Event *end = layer ? visit.unit.endTakenBy(*layer) : nullptr;
      const Event *padded = visit.before.valueOf(event.operands[i]).meaning.padded;
      if (!end || !padded || layer->operation != Operation::Recur)
        continue;
      Finding finding = at(*layer);
      finding.message =
          "this layer goes on through what shorter sequences are filled up with: what "
          "it has at the end depends on the longest of the batch";
      finding.notes.push_back({*padded, "they are filled up here"});
      if (layer != &event)
        finding.notes.push_back({event, "they get into the module here"});
      finding.notes.push_back({*end, "the end is taken here"});
      reporter.report(std::move(finding));
    }
  }

  static void checkLoss(const Visit &visit, Reporter &reporter) {
    const auto inputs = inputsOf(visit.event);
    if (inputs.size() != 2 || !visit.event.isPlainLoss())
      return;
    const Event *padded = visit.before.valueOf(*inputs[1]).meaning.padded;
    if (!padded)
      return;
    Finding finding = at(visit.event);
    finding.message =
        "the loss counts what shorter sequences are filled up with as class 0: give it "
        "an ignore_index, and fill up with that";
    finding.notes.push_back({*padded, "they are filled up here"});
    reporter.report(std::move(finding));
  }

  static Finding at(const Event &event) {
    Finding finding(Level::Advice, event);
    return finding;
  }
};

} // namespace

std::unique_ptr<Check> makeUnpackedPadding() { return std::make_unique<UnpackedPadding>(); }

} // namespace gradtidy
