// Layers and matrix products take elements of one type, that of the parameters: others throw. What
// lies in memory has no type of its own: from_blob() believes what it is told, and float32 where it
// is told nothing. Masks are of truth values.

#include "Calls.h"
#include "Check.h"
#include "Fixes.h"
#include "Types.h"

#include "analyzer/flow/Types.h"
#include "analyzer/ir/Typing.h"
#include "analyzer/model/Operators.h"

#include <cmath>

namespace gradtidy {
namespace {

class DtypeMismatch : public Check {
public:
  bool wants(const Moment &moment) const override {
    const Event &event = moment.event;
    if (event.kind == EventKind::Forward || fillsByMask(event) || badMaskOf(event, moment.before) ||
        badIndexOf(event, moment.before))
      return true;
    if (!event.typing)
      return false;
    if (event.typing->isMisread || event.typing->isMeasured ||
        event.operation == Operation::PointToMemory)
      return true;
    const auto tensors = tensorsOf(event);
    return event.typing->rule == ResultRule::Matmul && tensors.size() == 2 &&
           moment.before.typeOf(*tensors[0]).element != moment.before.typeOf(*tensors[1]).element;
  }

  bool wantsForInputs(const Moment &moment) const override { return wants(moment); }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    if (const Operand *mask = badMaskOf(event, visit.before))
      reportMask(visit, *mask, reporter);
    if (const Operand *index = badIndexOf(event, visit.before))
      reportIndex(visit, *index, reporter);
    reportFill(visit, reporter);
    if (!event.typing)
      return;
    if (event.typing->isMeasured)
      return reportMeasure(visit, reporter);
    if (event.typing->isMisread)
      return reportMemory(visit, reporter);
    if (event.operation == Operation::PointToMemory)
      return reportPointer(visit, reporter);
    if (isWeighted(event.typing->rule))
      reportLayer(visit, reporter);
    else if (event.typing->rule == ResultRule::Matmul)
      reportProduct(visit, reporter);
  }

private:
  /// Whether bytes are taken for the parts of larger integers. A pointer that is asked for by its
  /// type has to be that of the elements.
  static bool isPacked(const Event &event, ElementType pointed, ElementType element) {
    const ir::Type *type = event.site->type;
    return (element == ElementType::UInt8 || element == ElementType::Int8) && isIntegral(pointed) &&
           type && type->pointee && type->pointee->isVoid;
  }

  /// A pointer to elements of another type than the tensor has.
  static void reportPointer(const Visit &visit, Reporter &reporter) {
    const Event &event = visit.event;
    const ElementType element = visit.before.typeOf(event.subject).element;
    const ElementType pointed = event.typing->memory;
    const bool isKnown = element != ElementType::Float32 || visit.unit.program().assumesFloats();
    if (!isKnown || mayHold(pointed, element) || isPacked(event, pointed, element))
      return;
    Finding finding(Level::Certain, event,
                    "the pointer leads to elements of " + elementName(pointed).str() + ", but " +
                        nameOf(visit, event.subject, "the tensor") + " is " +
                        elementName(element).str());
    noteOrigin(visit, event.subject, "it is made here", finding);
    reporter.report(std::move(finding));
  }

  // --- numbers that the elements cannot hold ----------------------------------------------------

  static constexpr double largestHalf = 65504;

  /// Whether a mask puts a number into elements, which may not be able to hold it.
  static bool fillsByMask(const Event &event) {
    return event.run && event.site->calls(Aspect::FillsByMask);
  }

  /// A mask puts a number into elements of float16, into which it does not fit.
  static void reportFill(const Visit &visit, Reporter &reporter) {
    const Event &fill = visit.event;
    const ir::Node *call = ir::asCall(fill.site);
    if (!call || !fillsByMask(fill))
      return;
    std::optional<double> number;
    for (const ir::Node *argument : call->arguments)
      if (const std::optional<double> value = numberIn(argument))
        number = value;
    if (!number || std::isinf(*number) || std::abs(*number) <= largestHalf)
      return;
    const auto inputs = inputsOf(fill);
    const ElementType element =
        inputs.empty() ? ElementType::Unknown : visit.before.typeOf(*inputs.front()).element;
    const Event *cast = element == ElementType::Unknown ? castBefore(visit) : nullptr;
    if (element != ElementType::Float16 && !cast)
      return;
    Finding finding(element == ElementType::Float16 ? Level::Certain : Level::Likely, fill,
                    "the number does not fit into float16, which ends at 65504: minus infinity "
                    "does");
    if (cast)
      finding.notes.push_back({*cast, "the module becomes float16 here"});
    else
      noteOrigin(visit, *inputs.front(), "the tensor is made here", finding);
    reporter.report(std::move(finding));
  }

