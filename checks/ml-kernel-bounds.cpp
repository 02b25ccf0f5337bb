// A grid has whole blocks, a tensor any number of elements. Where the number of blocks is rounded
// up, the last threads have no element and have to ask; where it is rounded down, the last elements
// have no thread. And a block has at most 1024 threads, however long a dimension is.

#include "Kernels.h"

#include "analyzer/idioms/SharedMemory.h"

#include "llvm/ADT/SetVector.h"

namespace gradtidy {
namespace {

class KernelBounds : public Check {
public:
  void onLauncher(const LauncherVisit &visit, Reporter &reporter) override {
    const FunctionParts launcher(visit.function);
    bool isBlockSaid = false; // Once for all launches of the function.
    for (const KernelLaunch &launch : visit.care.launches) {
      const ir::Symbol *function = launch.call->symbol;
      const FunctionBody *body = function ? visit.unit.callGraph().bodyOf(*function) : nullptr;
      const auto &sizes = launch.configuration->arguments;
      if (sizes.size() < 2)
        continue;
      if (const ir::Node *threads =
              isBlockSaid ? nullptr : unboundedBlock(visit, launcher, *sizes[1])) {
        reportBlock(visit, launch, *threads, reporter);
        isBlockSaid = true;
      }
      if (!body)
        continue;
      const FunctionParts kernel(*body);
      if (asksWhere(kernel, *body))
        continue;
      if (const ir::Node *grid = find(launcher, *sizes[0], isRoundedUp))
        reportBeyond(kernel, launch, *grid, reporter);
      else if (const ir::Node *grid = find(launcher, *sizes[0], isQuotient))
        reportRest(visit, launcher, launch, *grid, reporter);
    }
  }

private:
  /// Whether the kernel makes something depend on where a thread is: it knows its bounds, goes over
  /// them in a loop, or leaves that to another function.
  static bool asksWhere(const FunctionParts &kernel, const FunctionBody &body) {
    bool asks = false;
    const auto isOfThread = [&](const ir::Node *expr) {
      return kernel.dependsOn(expr, Trait::ThreadIndex) ||
             kernel.dependsOn(expr, Trait::BlockIndex);
    };
    llvm::SmallPtrSet<const ir::Symbol *, 2> kept; // Memory in which it is kept.
    for (const ir::Node *write : kernel.writes)
      if (const ir::Symbol *memory = sharedMemory(*ir::stripped(write->children[0]));
          memory && isOfThread(write->children[1]))
        kept.insert(memory);
    const auto depends = [&](const ir::Node *expr) {
      return isOfThread(expr) || kernel.reaches(expr, [&](const ir::Node &node) {
        return kept.contains(ir::variableIn(&node));
      });
    };
    ir::forEach(body.body, [&](const ir::Node &node) {
      const bool isBound =
          node.kind == ir::NodeKind::Conditional ||
          (node.kind == ir::NodeKind::Binary && llvm::is_contained({"<", ">", "%"}, node.op));
      const bool isHandedOn = node.isCall() && node.symbol && node.symbol->isUser;
      asks = asks || depends(node.condition) || (isBound && depends(&node)) ||
             (isHandedOn && llvm::any_of(node.arguments, depends));
    });
    return asks;
  }

  // --- grids

  /// What in \p size, or in what gives the variables in it their values, is \p such, or null.
  static const ir::Node *find(const FunctionParts &launcher, const ir::Node &size,
                              llvm::function_ref<bool(const ir::Node &)> such) {
    llvm::SmallSetVector<const ir::Node *, 8> parts;
    parts.insert(&size);
    const ir::Node *found = nullptr;
    for (size_t i = 0; i < parts.size() && !found; ++i)
      ir::forEach(parts[i], [&](const ir::Node &node) {
        if (!found && such(node))
          found = &node;
        const ir::Symbol *variable = ir::variableIn(&node);
        if (const auto given = launcher.given.find(variable); given != launcher.given.end())
          parts.insert(given->second.begin(), given->second.end());
      });
    return found;
  }

  static bool isInteger(const ir::Node &node) { return node.type && node.type->isInteger; }

  /// `n / threads`, where `n` is no constant.
  static bool isQuotient(const ir::Node &node) {
    return node.kind == ir::NodeKind::Binary && node.op == "/" && isInteger(node) &&
           !node.integer && !node.children.front()->integer;
  }

  /// `(n + threads - 1) / threads`, `n / threads + 1`
  static bool isRoundedUp(const ir::Node &node) {
    if (node.kind != ir::NodeKind::Binary || node.children.size() != 2)
      return false;
    if (isQuotient(node))
      return isSum(*ir::stripped(node.children.front()));
    return node.op == "+" && llvm::any_of(node.children, [](const ir::Node *part) {
             return isQuotient(*ir::stripped(part));
           });
  }

  static bool isSum(const ir::Node &node) {
    return node.kind == ir::NodeKind::Binary && llvm::is_contained({"+", "-"}, node.op);
  }

  // --- blocks

  /// A number of threads in \p block that is as large as a tensor is long in some dimension, and
  /// that the function compares with nothing; or null.
  static const ir::Node *unboundedBlock(const LauncherVisit &visit, const FunctionParts &launcher,
                                        const ir::Node &block) {
    const ir::Node *found = nullptr;
    const auto look = [&](const ir::Node &size) {
      Names names;
      const ir::Node *length = lengthIn(launcher, size, names, 0);
      if (!found && length && !isCompared(visit.function, names, *length))
        found = &size;
    };
    const ir::Node &written = *ir::stripped(&block.spelled());
    const ir::Symbol *variable = ir::variableIn(&written);
    const ir::Node *made =
        variable && variable->init ? ir::asConstruction(ir::stripped(variable->init)) : nullptr;
    if (isInteger(written))
      look(written);
    else if (made) // `dim3 block(n, 2);`
      for (const ir::Node *size : made->arguments)
        look(*size);
    return found;
  }

