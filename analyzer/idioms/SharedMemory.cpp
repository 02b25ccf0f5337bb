#include "SharedMemory.h"

#include "CodeForms.h"

#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

const Symbol *sharedMemory(const Node &access) {
  const Node *array = &access;
  while (as(NodeKind::Subscript, array) && !array->children.empty())
    array = stripped(array->children[0]);
  const Symbol *variable = variableIn(array);
  return variable && variable->isStatic && variable->isLocal ? variable : nullptr;
}

namespace {

/// What a thread does, as far as it matters here.
struct Step {
  enum Kind : unsigned char { Read, Write, Wait, Leave } kind;
  const Node *node;
  const Symbol *memory = nullptr;
  bool isAtomic = false;
};

class AccessReader {
public:
  AccessReader(const FunctionBody &kernel, const FunctionParts &parts)
      : kernel(kernel), parts(parts) {
    add(*kernel.body);
  }

  std::vector<UnorderedAccess> unordered() const;

private:
  void add(const Node &node);
  void addWrite(const Node &place, bool isAtomic);
  bool mayWait(const Node &call);
  bool mayWaitIn(const Symbol &function, const Node &code);

  bool isOfThread(const Node *expr) const { return parts.dependsOn(expr, Trait::ThreadIndex); }
  const Node *guardOf(const Node &node) const;
  bool isByAll(const Step &step) const { return !guardOf(*step.node); }
  bool mayChangeForOthers(const Step &write) const;
  bool mayMeet(const Step &read, const Step &write) const;
  bool areOwn(const Node &place, const Node &other) const;
  bool waits(size_t begin, size_t end, const Node *within) const;
  bool isForward(size_t first, size_t second) const;
  bool mayWaitInRounds(size_t first, size_t second) const;
  const Node *roundFor(size_t read, size_t write) const;
  bool isOtherBuffer(const Node &place, const Node &loop) const;

  const FunctionBody &kernel;
  const FunctionParts &parts;
  std::vector<Step> steps;                      ///< In the order of the source.
  llvm::DenseMap<const Symbol *, bool> waiting; ///< The functions that are called: mayWaitIn().
};

} // namespace

/// The switch that a break at \p node leaves, or null.
static const Node *switchAround(const Node &node) {
  const Node *outer = node.kind == NodeKind::Break ? node.parent : nullptr;
  while (outer && outer->kind != NodeKind::Switch && !outer->isLoop())
    outer = outer->parent;
  return as(NodeKind::Switch, outer);
}

/// Whether nothing is known of the statement: of assembly, for example.
static bool isAssembly(const Node &node) {
  return node.kind == NodeKind::Other && !node.isExpression && node.children.empty();
}

void AccessReader::add(const Node &node) {
  const bool isAssignment = node.isAssignment() && node.children.size() == 2;
  const Symbol *assigned = isAssignment ? sharedMemory(*stripped(node.children[0])) : nullptr;
  const bool isAtomic = llvm::is_contained(parts.atomics, &node) && !node.arguments.empty();
  const Node *skipped = nullptr;
  if (assigned && node.op == "=")
    skipped = node.children[0];
  else if (isAtomic)
    skipped = node.arguments.front();
  if (node.kind == NodeKind::Lambda)
    return;

  const Node *place = nullptr;
  if (node.kind == NodeKind::Subscript || node.kind == NodeKind::Reference)
    place = &node;
  const Symbol *memory = place ? sharedMemory(*place) : nullptr;
  const bool isLent = node.parent && node.parent->kind == NodeKind::Unary && node.parent->op == "&";
  // An array by itself is where its elements are, and so is a row of it.
  if (memory && node.type && !node.type->isArray && !node.type->isPointer && !isLent)
    steps.push_back({Step::Read, &node, memory});
  if (!memory)
    for (const Node *child : node.children)
      if (child != skipped)
        add(*child);

  if (assigned)
    addWrite(*stripped(node.children[0]), false);
  else if (isAtomic)
    addWrite(*stripped(node.arguments.front()), true);
  else if (node.isCall() && mayWait(node))
    steps.push_back({Step::Wait, &node});
  else if (node.kind == NodeKind::Return || node.kind == NodeKind::Break ||
           node.kind == NodeKind::Continue)
    steps.push_back({Step::Leave, &node});
  else if (isAssembly(node))
    steps.push_back({Step::Wait, &node});
}

void AccessReader::addWrite(const Node &place, bool isAtomic) {
  if (const Symbol *memory = sharedMemory(place))
    steps.push_back({Step::Write, &place, memory, isAtomic});
}

