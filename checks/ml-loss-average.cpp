// A loss that is the mean over a batch counts for all of its samples. Their sum over the batches,
// divided by the number of samples, is too small by the size of a batch.

#include "Calls.h"
#include "Check.h"
#include "Loops.h"
#include "Moments.h"

#include "analyzer/idioms/Averages.h"
#include "analyzer/idioms/CodeForms.h"

namespace gradtidy {
namespace {

class LossAverage : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.operation == Operation::ReadScalar || beginsBatches(moment.event);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &read = visit.event;
    if (read.operation != Operation::ReadScalar)
      return;
    const auto loss = visit.unit.producerOf(visit.before.valueOf(read.subject));
    if (visit.unit.reductionOf(loss) != Reduction::Mean)
      return;
    const SumOfReads sum = sumOf(*read.site, *read.function);
    const auto division = llvm::find_if(sum.divisions, [&](const ir::Node *each) {
      return countsSamples(each->children.back(), framesOf(visit), sum, 0);
    });
    if (division == sum.divisions.end() || !goesOverBatches(visit, *sum.loop))
      return;
    Finding finding(Level::Likely, **division,
                    "'" + sum.sum->name.str() +
                        "' is a sum of means over batches, and is divided by the number of "
                        "samples: the average is too small by the size of a batch");
    finding.notes.push_back({read, "the mean over a batch is added here"});
    reporter.report(std::move(finding));
  }

private:
  /// Whether the rounds of the loop get batches of a loader that may have several samples.
  static bool goesOverBatches(const Visit &visit, const ir::Node &loop) {
    return llvm::any_of(visit.observations(), [&](const Observation &other) {
      if (!beginsBatches(*other.event) || other.event->function != visit.event.function)
        return false;
      const Visit begin = visitOf(visit, other);
      if (loopBegunBy(begin) != &loop)
        return false;
      const Event *maker =
          visit.unit.program().makerOf(other.event->operands.front(), begin.before);
      return !maker ||
             (!maker->details->loader.lacksBatchSize && maker->details->loader.batchSize != 1);
    });
  }

  /// Whether \p number, in the last of \p frames, is that of the samples of a dataset, or of those
  /// that the rounds of the loop have seen.
  static bool countsSamples(const ir::Node *number, llvm::ArrayRef<const Event *> frames,
                            const SumOfReads &sum, unsigned depth) {
    constexpr unsigned maxDepth = 8;
    number = ir::stripped(number);
    if (!number || depth > maxDepth)
      return false;
    if (number->isCall())
      return isSizeOfDataset(*number) || (argumentsOf(*number).empty() &&
                                          countsSamples(objectOf(*number), frames, sum, depth + 1));
    if (number->kind == ir::NodeKind::Unary && number->op == "*")
      return countsSamples(number->children.front(), frames, sum, depth + 1);
    const ir::Symbol *variable = ir::variableIn(number);
    if (!variable)
      return number->children.size() == 1 &&
             countsSamples(number->children.front(), frames, sum, depth + 1);
    if (variable->kind == ir::SymbolKind::Parameter)
      return isGivenCount(*variable, frames, sum, depth);
    return isRaisedBySizes(*variable, sum) ||
           (variable->init && countsSamples(variable->init, frames, sum, depth + 1));
  }

  /// The same of what the call that leads to the last of \p frames gives the parameter.
  static bool isGivenCount(const ir::Symbol &parameter, llvm::ArrayRef<const Event *> frames,
                           const SumOfReads &sum, unsigned depth) {
    if (frames.size() < 2)
      return false;
    const auto callers = frames.drop_back();
    const ir::Node *call = ir::asCall(callers.back()->site);
    const auto &parameters = frames.back()->function->function->parameters;
    const size_t index = llvm::find(parameters, &parameter) - parameters.begin();
    const auto given = call ? argumentsOf(*call) : llvm::ArrayRef<const ir::Node *>();
    return index < given.size() && countsSamples(given[index], callers, sum, depth + 1);
  }

  static bool isSizeOfDataset(const ir::Node &call) {
    const ir::Node *object = objectOf(call);
    const ir::Type *type = object ? behindPointers(object->type) : nullptr;
    const Trait trait = type && type->record ? traitOfClass(type->record) : Trait::None;
    return argumentsOf(call).empty() &&
           (trait == Trait::GivesSamples || trait == Trait::KeepsSamples ||
            trait == Trait::GivesBatches || trait == Trait::MapsSamples);
  }

  /// Whether each round adds the size of a tensor: `seen += batch.data.size(0)`.
  static bool isRaisedBySizes(const ir::Symbol &counter, const SumOfReads &sum) {
    bool isRaised = false;
    ir::forEach(sum.loop->body, [&](const ir::Node &node) {
      if (!node.isAssignment() || node.op != "+=" ||
          ir::variableIn(node.children.front()) != &counter)
        return;
      const ir::Node *added = ir::stripped(node.children.back());
      isRaised |= added->isCall() && added->symbol &&
                  added->symbol->purpose == FunctionRole::Attribute && isTensor(objectOf(*added));
    });
    return isRaised;
  }
};

} // namespace

std::unique_ptr<Check> makeLossAverage() { return std::make_unique<LossAverage>(); }

} // namespace gradtidy
