// Layers and matrix products take elements of one type, that of the parameters: others throw. What
// lies in memory has no type of its own: from_blob() believes what it is told, and float32 where it
// is told nothing. Masks are of truth values.

#include "Calls.h"
#include "Check.h"
#include "Fixes.h"
#include "Types.h"

#include "analyzer/events/Typing.h"
#include "analyzer/flow/Types.h"

namespace gradtidy {
namespace {

class DtypeMismatch : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    if (const Operand *mask = badMaskOf(event, visit.before))
      reportMask(visit, *mask, reporter);
    if (!event.typing)
      return;
    if (event.typing->isMeasured)
      return reportMeasure(visit, reporter);
    if (event.typing->isMisread)
      return reportMemory(visit, reporter);
    if (event.operation == Operation::PointToMemory)
      return reportPointer(visit, reporter);
    switch (event.typing->rule) {
    case ResultRule::Linear:
    case ResultRule::Weighted1:
    case ResultRule::Weighted2:
    case ResultRule::Weighted3:
      return reportLayer(visit, reporter);
    case ResultRule::Matmul:
      return reportProduct(visit, reporter);
    default:
      return;
    }
  }

private:
  /// A pointer to elements of another type than the tensor has.
  static void reportPointer(const Visit &visit, Reporter &reporter) {
    const Event &event = visit.event;
    const ElementType element = visit.before.typeOf(event.subject).element;
    const ElementType pointed = event.typing->memory;
    const bool isKnown = element != ElementType::Float32 || visit.unit.program().assumesFloats();
    if (!isKnown || mayHold(pointed, element))
      return;
    Finding finding(Level::Certain, event,
                    "the pointer leads to elements of " + elementName(pointed).str() + ", but " +
                        nameOf(visit, event.subject, "the tensor") + " is " +
                        elementName(element).str());
    noteOrigin(visit, event.subject, "it is made here", finding);
    reporter.report(std::move(finding));
  }

  static void reportMask(const Visit &visit, const Operand &mask, Reporter &reporter) {
    const ElementType element = visit.before.typeOf(mask).element;
    const bool isChoice = calledName(visit.event.site) == "where";
    Finding finding(Level::Certain, visit.event,
                    (isChoice ? "a condition" : "a mask") +
                        std::string(" is of truth values, but ") + nameOf(visit, mask, "this one") +
                        " is " + elementName(element).str());
    noteOrigin(visit, mask, "it is made here", finding);
    finding.fixes = append(visit, mask.expr, castTo(visit, ElementType::Bool));
    reporter.report(std::move(finding));
  }

  static void reportMeasure(const Visit &visit, Reporter &reporter) {
    Finding finding(Level::Certain, visit.event,
                    "this is the size of the constant, whatever type of elements it names; ask "
                    "torch::elementSize() for that of an element");
    const ir::Node *constant = ir::withoutParentheses(visit.event.operands.front().expr);
    const llvm::StringRef text = constant ? textOf(visit, constant) : llvm::StringRef();
    const std::string size = phrase(visit.unit.code(), Phrase::ElementSize, {{"type", text}});
    if (!text.empty() && !size.empty() && !visit.event.site->range.getBegin().isMacroID())
      finding.fixes.push_back(clang::FixItHint::CreateReplacement(
          clang::CharSourceRange::getTokenRange(visit.event.site->range), size));
    reporter.report(std::move(finding));
  }

  static void reportMemory(const Visit &visit, Reporter &reporter) {
    const Typing &typing = *visit.event.typing;
    if (!typing.holdsAddresses && !typing.namesElement && !visit.unit.program().assumesFloats())
      return;
    Finding finding(Level::Certain, visit.event);
    const std::string memory =
        typing.holdsAddresses ? "addresses, not elements" : elementName(typing.memory).str();
    finding.message = "the memory holds " + memory + ", and from_blob() reads " +
                      (typing.namesElement ? elementName(typing.element).str()
                                           : std::string("float32 unless it is told otherwise"));
    const ir::Node *call = ir::asCall(visit.event.site);
    const llvm::StringRef constant =
        typing.holdsAddresses ? llvm::StringRef() : visit.unit.code().constant(typing.memory);
    if (!constant.empty() && call->writtenArguments() == 2 && !call->brackets.getEnd().isMacroID())
      finding.fixes.push_back(
          clang::FixItHint::CreateInsertion(call->brackets.getEnd(), (", " + constant).str()));
    reporter.report(std::move(finding));
  }

  static void reportLayer(const Visit &visit, Reporter &reporter) {
    const Event &layer = visit.event;
    const auto inputs = inputsOf(layer);
    if (inputs.empty() || visit.before.autocast().possible != Autocast::Off)
      return;
    const ElementType element = visit.before.typeOf(*inputs.front()).element;
    const bool isKnown =
        visit.unit.program().keepsElements() ||
        (visit.unit.program().assumesFloats() && visit.before.module(layer.subject).isNew);
    if (!isIntegral(element) && !(element == ElementType::Float64 && isKnown))
      return;
    Finding finding(Level::Certain, layer,
                    "the layer multiplies by floating-point weights, but " +
                        nameOf(visit, *inputs.front(), "its input") + " is " +
                        elementName(element).str());
    if (isFloating(element))
      finding.message = "the layer has weights of float32, but " +
                        nameOf(visit, *inputs.front(), "its input") + " is float64";
    noteOrigin(visit, *inputs.front(), "it is made here", finding);
    finding.fixes = append(visit, inputs.front()->expr, castTo(visit, ElementType::Float32));
    reporter.report(std::move(finding));
  }

  static void reportProduct(const Visit &visit, Reporter &reporter) {
    const auto inputs = inputsOf(visit.event);
    if (inputs.size() != 2)
      return;
    const ElementType left = visit.before.typeOf(*inputs[0]).element;
    const ElementType right = visit.before.typeOf(*inputs[1]).element;
    if (left == right || left == ElementType::Unknown || right == ElementType::Unknown ||
        visit.before.autocast().possible != Autocast::Off)
      return;
    Finding finding(Level::Certain, visit.event,
                    "a matrix product takes elements of one type, but " +
                        nameOf(visit, *inputs[0], "the first") + " is " + elementName(left).str() +
                        " and " + nameOf(visit, *inputs[1], "the second") + " is " +
                        elementName(right).str());
    noteOrigin(visit, *inputs[0], "the first is made here", finding);
    noteOrigin(visit, *inputs[1], "the second is made here", finding);
    reporter.report(std::move(finding));
  }
};

} // namespace

std::unique_ptr<Check> makeDtypeMismatch() { return std::make_unique<DtypeMismatch>(); }

} // namespace gradtidy