/// Whether threads may wait for each other in \p call: at a barrier, or in what nobody can see.
bool AccessReader::mayWait(const Node &call) {
  const Symbol *callee = call.symbol;
  if (!callee || callee->operation == Operation::Barrier)
    return true;
  if (const Node *code = codeOf(*callee))
    return mayWaitIn(*callee->definition, *code);
  const bool isForMemory = llvm::any_of(call.arguments, [](const Node *argument) {
    return argument->type && argument->type->isPointer;
  });
  const bool isDone = (!call.type || call.type->isVoid) && !isForMemory; // `__syncwarp()`
  const bool isSeen = call.kind == NodeKind::OperatorCall || callee->isFramework;
  return !isSeen && (callee->isUser || isDone || call.kind == NodeKind::MemberCall);
}

bool AccessReader::mayWaitIn(const Symbol &function, const Node &code) {
  const auto [known, isFirst] = waiting.try_emplace(&function, false);
  if (!isFirst)
    return known->second;
  bool waits = false;
  forEach(&code,
          [&](const Node &node) { waits |= (node.isCall() && mayWait(node)) || isAssembly(node); });
  return waiting[&function] = waits;
}

/// The branch that has \p node done only by some threads, or null.
const Node *AccessReader::guardOf(const Node &node) const {
  for (const Node *inner = &node, *outer = node.parent; outer;
       inner = std::exchange(outer, outer->parent)) {
    const bool isBranch =
        outer->kind == NodeKind::If || outer->kind == NodeKind::Conditional ||
        (outer->kind == NodeKind::Binary && (outer->op == "&&" || outer->op == "||"));
    const Node *asked =
        outer->kind == NodeKind::Binary ? outer->children.front() : outer->condition;
    if (isBranch && inner != asked && isOfThread(asked))
      return outer;
  }
  return nullptr;
}

/// Whether one thread writes there what others read as well.
bool AccessReader::mayChangeForOthers(const Step &write) const {
  const Node *guard = guardOf(*write.node);
  return write.isAtomic || guard || isOfThread(write.node);
}

/// Whether the two indices say the same, be it by the names of constants.
static bool areSame(const Node &index, const Node &other) {
  const Node *named = constantIn(&index), *otherNamed = constantIn(&other);
  return areAlike(index, other) || (named && otherNamed && areAlike(*named, *otherNamed));
}

/// Whether the places are in different parts of the memory, as constant indices say: of two
/// buffers.
static bool areApart(const Node &place, const Node &other) {
  const Node *a = as(NodeKind::Subscript, &place), *b = as(NodeKind::Subscript, &other);
  if (!a || !b)
    return false;
  const Node *index = stripped(a->children[1]), *otherIndex = stripped(b->children[1]);
  return (index->integer && otherIndex->integer && *index->integer != *otherIndex->integer) ||
         areApart(*stripped(a->children[0]), *stripped(b->children[0]));
}

/// Whether a thread keeps to its own part at both places: `sums[threadIdx.x][i]`.
bool AccessReader::areOwn(const Node &place, const Node &other) const {
  const Node *a = as(NodeKind::Subscript, &place), *b = as(NodeKind::Subscript, &other);
  if (!a || !b)
    return false;
  return (isOfThread(a->children[1]) && areSame(*a->children[1], *b->children[1])) ||
         areOwn(*stripped(a->children[0]), *stripped(b->children[0]));
}

/// Whether the element that all threads read may be the one that is written: all write the first.
bool AccessReader::mayMeet(const Step &read, const Step &write) const {
  const auto indexOf = [](const Node &place) {
    return place.kind == NodeKind::Subscript ? stripped(place.children[1]) : nullptr;
  };
  const Node *index = indexOf(*read.node), *written = indexOf(*write.node);
  if (!index || !written)
    return !index && !written;
  if (areApart(*read.node, *write.node))
    return false;
  const bool isMoved =
      written->kind == NodeKind::Binary && (written->op == "+" || written->op == "-");
  return areAlike(*read.node, *write.node) ||
         (index->integer == 0 && isOfThread(written) && !isMoved);
}

/// Whether threads may wait in the steps from \p begin to before \p end that stand \p within.
bool AccessReader::waits(size_t begin, size_t end, const Node *within) const {
  for (size_t i = begin; i < end; ++i)
    if (steps[i].kind == Step::Wait && (!within || isWithin(steps[i].node, *within)))
      return true;
  return false;
}

