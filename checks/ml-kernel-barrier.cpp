// Threads of a block run in no order but that of their barriers, and blocks in none at all. A
// barrier that not all threads reach, one that is missing, and memory that one block prepares for
// all are mistakes that most runs do not show.

#include "Kernels.h"
#include "Loops.h"

#include "analyzer/idioms/SharedMemory.h"

namespace gradtidy {
namespace {

class KernelBarrier : public Check {
public:
  void onFunction(const FunctionVisit &visit, Reporter &reporter) override {
    const FunctionParts kernel(visit.function);
    for (const ir::Node *barrier : kernel.barriers)
      reportDivergence(kernel, *barrier, reporter);
    reportEarlyReturn(visit, kernel, reporter);
    for (const UnorderedAccess &access : unorderedAccesses(visit.function, kernel))
      reportMissing(access, reporter);
    reportPreparation(visit, kernel, reporter);
  }

private:
  // --- barriers that not all threads reach

  static void reportDivergence(const FunctionParts &kernel, const ir::Node &barrier,
                               Reporter &reporter) {
    for (const ir::Node *inner = &barrier, *outer = barrier.parent; outer;
         inner = std::exchange(outer, outer->parent)) {
      const bool isBranch = outer->kind == ir::NodeKind::If && inner != outer->condition;
      const bool isRound = outer->isLoop() && inner == outer->body;
      if (!(isBranch || isRound) || !outer->condition || outer->isConstantBranch ||
          !kernel.dependsOn(outer->condition, Trait::ThreadIndex) ||
          (isRound && hasEvenRounds(*outer)))
        continue;
      Finding finding(Level::Likely, barrier,
                      isRound ? "threads of a block leave this loop after different numbers of "
                                "rounds, and do not all reach the barrier in it"
                              : "not all threads of a block reach this barrier");
      finding.notes.push_back({*outer, isRound ? "the loop of each thread begins here"
                                               : "only some threads go this way"});
      return reporter.report(std::move(finding));
    }
  }

  /// Threads that leave before the others wait, and help them with nothing that is done between.
  static void reportEarlyReturn(const FunctionVisit &visit, const FunctionParts &kernel,
                                Reporter &reporter) {
    bool isReported = false;
    ir::forEach(visit.function.body, [&](const ir::Node &branch) {
      if (isReported || branch.kind != ir::NodeKind::If || branch.isConstantBranch ||
          !kernel.dependsOn(branch.condition, Trait::ThreadIndex))
        return;
      const ir::Node *leave = returnIn(branch);
      const auto barrier = llvm::find_if(kernel.barriers, [&](const ir::Node *each) {
        return leave && visit.source.isBefore(branch.end(), each->begin());
      });
      if (barrier == kernel.barriers.end() || !sharesBehind(visit, kernel, branch))
        return;
      Finding finding(Level::Likely, *leave,
                      "threads leave here, and do not reach the barrier that the others of their "
                      "block come to");
      finding.notes.push_back({**barrier, "the barrier is here"});
      reporter.report(std::move(finding));
      isReported = true;
    });
  }

  /// Whether threads write shared memory behind \p branch: newer GPUs do not wait for those that
  /// have left, but others may read what these would have written.
  static bool sharesBehind(const FunctionVisit &visit, const FunctionParts &kernel,
                           const ir::Node &branch) {
    return llvm::any_of(kernel.writes, [&](const ir::Node *write) {
      return sharedMemory(*ir::stripped(write->children[0])) &&
             visit.source.isBefore(branch.end(), write->begin());
    });
  }

  /// What leaves the kernel in \p branch.
  static const ir::Node *returnIn(const ir::Node &branch) {
    const ir::Node *found = nullptr;
    ir::forEach(branch.body, [&](const ir::Node &node) {
      if (node.kind == ir::NodeKind::Return && !found)
        found = &node;
    });
    return found;
  }

