// The transfer functions of the events, but for calls.
#include "Arguments.h"
#include "Files.h"
#include "Interpreter.h"
#include "Types.h"

#include "analyzer/ir/Typing.h"
#include "analyzer/model/Operators.h"

namespace gradtidy {

void Interpreter::escape(const Value &value, const State &state) {
  if (!value.autograd.mayHaveGraph())
    return;
  used.differentiate({value.autograd.history, value.autograd.graphs}, value.autograd.sources);
  for (SiteId site : tables.histories.members(value.autograd.graphs))
    if (const SiteId *backward = state.retained.find(site))
      used.useRetained(*backward);
}

void Interpreter::store(const Event &event, PathId place, Value &value, bool accumulates) {
  if (value.autograd.graph & Graph::Attached && accumulates) {
    SourcesId site = tables.histories.of(siteOf(event));
    value.autograd.history = tables.histories.join(value.autograd.history, site);
    value.autograd.graphs = tables.histories.join(value.autograd.graphs, site);
  }
  PathId root = tables.paths.rootOf(place);
  const PathStep &step = tables.paths.last(root);
  const ir::Symbol *variable = step.kind == PathStep::Variable ? step.symbol() : nullptr;
  const bool isParameter =
      variable && variable->kind == ir::SymbolKind::Parameter &&
      (place != root || variable->type->isReference || variable->type->isPointer);
  if (!value.autograd.mayHaveGraph())
    return;
  const PathStep &member = tables.paths.last(tables.paths.containerOf(event.subject.path));
  if (member.kind == PathStep::Member && stored.areCutOff(*member.symbol()))
    return used.setAside(value.autograd.history);
  const bool isStored =
      used.store(place, {value.autograd.history, value.autograd.graphs}, value.autograd.sources);
  if (isStored ? variable && variable->isExtern : place == tables.paths.unknown() || isParameter)
    used.differentiate({value.autograd.history, value.autograd.graphs}, value.autograd.sources);
}

void Interpreter::replacePart(const Event &event, const Operand &part, State &state) {
  const PathId whole = tables.paths.parent(state.place(event.subject.path));
  if (!whole || event.function->function->kind == ir::SymbolKind::Constructor)
    return;
  const Device device = state.moduleAt(whole).device;
  if (device.isKnown() && !(state.module(part).device == device))
    state.moveModule(whole, {}, &event);
}

/// Whether the place has had a value before.
static bool isAssigned(const Event &event) {
  const ir::NodeKind site = event.site->kind;
  return (site == ir::NodeKind::OperatorCall || site == ir::NodeKind::Binary) &&
         event.bind == BindKind::Handle;
}

void Interpreter::bindPlace(const Event &event, State &state) {
  const Operand *value = event.operands.empty() ? nullptr : &event.operands.front();
  const bool isModuleBound = value && isModule(event.subject.role);
  if (isModuleBound)
    replacePart(event, *value, state);
  if (event.bind != BindKind::Value || !value || !value->isTensor) {
    if (isModuleBound && isAssigned(event) && state.module(*value).isNew)
      state.outdateOptimizers(state.place(event.subject.path), event);
    state.bind(event.subject.path, event.bind, event.subject.role, value);
    return;
  }
  Value contents = state.valueOf(*value);
  const SourcesId memory = !contents.lending.taken && value->role == TypeRole::Tensor
                               ? state.memoryOf(*value)
                               : noSources;
  const PathId assigned = assignedBy(event, state);
  PathId place = state.place(assigned);
  bool isDeclaration = event.site->kind == ir::NodeKind::Declaration;
  state.bind(assigned, event.bind, event.subject.role, value);
  if (state.isEach(event.subject.path) ||
      (event.isUpdate && !state.isOneOfAll(event.subject.path))) // In a loop over all.
    state.replaceElements(place, contents);
  if (memory != noSources && place != tables.paths.unknown()) {
    Value handle = state.valueOf({place, TypeRole::Tensor});
    handle.lending.taken = &event;
    handle.lending.shared = tables.lent(memory);
    state.setValue(place, handle);
  }
  if (const PathId whole = tables.paths.parent(place);
      whole && tables.paths.last(place).kind == PathStep::Member &&
      event.function->function->kind != ir::SymbolKind::Constructor)
    state.replaceTensor(whole, contents.placement.device);
  if (isDeclaration)
    return;
  Value stored = contents;
  store(event, place, stored, true);
  if (stored.autograd.history != contents.autograd.history && place != tables.paths.unknown())
    state.addValue(place, stored);
}

/// A change that is not recorded leaves a leaf what it is, and what is none, and adds nothing that
/// a backward reaches.
static void keepLeaf(const Value &before, const State &state, Value &contents) {
  if (state.gradMode().possible != GradMode::Off)
    return;
  contents.autograd.sources = before.autograd.sources;
  contents.autograd.derived = before.autograd.derived;
  if (isLeaf(before))
    contents.origin.made = before.origin.made;
}

/// Whether tensors, or closures that may give some, are among the operands.
static bool takesTensors(const Event &event) {
  return llvm::any_of(event.operands,
                      [](const Operand &operand) { return operand.isTensor || operand.isClosure; });
}

void Interpreter::mutateSubject(const Event &event, State &state, const Value &value) {
  // `losses.push_back(loss)`, `total += loss`, `optimizer.add_param_group(…)`.
  if (event.subject.role == TypeRole::Optimizer) {
    OptimizerFacts &facts = state.optimizerAt(state.resolve(event.subject.path));
    for (const Operand &operand : event.operands)
      facts.owned = tables.sources.join(facts.owned, state.sourcesOf(operand));
    for (const Operand &operand : event.operands)
      facts.whole = tables.sources.join(facts.whole, wholeOf(operand, state));
    facts.outdated = nullptr;
    return;
  }
  if (!mayHoldTensors(event.subject.role))
    return;
  if (event.subject.role == TypeRole::Tensor && state.gradMode().possible == GradMode::On &&
      refusesChange(state.valueOf(event.subject)))
    return; // It throws.
  PathId object = state.resolve(event.subject.path);
  Value contents = value;
  bool addsGraph = llvm::any_of(event.operands, [&](const Operand &operand) {
    return operand.isTensor && (state.valueOf(operand).autograd.graph & Graph::Attached) &&
           (state.gradMode().possible & GradMode::On || event.subject.role != TypeRole::Tensor);
  });
  const bool isUnknown = llvm::any_of(event.operands, [&](const Operand &operand) {
    return operand.isTensor && (state.valueOf(operand).autograd.graph & Graph::Unknown);
  });
  if (event.subject.role != TypeRole::Tensor) {
    const Value before = state.valueOf(event.subject);
    contents.autograd.graph = before.autograd.graph;
    if (!takesTensors(event)) // `losses.reserve(8)`
      contents.stayOn(before);
    for (const Operand &operand : event.operands) {
      const Value part = operand.isTensor ? state.valueOf(operand) : Value();
      if (part.autograd.graph == Graph::Unrecorded) {
        contents.autograd.graph = (contents.autograd.graph & ~Graph::Detached) | Graph::Unrecorded;
        contents.autograd.disabled = part.autograd.disabled;
      }
      if (operand.isTensor)
        contents.autograd.graph |= part.autograd.graph & Graph::Detached;
      if (part.placement.device.isKnown())
        contents.stayOn(part);
    }
    if (takesTensors(event))
      contents.layout.type = typeOfElements(event, state);
  }
  if (event.subject.role != TypeRole::Tensor) {
    const bool isCertain = llvm::any_of(event.operands, [&](const Operand &operand) {
      const unsigned graph = operand.isTensor ? unsigned(state.valueOf(operand).autograd.graph) : 0;
      return graph == Graph::Attached ||
             (operand.role != TypeRole::Tensor && graph & Graph::Attached);
    });
    contents.autograd.graph &= ~Graph::Unknown;
    if (isCertain)
      contents.autograd.graph |= Graph::Attached;
    else if (addsGraph || isUnknown) // What is added may have one; Attached: one of them has.
      contents.autograd.graph |= Graph::Unknown;
  }
  if (event.subject.role == TypeRole::Tensor) {
    const Value before = state.valueOf(event.subject);
    contents.stayOn(before);
    if (contents.placement.freshOnHost) // So is all that it is made of.
      contents.placement.freshOnHost = before.placement.freshOnHost;
    // In place and not recorded: a parameter is still one, and what has a graph keeps it.
    if (state.gradMode().possible == GradMode::Off &&
        before.autograd.graph & (Graph::Attached | Graph::Unknown))
      contents.autograd.graph = before.autograd.graph;
    keepLeaf(before, state, contents);
  }
  const bool isOneTensor = event.subject.role == TypeRole::Tensor && addsGraph;
  if (!isOneTensor)
    contents.autograd.latest = {};
  store(event, object, contents, addsGraph);
  if (object != tables.paths.unknown()) {
    for (const Operand &operand : event.operands)
      if (operand.isTensor && operand.role == TypeRole::None)
        state.addParts(object, state.resolve(operand.path), tables.histories.of(siteOf(event)));
    const Storage before = state.valueOf(event.subject).storage;
    state.addValue(object, contents);
    state.addStorage(object, before, contents.storage);
    if (tables.paths.last(object).kind != PathStep::Element)
      state.addCuts(object, contents);
    if (isOneTensor && tables.paths.last(object).kind != PathStep::Element)
      state.setLatest(object, contents.autograd.latest);
    if (event.subject.role == TypeRole::Tensor && event.changesElements) {
      if (contents.autograd.graph == Graph::Attached &&
          tables.paths.last(object).kind != PathStep::Element) {
        Value written = state.valueOf({.path = object, .role = TypeRole::Tensor});
        written.autograd.graph = Graph::Attached;
        state.setValue(object, written);
      }
      state.recordInMemory(object);
    }
  }
  for (const Operand &operand : event.operands)
    if (!mayHoldTensors(operand.role) && !operand.fresh)
      state.shareElements(event.subject.path);
}

bool Interpreter::isOwnLocal(const Event &event, const Operand &value, const State &state) const {
  const PathStep root = tables.paths.last(value.path);
  if (event.bind == BindKind::Reference || root.kind != PathStep::Variable ||
      state.resolve(value.path) != value.path)
    return false;
  const ir::Symbol &variable = *root.symbol();
  return variable.hasLocalStorage() && variable.kind != ir::SymbolKind::Parameter &&
         !variable.type->isReference;
}

/// Whether the event makes a pointer or a holder that has no module.
static bool makesNull(const Event &event) {
  const ir::Type *type = event.site->kind == ir::NodeKind::Construct ? event.site->type : nullptr;
  const bool isEmpty = event.operands.empty() && type && type->record && type->record->isStandard;
  return isEmpty || llvm::any_of(event.operands, [](const Operand &operand) {
           return operand.expr && ir::stripped(operand.expr)->kind == ir::NodeKind::NullPointer;
         });
}

void Interpreter::makeModule(const Event &event, State &state, Device device) {
  if (event.subject.role != TypeRole::Module && event.subject.role != TypeRole::ModuleHolder)
    return;
  ModuleFacts facts;
  facts.mode = ModuleFacts::Training;
  facts.isNew = facts.isMade = facts.isOwn = true;
  facts.element = ElementType::Float32;
  facts.placed = &event;
  if (makesNull(event)) {
    facts = {};
    facts.mode = ModuleFacts::Unknown;
    facts.isNull = true;
    return state.setModule(event.result, facts);
  }
  const CalledModule &made = event.module();
  facts.layer = made.layer;
  facts.isContainer = event.trait == Trait::Container;
  const bool isOfParts = facts.isContainer && llvm::all_of(event.operands, [](const Operand &each) {
                           return isModule(each.role);
                         });
  facts.dependsOnMode =
      isOfParts && made.dependsOnMode == Answer::Unknown ? Answer::No : made.dependsOnMode;
  // A part that is handed in stays as it is.
  for (const Operand &operand : event.operands)
    if (isModule(operand.role)) {
      const ModuleFacts part = state.module(operand);
      facts.isNew &= part.isNew;
      facts.dependsOnMode = std::max(facts.dependsOnMode, part.dependsOnMode);
      if (part.element != facts.element)
        facts.element = ElementType::Unknown;
      if (!(part.device == device))
        device = {};
      if (part.mode != ModuleFacts::Training)
        facts.mode = ModuleFacts::Unknown;
      state.addPart(event.result, operand);
      if (facts.isContainer)
        state.registerPart(event.result, operand, event);
    } else if (const Value given = operand.isTensor && operand.role == TypeRole::None
                                       ? state.valueOf(operand)
                                       : Value();
               given.placement.device.isKnown() && given.placement.hasDimensions) {
      facts.isWeighted = true;
      device = given.placement.device;
    }
  bool isTold = llvm::any_of(
      event.operands, [](const Operand &operand) { return operand.role == TypeRole::Device; });
  facts.device = isTold ? Device{} : device;
  state.setModule(event.result, facts);
}

/// Whether the forward certainly records a graph.
static bool isRecorded(const Event &event, const State &state) {
  return !event.isGuarded && event.subject.role != TypeRole::ScriptModule &&
         state.gradMode().possible == GradMode::On && !state.module(event.subject).isFrozen;
}

void Interpreter::forward(const Event &event, State &state) {
  noteLayer(event, state);
  Value value = combined(event, state);
  const FunctionBody *pass = graph.calleeOf(event);
  if (pass && !computes(*pass))
    value.autograd.isRecorded = false;
  else
    passModule(event, state, value, isRecorded(event, state));
  if (value.autograd.graph == Graph::Attached && isRecorded(event, state))
    saveWeights(event, state, value);
  if (event.castsWeights)
    state.castWeights(state.sourcesOf(event.subject));
  // Where inputs are not on the CPU, the module is what should have been moved: said once.
  if (Device device = state.module(event.subject).device;
      device.isKnown() && !event.isWeightless && !event.followsInput &&
      (device.kind != Device::Cpu || state.clashes(event).empty()))
    value.placement.device = device;
  state.launch(event, value.placement.device);
  const Pass given = pass ? passOf(*pass, event, state) : Pass();
  Value whole = value;
  const bool isFrozen = state.module(event.subject).isFrozen;
  if (pass) {
    take(given.result, *pass, isFrozen, whole);
    changeInputs(event, given, state);
  }
  if (whole.placement.device.kind == Device::Cpu && !(whole.placement == value.placement))
    state.synchronize();
  state.setValue(event.result, whole);
  for (const auto &[step, part] : given.parts) {
    const Event *made = part.origin.made;
    const bool tells =
        made && (made->operation != Operation::None || made->kind == EventKind::Forward);
    Value contents = value;
    take(part, *pass, isFrozen, contents);
    if (tells)
      contents.origin.made = made;
    if (tells || part.layout.type != unknownType)
      state.setValue(tables.paths.step(event.result, step), contents);
  }
  orderSteps(event, state, value);
}

void Interpreter::passModule(const Event &event, State &state, Value &value, bool isCertain) {
  SiteId site = siteOf(event);
  rootSites.insert(site);
  bool isCarriedOn = llvm::is_contained(tables.histories.members(value.autograd.graphs), site);
  if (!isCarriedOn) // The graph of the last round is gone.
    state.retained.eraseIf([&](const auto &entry) { return entry.first == site; });
  if (event.isStateless)
    return;
  value.autograd.history = tables.histories.join(value.autograd.history, tables.histories.of(site));
  if (state.module(event.subject).mode & ModuleFacts::LeftTraining)
    value.autograd.history = tables.histories.join(
        value.autograd.history, tables.histories.of(tables.sites.inEvaluation(site)));
  value.autograd.graphs = tables.histories.join(value.autograd.graphs, tables.histories.of(site));
  state.recordGraph(site, event, value, isCertain, isFirstRun);
}

void Interpreter::backward(const Event &event, State &state, const Operand &loss) {
  Value value = state.valueOf(loss);
  // What has lost its graph was meant to have that of all that it went through.
  used.backward(
      {value.autograd.history, value.autograd.cut ? value.autograd.history : value.autograd.graphs},
      value.autograd.sources);
  state.markTrained(value.autograd.sources);
  SiteId site = tables.sites.of(event, callers);
  for (SiteId forward : tables.histories.members(value.autograd.graphs)) {
    if (!isModuleCall(tables.sites.event(forward)))
      continue;
    if (const SiteId *retaining = state.retained.find(forward))
      used.useRetained(*retaining);
    if (event.constant == true)
      state.retained[forward] = site;
  }
  if (event.kind == EventKind::Backward)
    state.passGraph(value, event, event.constant);
  const PathId object = state.resolve(loss.path);
  if (value.autograd.graph & Graph::Unknown && event.kind == EventKind::Backward &&
      loss.role == TypeRole::Tensor && object != tables.paths.unknown()) {
    Value known = state.valueOf(loss);
    known.autograd.graph = Graph::Attached; // Else the backward has thrown.
    state.setValue(object, known);
  }
  if (event.constant == true && event.kind == EventKind::Backward)
    state.gradientGraphs = tables.histories.join(state.gradientGraphs, value.autograd.graphs);
  if (tables.histories.isUnknown(value.autograd.history)) {
    // Whatever ran before may be what it goes through.
    for (SiteId forward : rootSites)
      used.differentiate(forward);
    used.useRetained(site);
  }
  // A method of a module that trains it is no forward pass.
  for (unsigned i = 0; i < callers.size(); ++i)
    if (isModuleCall(*callers[i]))
      used.differentiate(tables.sites.of(*callers[i], llvm::ArrayRef(callers).take_front(i)));
}

void Interpreter::requireGrad(const Event &event, State &state) {
  const std::optional<bool> isOn = constantOf(event);
  if (!event.subject.path || event.subject.role == TypeRole::Device) {
    // Of options: the tensors made with them.
    Value options;
    options.autograd.graph = isOn == true    ? Graph::Attached
                             : isOn == false ? Graph::Detached
                                             : Graph::Attached | Graph::Unknown;
    state.setValue(event.result, options);
    Device device = event.subject.path ? state.deviceOf(event.subject) : Device{Device::Unset};
    state.setDevice(event.result, device);
    return;
  }
  Value value = state.valueOf(event.subject);
  const Value before = value;
  const bool isTrained = isOn != true || !tables.types[value.layout.type].shape.isOne();
  // A loss whose graph was not recorded has none for that.
  if (isTrained || value.autograd.graph != Graph::Unrecorded)
    value.autograd.graph = isOn == true    ? Graph::Attached
                           : isOn == false ? Graph::Detached
                                           : Graph::Unknown;
  if (isOn != true) {
    state.freeze(value.autograd.sources);
    state.forgetParameters(); // Which of them it is, may be known to a list alone.
    value.autograd.isParameter = false;
  }
  if (isTrained)
    value.autograd.cut = value.autograd.idleTerm = nullptr;
  PathId object = state.resolve(event.subject.path);
  // What has no graph is a leaf of its own, whatever it was computed of.
  const bool isLeaf = isOn == true && before.autograd.graph == Graph::Detached &&
                      llvm::none_of(tables.sources.members(before.autograd.sources),
                                    [&](PathId owner) { return state.isModuleAt(owner); });
  if ((isLeaf || value.autograd.sources == noSources) && object != tables.paths.unknown())
    value.autograd.sources = tables.sources.of(object);
  state.changeValue(event.subject.path, value);
  const auto change = [&](Value &other) {
    other.autograd.graph = value.autograd.graph;
    other.autograd.isParameter &= value.autograd.isParameter;
  };
  state.changeHandles(object, before, change, state.isEach(event.subject.path));
  if (event.result)
    state.setValue(event.result, value);
}

/// Whether something is made on a GPU, or moved there.
static bool needsGpu(const Event &event, const State &state) {
  return (event.kind == EventKind::Create || event.kind == EventKind::Move) &&
         llvm::any_of(event.operands, [&](const Operand &operand) {
           return state.deviceOf(operand).kind == Device::Cuda;
         });
}

/// Whether an algorithm puts what its closure makes of the elements in their place.
static bool isInPlace(const Event &event) {
  return event.site->calledName() == "transform" && event.operands.size() == 4 &&
         event.operands[0].path == event.operands[2].path;
}

llvm::SmallVector<PathStep, 4> Interpreter::partsOf(const ir::Type &type) const {
  llvm::SmallVector<PathStep, 4> parts;
  if (!type.record || type.isReference)
    return parts;
  const bool isTuple = type.record->isStandard && (type.name == "tuple" || type.name == "pair");
  for (unsigned i = 0; isTuple && i < type.arguments.size(); ++i)
    parts.push_back({PathStep::Element, nullptr, i});
  if (!type.record->isStandard)
    for (const ir::Symbol *member : ir::classOf(*type.record).members)
      parts.push_back({PathStep::Member, member});
  return parts;
}

void Interpreter::returnValue(const Event &event, State &state, bool observing) {
  if (event.operands.empty())
    return;
  Operand value = event.operands.front();
  const Value returned = state.valueOf(value);
  if (stack.size() == 1) {
    escape(returned, state);
    if (observing)
      noteMaker(*stack.front(), returned.origin.made);
  }
  if (!callers.empty() && isModuleCall(*callers.back())) {
    const SiteId call = tables.sites.of(*callers.back(), llvm::ArrayRef(callers).drop_back());
    const bool isTensor = value.role == TypeRole::Tensor;
    if (!isTensor || llvm::is_contained(tables.histories.members(returned.autograd.graphs), call))
      used.handOut(call);
  }
  value.fresh |= isOwnLocal(event, value, state);
  state.bind(event.subject.path, event.bind, event.subject.role, &value);
  if (isNumber(value) && state.lookOf(event.subject.path).taken)
    state.setLook(event.subject.path, Look()); // `return *pointer`
}

/// The device that a constructor of one makes of its operands.
static Device madeDevice(const Event &event, const State &state) {
  if (event.operands.empty())
    return {Device::Unset};
  const Operand &first = event.operands.front();
  Device device = state.deviceOf(first);
  if (first.role != TypeRole::Device && !device.isKnown()) // Of a text it may be any.
    return {first.isText ? Device::Unknown : Device::Unset};
  if (event.operands.size() == 2 && device.kind == Device::Cuda) // With an index.
    device.id = event.operands[1].device.id;
  return device;
}

/// Whether the event makes another handle of a tensor: `std::make_unique<Tensor>(x)`.
static bool isHandleOfTensor(const Event &event) {
  return event.subject.role == TypeRole::Tensor && event.operands.size() == 1 &&
         event.operands.front().role == TypeRole::Tensor;
}

/// Whether the event makes an object of another one, as it is: `std::make_unique<Sample>(sample)`.
static bool isCopyOfObject(const Event &event) {
  const ir::Type *made = event.site->type;
  const Operand *from = event.operands.size() == 1 ? &event.operands.front() : nullptr;
  const ir::Type *given = from && from->expr ? from->expr->type : nullptr;
  return made && made->pointee && made->pointee->record && given &&
         given->record == made->pointee->record;
}

bool Interpreter::construct(const Event &event, State &state, bool observing) {
  for (const Operand &operand : event.operands)
    if (event.startsThread && operand.isClosure)
      runThread(event, state,
                [&](State &there) { return runClosure(operand, event, there, observing); });
  Value value =
      isHandleOfTensor(event) ? state.valueOf(event.operands.front()) : combined(event, state);
  value.autograd.sources = noSources;
  for (const Operand &operand : event.operands)
    value.autograd.sources = tables.sources.join(value.autograd.sources, state.sourcesOf(operand));
  if (event.operands.empty() || (event.subject.role == TypeRole::None && !takesTensors(event)))
    value.placement.device = {Device::Unset}; // An undefined tensor, a container of none.
  if (event.operands.empty() || event.subject.role == TypeRole::None)
    value.layout.type = typeOfElements(event, state);
  else if (event.operands.size() == 1 && isNumber(event.operands.front()))
    value.layout.type = noType; // What may hold a tensor, but holds a number.
  const SourcesId owned =
      event.operands.empty() ? tables.sources.unknown() : state.sourcesOf(event.operands.front());
  const SourcesId whole =
      event.operands.empty() ? noSources : wholeOf(event.operands.front(), state);
  const Device device = madeDevice(event, state);
  state.forget(event.result);
  for (const Operand &operand : event.operands)
    if (event.subject.role == TypeRole::None)
      state.addPart(event.result, operand);
  if (event.subject.role == TypeRole::Optimizer)
    state.optimizerAt(event.result) = {
        owned, whole, {Gradients::Untouched}, event.trait == Trait::NeedsClosure};
  else if (event.subject.role == TypeRole::Device)
    state.setDevice(event.result, device);
  else if (mayHoldTensors(event.subject.role))
    state.setValue(event.result, value);
  if ((event.trait == Trait::OwnsElements && event.operands.size() == 1) || isCopyOfObject(event))
    state.copyParts(state.resolve(event.operands.front().path), event.result);
  makeModule(event, state, {Device::Cpu});
  return true;
}

bool Interpreter::runClosures(const Event &event, State &state, bool observing,
                              std::optional<Value> &given) {
  for (const Operand &operand : event.operands) {
    if (!operand.isClosure)
      continue;
    const Closures closures = closuresOf(operand, state);
    if (event.startsThread)
      runThread(event, state,
                [&](State &there) { return runClosure(operand, event, there, observing); });
    else if (!runClosure(operand, event, state, observing))
      return false;
    if (event.isTensor && !closures.empty() &&
        llvm::all_of(closures, [](const FunctionBody *each) { return each->returnsTensors; }))
      given = state.valueOf({.path = event.result, .role = event.resultRole, .isTensor = true});
  }
  return true;
}

/// Whether the host needs what the GPU has been given to compute: to print it, say, or to know how
/// many elements there are.
static bool waitsForGpu(const Event &event) {
  const auto isTensor = [](const Operand &operand) { return operand.isTensor; };
  const bool isRead = isTensor(event.subject) || llvm::any_of(event.operands, isTensor);
  const bool asksForSize = event.typing && event.typing->rule == ResultRule::Positions;
  return event.operation == Operation::Synchronize || asksForSize ||
         (isRead && !event.isTensor && !event.isAttribute);
}

/// What works in place may change the shape: `x.unsqueeze_(0)`, `x.resize_({8})`.
static void changeType(const Event &event, State &state, const Value &changed) {
  const bool isFunction = event.site->isCall() && event.site->kind != ir::NodeKind::OperatorCall;
  if (isFunction)
    state.changeType(event.subject, changed);
}

/// What is copied has parameters of its own: nothing that is done to them reaches the original's.
static void copyModule(const Event &event, State &state) {
  ModuleFacts facts = state.module(event.subject);
  facts.isMade = true;
  facts.isOwn = false;
  state.forget(event.result);
  state.setModule(event.result, facts);
  for (const Operand &operand : event.operands) // `net->clone(device)`
    if (operand.role == TypeRole::Device)
      state.moveModule(event.result, state.deviceOf(operand), &event);
}

/// What a container is given runs behind what it has.
static void growModule(const Event &event, State &state) {
  const PathId container = state.resolve(event.subject.path);
  ModuleFacts facts = state.moduleAt(container);
  if (!facts.isContainer || !event.subject.escapes)
    return;
  bool isAddition = false;
  for (const Operand &operand : event.operands)
    if (isModule(operand.role)) {
      state.registerPart(state.certainModule(event.subject), operand, event);
      isAddition = true;
    }
  if (!isAddition)
    state.forgetParts(container);
  const bool isOne = event.operands.size() == 1 && isModule(event.operands.front().role);
  const ModuleFacts added = isOne ? state.module(event.operands.front()) : ModuleFacts();
  facts.layer = isOne ? grown(facts.layer, added.layer) : Layer();
  facts.dependsOnMode = std::max(facts.dependsOnMode, added.dependsOnMode);
  state.setModule(container, facts);
}

bool Interpreter::combine(const Event &event, State &state, bool observing) {
  if (isModule(event.subject.role))
    growModule(event, state);
  if (event.growsSubject)
    state.outdateOptimizers(state.resolve(event.subject.path), event);
  if (event.registers != Registers::None)
    state.registerPart(event, registeredName(event, callers, state));
  if (!event.result) { // It registers its operand, which has a name or gets one.
    const PathId owner = state.resolve(event.subject.path);
    for (const Operand &operand : event.operands)
      if (const PathId part = state.resolve(operand.path);
          isModule(operand.role) && !operand.fresh && !tables.paths.isWithin(part, owner))
        state.shareModule(part);
    if (event.registers == Registers::Parameter && event.constant == true)
      for (const Operand &operand : event.operands)
        state.makeParameter(state.resolve(operand.path));
    return true;
  }
  if (event.operation == Operation::CopyModule && isModule(event.resultRole)) {
    copyModule(event, state);
    return true;
  }
  std::optional<Value> given;
  if (!runClosures(event, state, observing, given))
    return false;
  if (event.operation == Operation::MakeLoader)
    state.endBatches(event.result);
  tellOrder(event, state);
  if (observing)
    noteEnd(event, state);
  for (const Operand &operand : event.operands) // `{net, other}`, `layers->push_back(layer)`
    if (isModule(operand.role) || operand.role == TypeRole::Optimizer ||
        operand.role == TypeRole::None)
      state.addPart(event.subject.path ? state.resolve(event.subject.path) : event.result, operand);
  Value value = combined(event, state);
  if (event.givesParameters) {
    const PathId module = state.resolve(event.subject.path);
    value.lending.taken = &event;
    value.lending.shared = tables.lent(tables.sources.of(module));
    value.lending.changed = nullptr;
    state.disown(module);
  }
  if (event.isTensor && !event.isAttribute && !event.isAnyDevice && !keepsValues(event.operation))
    state.launch(event, value.placement.device);
  if (given) {
    value.autograd.sources = tables.sources.join(value.autograd.sources, given->autograd.sources);
    value.autograd.add(given->autograd, tables);
    value.autograd.graph = given->autograd.graph;
    value.autograd.latest = {};
    value.stayOn(*given);
    if (isInPlace(event))
      state.replaceElements(state.place(event.operands.front().path), *given);
  }
  if (state.gradMode().possible == GradMode::Off && leavesGraphs(event)) {
    used.detach(state.valueOf(event.subject).autograd.graphs);
    for (const Operand &operand : event.operands)
      if (operand.isTensor)
        used.detach(state.valueOf(operand).autograd.graphs);
  }
  if ((!event.isTensor || !event.isDifferentiable) && !event.isAttribute)
    used.read(value.autograd.history, value.autograd.sources, event);
  if (event.operation == Operation::ReadClock)
    state.readClock(event);
  else if (waitsForGpu(event))
    state.synchronize();
  if (!event.isDifferentiable)
    value.autograd.history = noSources; // No backward goes this way, and none was meant to.
  if (event.resultRole == TypeRole::Device && state.gradientsAskedBy(event.subject))
    value.autograd.graph = state.gradientsAskedBy(event.subject); // Set one after the other.
  if (!event.isArithmetic && !event.isAttribute)
    state.setValue(event.result, value);
  if (event.site->kind == ir::NodeKind::List) {
    const bool isNested = event.operands.size() == 1 && event.operands.front().expr &&
                          event.operands.front().expr->kind == ir::NodeKind::List;
    if (isNested) // `std::array<Layer, 2>{{a, b}}`
      state.copyParts(state.resolve(event.operands.front().path), event.result);
    else
      state.listParts(event.result, event.operands);
  }
  const bool isLoad = event.operation == Operation::LoadModule;
  if (isLoad || (event.resultRole == TypeRole::ScriptModule &&
                 event.subject.role == TypeRole::ScriptModule)) { // `model.get_method("encode")`
    ModuleFacts facts = state.moduleAt(event.result);
    facts.loaded = isLoad ? &event : state.module(event.subject).loaded;
    if (facts.loaded)
      state.setModule(event.result, facts);
  }
  if (event.resultRole == TypeRole::Device)
    state.setDevice(event.result, deviceNamed(event, state));
  if (event.subject.escapes) {
    state.handOutGradient(event.subject.path);
    for (const Operand &operand : event.operands)
      state.handOutGradient(operand.path);
    if (!event.operands.empty())
      mutateSubject(event, state, value);
    // Who writes through a view writes elements alone.
    if (event.subject.role == TypeRole::Tensor && (event.run || !event.changesElements))
      changeType(event, state, value);
    // It gives back what it has changed.
    if (event.run && event.run->changes(0) && event.result &&
        event.subject.role == TypeRole::Tensor)
      state.setValue(event.result, state.valueOf(event.subject));
  }
  return true;
}

void Interpreter::move(const Event &event, State &state) {
  if (!isModule(event.subject.role)) {
    const Value copy = moved(event, state);
    if (copy.placement.device.kind == Device::Cpu && !event.isAsync)
      state.synchronize();
    if (event.result)
      state.setValue(event.result, copy);
    return;
  }
  if (event.element)
    state.castModule(state.resolve(event.subject.path), *event.element, event);
  const Operand *to = event.operands.empty() ? nullptr : &event.operands.front();
  const bool tells = to && (to->role == TypeRole::Device || to->device.isKnown());
  const Device device = to ? state.deviceOf(*to) : Device{};
  if (!tells || device.kind == Device::Unset)
    return;
  state.moveParameters(state.sourcesOf(event.subject), device);
  state.moveModule(state.resolve(event.subject.path), device, &event);
}

void Interpreter::load(const Event &event, State &state) {
  const Operand *first = event.operands.empty() ? nullptr : &event.operands.front();
  const Operand *loaded = isModule(event.subject.role) ? &event.subject : first;
  if (loaded && isModule(loaded->role)) {
    // Its parameters are where they were saved, or where the caller says.
    Device device;
    for (const Operand &operand : event.operands)
      if (operand.role == TypeRole::Device)
        device = state.deviceOf(operand);
    const PathId module = state.resolve(loaded->path);
    state.moveModule(module, device, &event);
    state.loadElements(module, event);
    if (module != tables.paths.unknown()) {
      ModuleFacts facts = state.moduleAt(module);
      facts.loaded = &event;
      state.setModule(module, facts);
    }
    state.markChanged(tables.sources.of(module));
  } else if (first) {
    state.escape(*first);
  }
}

void Interpreter::detach(const Event &event, State &state) {
  const Value before = state.valueOf(event.subject);
  Value value = before;
  if (const SourcesId memory = state.memoryOf(event.subject); memory != noSources) {
    value.lending.taken = &event;
    value.lending.shared = tables.lent(memory);
    for (PathId parameter : tables.sources.members(memory)) // Perhaps to change it by hand.
      state.disown(parameter);
  }
  used.detach(value.autograd.history);
  value.autograd.derived = nullptr;
  value.autograd.isRecorded = value.autograd.isParameter = false;
  value.autograd.sources = noSources;
  value.autograd.graph = Graph::Detached;
  value.autograd.graphs = noSources;
  value.autograd.latest = {};
  value.autograd.cut = before.autograd.mayHaveGraph() && !event.subject.escapes ? &event : nullptr;
  value.autograd.idleTerm = nullptr;
  value.storage = storageOf(event, state, value);
  state.setValue(event.result, value);
  if (event.subject.escapes)
    if (PathId object = state.resolve(event.subject.path); object != tables.paths.unknown()) {
      state.changeValue(event.subject.path, value);
      state.changeHandles(
          object, before, [&](Value &other) { other.autograd = value.autograd; },
          state.isEach(event.subject.path));
    }
}

void Interpreter::differentiate(const Event &event, State &state) {
  Value value = combined(event, state);
  if (event.subject.path)
    backward(event, state, event.subject);
  if (!event.operands.empty() && event.operands.front().path)
    backward(event, state, event.operands.front());
  value.autograd.graph = event.endsGraph ? Graph::Detached : Graph::Unknown;
  value.autograd.latest = {};
  value.autograd.cut = event.endsGraph ? &event : nullptr;
  value.autograd.idleTerm = nullptr;
  value.lending = {}; // Gradients are new tensors, whatever holds them.
  state.setValue(event.result, value);
}

/// Whether the event begins a copy to page-locked memory of the host, which nobody waits for yet.
static bool isCopyUnderWay(const Event &copy, const Value &target, Device from) {
  const Event *made = target.origin.made;
  return copy.isAsync && made && made->kind == EventKind::Create && !made->isPageable &&
         target.placement.device.kind == Device::Cpu && from.kind != Device::Cpu;
}

void Interpreter::overwrite(const Event &event, State &state) {
  const PathId tensor = event.subject.path;
  const bool isGradient =
      event.operands.empty() ? state.clearGradient(tensor, &event) : state.replaceGradient(tensor);
  if (isGradient)
    return;
  Value value = combined(event, state);
  if (!event.isArithmetic) { // set_data() gives nothing back, and brings other memory.
    value.stayOn(state.valueOf(event.subject));
    state.setValue(event.result, value);
  }
  if (event.subject.role != TypeRole::Tensor)
    return;
  const PathId object = state.resolve(tensor);
  if (const Device device = state.valueOf(event.subject).placement.device;
      device.kind == Device::Cpu)
    state.synchronize(); // A copy to the host.
  else
    state.launch(event, device);
  state.markChanged(state.sourcesOf(event.subject));
  if (event.operands.empty())
    return;
  if (event.isArithmetic)
    state.moveParameters(state.sourcesOf(event.subject),
                         state.valueOf(event.operands.front()).placement.device);
  const bool isRecorded = !event.isArithmetic && value.autograd.graph & Graph::Attached &&
                          state.gradMode().possible & GradMode::On;
  if (isRecorded)
    store(event, object, value, /*accumulates=*/true);
  if (object != tables.paths.unknown()) {
    const Value before = state.valueOf(event.subject);
    keepLeaf(before, state, value);
    const Device from = state.valueOf(event.operands.front()).placement.device;
    const bool isPending = isCopyUnderWay(event, before, from);
    state.addValue(object, value);
    state.addStorage(object, before.storage, value.storage);
    if (isPending) {
      Value changed = state.valueOf(event.subject);
      changed.placement.copying = &event;
      changed.placement.copiedFrom = from;
      state.setValue(object, changed);
    }
    if (event.isArithmetic) { // set_data()
      Value changed = state.valueOf(event.subject);
      changed.storage.memory = noPath;
      changed.storage.origin = tables.paths.unknown();
      state.setValue(object, changed);
      state.changeHandles(object, before, [&](Value &other) { other.storage = changed.storage; });
    } else {
      state.recordInMemory(object);
    }
  }
}

void Interpreter::clearGradients(const Event &event, State &state) {
  const PathId object = state.resolve(event.subject.path);
  if (event.subject.role != TypeRole::Optimizer || object == tables.paths.unknown())
    return state.clearGradients(noPath, state.sourcesOf(event.subject), &event);
  state.clearGradients(object, state.optimizerAt(object).owned, &event);
  for (PathId part : state.partsOf(object)) // Those of a list.
    state.clearGradients(part, state.optimizerAt(part).owned, &event);
}

bool Interpreter::step(const Event &event, State &state, bool observing) {
  const PathId object = state.resolve(event.subject.path);
  const bool isKnown = object != tables.paths.unknown();
  // step(closure) runs the closure before it updates.
  if (!event.operands.empty() && !runClosure(event.operands.front(), event, state, observing))
    return false;
  const OptimizerFacts *known = isKnown ? state.optimizer(event.subject) : nullptr;
  const bool repeats = known ? known->needsClosure : event.trait == Trait::NeedsClosure;
  if (isKnown && repeats && !event.operands.empty()) {
    // It uses what the closure has computed, and calls it again.
    OptimizerFacts &facts = state.optimizerAt(object);
    facts.needsClosure = true;
    facts.gradients.use(event);
    if (!runClosure(event.operands.front(), event, state, /*observing=*/false))
      return false;
  }
  if (observing)
    observe({event, state, callers});
  if (state.gpuWork().launched)
    state.launch(event, state.gpuWork().device);
  if (!isKnown) {
    state.markStepped(tables.sources.unknown(), event);
    return true;
  }
  OptimizerFacts &facts = state.optimizerAt(object);
  facts.gradients.use(event);
  state.outdateWeights(facts.owned, event);
  changeWeights(event, object, state);
  state.markStepped(facts.owned, event);
  return true;
}

bool beginsBatches(const Event &event) {
  return event.kind == EventKind::Create && !event.operands.empty() &&
         event.operands.front().role == TypeRole::DataLoader;
}

bool Interpreter::transfer(const Event &event, State &state, bool observing) {
  if (state.lacksGpu && needsGpu(event, state))
    return false; // It throws.
  // What a step sees is what its closure has computed; a call is followed, or it is not.
  if (observing && event.kind != EventKind::Step && event.kind != EventKind::Call)
    observe({event, state, callers});
  const llvm::SmallVector<PathId, 2> left = leavingBy(event, state);
  shareOperands(event, state);
  const bool goesOn = transferItself(event, state, observing);
  if (goesOn) {
    followHolders(event, left, state, observing);
    changeList(event, state);
    noteFiles(event, state);
  }
  return goesOn;
}

bool Interpreter::transferItself(const Event &event, State &state, bool observing) {
  if (observing) {
    noteHostNeeds(event, state);
    noteConsumption(event, state);
  }
  followMemory(event, state);

  switch (event.kind) {
  case EventKind::Bind:
    bindPlace(event, state);
    break;
  case EventKind::Return:
    returnValue(event, state, observing);
    break;
  case EventKind::EndLifetime:
    state.leaveGuard(event.subject.path);
    if (const ir::Symbol *variable = tables.paths.last(event.subject.path).symbol();
        !variable || !graph.livesOn(*variable))
      state.endLifetime(event.subject.path);
    break;
  case EventKind::Release:
    state.releaseMemory(event.subject.path, event);
    break;
  case EventKind::Assign: // See runBlock().
  case EventKind::Access:
    break;
  case EventKind::Construct:
    return construct(event, state, observing);
  case EventKind::Combine:
    return combine(event, state, observing);
  case EventKind::Call:
    if (!event.startsThread)
      return call(event, state, observing);
    runThread(event, state, [&](State &there) { return call(event, there, observing); });
    break;
  case EventKind::Forward:
    if (observing) {
      noteReceivers(event, state);
      noteEnd(event, state);
    }
    forward(event, state);
    break;
  case EventKind::Create:
    state.setValue(state.place(event.result), created(event, state));
    if (beginsBatches(event))
      state.beginBatches(event.operands.front().path, event);
    break;
  case EventKind::Move:
    move(event, state);
    break;
  case EventKind::Load:
    load(event, state);
    break;
  case EventKind::Detach:
    detach(event, state);
    break;
  case EventKind::RequireGrad:
    requireGrad(event, state);
    break;
  case EventKind::SetMode:
    if (event.operands.empty() ||
        !state.restoreMode(state.resolve(event.subject.path), event.operands.front().path, event))
      state.setMode(state.resolve(event.subject.path), constantOf(event), event);
    break;
  case EventKind::KeepMode:
    state.keepMode(event.subject.path, event.operands.front());
    break;
  case EventKind::EnterGradMode:
    if (!event.isDiscarded)
      state.enterGradMode(event.subject.path, constantOf(event), event);
    break;
  case EventKind::KeepGradMode:
    state.keepGradMode(event.subject.path);
    break;
  case EventKind::SetGradMode:
    if (!state.restoreGradMode(event.subject.path))
      state.setGradMode(constantOf(event), event);
    break;
  case EventKind::EnterAutocast:
    state.enterAutocast(event.subject.path, event);
    break;
  case EventKind::SetAutocast:
    state.setAutocast(constantOf(event), event);
    break;
  case EventKind::SetAutocastCache:
    state.setAutocastCache(constantOf(event));
    break;
  case EventKind::ClearAutocastCache:
    state.clearAutocastCache();
    break;
  case EventKind::Backward:
    state.contribute(state.sourcesOf(event.subject), event);
    backward(event, state, event.subject);
    state.launch(event, state.valueOf(event.subject).placement.device);
    break;
  case EventKind::Differentiate:
    differentiate(event, state);
    break;
  case EventKind::Overwrite:
    overwrite(event, state);
    break;
  case EventKind::ClearGradients:
    clearGradients(event, state);
    break;
  case EventKind::Step:
    return step(event, state, observing);
  }
  return true;
}

} // namespace gradtidy
