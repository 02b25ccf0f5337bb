// A tensor gives a single element as a tensor of its own, which is then read or written: that takes
// about a microsecond, and over a whole image a thousand times as long as going over its memory.

#include "Check.h"
#include "Loops.h"

#include "analyzer/ir/Typing.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class ElementwiseAccess : public Check {
public:
  bool wants(const Moment &moment) const override {
    return moment.event.operation == Operation::ReadScalar ||
           moment.event.operation == Operation::PointToMemory || writtenBy(moment.event);
  }

  void on(const Visit &visit, Reporter &reporter) override {
    if (visit.event.operation == Operation::ReadScalar)
      onRead(visit, reporter);
    else if (visit.event.operation == Operation::PointToMemory)
      onPointer(visit, reporter);
    else if (const ir::Node *element = writtenBy(visit.event))
      onWrite(visit, *element, reporter);
  }

private:
  void onRead(const Visit &visit, Reporter &reporter) {
    const Event &read = visit.event;
    if (!(read.details->elementLoop.loop || read.details->elementLoop.isOfCalls) ||
        read.details->elementLoop.isComputed || read.details->parameterLoop || isForPeople(visit))
      return;
    const auto loops =
        read.details->elementLoop.loop ? countedBy(visit, read, read.subject.expr) : askedIn(visit);
    const bool isWork =
        loops.size() > 1 || (loops.size() == 1 && (doesNothingElse(visit, *loops.front()) ||
                                                   readsRow(visit, *loops.front())));
    if (isWork && !isElsewhere(visit))
      report(visit, loops,
             "each element is read as a tensor of its own, which takes about a microsecond; an "
             "accessor, or an operation on the whole tensor, takes a fraction of that",
             reporter);
  }

  void onPointer(const Visit &visit, Reporter &reporter) {
    const ir::Node *row = visit.event.subject.expr;
    if (row && !selectionsIn(*visit.event.function).contains(&row->spelled()))
      return onView(visit, *row, reporter);
    if (!row)
      return;
    const auto loops = countedBy(visit, visit.event, row);
    if (!loops.empty() && pointsAtMany(visit, *loops.front()))
      report(visit, loops,
             "each row is made a tensor of its own to get at its memory; the rows of a contiguous "
             "tensor lie behind one another, at multiples of a row's size from one pointer",
             reporter);
  }

  /// A view that each round of a loop makes of the same tensor, for one element of its memory:
  /// `x.view({-1}).data_ptr<float>()[i]`.
  void onView(const Visit &visit, const ir::Node &tensor, Reporter &reporter) {
    const ir::Node *view = ir::asCall(&tensor.spelled());
    const ir::Node *element = ir::as(ir::NodeKind::Subscript, visit.event.site->parent);
    if (!view || !view->symbol || view->symbol->operation != Operation::View || !element)
      return;
    const auto loops = countedBy(visit, visit.event, element->children.back());
    Names named;
    addNames(*visit.event.function, &tensor, named);
    const auto isOfRound = [&](const ir::Symbol *name) {
      return contains(visit, loops.front(), name->location) ||
             visit.event.function->mayChange(*name, loops.front());
    };
    if (!loops.empty() && llvm::none_of(named, isOfRound))
      report(
          visit, loops.front(),
          "each round makes a view of the tensor for one element of its memory, which takes about "
          "a microsecond; take the pointer before the loop",
          reporter);
  }

  /// Whether each round of the loop asks for the memory of several rows. One takes less time than
  /// what is done with it.
  bool pointsAtMany(const Visit &visit, const ir::Node &loop) {
    const auto [known, isNew] = ofManyRows.try_emplace(&loop, false);
    if (!isNew)
      return known->second;
    constexpr unsigned many = 3;
    const Sites &selections = selectionsIn(*visit.event.function);
    unsigned pointers = 0;
    for (const Block &block : visit.event.function->blocks)
      for (const Event &event : block.events)
        pointers += event.operation == Operation::PointToMemory && event.subject.expr &&
                    selections.contains(&event.subject.expr->spelled()) &&
                    contains(visit, &loop, event.site);
    return known->second = pointers >= many;
  }

  using Sites = llvm::SmallPtrSet<const ir::Node *, 16>;

  /// Where the function takes parts of tensors by their numbers.
  const Sites &selectionsIn(const FunctionBody &function) {
    const auto [known, isNew] = selections.try_emplace(&function);
    if (isNew)
      for (const Block &block : function.blocks)
        for (const Event &event : block.events)
          if (isSelection(event))
            known->second.insert(event.site);
    return known->second;
  }

  /// Whether the event takes a part of a tensor: `x[i]`, `x.index({i, j})`.
  static bool isSelection(const Event &event) {
    return event.operation == Operation::Index ||
           (event.operation == Operation::View && event.typing &&
            event.typing->rule == ResultRule::Select);
  }

  void onWrite(const Visit &visit, const ir::Node &element, Reporter &reporter) {
    if (!isOfOne(visit, element))
      return;
    const auto loops = countedBy(visit, visit.event, &element);
    const bool isOften = isRepeated(visit, element);
    if (loops.size() > 1 || (loops.size() == 1 && (isOften || writesRow(visit, *loops.front()) ||
                                                   doesNothingElse(visit, *loops.front()))))
      report(
          visit, loops,
          "each element is written through a tensor of its own, which takes some microseconds; an "
          "accessor, or a tensor that is made of all the numbers, takes a fraction of that",
          reporter, isOften ? fewElements / 8 : fewElements);
  }

  void report(const Visit &visit, llvm::ArrayRef<const ir::Node *> loops, std::string message,
              Reporter &reporter, std::int64_t few = fewElements) {
    if (elementsOf(visit, loops) < few || !reported.insert(loops.back()).second)
      return;
    Finding finding(Level::Likely, visit.event, std::move(message));
    finding.notes.push_back({*loops.back(), "the loop over all elements begins here"});
    reporter.report(std::move(finding));
  }

  /// Whether the loop goes over a dimension of a tensor, and each of its rounds reads several
  /// elements: a box, its score and its class.
  bool readsRow(const Visit &visit, const ir::Node &loop) {
    const auto [known, isNew] = ofRows.try_emplace(&loop, false);
    if (!isNew)
      return known->second;
    constexpr unsigned several = 4;
    unsigned reads = 0;
    bool isPass = false;
    if (!loop.body)
      return false;
    for (const Block &block : visit.event.function->blocks)
      for (const Event &event : block.events)
        if (contains(visit, loop.body, event.site)) {
          isPass |= event.kind == EventKind::Forward || event.kind == EventKind::Move;
          reads += event.operation == Operation::ReadScalar &&
                   !visit.event.function->isConditional(event.site, &loop);
        }
    bool isHanded = false; // To somebody who draws it, mostly: that takes longer.
    ir::forEach(loop.body, [&](const ir::Node &node) {
      const ir::Symbol *callee =
          node.isCall() && !ir::asConstruction(&node) ? node.symbol : nullptr;
      isHanded |= callee && !callee->isStandard && !callee->isFramework && !isOfNumbers(node);
    });
    return known->second = !isPass && !isHanded && reads >= several && countsElements(visit, loop);
  }

  /// Whether the loop goes over as many elements as a tensor has along a dimension, or over many
  /// for certain, and all that its rounds do is to read numbers and to go on with these.
  bool doesNothingElse(const Visit &visit, const ir::Node &loop) {
    const auto [known, isNew] = ofNothingElse.try_emplace(&loop, false);
    if (isNew)
      known->second = countsElements(visit, loop) && onlyReads(visit, *loop.body);
    return known->second;
  }

  static bool countsElements(const Visit &visit, const ir::Node &loop) {
    const ir::Node *condition = ir::as(ir::NodeKind::Binary, loop.condition);
    if (!loop.body || !condition)
      return false;
    if (hasManyRounds(visit, loop))
      return true;
    const ir::Symbol *counter = counterOf(loop); // Which may count down to 0.
    const auto grows = [&](const ir::Node *bound) {
      return bound && visit.unit.counts().degreeOf(bound, *visit.event.function) > 0;
    };
    return grows(condition->children.back()) || (counter && grows(counter->init));
  }

  static bool onlyReads(const Visit &visit, const ir::Node &body) {
    Sites reads;
    for (const Block &block : visit.event.function->blocks)
      for (const Event &event : block.events) {
        if (!contains(visit, &body, event.site))
          continue;
        if (event.operation == Operation::ReadScalar || isSelection(event) || writtenBy(event))
          reads.insert(event.site);
        else if (event.kind == EventKind::Forward || event.kind == EventKind::Move)
          return false;
      }
    bool isOnlyReading = true;
    ir::forEach(&body, [&](const ir::Node &node) {
      if (node.isCall() && !reads.contains(&node))
        isOnlyReading &=
            isOfNumbers(node) || (node.symbol && node.symbol->isStandard && node.op != "<<");
    });
    return isOnlyReading;
  }

  /// Whether the call makes a number of numbers, or of an object that holds one.
  static bool isOfNumbers(const ir::Node &call) {
    const auto isNumber = [](const ir::Node *node) {
      return node->type && node->type->isArithmetic;
    };
    return isNumber(&call) && llvm::all_of(call.arguments, isNumber) &&
           (!call.object || call.arguments.empty());
  }

  /// The element that the event assigns a number to, or null: `x[i][j] = 1`.
  static const ir::Node *writtenBy(const Event &event) {
    const ir::Node *site = ir::as(ir::NodeKind::OperatorCall, event.site);
    const bool isWrite = site && site->op == "=" && site->arguments.size() == 2 &&
                         event.changesElements && event.coverage != Coverage::All;
    return isWrite ? site->arguments.front() : nullptr;
  }

  /// Whether the event, which writes \p element, gives it a number, or another element.
  bool isOfOne(const Visit &visit, const ir::Node &element) {
    if (visit.event.operands.empty())
      return true;
    const ir::Node *given = visit.event.operands.front().expr;
    if (!given || !selectionsIn(*visit.event.function).contains(&given->spelled()))
      return false; // Something is computed, which takes as long.
    unsigned indices = 0;
    const ir::Node *part = &element;
    for (; part && part->kind == ir::NodeKind::OperatorCall && part->op == "[]"; ++indices)
      part = part->arguments.empty() ? nullptr : ir::stripped(part->arguments.front());
    return indices > 0 && visit.before.typeOf(visit.event.subject).shape.hasRank(indices);
  }

  /// Whether each round of the loop writes several elements of the tensor, one by one.
  static bool writesRow(const Visit &visit, const ir::Node &loop) {
    constexpr unsigned few = 4;
    const PathTable &paths = visit.unit.tables().paths;
    unsigned written = 0;
    for (const Block &block : visit.event.function->blocks)
      for (const Event &event : block.events)
        written += writtenBy(event) && contains(visit, &loop, event.site) &&
                   paths.rootOf(event.subject.path) == paths.rootOf(visit.event.subject.path);
    return written >= few;
  }

  /// Whether a caller has the whole loop run in each round of another one, and each element takes
  /// several views: `board[plane][row][column] = 1`.
  static bool isRepeated(const Visit &visit, const ir::Node &element) {
    const ir::Node *inner = ir::as(ir::NodeKind::OperatorCall, &element);
    return inner && inner->op == "[]" && !inner->arguments.empty() &&
           ir::as(ir::NodeKind::OperatorCall, ir::stripped(inner->arguments.front())) &&
           isCalledInLoop(visit);
  }
  static bool isCalledInLoop(const Visit &visit) {
    return llvm::any_of(visit.callers, [](const Event *call) {
      return !call->function->loopsAround(call->site).empty();
    });
  }

  static constexpr std::int64_t fewElements = 256; ///< Or less than that take no time to speak of.

  /// Whether the number is asserted, be it by a macro, or printed, which takes longer than to read
  /// it.
  static bool isForPeople(const Visit &visit) {
    const Event &read = visit.event;
    return read.details->use.assertion || read.details->use.isVain ||
           read.shown == Shown::Printed || read.site->begin().isMacroID();
  }

  /// Whether the tensor may be on a GPU: there the host waits for each element, of which
  /// ml-sync-in-loop speaks.
  static bool isElsewhere(const Visit &visit) {
    return visit.unit.program().mayBeGpu(
        visit.before.valueOf(visit.event.subject).placement.device);
  }

  using Names = llvm::SmallSetVector<const ir::Symbol *, 8>;

  /// Adds what \p expr is made of, and what variables of the function are that it names.
  static void addNames(const FunctionBody &function, const ir::Node *expr, Names &named) {
    size_t i = named.size();
    const auto add = [&](const ir::Node *part) {
      for (const ir::Symbol *name : function.namedIn(part))
        named.insert(name);
      ir::forEach(part, [&](const ir::Node &node) {
        if (node.kind == ir::NodeKind::Reference && node.symbol->kind == ir::SymbolKind::Binding)
          named.insert(node.symbol);
      });
    };
    add(expr);
    for (; i < named.size(); ++i) // `auto row = image[y];`
      if (named[i]->isLocal && named[i]->init && !named[i]->isRangeElement)
        add(named[i]->init);
  }

  /// For each number that the index is made of: the loop of a caller, or the algorithm that calls a
  /// closure, each round of which asks for another one. Nothing where the tensor may change.
  static llvm::SmallVector<const ir::Node *, 4> askedIn(const Visit &visit) {
    const FunctionBody *callee = visit.event.function;
    llvm::SmallVector<const ir::Node *, 4> loops;
    Names named;
    addNames(*callee, visit.event.subject.expr, named);
    if (mayBeWritten(visit, named))
      return {};
    for (const Event *call : llvm::reverse(visit.callers)) {
      const FunctionBody &caller = *call->function;
      const ir::Node *site = ir::asCall(call->site);
      const bool isAlgorithm = call->kind == EventKind::Combine;
      if (!site || !(isAlgorithm || call->kind == EventKind::Call))
        return {};
      Names outside;
      for (const ir::Symbol *name : named) {
        const auto parameter = llvm::find(callee->function->parameters, name);
        if (parameter == callee->function->parameters.end()) {
          if (isAlgorithm && callee->mayChange(*name, callee->body))
            loops.push_back(call->site); // A captured counter.
          else
            outside.insert(name);
        } else if (isAlgorithm) {
          loops.push_back(call->site);
        } else if (const size_t index = parameter - callee->function->parameters.begin() +
                                        (site->kind == ir::NodeKind::OperatorCall);
                   index < site->arguments.size()) {
          addNames(caller, site->arguments[index], outside);
        }
      }
      for (const ir::Node *loop : caller.loopsAround(call->site))
        outside.remove_if([&](const ir::Symbol *name) {
          const bool isOfRound = counterOf(*loop) == name ||
                                 contains(visit, loop, name->location) ||
                                 caller.mayChange(*name, loop);
          if (isOfRound && !(name->type && name->type->record))
            loops.push_back(loop);
          return isOfRound;
        });
      if (loops.size() > 1)
        return loops;
      named = std::move(outside);
      callee = &caller;
    }
    return {};
  }

  /// Whether something but a constructor gives one of the tensors other values.
  static bool mayBeWritten(const Visit &visit, const Names &named) {
    const PathTable &paths = visit.unit.tables().paths;
    const auto isOne = [&](PathId path) {
      const ir::Symbol *name = path ? paths.last(path).name() : nullptr;
      return name && named.contains(name) && name->type && !name->type->isInteger;
    };
    return llvm::any_of(visit.unit.callGraph().functions(), [&](const FunctionBody *function) {
      return function->function->kind != ir::SymbolKind::Constructor &&
             llvm::any_of(function->blocks, [&](const Block &block) {
               return llvm::any_of(block.events, [&](const Event &event) {
                 const bool isChange =
                     event.kind == EventKind::Bind
                         ? event.site->kind != ir::NodeKind::Declaration
                         : event.subject.escapes && event.subject.role == TypeRole::Tensor;
                 return isChange && isOne(event.subject.path);
               });
             });
    });
  }

  /// The loops around the event with whose rounds the index of \p element changes, innermost first.
  static llvm::SmallVector<const ir::Node *, 4>
  countedBy(const UnitVisit &visit, const Event &event, const ir::Node *element) {
    const FunctionBody &function = *event.function;
    Names named;
    addNames(function, element, named);
    llvm::SmallVector<const ir::Node *, 4> loops;
    for (const ir::Node *loop : function.loopsAround(event.site)) {
      const auto counts = [&](const ir::Symbol *name) {
        return name->type && name->type->isInteger && name->isVariable() &&
               !contains(visit, loop->body, name->location) &&
               function.mayChange(*name, loop->body);
      };
      if (const ir::Symbol *counter = counterOf(*loop);
          (counter && named.contains(counter)) || llvm::any_of(named, counts))
        loops.push_back(loop);
    }
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

  /// How many elements the loops go over, as far as their functions say that; many where they do
  /// not.
  static std::int64_t elementsOf(const Visit &visit, llvm::ArrayRef<const ir::Node *> loops) {
    std::int64_t elements = 1;
    for (const ir::Node *loop : loops) {
      const std::optional<std::int64_t> rounds = roundsOf(visit, *loop);
      if (!rounds)
        return fewElements;
      elements *= *rounds;
    }
    return elements;
  }

  /// Whether the loop counts to a number one by one, and has many rounds for certain.
  static bool hasManyRounds(const Visit &visit, const ir::Node &loop) {
    const FunctionBody &function = functionOf(visit, loop);
    const ir::Symbol *counter = counterOf(loop);
    const ir::Node *condition = ir::as(ir::NodeKind::Binary, loop.condition);
    const auto countsOn = [&](const ir::Node *part) {
      return part->kind == ir::NodeKind::Unary && part->op == "++" &&
             ir::variableIn(ir::stripped(part->children.front())) == counter;
    };
    if (!counter || !counter->init || !condition || !llvm::any_of(loop.children, countsOn) ||
        (condition->op != "<" && condition->op != "<="))
      return false;
    const std::optional<double> last = numberOf(*condition->children.back(), function);
    const std::optional<double> first = numberOf(*counter->init, function);
    return last && first && *last - *first >= fewElements;
  }

  /// How many rounds the loop has at most, if the function says that; not above fewElements.
  static std::optional<std::int64_t> roundsOf(const Visit &visit, const ir::Node &loop) {
    const FunctionBody &function = functionOf(visit, loop);
    const ir::Node *condition = ir::as(ir::NodeKind::Binary, loop.condition);
    const ir::Node *bound = condition ? condition->children.back() : nullptr;
    const ir::Symbol *counter = counterOf(loop);
    const ir::Node *first = counter ? counter->init : nullptr;
    const std::optional<double> last = bound ? numberOf(*bound, function) : std::nullopt;
    const std::optional<double> begin = first ? numberOf(*first, function) : 0;
    if (!last || !begin)
      return std::nullopt;
    return static_cast<std::int64_t>(std::clamp<double>(std::max(*last, *begin), 1, fewElements));
  }

  /// The function that the loop stands in: that of the event, or one that leads there.
  static const FunctionBody &functionOf(const Visit &visit, const ir::Node &loop) {
    for (const Event *call : visit.callers)
      if (contains(visit, &loop, call->site))
        return *call->function;
    return *visit.event.function;
  }

  llvm::SmallPtrSet<const ir::Node *, 4> reported; ///< Said once of each loop.
  /// What was asked of loops and functions, which have many elements that ask again.
  llvm::DenseMap<const ir::Node *, bool> ofManyRows, ofNothingElse, ofRows;
  llvm::DenseMap<const FunctionBody *, Sites> selections;
};

} // namespace

std::unique_ptr<Check> makeElementwiseAccess() { return std::make_unique<ElementwiseAccess>(); }

} // namespace gradtidy
