#include "Effects.h"

namespace gradtidy {

/// Whether the event concerns modules, optimizers or gradients.
static bool isTraining(const Event &event) {
  switch (event.kind) {
  case EventKind::Call:
  case EventKind::Bind:
  case EventKind::Construct:
  case EventKind::Combine:
  case EventKind::Detach:
  case EventKind::Create:
  case EventKind::Return:
  case EventKind::EndLifetime:
  case EventKind::Assign:
  case EventKind::Release:
  case EventKind::Access:
  case EventKind::KeepMode:
    return false;
  case EventKind::Move:
    return isModule(event.subject.role);
  default:
    return true;
  }
}

/// Whether the event has anything to do with what is followed from event to event, but for
/// closures: their bodies have events of their own.
static bool isFollowedItself(const Event &event) {
  // In a template that nobody instantiates, a type that is open is mostly nothing of ours.
  const bool isOpen = event.function->function->isDependent;
  const auto isFollowed = [&](const Operand &operand) {
    return operand.role != TypeRole::None || (operand.isTensor && !isOpen);
  };
  const bool isPlain = event.kind == EventKind::Bind || event.kind == EventKind::Construct ||
                       event.kind == EventKind::Combine || event.kind == EventKind::Return ||
                       event.kind == EventKind::EndLifetime || event.kind == EventKind::Assign ||
                       event.kind == EventKind::Call || event.kind == EventKind::Access ||
                       (event.kind == EventKind::Detach && isOpen); // `text.data()`
  const ir::Type *given = event.function->function->type;
  const bool isPointed = event.leadsIn && given && given->isPointer; // A function that gives it.
  return !isPlain || event.operation != Operation::None || isPointed ||
         (event.isTensor && !isOpen) || event.resultRole != TypeRole::None ||
         event.details->danglingView.ending != Ending::None ||
         (event.leadsIn && event.trait == Trait::ViewsElements) || isFollowed(event.subject) ||
         llvm::any_of(event.operands, isFollowed);
}

/// The same, closures included.
static bool isFollowed(const Event &event) {
  return isFollowedItself(event) || event.subject.isClosure ||
         llvm::any_of(event.operands, [](const Operand &operand) { return operand.isClosure; });
}

/// Whether the event may change a module that it is given, or keep it for later.
static bool mayChange(const Event &event) {
  const auto isHeld = [](const Operand &operand) { return isModule(operand.role); };
  switch (event.kind) {
  case EventKind::Bind:
  case EventKind::Construct:
    return llvm::any_of(event.operands, isHeld);
  case EventKind::Move:
    return isHeld(event.subject);
  default:
    return event.kind == EventKind::SetMode || event.kind == EventKind::Load;
  }
}

/// Whether a call that cannot be seen gets hold of modules, optimizers or gradients.
static bool getsHold(const Event &call) {
  const auto isHold = [](const Operand &operand) {
    return operand.isClosure || (operand.escapes && operand.role != TypeRole::Tensor);
  };
  return isHold(call.subject) || llvm::any_of(call.operands, isHold);
}

Effects::Effects(const CallGraph &graph, const PathTable &paths) : graph(graph) {
  for (const FunctionBody *body : graph.functions())
    if (body->function->kind != ir::SymbolKind::Constructor)
      findChanges(*body, paths);
  for (const FunctionBody *body : graph.relevant())
    findModeSetUps(*body, paths);
}

bool Effects::runs(const FunctionBody &function, Known &known, Predicate one,
                   Predicate unseen) const {
  const auto [entry, isNew] = known.try_emplace(&function);
  if (isNew)
    entry->second = graph.runs(function, one, unseen);
  return entry->second;
}

bool Effects::runsNone(const Event &call, Known &known, Predicate one, Predicate unseen) const {
  const auto bodies = graph.candidates(call);
  return !bodies.empty() && llvm::none_of(bodies, [&](const FunctionBody *body) {
    return runs(*body, known, one, unseen);
  });
}

bool Effects::isHarmless(const Event &call) const {
  return runsNone(call, touching, isTraining, getsHold);
}

bool Effects::isIrrelevant(const Event &call) const {
  return !isFollowed(call) && runsNone(call, following, isFollowed, [](const Event &unseen) {
    return !unseen.callee || !unseen.callee->isOfSystem;
  });
}

bool Effects::isForeign(const FunctionBody &function) const {
  const auto [entry, isNew] = foreign.try_emplace(&function);
  if (isNew)
    entry->second = !graph.mayRun(function, isFollowedItself);
  return entry->second;
}

bool Effects::concernsTraining(const FunctionBody &function) const {
  return graph.runs(function, isFollowedItself);
}

bool Effects::callsTraining(const Event &event) const {
  const auto isUpdate = [](const Event &each) {
    return each.kind == EventKind::Backward || each.kind == EventKind::Step;
  };
  return event.kind == EventKind::Call &&
         llvm::any_of(graph.candidates(event), [&](const FunctionBody *body) {
           return runs(*body, updating, isUpdate, [](const Event &) { return false; });
         });
}

/// Whether all that \p function takes are tensors and numbers.
static bool takesTensors(const ir::Symbol &function) {
  return llvm::all_of(function.parameters, [](const ir::Symbol *parameter) {
    const ir::Type *type = parameter->type;
    return type && (type->role == TypeRole::Tensor || type->holdsTensors || type->isArithmetic ||
                    type->isEnumeration);
  });
}

Answer Effects::differentiates(const Event &event) const {
  if (event.kind != EventKind::Forward || !event.callee || event.callee->isFramework)
    return Answer::No;
  const auto isDifferentiation = [](const Event &each) {
    return each.kind == EventKind::Backward || each.kind == EventKind::Differentiate ||
           (each.kind == EventKind::RequireGrad && each.subject.role == TypeRole::Tensor &&
            each.constant == true);
  };
  const auto bodies = graph.candidates(event);
  if (bodies.empty())
    return takesTensors(*event.callee) ? Answer::No : Answer::Unknown;
  return llvm::any_of(
             bodies, [&](const FunctionBody *body) { return graph.runs(*body, isDifferentiation); })
             ? Answer::Yes
             : Answer::No;
}

bool Effects::enablesGradients(const FunctionBody &function) const {
  return graph.runs(function, [](const Event &event) {
    return event.kind == EventKind::SetGradMode && event.constant != false;
  });
}

/// Whether the result gives access to elements of the tensor.
static bool opensMemory(Operation operation) {
  return operation == Operation::Index || operation == Operation::PointToMemory ||
         operation == Operation::AccessElements;
}

void Effects::findChanges(const FunctionBody &body, const PathTable &paths) {
  const auto add = [&](llvm::DenseSet<const void *> &members, PathId path) {
    for (; path; path = paths.parent(path))
      if (const PathStep &step = paths.last(path); step.kind == PathStep::Member)
        members.insert(step.identity);
  };
  const auto change = [&](PathId path, EventKind kind) {
    add(kind == EventKind::Load ? loaded : kind == EventKind::SetMode ? switched : changed, path);
  };
  for (const Block &block : body.blocks)
    for (const Event &event : block.events) {
      const bool isHandedOn =
          event.kind == EventKind::Call && !runsNone(event, changing, mayChange, getsHold);
      const bool isPlaced = (event.kind == EventKind::Move || event.kind == EventKind::Load) &&
                            isModule(event.subject.role);
      const bool isChange = isPlaced || event.kind == EventKind::SetMode ||
                            event.kind == EventKind::Bind ||
                            (isHandedOn && event.subject.escapes && !isModuleCall(event));
      if (isChange)
        change(event.subject.path, event.kind);
      if (event.kind == EventKind::Overwrite || event.subject.escapes ||
          opensMemory(event.operation))
        add(written, event.subject.path);
      for (const Operand &operand : event.operands) {
        if (operand.escapes)
          add(written, operand.path);
        if (event.kind == EventKind::Return ||
            (event.kind == EventKind::Load && operand.role != TypeRole::Device) ||
            (event.kind == EventKind::Bind && event.bind != BindKind::Value) ||
            (isHandedOn && operand.escapes))
          change(operand.path, event.kind);
      }
    }
}

void Effects::findModeSetUps(const FunctionBody &body, const PathTable &paths) {
  llvm::SmallDenseSet<const void *, 4> set, called;
  for (const Block &block : body.blocks)
    for (const Event &event : block.events) {
      const PathId module = paths.containerOf(event.subject.path);
      const PathStep &last = paths.last(module);
      if (module && last.kind == PathStep::Member &&
          (event.kind == EventKind::SetMode || isModuleCall(event)))
        (event.kind == EventKind::SetMode ? set : called).insert(last.identity);
    }
  for (const void *field : set)
    if (!called.contains(field))
      modeSetUps.insert(field);
}

MemberChanges Effects::changesOf(const ir::Symbol &field) const {
  if (changed.contains(&field))
    return MemberChanges::Any;
  if (loaded.contains(&field))
    return MemberChanges::Loads;
  if (field.isPublic)
    return MemberChanges::Any;
  return switched.contains(&field) ? MemberChanges::Mode : MemberChanges::None;
}

bool Effects::isSetUpOnly(const ir::Symbol &field) const {
  return !changed.contains(&field) && !loaded.contains(&field) && !written.contains(&field);
}

} // namespace gradtidy
