// permute() and its like do not touch the memory: they only change the order in which it is gone
// through. Who reads the memory itself finds the values in the order from before.

#include "Calls.h"
#include "Check.h"
#include "Fixes.h"
#include "Types.h"

#include "analyzer/ir/Typing.h"
#include "analyzer/model/Operators.h"

namespace gradtidy {
namespace {

class NoncontiguousDataPtr : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.hostRead != HostRead::None ||
           moment.event.operation == Operation::PointToMemory;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Event &read = visit.event;
    const bool isPointer = read.operation == Operation::PointToMemory;
    if ((read.hostRead == HostRead::None && !isPointer) || knowsStrides(*read.function))
      return;
    const Value value = visit.before.valueOf(read.subject);
    if (const ir::Symbol *copy = isPointer ? copyPassedOver(read) : nullptr)
      return onOriginal(visit, *copy, reporter);
    if (isPointer && madeLikeOther(visit, value))
      return onLike(visit, *value.origin.made, reporter);
    if (value.storage.anyStrides && read.hostRead != HostRead::None &&
        (isPointer || read.hostRead != HostRead::Elements))
      return onAnyStrides(visit, value, reporter);
    const bool isHandedOn = read.hostRead == HostRead::Packed;
    if (read.hostRead != HostRead::All && !isHandedOn)
      return;
    const ir::Node *call =
        value.layout.permuted ? ir::asCall(value.layout.permuted->site) : nullptr;
    if (!call || !call->symbol)
      return;
    if (isHandedOn && !(call->symbol->run && call->symbol->run->rule == ResultRule::Permute))
      return; // Libraries of linear algebra can be told that a matrix is transposed.
    const llvm::StringRef tensor =
        read.subject.expr ? textOf(visit, read.subject.expr) : llvm::StringRef();
    // Where no size is known, all that moved may be of size 1.
    const bool isCertain = llvm::any_of(visit.before.typeOf(read.subject).shape.sizes,
                                        [](std::int64_t size) { return size > 1; });
    const bool isPart = value.layout.permuted->operation == Operation::View;
    Finding finding(
        isCertain ? Level::Certain : Level::Likely, read,
        "the memory of " + (tensor.empty() ? std::string("the tensor") : "'" + tensor.str() + "'") +
            (isPart ? " also holds what is left out by " : " is in the order from before ") +
            call->symbol->name.str() + "(): it is not contiguous");
    finding.notes.push_back({*call, isPart ? "picked here" : "rearranged here"});
    finding.fixes = appendForRead(visit, phrase(visit.unit.code(), Phrase::Pack));
    reporter.report(std::move(finding));
  }

private:
  /// The variable that the function makes of the parameter whose memory is read, and that is
  /// contiguous; null if there is none.
  static const ir::Symbol *copyPassedOver(const Event &read) {
    const FunctionBody &function = *read.function;
    const ir::Symbol *original = ir::variableIn(ir::stripped(read.subject.expr));
    const ir::Node *outer = function.statementAround(read.site);
    const bool isCompared = outer && outer->kind == ir::NodeKind::Binary;
    if (!original || original->kind != ir::SymbolKind::Parameter || isCompared ||
        function.mayChange(*original, function.body))
      return nullptr;
    const ir::Symbol *copy = nullptr;
    bool isBehind = false;
    ir::forEach(function.body, [&](const ir::Node &node) {
      isBehind |= &node == read.site;
      for (const ir::Symbol *declared : node.declared) {
        const ir::Node *made = declared->init ? ir::asCall(&declared->init->spelled()) : nullptr;
        const ir::Node *object = made ? ir::stripped(made->object) : nullptr;
        if (!isBehind && object && made->symbol && made->symbol->trait == Trait::Packs &&
            ir::variableIn(object) == original)
          copy = declared;
      }
    });
    return copy;
  }

  static void onOriginal(const Visit &visit, const ir::Symbol &copy, Reporter &reporter) {
    Finding finding(Level::Likely, visit.event,
                    "the memory of " + nameOf(visit, visit.event.subject, "the tensor") +
                        " is read, which need not be contiguous, and not that of '" +
                        copy.spelling.str() + "', which is made so");
    finding.notes.push_back({*copy.init, "it is made here"});
    reporter.report(std::move(finding));
  }

  /// Whether the tensor was made like another one of the function, which is made contiguous before
  /// it is read itself: it need not be so.
  static bool madeLikeOther(const Visit &visit, const Value &value) {
    const Event *made = value.origin.made;
    const FunctionBody &function = *visit.event.function;
    if (!made || made->kind != EventKind::Create || made->function != &function || !made->typing ||
        made->typing->rule != ResultRule::Like)
      return false;
    const ir::Symbol *other = ir::variableIn(ir::stripped(made->subject.expr));
    return other && !function.mayChange(*other, function.body) &&
           hasEvent(function, [&](const Event &event) {
             const ir::Node *call = ir::asCall(event.site);
             return call && call->symbol && call->symbol->trait == Trait::Packs &&
                    ir::variableIn(ir::stripped(event.subject.expr)) == other;
           });
  }

