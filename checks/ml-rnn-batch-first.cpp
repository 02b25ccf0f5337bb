// Recurrent layers take the first dimension for the steps of a sequence unless batch_first is set,
// and attention always does. A batch that has its samples first is mixed up: each sample is taken
// for the step that follows another one.

#include "Check.h"
#include "Types.h"

namespace gradtidy {
namespace {

class RnnBatchFirst : public Check {
public:
  bool wants(const Moment &moment) const override {
    const Event &event = moment.event;
    return event.kind == EventKind::Forward ||
           (event.order.pooled >= 0 &&
            moment.before.valueOf(event.subject).meaning.order.isSequence);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    if (event.kind == EventKind::Forward)
      return checkInputs(visit, reporter);
    if (event.order.pooled >= 0)
      checkPooling(visit, reporter);
  }

private:
  static void checkInputs(const Visit &visit, Reporter &reporter) {
    const Event &event = visit.event;
    if (visit.unit.takesSecond(event) && !event.operands.empty())
      return compare(visit, {.layer = &event}, event.operands.front(), reporter);
    for (unsigned i = 0; i < event.operands.size(); ++i)
      if (const Interpreter::Receiver receiver = visit.unit.receiverOf(event, i); receiver.layer)
        compare(visit, receiver, event.operands[i], reporter);
  }

  static void compare(const Visit &visit, const Interpreter::Receiver &receiver,
                      const Operand &input, Reporter &reporter) {
    const SampleOrder order = visit.before.valueOf(input).meaning.order;
    const std::optional<bool> takesSecond = visit.unit.takesSecond(*receiver.layer);
    if (!order.told || !takesSecond || (order.isSecond != receiver.isSwapped) == *takesSecond ||
        (order.isSequence && !order.isBatch))
      return;
    Finding finding = at(*receiver.layer);
    finding.message = *takesSecond ? "the first dimension of what this layer gets counts samples, "
                                     "and it takes that for the steps of one sequence: " +
                                         reason(visit, *receiver.layer)
                                   : "the first dimension of what this layer gets counts steps, "
                                     "and it takes that for the samples: it is made with "
                                     "batch_first";
    finding.notes.push_back({order.told->site->begin(), origin(order)});
    if (receiver.layer != &visit.event)
      finding.notes.push_back({visit.event, "they get into the module here"});
    reporter.report(std::move(finding));
  }

  /// Whose steps a layer has made: the last of them, or their mean, is not the last sample.
  static void checkPooling(const Visit &visit, Reporter &reporter) {
    const Event &event = visit.event;
    const SampleOrder order = visit.before.valueOf(event.subject).meaning.order;
    const TensorType type = visit.before.typeOf(event.subject);
    if (!order.isSequence || event.order.pooled != int(order.isSecond) ||
        (!order.isSecond && !order.isBatch) || type.shape.isOne())
      return;
    Finding finding = at(event);
    finding.message = "dimension " + std::to_string(event.order.pooled) + " of " +
                      nameOf(visit, event.subject, "this") +
                      " counts samples, not steps: " + reason(visit, *order.told);
    finding.notes.push_back({*order.told, "the layer runs here"});
    reporter.report(std::move(finding));
  }

  static Finding at(const Event &event) {
    Finding finding(Level::Likely, event);
    return finding;
  }

  static std::string reason(const Visit &visit, const Event &layer) {
    if (layer.operation == Operation::Attend)
      return "attention has no batch_first in C++";
    return visit.unit.takesSecond(layer) == true ? "the layer is made without batch_first"
                                                 : "the layer is made with batch_first";
  }

  static std::string origin(const SampleOrder &order) {
    const char *dimension = order.isSecond ? "second" : "first";
    const Event &told = *order.told;
    if (told.kind == EventKind::Create)
      return "batches of this loader have their samples first";
    if (told.operation == Operation::Pad)
      return std::string("the samples are the ") + dimension + " dimension here";
    return order.isSequence
               ? std::string("this layer has the samples in the ") + dimension + " dimension"
               : std::string("the state has a row for each entry of its ") + dimension +
                     " dimension";
  }
};

} // namespace

std::unique_ptr<Check> makeRnnBatchFirst() { return std::make_unique<RnnBatchFirst>(); }

} // namespace gradtidy
