// A tensor gives a single element as a tensor of its own, which is then read: that takes about a
// microsecond, and over a whole image a thousand times as long as reading its memory.

#include "Check.h"
#include "Loops.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class ElementwiseAccess : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &read = visit.event;
    if (read.operation != Operation::ReadScalar || !read.elementLoop.loop ||
        read.elementLoop.isComputed || read.parameterLoop || isForPeople(visit) ||
        isElsewhere(visit))
      return;
    const auto loops = countedBy(read);
    if (loops.size() < 2 || elementsOf(loops) < fewElements ||
        !reported.insert(loops.back()).second)
      return;
    Finding finding(Level::Likely, read,
                    "each element is read as a tensor of its own, which takes about a microsecond; "
                    "an accessor, or an operation on the whole tensor, takes a fraction of that");
    finding.notes.push_back({*loops.back(), "the loop over all elements begins here"});
    reporter.report(std::move(finding));
  }

private:
  static constexpr std::int64_t fewElements = 256; ///< Or less than that take no time to speak of.

  /// Whether the number is asserted, be it by a macro, or printed, which takes longer than to read
  /// it.
  static bool isForPeople(const Visit &visit) {
    const Event &read = visit.event;
    return read.use.assertion || read.use.isVain || read.shown == Shown::Printed ||
           read.site->begin().isMacroID();
  }

  /// Whether the tensor may be on a GPU: there the host waits for each element, of which
  /// ml-sync-in-loop speaks.
  static bool isElsewhere(const Visit &visit) {
    const Device device = visit.before.valueOf(visit.event.subject).device;
    return device.isKnown() ? visit.unit.program().mayBeGpu(device)
                            : visit.unit.program().movesModules();
  }

  /// The loops around the read whose counters the index is made of, innermost first.
  static llvm::SmallVector<const ir::Node *, 4> countedBy(const Event &read) {
    const FunctionBody &function = *read.function;
    llvm::SmallSetVector<const ir::Symbol *, 8> named;
    const auto add = [&](const ir::Node *expr) {
      for (const ir::Symbol *name : function.namedIn(expr))
        named.insert(name);
    };
    add(read.subject.expr);
    for (size_t i = 0; i < named.size(); ++i) // `auto row = image[y];`
      if (named[i]->isLocal && named[i]->init && !named[i]->isRangeElement)
        add(named[i]->init);
    llvm::SmallVector<const ir::Node *, 4> loops;
    for (const ir::Node *loop : function.loopsAround(read.site))
      if (const ir::Symbol *counter = counterOf(*loop); counter && named.contains(counter))
        loops.push_back(loop);
    return loops;
  }

  /// The number that the rounds of the loop count, or null.
  static const ir::Symbol *counterOf(const ir::Node &loop) {
    const ir::Symbol *counter = nullptr;
    if (loop.kind == ir::NodeKind::RangeFor)
      counter = loop.symbol; // `for (int64_t i : c10::irange(n))`
    else if (const ir::Node *begin = ir::as(ir::NodeKind::Declaration, loop.init);
             loop.kind == ir::NodeKind::For && begin && !begin->declared.empty())
      counter = begin->declared.front();
    return counter && counter->type && counter->type->isInteger ? counter : nullptr;
  }

  /// How many elements the loops go over, as far as that is written; many where it is not.
  static std::int64_t elementsOf(llvm::ArrayRef<const ir::Node *> loops) {
    std::int64_t elements = 1;
    for (const ir::Node *loop : loops) {
      const ir::Node *condition = ir::as(ir::NodeKind::Binary, loop->condition);
      const ir::Node *bound = condition ? condition->children.back() : nullptr;
      if (!bound || !bound->integer)
        return fewElements;
      elements *= std::clamp<std::int64_t>(*bound->integer, 1, fewElements);
    }
    return elements;
  }

  llvm::SmallPtrSet<const ir::Node *, 4> reported; ///< Said once of each loop.
};

} // namespace

std::unique_ptr<Check> makeElementwiseAccess() { return std::make_unique<ElementwiseAccess>(); }

} // namespace gradtidy