/// Whether a thread may come from one step to the other without waiting.
bool AccessReader::isForward(size_t first, size_t second) const {
  if (first >= second || waits(first + 1, second, nullptr))
    return false;
  for (size_t i = first + 1; i < second; ++i) // One case may be left before that of the other.
    if (const Node *choice = steps[i].kind == Step::Leave ? switchAround(*steps[i].node) : nullptr;
        choice && isWithin(steps[first].node, *choice) && isWithin(steps[second].node, *choice))
      return false;
  for (const Node *inner = steps[first].node, *outer = inner->parent; outer;
       inner = std::exchange(outer, outer->parent)) {
    if (isWithin(steps[second].node, *outer)) // The innermost around both.
      return !(outer->kind == NodeKind::If || outer->kind == NodeKind::Conditional) ||
             inner == outer->condition || inner == outer->init;
    for (size_t i = first + 1; i < second; ++i)
      if (steps[i].kind == Step::Leave && isWithin(steps[i].node, *outer))
        return false;
  }
  return false;
}

/// Whether a loop goes around both, and threads wait anywhere: before another round, perhaps.
bool AccessReader::mayWaitInRounds(size_t first, size_t second) const {
  const auto loops = kernel.loopsAround(steps[first].node);
  return !loops.empty() && isWithin(steps[second].node, *loops.back()) &&
         waits(0, steps.size(), nullptr);
}

/// Whether each round of \p loop has its own part of the memory: `tile[round % 2][lane]`.
bool AccessReader::isOtherBuffer(const Node &place, const Node &loop) const {
  bool isOther = false;
  forEach(&place, [&](const Node &node) {
    const Symbol *variable = variableIn(&node);
    const Node *declared = variable ? variable->init : nullptr;
    const bool isOfRound = declared && loop.body && isWithin(declared, *loop.body);
    isOther |= variable && !variable->isStatic &&
               (isOfRound ? isOtherBuffer(*declared, loop) : kernel.mayChange(*variable, &loop));
  });
  return isOther;
}

/// The loop in whose next round the write may come while others still read, or null.
const Node *AccessReader::roundFor(size_t read, size_t write) const {
  for (const Node *loop : kernel.loopsAround(steps[read].node)) {
    if (!isWithin(steps[write].node, *loop))
      continue;
    if (isOtherBuffer(*steps[write].node, *loop) || isOtherBuffer(*steps[read].node, *loop))
      return nullptr;
    if (!waits(read + 1, steps.size(), loop) && !waits(0, write, loop))
      return loop;
  }
  return nullptr;
}

std::vector<UnorderedAccess> AccessReader::unordered() const {
  std::vector<UnorderedAccess> found;
  const auto report = [&](size_t read, size_t write, UnorderedAccess::Order order) {
    if (llvm::none_of(found, [&](const UnorderedAccess &each) { return each.order == order; }))
      found.push_back({steps[write].node, steps[read].node, order});
  };
  for (size_t read = 0; read < steps.size(); ++read)
    for (size_t write = 0; write < steps.size(); ++write) {
      if (steps[read].kind != Step::Read || steps[write].kind != Step::Write ||
          steps[read].memory != steps[write].memory || !mayChangeForOthers(steps[write]))
        continue;
      const bool isCommon = !isOfThread(steps[read].node);
      const bool isCommonForAll = isCommon && isByAll(steps[read]);
      const bool isOfOne = !isOfThread(steps[write].node);
      // Sums that one thread makes of the parts of all need a barrier before as well; a single part
      // may be its own.
      const Node *last = steps[read].node->kind == NodeKind::Subscript
                             ? stripped(steps[read].node->children[1])
                             : nullptr;
      const bool isOfMany =
          !isOfOne && last && !last->integer && !areApart(*steps[read].node, *steps[write].node);
      if (isCommon && isForward(write, read) &&
          (isOfMany ? !mayWaitInRounds(write, read)
                    : isCommonForAll && mayMeet(steps[read], steps[write])))
        report(read, write, UnorderedAccess::WriteThenRead);
      const bool isShared = isCommonForAll && mayMeet(steps[read], steps[write]);
      if (isShared && isForward(read, write))
        report(read, write, UnorderedAccess::ReadThenWrite);
      // Who waits between a write and a read means to read what others have written.
      const bool isMeant = read > write && waits(write, read, nullptr) &&
                           isOfThread(steps[write].node) &&
                           !areOwn(*steps[read].node, *steps[write].node) &&
                           !areApart(*steps[read].node, *steps[write].node);
      if ((isShared || isMeant) && roundFor(read, write))
        report(read, write, UnorderedAccess::ReadThenNextRound);
    }
  return found;
}

std::vector<UnorderedAccess> unorderedAccesses(const FunctionBody &kernel,
                                               const FunctionParts &parts) {
  return parts.dependsOn(kernel.body, Trait::ThreadIndex) ? AccessReader(kernel, parts).unordered()
                                                          : std::vector<UnorderedAccess>();
}

} // namespace gradtidy