  static void onLike(const Visit &visit, const Event &made, Reporter &reporter) {
    Finding finding(Level::Likely, visit.event);
    finding.message = "the memory is in the order of '" + textOf(visit, made.subject.expr).str() +
                      "', like which the tensor was made: that need not be contiguous, or it would "
                      "not be made so to be read";
    finding.notes.push_back({made, "it is made here"});
    reporter.report(std::move(finding));
  }

  /// A gradient that autograd has computed, where that of a sum has one element for all, or a
  /// tensor that another language gives, where slices are as good as any.
  static void onAnyStrides(const Visit &visit, const Value &value, Reporter &reporter) {
    const Event &read = visit.event;
    const FunctionBody &root = rootOf(visit);
    if (!root.isOwnBackward && asksForStrides(visit))
      return;
    if (!root.isOwnBackward && isWritten(read))
      return;
    // What is computed of an expanded gradient is contiguous, that of a transposed one is not.
    const bool isComputed = value.storage.memory != noPath;
    Finding finding(
        root.isOwnBackward && !isComputed ? Level::Certain : Level::Likely, read,
        "the memory of " + nameOf(visit, read.subject, "the tensor") + " is read in order, but " +
            (root.isOwnBackward ? "autograd passes gradients with any strides to backward()"
                                : "who calls '" + root.function->name.str() +
                                      "' from outside may pass a tensor with any strides") +
            "; call contiguous() first");
    finding.fixes = appendForRead(visit, phrase(visit.unit.code(), Phrase::Pack));
    reporter.report(std::move(finding));
  }

  /// Whether elements are assigned through \p pointer, or it is told where one lies.
  static bool isWrittenThrough(const ir::Symbol &pointer, const FunctionBody &function) {
    bool isWritten = false;
    ir::forEach(function.body, [&](const ir::Node &node) {
      const bool takesAddress = node.kind == ir::NodeKind::Unary && node.op == "&";
      if ((!node.isAssignment() && !takesAddress) || node.children.empty())
        return;
      const ir::Node *element = ir::stripped(node.children.front());
      const bool isElement = element->kind == ir::NodeKind::Subscript ||
                             (element->kind == ir::NodeKind::Unary && element->op == "*");
      if (isElement)
        ir::forEach(element->children.front(),
                    [&](const ir::Node &part) { isWritten |= ir::variableIn(&part) == &pointer; });
    });
    return isWritten;
  }

  /// Whether the pointer is written through, or is given to a function that tells what it reads
  /// from what it writes.
  static bool isWritten(const Event &read) {
    const ir::Node *declaration = read.site ? read.function->statementAround(read.site) : nullptr;
    if (declaration)
      for (const ir::Symbol *pointer : declaration->declared)
        if (pointer->init && ir::stripped(pointer->init) == read.site)
          return isWrittenThrough(*pointer, *read.function);
    const ir::Node *call = read.site ? ir::asCall(read.site->parent) : nullptr;
    if (!call || !call->symbol)
      return false;
    bool isWritten = false, isReading = false;
    for (const auto [parameter, argument] : llvm::zip(call->symbol->parameters, call->arguments))
      if (parameter->type && parameter->type->pointee) {
        isReading |= parameter->type->pointee->isConst;
        isWritten |= argument == read.site && !parameter->type->pointee->isConst;
      }
    return isWritten && isReading;
  }

  /// Whether a function that leads there, or what it calls, asks how tensors lie in memory.
  static bool asksForStrides(const Visit &visit) {
    const auto asks = [&](const FunctionBody &function) {
      return visit.unit.callGraph().mayRun(function, isAboutStrides);
    };
    return asks(*visit.event.function) ||
           llvm::any_of(visit.callers, [&](const Event *call) { return asks(*call->function); });
  }

  /// Whether the argument is a memory format, such as channels last.
  static bool isFormat(const ir::Node *argument) {
    const ir::Type *type = argument->spelled().type;
    return type && type->isEnumeration && type->name == "MemoryFormat";
  }

  /// Whether the function asks in which order the memory is, or has it in an order of its own.
  static bool knowsStrides(const FunctionBody &function) {
    return hasEvent(function, isAboutStrides);
  }

  static bool isAboutStrides(const Event &event) {
    const ir::Node *call = ir::asCall(event.site);
    return calledAspects(event.site).has(Aspect::TellsLayout) ||
           (call && llvm::any_of(call->arguments, [](const ir::Node *argument) {
              return argument->kind != ir::NodeKind::DefaultArgument && isFormat(argument);
            }));
  }
};

} // namespace

std::unique_ptr<Check> makeNoncontiguousDataPtr() {
  return std::make_unique<NoncontiguousDataPtr>();
}

} // namespace gradtidy
