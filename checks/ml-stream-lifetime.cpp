// The memory of a tensor belongs to the stream on which the tensor was made: the allocator hands it
// out again there as soon as the tensor ends. What another stream was given to do with it may not
// be done by then.

#include "Check.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class StreamLifetime : public Check {
public:
  void onUnit(const UnitVisit &visit, Reporter &reporter) override {
    collect(visit);
    if (isByHand)
      return;
    for (const Region &region : regions)
      if (isOfPool(visit, region) && !isAwaited(visit, region))
        for (const Event *made : madeIn(visit, region))
          onTensor(visit, region, *made, reporter);
  }

private:
  /// What runs while a guard makes another stream the current one.
  struct Region {
    const Event *guard;
    const FunctionBody *function;
    const ir::Node *block;    ///< In which the guard lives.
    const ir::Symbol *stream; ///< That holds the stream; null if nothing does.
  };

  template <typename Found> static void forEachEvent(const UnitVisit &visit, Found found) {
    for (const FunctionBody *function : visit.unit.callGraph().functions())
      for (const Block &block : function->blocks)
        for (const Event &event : block.events)
          found(event);
  }

  void collect(const UnitVisit &visit) {
    forEachEvent(visit, [&](const Event &event) {
      if (event.operation == Operation::RecordStream)
        isByHand = true; // Who knows of it knows what it is for.
      if (event.operation != Operation::ChooseStream)
        return;
      const ir::Node *block = event.site;
      while (block && block->kind != ir::NodeKind::Compound)
        block = event.function->statementAround(block);
      if (event.kind != EventKind::Construct || !block || event.operands.empty())
        isByHand = true; // Nobody knows for how long.
      else
        regions.push_back({&event, event.function, block, nameIn(event.operands.front().expr)});
    });
  }

  static const ir::Symbol *nameIn(const ir::Node *expr) {
    expr = expr ? ir::stripped(&expr->spelled()) : nullptr;
    return expr && (expr->kind == ir::NodeKind::Reference || expr->kind == ir::NodeKind::Member)
               ? expr->symbol
               : nullptr;
  }

  /// Whether \p expr asks for a stream other than the one that work is on by default.
  static bool takesStream(const UnitVisit &visit, const ir::Node *expr) {
    const ir::Node *call = expr ? ir::asCall(ir::stripped(&expr->spelled())) : nullptr;
    return call && call->symbol && call->symbol->trait == Trait::GivesStream;
  }

  /// Whether the guard's stream is certainly another than the one that the rest runs on.
  static bool isOfPool(const UnitVisit &visit, const Region &region) {
    if (!region.stream)
      return takesStream(visit, region.guard->operands.front().expr);
    if (takesStream(visit, region.stream->init))
      return true;
    bool isFound = false;
    forEachEvent(visit, [&](const Event &event) {
      isFound |= nameOf(visit, event.subject.path) == region.stream && !event.operands.empty() &&
                 takesStream(visit, event.operands.front().expr);
    });
    return isFound;
  }

  static const ir::Symbol *nameOf(const UnitVisit &visit, PathId path) {
    return path ? visit.unit.tables().paths.last(path).name() : nullptr;
  }

  /// Whether \p event runs under the guard.
  static bool isIn(const UnitVisit &visit, const Event &event, const Region &region) {
    return event.function == region.function && contains(visit, region.block, event.site) &&
           visit.source.isBefore(region.guard->site->begin(), event.site->begin());
  }
  static bool contains(const UnitVisit &visit, const ir::Node *outer, const ir::Node *inner) {
    return !visit.source.isBefore(inner->begin(), outer->begin()) &&
           visit.source.isBefore(inner->begin(), outer->end());
  }

  /// Whether the guard's stream waits for the others before it gets memory again.
  static bool isAwaited(const UnitVisit &visit, const Region &region) {
    bool isFound = false;
    forEachEvent(visit, [&](const Event &event) {
      if (event.operation != Operation::AwaitEvent)
        return;
      isFound |= isIn(visit, event, region);
      for (const Operand &operand : event.operands)
        isFound |= region.stream && nameIn(operand.expr) == region.stream;
    });
    return isFound;
  }

  /// What binds new tensors to names that outlive the guard.
  static std::vector<const Event *> madeIn(const UnitVisit &visit, const Region &region) {
    std::vector<const Event *> made;
    for (const Block &block : region.function->blocks)
      for (const Event &event : block.events) {
        const ir::Symbol *name = nameOf(visit, event.subject.path);
        const ir::Node *value =
            event.operands.empty()
                ? nullptr
                : ir::asCall(event.operands.front().expr ? &event.operands.front().expr->spelled()
                                                         : nullptr);
        if (event.kind != EventKind::Bind || event.bind != BindKind::Value || !name || !value ||
            event.subject.role != TypeRole::Tensor || !isIn(visit, event, region))
          continue;
        const bool outlives = name->kind == ir::SymbolKind::Member ||
                              (name->isLocal && !containsSymbol(visit, region.block, *name));
        if (outlives)
          made.push_back(&event);
      }
    return made;
  }
  static bool containsSymbol(const UnitVisit &visit, const ir::Node *outer,
                             const ir::Symbol &name) {
    return !visit.source.isBefore(name.location, outer->begin()) &&
           visit.source.isBefore(name.location, outer->end());
  }

  void onTensor(const UnitVisit &visit, const Region &region, const Event &made,
                Reporter &reporter) {
    const ir::Symbol *name = nameOf(visit, made.subject.path);
    const Event *use = nullptr;
    forEachEvent(visit, [&](const Event &event) {
      if (use || !reads(visit, event, *name) || event.isAttribute ||
          llvm::any_of(regions, [&](const Region &other) { return isIn(visit, event, other); }) ||
          (event.function == region.function &&
           visit.source.isBefore(event.site->begin(), made.site->begin())))
        return;
      use = &event;
    });
    if (!use || waits(visit, region, *use) || !isRepeated(visit, region, *name) ||
        !reported.insert(use->site).second)
      return;
    Finding finding(Level::Likely, *use,
                    "'" + name->name.str() +
                        "' lies in memory of another stream, which may write to it as soon as the "
                        "tensor ends, while this stream still reads it; call record_stream()");
    finding.notes.push_back({made, "it is made here"});
    finding.notes.push_back({*region.guard, "on the stream that is the current one from here on"});
    reporter.report(std::move(finding));
  }

  /// Whether the event gets or computes something of the tensor \p name.
  static bool reads(const UnitVisit &visit, const Event &event, const ir::Symbol &name) {
    const auto isIt = [&](const Operand &operand) {
      return operand.isTensor && nameOf(visit, operand.path) == &name;
    };
    const bool isUse = event.kind == EventKind::Combine || event.kind == EventKind::Forward ||
                       event.kind == EventKind::Bind || event.kind == EventKind::Return ||
                       event.kind == EventKind::Call;
    return isUse && (llvm::any_of(event.operands, isIt) ||
                     (event.kind == EventKind::Combine && isIt(event.subject) && event.isTensor));
  }

  /// Whether the host waits for the GPU where the tensor is used, or in the loop around that.
  static bool waits(const UnitVisit &visit, const Region &region, const Event &use) {
    const auto isWait = [](const Event &event) {
      return event.operation == Operation::Synchronize ||
             event.operation == Operation::ReadScalar ||
             event.operation == Operation::PointToMemory ||
             (event.kind == EventKind::Move && !event.isAsync &&
              event.subject.role == TypeRole::Tensor && !event.operands.empty() &&
              event.operands.front().device.kind == Device::Cpu);
    };
    const CallGraph &graph = visit.unit.callGraph();
    const auto waitsIn = [&](const FunctionBody &function, const ir::Node *within) {
      return llvm::any_of(function.blocks, [&](const Block &block) {
        return llvm::any_of(block.events, [&](const Event &event) {
          if (within && !contains(visit, within, event.site))
            return false;
          const auto bodies = graph.candidates(event);
          return isWait(event) || llvm::any_of(bodies, [&](const FunctionBody *body) {
                   return body != use.function && graph.mayRun(*body, isWait);
                 });
        });
      });
    };
    if (waitsIn(*use.function, nullptr) || waitsIn(*region.function, nullptr))
      return true;
    for (const FunctionBody *caller : graph.callersOf(*use.function))
      for (const Block &block : caller->blocks)
        for (const Event &event : block.events)
          if (llvm::is_contained(graph.candidates(event), use.function))
            if (const auto loops = caller->loopsAround(event.site);
                !loops.empty() && waitsIn(*caller, loops.back()))
              return true;
    return false;
  }

  /// Whether memory is allocated there again while the program runs.
  static bool isRepeated(const UnitVisit &visit, const Region &region, const ir::Symbol &name) {
    return !region.function->loopsAround(region.guard->site).empty() ||
           (!region.function->function->isMain &&
            region.function->function->kind != ir::SymbolKind::Constructor);
  }

  bool isByHand = false; ///< The program sees to it, or to what is the current stream, by itself.
  std::vector<Region> regions;
  llvm::SmallPtrSet<const ir::Node *, 4> reported;
};

} // namespace

std::unique_ptr<Check> makeStreamLifetime() { return std::make_unique<StreamLifetime>(); }

} // namespace gradtidy
