// empty() and its kin allocate memory and leave in it what was there before. Until each element has
// been given a value, results are computed of whatever the memory held.

#include "Check.h"

#include "analyzer/idioms/CodeForms.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class UninitializedTensor : public Check {
public:
  bool wants(const Moment &moment) const override {
    return unwrittenReadBy(moment.event, moment.before) != nullptr;
  }

  void on(const Visit &visit, Reporter &reporter) override {
    const Operand *read = unwrittenReadBy(visit.event, visit.before);
    if (!read)
      return;
    const PathTable &paths = visit.before.tables->paths;
    const Storage storage = visit.before.valueOf(*read).storage;
    const std::string name = paths.spelling(read->path);
    Finding finding(storage.partly ? Level::Likely : Level::Certain, *storage.unwritten,
                    (name.empty() ? "this tensor" : "'" + name + "'") +
                        (storage.partly
                             ? " is read although only some of its elements have been "
                               "assigned; initialize all of them"
                             : " is read before its elements are assigned; initialize it"));
    if (storage.partly)
      finding.notes.push_back({*storage.partly, "only some elements are assigned here"});
    finding.notes.push_back({visit.event, "all elements are read here"});
    reporter.report(std::move(finding));
  }

  /// Memory to whose elements kernels only add.
  void onLauncher(const LauncherVisit &visit, Reporter &reporter) override {
    for (const KernelLaunch &launch : visit.care.launches)
      for (const ir::Node *argument : launch.call->arguments) {
        const ir::Symbol *tensor = tensorOf(*argument);
        if (!tensor || !seen.insert(tensor).second || !isUnwritten(*tensor, visit.function))
          continue;
        const ir::Node *addition = additionTo(*tensor, visit);
        if (!addition)
          continue;
        Finding finding(Level::Certain, *tensor->init,
                        "a kernel adds to the elements of '" + tensor->spelling.str() +
                            "', which nobody has given values; initialize them");
        finding.notes.push_back({*addition, "it adds here"});
        reporter.report(std::move(finding));
      }
  }

private:
  /// The variable whose memory \p argument points to, be it by another variable, or null.
  static const ir::Symbol *tensorOf(const ir::Node &argument) {
    const ir::Node *pointer = ir::stripped(&argument);
    if (const ir::Symbol *variable = ir::variableIn(pointer);
        variable && variable->hasLocalStorage() && variable->init)
      pointer = ir::stripped(variable->init);
    const ir::Node *object = pointer->isCall() ? objectOf(*pointer) : nullptr;
    return isTensor(object) ? variableOf(object) : nullptr;
  }

  /// Whether nothing in the function is done with \p tensor, which is allocated there, but to get
  /// at its memory, to ask for its shape, and to return it.
  static bool isUnwritten(const ir::Symbol &tensor, const FunctionBody &function) {
    const ir::Node *made = tensor.hasLocalStorage() ? originalOf(tensor.init) : nullptr;
    if (!made || !made->symbol || made->symbol->operation != Operation::Allocate)
      return false;
    bool isWritten = false;
    ir::forEach(function.body, [&](const ir::Node &node) {
      const bool isNamed = llvm::any_of(node.arguments, [&](const ir::Node *argument) {
        return variableOf(argument) == &tensor;
      });
      if (!node.isCall() || ir::asConstruction(&node))
        return;
      const bool isOwn = objectOf(node) && variableOf(objectOf(node)) == &tensor;
      const bool isPointer = node.symbol && node.symbol->operation == Operation::PointToMemory;
      const bool isAsked = node.symbol && node.symbol->purpose == FunctionRole::Attribute;
      isWritten |= isNamed || (isOwn && !isAsked && !(isPointer && isForLaunch(node, function)));
    });
    return !isWritten;
  }

  /// Whether launches of kernels alone get \p pointer, or the variable that keeps it.
  static bool isForLaunch(const ir::Node &pointer, const FunctionBody &function) {
    for (const ir::Node *outer = pointer.parent; outer; outer = outer->parent) {
      if (outer->isCall())
        return outer->kind == ir::NodeKind::KernelCall;
      if (outer->kind != ir::NodeKind::Declaration)
        continue;
      const ir::Symbol *variable = onlyVariableOf(*outer);
      bool isAll = variable != nullptr;
      ir::forEach(function.body, [&](const ir::Node &node) {
        if (isAll && node.kind == ir::NodeKind::Reference && node.symbol == variable)
          isAll = isForLaunch(node, function);
      });
      return isAll;
    }
    return false;
  }

  /// The first of the additions to the elements of \p tensor, if no kernel does anything else with
  /// them; else null.
  static const ir::Node *additionTo(const ir::Symbol &tensor, const LauncherVisit &visit) {
    const ir::Node *first = nullptr;
    for (const KernelLaunch &launch : visit.care.launches)
      for (size_t i = 0; i < launch.call->arguments.size(); ++i) {
        if (tensorOf(*launch.call->arguments[i]) != &tensor)
          continue;
        const ir::Symbol *callee = launch.call->symbol;
        const FunctionBody *kernel = callee ? visit.unit.callGraph().bodyOf(*callee) : nullptr;
        const ir::Node *addition = kernel && i < kernel->function->parameters.size()
                                       ? additionTo(*kernel->function->parameters[i], *kernel)
                                       : nullptr;
        if (!addition)
          return nullptr;
        first = first ? first : addition;
      }
    return first;
  }
  static const ir::Node *additionTo(const ir::Symbol &memory, const FunctionBody &kernel) {
    const ir::Node *first = nullptr;
    bool isAll = true;
    ir::forEach(kernel.body, [&](const ir::Node &node) {
      if (node.kind != ir::NodeKind::Reference || node.symbol != &memory || !isAll)
        return;
      const ir::Node *addition = additionAround(node);
      first = first ? first : addition;
      isAll = addition != nullptr;
    });
    return isAll ? first : nullptr;
  }

  /// `atomicAdd(memory + i, x)`, `memory[i] += x`, or null.
  static const ir::Node *additionAround(const ir::Node &name) {
    for (const ir::Node *inner = &name, *outer = name.parent; outer;
         inner = std::exchange(outer, outer->parent)) {
      if (outer->isCall())
        return outer->symbol && outer->symbol->operation == Operation::AddAtomically &&
                       outer->arguments.front() == inner
                   ? outer
                   : nullptr;
      if (outer->isAssignment())
        return outer->op == "+=" && outer->children.front() == inner ? outer : nullptr;
      const bool isPlace = outer->kind == ir::NodeKind::Subscript
                               ? outer->children.front() == inner
                               : outer->kind == ir::NodeKind::Unary ||
                                     outer->kind == ir::NodeKind::Parentheses ||
                                     (outer->kind == ir::NodeKind::Binary && outer->op == "+");
      if (!isPlace)
        return nullptr;
    }
    return nullptr;
  }

  llvm::SmallPtrSet<const ir::Symbol *, 4> seen; ///< Once for all launches.
};

} // namespace

std::unique_ptr<Check> makeUninitializedTensor() { return std::make_unique<UninitializedTensor>(); }

} // namespace gradtidy