  /// Whether all threads may make as many rounds of \p loop, because it goes over a multiple of its
  /// step: `for (i = thread; i < 1024; i += 256)`.
  static bool hasEvenRounds(const ir::Node &loop) {
    const ir::Node *condition = ir::as(ir::NodeKind::Binary, loop.condition);
    if (!condition || condition->children.size() != 2)
      return true; // Nobody knows.
    const ir::Node *bound = ir::stripped(condition->children.back());
    bool isProduct = bound->integer.has_value();
    ir::forEach(bound, [&](const ir::Node &node) { isProduct |= node.op == "*"; });
    return isProduct;
  }

  // --- barriers that are missing

  static void reportMissing(const UnorderedAccess &access, Reporter &reporter) {
    const bool isEarly = access.order == UnorderedAccess::WriteThenRead;
    const bool isNextRound = access.order == UnorderedAccess::ReadThenNextRound;
    Finding finding(Level::Likely, isEarly ? *access.read : *access.write);
    if (isEarly)
      finding.message = "a thread reads what others write into this shared memory, and waits for "
                        "none of them: there is no barrier between";
    else
      finding.message = std::string("a thread overwrites this shared memory ") +
                        (isNextRound ? "in the next round " : "") +
                        "while others still read it: there is no barrier behind the reads";
    if (isEarly)
      finding.notes.push_back({*access.write, "it is written here"});
    else
      finding.notes.push_back({*access.read, isNextRound ? "it is read here" : "all read it here"});
    reporter.report(std::move(finding));
  }

  // --- blocks that wait for none

  /// One block sets to zero what all blocks add to.
  static void reportPreparation(const FunctionVisit &visit, const FunctionParts &kernel,
                                Reporter &reporter) {
    for (const ir::Node *write : kernel.writes) {
      const ir::Symbol *memory = pointerIn(*write->children[0]);
      const ir::Node *branch = memory ? branchOfOneBlock(kernel, *write) : nullptr;
      if (!branch || memory->kind != ir::SymbolKind::Parameter)
        continue;
      for (const ir::Node *atomic : kernel.atomics)
        if (!atomic->arguments.empty() && !contains(visit.source, branch, atomic) &&
            leadsInto(atomic->arguments.front(), *memory)) {
          Finding finding(Level::Likely, *write,
                          "one block prepares this memory while others may already have added to "
                          "it: blocks wait for none");
          finding.notes.push_back({*atomic, "all blocks add to it here"});
          return reporter.report(std::move(finding));
        }
    }
  }

  /// The variable whose memory `p[i]` or `*p` is in, or null.
  static const ir::Symbol *pointerIn(const ir::Node &place) {
    const ir::Node &node = *ir::withoutParentheses(&place);
    const bool isMemory = node.kind == ir::NodeKind::Subscript ||
                          (node.kind == ir::NodeKind::Unary && node.op == "*");
    return isMemory && !node.children.empty() ? ir::variableIn(ir::stripped(node.children[0]))
                                              : nullptr;
  }

  /// The condition for \p write that only one block fulfils, or null.
  static const ir::Node *branchOfOneBlock(const FunctionParts &kernel, const ir::Node &write) {
    for (const ir::Node *inner = &write, *outer = write.parent; outer;
         inner = std::exchange(outer, outer->parent)) {
      if (outer->kind != ir::NodeKind::If || inner != outer->body)
        continue;
      bool isOne = false;
      ir::forEach(outer->condition, [&](const ir::Node &node) {
        isOne |= node.kind == ir::NodeKind::Binary && node.op == "==" &&
                 node.children.size() == 2 &&
                 kernel.dependsOn(node.children.front(), Trait::BlockIndex) &&
                 !kernel.dependsOn(node.children.back(), Trait::BlockIndex);
      });
      if (isOne)
        return outer;
    }
    return nullptr;
  }

  static bool leadsInto(const ir::Node *pointer, const ir::Symbol &memory) {
    bool leads = false;
    ir::forEach(pointer, [&](const ir::Node &node) { leads |= ir::variableIn(&node) == &memory; });
    return leads;
  }
};

} // namespace

std::unique_ptr<Check> makeKernelBarrier() { return std::make_unique<KernelBarrier>(); }

} // namespace gradtidy