  /// The number that \p expr is, if that is written there or where the constant that it names is
  /// made.
  static std::optional<double> numberIn(const ir::Node *expr) {
    constexpr unsigned maxSigns = 4;
    double sign = 1;
    for (unsigned signs = 0; signs <= maxSigns; ++signs) {
      expr = ir::constantIn(expr);
      if (!expr)
        return std::nullopt;
      if (expr->real)
        return sign * *expr->real;
      if (expr->kind == ir::NodeKind::Integer && expr->integer)
        return sign * static_cast<double>(*expr->integer);
      if (expr->kind != ir::NodeKind::Unary || expr->op != "-")
        return std::nullopt;
      sign = -sign;
      expr = expr->children.front();
    }
    return std::nullopt;
  }

  /// What makes the parameters of a module float16 before it comes to a forward pass in which the
  /// event, which stands in a method of the module or of a part, has its turn; null if nothing
  /// does.
  static const Event *castBefore(const Visit &visit) {
    if (!visit.event.function->isModuleMethod)
      return nullptr;
    const CallGraph &graph = visit.unit.callGraph();
    const auto isIt = [&](const Event &event) { return &event == &visit.event; };
    const auto comesTo = [&](const Event &event) {
      return (event.kind == EventKind::Call || event.kind == EventKind::Forward) &&
             llvm::any_of(graph.candidates(event),
                          [&](const FunctionBody *body) { return graph.mayRun(*body, isIt); });
    };
    for (const FunctionBody *function : graph.functions())
      for (const Block &block : function->blocks)
        for (const Event &cast : block.events) {
          if (cast.kind != EventKind::Move || cast.element != ElementType::Float16 ||
              !isModule(cast.subject.role) || isUndone(visit, cast))
            continue;
          const auto follows = [&](const Event &event) {
            return visit.source.isBefore(cast.site->begin(), event.site->begin()) &&
                   isGiven(visit, event, cast.subject) && comesTo(event);
          };
          if (hasEvent(*function, follows))
            return &cast;
        }
    return nullptr;
  }

  /// Whether the module is made float32 again in the same function.
  static bool isUndone(const Visit &visit, const Event &cast) {
    return hasEvent(*cast.function, [&](const Event &event) {
      return event.kind == EventKind::Move && event.element &&
             event.element != ElementType::Float16 && event.subject.path == cast.subject.path &&
             visit.source.isBefore(cast.site->begin(), event.site->begin());
    });
  }

  /// Whether the event gets the module, as its object or an argument.
  static bool isGiven(const Visit &visit, const Event &event, const Operand &module) {
    const PathTable &paths = visit.unit.tables().paths;
    const auto isIt = [&](const Operand &operand) {
      return operand.path && paths.overlap(operand.path, module.path);
    };
    return isIt(event.subject) || llvm::any_of(event.operands, isIt);
  }

  static void reportMask(const Visit &visit, const Operand &mask, Reporter &reporter) {
    const ElementType element = visit.before.typeOf(mask).element;
    const bool isChoice = visit.event.run && visit.event.run->rule == ResultRule::Choose;
    Finding finding(Level::Certain, visit.event,
                    (isChoice ? "a condition" : "a mask") +
                        std::string(" is of truth values, but ") + nameOf(visit, mask, "this one") +
                        " is " + elementName(element).str());
    noteOrigin(visit, mask, "it is made here", finding);
    finding.fixes = append(visit, mask.expr, castTo(visit, ElementType::Bool));
    reporter.report(std::move(finding));
  }

  static void reportIndex(const Visit &visit, const Operand &index, Reporter &reporter) {
    const ElementType element = visit.before.typeOf(index).element;
    if (element == ElementType::Float32 && !visit.unit.program().assumesFloats())
      return;
    Finding finding(Level::Certain, visit.event,
                    "elements are selected by integers, but " + nameOf(visit, index, "this index") +
                        " is " + elementName(element).str());
    noteOrigin(visit, index, "it is made here", finding);
    finding.fixes = append(visit, index.expr, castTo(visit, ElementType::Int64));
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
    if (const ModuleFacts facts = visit.before.module(layer.subject); facts.cast && !facts.undone)
      return reportCast(visit, facts, *inputs.front(), element, reporter);
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

  /// The same of a module whose weights the program has given other elements.
  static void reportCast(const Visit &visit, const ModuleFacts &module, const Operand &input,
                         ElementType element, Reporter &reporter) {
    if (element == ElementType::Unknown || module.element == ElementType::Unknown ||
        element == module.element)
      return;
    Finding finding(Level::Certain, visit.event,
                    "the layer has weights of " + elementName(module.element).str() + ", but " +
                        nameOf(visit, input, "its input") + " is " + elementName(element).str());
    finding.notes.push_back({*module.cast, "the weights are made so here"});
    noteOrigin(visit, input, "the input is made here", finding);
    finding.fixes = append(visit, input.expr, castTo(visit, module.element));
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
