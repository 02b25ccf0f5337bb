// Who holds tensors and lists, and what leads into these without holding them: pointers, views of
// shapes, image headers.
#include "analyzer/flow/Arguments.h"
#include "analyzer/flow/Interpreter.h"

namespace gradtidy {

// --- state

static PathId &nameIn(Storage &storage, bool isOfMemory) {
  return isOfMemory ? storage.origin : storage.object;
}

PathId State::holderOf(const Operand &tensor, bool isOfMemory) const {
  Storage storage = valueOf(tensor).storage;
  if (const PathId known = nameIn(storage, isOfMemory))
    return known;
  // A member holds what it has held before the function began.
  const PathId place = resolve(tensor.path);
  return tables->paths.last(place).kind == PathStep::Member ? place : noPath;
}

/// Whether the tensor has that name.
static bool holds(const Value &value, PathId holder) {
  return value.storage.origin == holder || value.storage.object == holder;
}

llvm::SmallVector<PathId, 2> State::lookedAtWithin(PathId place) const {
  llvm::SmallVector<PathId, 2> found;
  const PathTable &paths = tables->paths;
  for (PathId holder : tables->looked)
    if (paths.isWithin(holder, place) ||
        llvm::any_of(values.within(paths.sameRoot(place)), [&](const auto &entry) {
          return holds(entry.second, holder) && paths.isWithin(entry.first, place);
        }))
      found.push_back(holder);
  return found;
}

bool State::isHeld(PathId holder) const {
  return holder == tables->paths.unknown() || tables->sources.isUnknown(heldOnOneWay) ||
         llvm::is_contained(tables->sources.members(heldOnOneWay), holder) ||
         llvm::any_of(values, [&](const auto &entry) {
           return holds(entry.second, holder) && !tables->paths.isTemporary(entry.first);
         });
}

void State::doubtHolders(const Value &one, const Value &other) {
  const auto doubt = [&](PathId a, PathId b) {
    for (PathId holder : {a, b})
      if (a != b && holder && holder != tables->paths.unknown())
        heldOnOneWay = tables->sources.join(heldOnOneWay, tables->sources.of(holder));
  };
  doubt(one.storage.origin, other.storage.origin);
  doubt(one.storage.object, other.storage.object);
}

Value State::eitherOf(const Value &one, const Value &other) {
  doubtHolders(one, other);
  return joined(one, other, *tables);
}

Look State::lookOf(PathId path) const {
  const PathTable &paths = tables->paths;
  for (path = resolve(path); path; path = paths.parent(path)) {
    if (const Value *value = values.find(path); value && value->look.taken)
      return value->look;
    if (paths.last(path).kind != PathStep::Element)
      break;
  }
  return {};
}

Look State::lookWithin(PathId path, llvm::function_ref<bool(const Look &)> isOne) const {
  const PathTable &paths = tables->paths;
  path = resolve(path);
  for (const auto &[part, alias] : aliases.within(paths.sameRoot(path)))
    if (paths.isWithin(part, path))
      if (const Value *value = values.find(alias.target); value && isOne(value->look))
        return value->look;
  for (const auto &[part, value] : values.within(paths.sameRoot(path)))
    if (isOne(value.look) && paths.isWithin(part, path))
      return value.look;
  return {};
}

Look State::lostWithin(PathId path) const {
  return lookWithin(path, [](const Look &look) { return look.ended; });
}

llvm::SmallVector<State::Ended, 2> State::endedBy(const Event &event) const {
  llvm::SmallVector<Ended, 2> found;
  for (const auto &[path, value] : values) {
    if (value.look.ended != &event)
      continue;
    found.push_back({path, value.look});
    for (const auto &[name, alias] : aliases)
      if (alias.target == path)
        found.push_back({name, value.look});
  }
  return found;
}

void State::shareHolders(const Operand &operand) {
  PathTable &paths = tables->paths;
  const PathId object = resolve(operand.path);
  llvm::SmallVector<PathId, 4> shared;
  const auto add = [&](const Storage &storage) {
    for (PathId holder : {storage.origin, storage.object})
      if (holder && holder != paths.unknown() && !llvm::is_contained(shared, holder))
        shared.push_back(holder);
  };
  add(valueOf(operand).storage);
  for (const auto &[part, value] : values.within(paths.sameRoot(object)))
    if (paths.isWithin(part, object))
      add(value.storage);
  for (PathId holder : tables->looked) // Of members, and of lists that are passed on.
    if (paths.isWithin(holder, object) && !llvm::is_contained(shared, holder))
      shared.push_back(holder);
  if (shared.empty())
    return;
  const auto isShared = [&](PathId holder) { return llvm::is_contained(shared, holder); };
  values.changeIf(
      [&](const auto &entry) {
        const Value &value = entry.second;
        return isShared(value.storage.origin) || isShared(value.storage.object) ||
               (!value.look.ended && isShared(value.look.into));
      },
      [&](PathId, Value &value) {
        if (isShared(value.storage.origin))
          value.storage.origin = paths.unknown();
        if (isShared(value.storage.object))
          value.storage.object = paths.unknown();
        if (!value.look.ended && isShared(value.look.into))
          value.look = {};
      });
}

void State::shareAllHolders() {
  const PathId unknown = tables->paths.unknown();
  const auto isNamed = [&](PathId holder) { return holder && holder != unknown; };
  values.changeIf(
      [&](const auto &entry) {
        const Value &value = entry.second;
        return isNamed(value.storage.origin) || isNamed(value.storage.object) ||
               (value.look.taken && !value.look.ended);
      },
      [&](PathId, Value &value) {
        if (value.storage.origin)
          value.storage.origin = unknown;
        if (value.storage.object)
          value.storage.object = unknown;
        if (!value.look.ended)
          value.look = {};
      });
}

void State::holdAs(PathId place, const Operand &value) {
  Value *held = values.edit(place);
  if (!held)
    return;
  for (const bool isOfMemory : {true, false})
    if (PathId &name = nameIn(held->storage, isOfMemory); !name) {
      const PathId known = holderOf(value, isOfMemory);
      name = known && known != place ? known : tables->paths.unknown();
    }
}

void State::setLook(PathId path, const Look &look) {
  if (!values.find(path))
    values[path] = Value();
  values.edit(path)->look = look;
  if (look.taken)
    tables->looked.insert(look.into);
}

void State::loseLooks(PathId holder, const Event &event) {
  values.changeIf(
      [&](const auto &entry) {
        const Look &look = entry.second.look;
        return look.into == holder && !look.ended;
      },
      [&](PathId, Value &value) { value.look.ended = &event; });
  tables->hasLost = true;
}

// --- events

/// Whether a call makes a list longer, or gives back memory: its elements may lie elsewhere then.
static bool mayMoveElements(const Event &event) {
  const ir::Symbol *callee = event.site->isCall() ? event.site->symbol : nullptr;
  return event.kind == EventKind::Combine && event.subject.path &&
         event.site->kind == ir::NodeKind::MemberCall && callee && callee->isStandard &&
         llvm::is_contained({"push_back", "emplace_back", "insert", "emplace", "resize", "reserve",
                             "assign", "shrink_to_fit"},
                            callee->name);
}

/// Whether the function makes room for all elements of the list beforehand.
static bool reserves(const FunctionBody &function, PathId list) {
  return llvm::any_of(function.blocks, [&](const Block &block) {
    return llvm::any_of(block.events, [&](const Event &event) {
      return event.subject.path == list && event.site->isCall() &&
             event.site->calledName() == "reserve";
    });
  });
}

/// Whether what the event takes leads into the elements of a tensor, not into the object that has
/// its shape.
static bool leadsIntoMemory(const Event &event) {
  return event.operation == Operation::AccessElements ||
         (event.site->type && event.site->type->isPointer && !event.isAttribute);
}

/// Whether the event assigns to what a call has just given, and nobody else has: `x[i] = 1` writes
/// elements.
static bool assignsToResult(const Event &bind) {
  const ir::Node *assignment = ir::as(ir::NodeKind::OperatorCall, bind.site);
  const bool isAssignment = assignment && assignment->op == "=" && !assignment->arguments.empty();
  const ir::Node *call =
      isAssignment ? ir::asCall(ir::stripped(assignment->arguments[0])) : nullptr;
  const ir::Type *given = call && call->symbol ? call->symbol->type : nullptr;
  return given && !given->isReference && !given->isPointer;
}

llvm::SmallVector<PathId, 2> Interpreter::leavingBy(const Event &event, const State &state) const {
  if (tables.looked.empty())
    return {};
  switch (event.kind) {
  case EventKind::EndLifetime:
    return state.lookedAtWithin(event.subject.path);
  case EventKind::Bind: {
    const PathId place = state.place(assignedBy(event, state));
    bool isOneOfMany = false; // Or a part of one.
    for (PathId part = place; part; part = tables.paths.parent(part))
      isOneOfMany |=
          tables.paths.last(part).kind == PathStep::Element && tables.paths.last(part).index < 0;
    if (isOneOfMany || place == tables.paths.unknown() || assignsToResult(event))
      return {};
    return state.lookedAtWithin(place);
  }
  case EventKind::Combine: {
    const PathId list = state.resolve(event.subject.path);
    if (mayMoveElements(event) && tables.looked.contains(list) &&
        (event.site->calledName() == "reserve" || !reserves(*event.function, event.subject.path)))
      return {list};
    return {};
  }
  default:
    return {};
  }
}

/// Whether the elements of \p list are lists, which copy what a pointer to theirs leads to:
/// `rows.emplace_back(begin, end)`.
static bool holdsLists(const ir::Type *list) {
  const ir::Type *element = list && !list->arguments.empty() ? list->arguments.back() : nullptr;
  return element && element->record && element->record->trait == Trait::OwnsElements;
}

Look Interpreter::lookTakenBy(const Event &event, const State &state) const {
  const auto isNumber = [](const Operand &operand) { // `sizes[0]`
    return operand.expr && operand.expr->type && operand.expr->type->isArithmetic;
  };
  if (event.kind == EventKind::Construct && !event.leadsIn) { // An object that keeps a tensor.
    for (const Operand &operand : event.operands)
      if (const Look look = operand.role == TypeRole::Tensor ? state.lookOf(operand.path) : Look();
          look.taken && look.taken->operation == Operation::WrapMemory)
        return look;
    return {};
  }
  if (!event.leadsIn) { // A list of pointers leads where its elements do.
    if (!mayMoveElements(event) ||
        holdsLists(event.subject.expr ? event.subject.expr->type : nullptr))
      return {};
    // What it takes by value is where elements are to be copied from.
    const auto parameters = event.site->symbol->parameters;
    for (unsigned i = 0; i < event.operands.size() && i < parameters.size(); ++i)
      if (parameters[i]->type && parameters[i]->type->isReference && !isNumber(event.operands[i])) {
        const PathId element = event.operands[i].path;
        if (const Look look = state.lookOf(element); look.taken)
          return look;
        const auto leads = [](const Look &look) { return look.taken; };
        if (const Look look = state.lookWithin(element, leads); look.taken)
          return look; // `problems.push_back({n, x.data_ptr<float>()})`
      }
    return {};
  }
  if (event.kind == EventKind::Create) { // The sizes are copied.
    const Look look = state.lookOf(event.operands.front().path);
    if (!look.taken || !look.isIntoContainer())
      return look;
    return event.memory ? Look() : Look{&event, look.into, look.ended};
  }
  if (event.kind != EventKind::Combine)
    for (const Operand &operand : event.operands)
      if (const Look look = state.lookOf(operand.path); look.taken && !isNumber(operand))
        return look;
  const Operand *object = nullptr;
  if (event.kind == EventKind::Combine)
    object = &event.subject;
  else if (event.kind == EventKind::Construct && !event.operands.empty() &&
           !isNumber(event.operands.front()))
    object = &event.operands.front();
  const ir::Type *type = object && object->expr ? object->expr->type : nullptr;
  if (!object || !object->path ||
      (event.kind == EventKind::Construct && !(type && type->record && type->record->isStandard)))
    return {};
  if (const Look look = state.lookOf(object->path); look.taken && object->role == TypeRole::None)
    return look; // `x.sizes().slice(1)`
  Look look{&event};
  if (object->role == TypeRole::Tensor)
    look.into = state.holderOf(*object, leadsIntoMemory(event));
  else if (const PathId list = state.resolve(object->path); !tables.paths.isTemporary(list))
    look.into = list;
  return look.into && look.into != tables.paths.unknown() ? look : Look();
}

bool Look::isIntoContainer() const {
  return taken->kind == EventKind::Combine && taken->subject.role == TypeRole::None &&
         taken->site->type && taken->site->type->isPointer;
}

/// Whether the event may keep tensors that it is given in what it makes, or adds them to.
static bool keepsTensors(const Event &event, const State &state, PathTable &paths) {
  const auto isList = [](const Operand &operand) {
    return operand.path && operand.role == TypeRole::None && operand.isTensor;
  };
  switch (event.kind) {
  case EventKind::Construct:
    return true;
  case EventKind::Combine:
    return !event.isAttribute && !event.leadsIn &&
           ((event.isTensor && event.resultRole != TypeRole::Tensor) || isList(event.subject) ||
            event.registers == Registers::Parameter || (event.isArithmetic && !event.result));
  case EventKind::Forward: // A module may keep what it is given, and the graph does.
    return event.callee || state.gradMode().possible != GradMode::Off;
  case EventKind::Overwrite: // set_data()
    return event.isArithmetic;
  case EventKind::Bind: {
    const PathId place = state.place(assignedBy(event, state));
    return event.bind != BindKind::Reference &&
           (place == paths.unknown() || paths.last(place).kind == PathStep::Element);
  }
  default:
    return false;
  }
}

void Interpreter::shareOperands(const Event &event, State &state) const {
  if (llvm::any_of(event.operands, [](const Operand &operand) { return operand.isClosure; }))
    state.shareAllHolders(); // A closure may have a copy.
  const bool isTensorBound = // To a name: see holdAs().
      event.kind == EventKind::Bind && event.subject.role == TypeRole::Tensor &&
      event.subject.path && tables.paths.last(event.subject.path).kind != PathStep::Element;
  for (const Operand &operand : event.operands)
    if (operand.isGivenAway && operand.path && !isTensorBound) // The memory of a container.
      tables.mayBeShared.insert(state.resolve(operand.path));
  if (keepsTensors(event, state, tables.paths)) {
    for (const Operand &operand : event.operands)
      if (operand.isTensor)
        state.shareHolders(operand);
    return;
  }
  if (event.kind == EventKind::Return)
    for (const Operand &operand : event.operands)
      if (operand.role == TypeRole::None && !operand.isTensor)
        state.shareHolders(operand); // A list moves to the caller with its memory.
  for (const Operand &operand : event.operands)
    if (operand.isGivenAway && operand.role == TypeRole::None)
      state.shareHolders(operand);
  // The graph keeps what a backward needs.
  if (event.kind != EventKind::Combine || event.resultRole != TypeRole::Tensor ||
      event.isAttribute || state.gradMode().possible == GradMode::Off)
    return;
  const auto isSaved = [&](unsigned index) {
    return !event.run || llvm::any_of(event.run->overloads, [&](const Overload &overload) {
      return llvm::any_of(overload.saves, [&](const Overload::Saved &rule) {
        return llvm::is_contained(rule.arguments, index);
      });
    });
  };
  unsigned graph = 0;
  forArguments(event, [&](unsigned, const Operand &argument) {
    if (argument.isTensor)
      graph |= state.valueOf(argument).autograd.graph;
  });
  forArguments(event, [&](unsigned index, const Operand &argument) {
    if (!argument.isTensor || !isSaved(index))
      return;
    if (graph & Graph::Attached) {
      state.shareHolders(argument);
    } else if (graph & Graph::Unknown) {
      const Storage storage = state.valueOf(argument).storage;
      tables.mayBeShared.insert(storage.origin);
      tables.mayBeShared.insert(storage.object);
    }
  });
}

void Interpreter::lose(const Event &event, llvm::ArrayRef<PathId> left, State &state,
                       bool observing) {
  bool isLost = false;
  for (PathId holder : left)
    if (!state.isHeld(holder)) {
      state.loseLooks(holder, event);
      isLost = true;
    }
  if (isLost && observing)
    observe({event, state, callers, /*isUnseen=*/false, /*isBehind=*/true});
}

void Interpreter::followHolders(const Event &event, llvm::ArrayRef<PathId> left, State &state,
                                bool observing) {
  const Operand *value =
      event.kind == EventKind::Bind && event.bind == BindKind::Value && event.operands.size() == 1
          ? &event.operands.front()
          : nullptr;
  if (value && value->role == TypeRole::Tensor)
    if (const PathId place = state.place(assignedBy(event, state)); place != tables.paths.unknown())
      state.holdAs(place, *value);
  lose(event, left, state, observing);
  if (event.site->kind == ir::NodeKind::Conditional && event.operands.size() == 2)
    state.doubtHolders(state.valueOf(event.operands[0]), state.valueOf(event.operands[1]));
  if (event.kind == EventKind::Bind && event.operands.size() == 1)
    if (const PathId place = state.place(assignedBy(event, state));
        tables.paths.last(place).kind == PathStep::Element && !isNumber(event.operands.front()))
      if (const Look look = state.lookOf(event.operands.front().path); look.taken)
        state.setLook(tables.paths.containerOf(place), look);
  if (const Look look = lookTakenBy(event, state); look.taken)
    state.setLook(event.leadsIn || event.kind == EventKind::Construct
                      ? event.result
                      : state.resolve(event.subject.path),
                  look);
}

} // namespace gradtidy