  using Names = llvm::SmallPtrSet<const ir::Symbol *, 8>;

  /// What asks for the length of a dimension, if \p size is that, or a constant part or multiple of
  /// it, by the variables \p names, of which each has one value; or null.
  static const ir::Node *lengthIn(const FunctionParts &launcher, const ir::Node &size, Names &names,
                                  unsigned depth) {
    const ir::Node &node = *ir::stripped(&size.spelled());
    const auto in = [&](const ir::Node *part) {
      return depth < 8 ? lengthIn(launcher, *part, names, depth + 1) : nullptr;
    };
    if (node.isCall())
      return node.calls(Operation::CountElements) ? &node : nullptr;
    if (node.kind == ir::NodeKind::FunctionalCast || node.kind == ir::NodeKind::Cast)
      return node.children.size() == 1 ? in(node.children.front()) : nullptr;
    if (node.kind == ir::NodeKind::Binary && (node.op == "*" || node.op == "/"))
      return ir::stripped(node.children[1])->integer ? in(node.children[0]) : nullptr;
    const ir::Symbol *variable = ir::variableIn(&node);
    const auto given = variable ? launcher.given.find(variable) : launcher.given.end();
    if (given == launcher.given.end() || given->second.size() != 1)
      return nullptr;
    names.insert(variable);
    return in(given->second.front());
  }

  /// Whether the function compares \p length, or one of \p names, with anything, or has another one
  /// of the program look at it that gives nothing back.
  static bool isCompared(const FunctionBody &function, const Names &names, const ir::Node &length) {
    const auto isNamed = [&](const ir::Node *part) {
      bool isFound = false;
      ir::forEach(part, [&](const ir::Node &node) {
        const ir::Symbol *variable = ir::variableIn(&node);
        isFound |= (variable && names.contains(variable)) || ir::areAlike(node, length);
      });
      return isFound;
    };
    bool compares = false;
    ir::forEach(function.body, [&](const ir::Node &node) {
      const bool isOrder =
          node.kind == ir::NodeKind::Binary && llvm::is_contained({"<", ">", "<=", ">="}, node.op);
      const bool isCheck = node.kind == ir::NodeKind::Call && node.symbol && node.symbol->isUser &&
                           node.type && node.type->isVoid &&
                           llvm::all_of(node.arguments, [](const ir::Node *argument) {
                             return argument->type && argument->type->isArithmetic;
                           });
      compares |= (isOrder && isNamed(&node)) || (isCheck && llvm::any_of(node.arguments, isNamed));
    });
    return compares;
  }

  static void reportBlock(const LauncherVisit &visit, const KernelLaunch &launch,
                          const ir::Node &threads, Reporter &reporter) {
    Finding finding = findingAt(visit, launch);
    finding.level = Level::Likely;
    finding.message =
        "a block has at most 1024 threads, and this one as many as a tensor is long in "
        "some dimension: where that is more, the launch fails";
    finding.notes.push_back({threads, "the number of threads is this one"});
    reporter.report(std::move(finding));
  }

  // --- findings

  /// The kernel goes over the end of its memory in the last block.
  static void reportBeyond(const FunctionParts &kernel, const KernelLaunch &launch,
                           const ir::Node &grid, Reporter &reporter) {
    for (const ir::Node *element : kernel.subscripts) {
      const ir::Symbol *memory = ir::variableIn(ir::stripped(element->children.front()));
      const ir::Node *index = element->children.back();
      if (!memory || memory->kind != ir::SymbolKind::Parameter ||
          !kernel.dependsOn(index, Trait::ThreadIndex) ||
          !kernel.dependsOn(index, Trait::BlockIndex))
        continue;
      Finding finding(
          Level::Likely, *element,
          "threads of the last block go over the end of this memory: the grid is rounded "
          "up, and nothing asks whether there is an element for them");
      finding.notes.push_back({grid, "the number of blocks is rounded up here"});
      finding.notes.push_back({*launch.call, "the kernel is launched here"});
      return reporter.report(std::move(finding));
    }
  }

  /// No thread computes the elements behind the last whole block.
  static void reportRest(const LauncherVisit &visit, const FunctionParts &launcher,
                         const KernelLaunch &launch, const ir::Node &grid, Reporter &reporter) {
    const ir::Node &count = *grid.children.front(), &threads = *ir::stripped(grid.children.back());
    const auto isThreads = [&](const ir::Node &node) {
      return ir::areAlike(node, threads) || (threads.integer && node.integer == threads.integer);
    };
    if (!find(launcher, *launch.configuration->arguments[1], isThreads) ||
        asksForRest(visit.function) || visit.unit.counts().degreeOf(&count, visit.function) == 0)
      return;
    Finding finding = findingAt(visit, launch);
    finding.level = Level::Likely;
    finding.message =
        "the number of blocks is rounded down: no thread computes the elements behind "
        "the last whole block, and where there is no whole one the launch fails";
    finding.notes.push_back({grid, "it is rounded here"});
    reporter.report(std::move(finding));
  }

  /// Whether the function asks for what a division leaves.
  static bool asksForRest(const FunctionBody &function) {
    bool asks = false;
    ir::forEach(function.body, [&](const ir::Node &node) {
      asks |= node.kind == ir::NodeKind::Binary && llvm::is_contained({"%", "%="}, node.op);
    });
    return asks;
  }
};

} // namespace

std::unique_ptr<Check> makeKernelBounds() { return std::make_unique<KernelBounds>(); }

} // namespace gradtidy
