#include "ProgramFacts.h"

#include "llvm/ADT/SetVector.h"

namespace gradtidy {

static bool any(llvm::ArrayRef<const FunctionBody *> functions, bool FunctionBody::*holds) {
  return llvm::any_of(functions, [&](const FunctionBody *body) { return body->*holds; });
}

ProgramFacts::ProgramFacts(const LoweredUnit &unit, const CallGraph &graph, const PathTable &paths)
    : unit(unit), graph(graph), paths(paths),
      // What another source's main() leads to is not all there: only what the unit has to do with.
      hasMain(llvm::any_of(graph.functions(),
                           [](const FunctionBody *body) {
                             return body->function->isMain && body->linkedFrom.empty();
                           })),
      usesGpu(any(graph.functions(), &FunctionBody::usesGpu)),
      changesElements(any(graph.functions(), &FunctionBody::changesElements)),
      setsDefaultType(any(graph.functions(), &FunctionBody::setsDefaultType)),
      changesOrder(any(graph.functions(), &FunctionBody::changesOrder)),
      usesGpuItself(any(graph.relevant(), &FunctionBody::usesGpu)), moved(unit, graph) {
  for (const FunctionBody *body : graph.functions()) {
    orderedLoaders.insert_range(body->orderedLoaders);
    addHandedOn(*body);
    if (!isClosure(*body) && body->linkedFrom.empty() && launchesOnTensors(*body))
      launching.push_back(body);
    if (!isClosure(*body) && body->linkedFrom.empty() && !body->kernelCare.calls.empty())
      addHanding(*body);
  }
}

/// \p pointer without what is added to it: `x.data_ptr<float>() + row * columns`.
static const ir::Node *baseOf(const ir::Node *pointer) {
  const ir::Node *base = ir::stripped(pointer);
  while (base && base->kind == ir::NodeKind::Binary && base->type && base->type->isPointer)
    base = ir::stripped(base->children.front());
  return base;
}

/// Whether \p argument points into the memory of a tensor, or is a variable that is made so.
static bool isMemoryOfTensor(const ir::Node *argument, const FunctionBody &function) {
  const auto pointsAt = [&](const ir::Node *node) {
    return hasEvent(function, [&](const Event &event) {
      return event.operation == Operation::PointToMemory && event.site == node;
    });
  };
  const ir::Node *node = baseOf(argument);
  const ir::Symbol *variable = ir::variableIn(node);
  return node &&
         (pointsAt(node) || (variable && variable->init && pointsAt(baseOf(variable->init))));
}

bool ProgramFacts::getsMemoryOfTensor(const FunctionBody &function, const ir::Symbol &parameter,
                                      unsigned depth) const {
  bool gets = false;
  if (depth < 4 && parameter.owner == function.function)
    graph.forEachCall(function, [&](const Event &call) {
      if (gets || parameter.index >= call.operands.size())
        return;
      const ir::Node *argument = call.operands[parameter.index].expr;
      const ir::Symbol *handedOn = ir::variableIn(baseOf(argument));
      gets = isMemoryOfTensor(argument, *call.function) ||
             (handedOn && handedOn->kind == ir::SymbolKind::Parameter &&
              getsMemoryOfTensor(*call.function, *handedOn, depth + 1));
    });
  return gets;
}

bool ProgramFacts::launchesOnTensors(const FunctionBody &function) const {
  return llvm::any_of(function.kernelCare.launches, [&](const KernelLaunch &launch) {
    return launch.isOnTensors || llvm::any_of(launch.handedOn, [&](const ir::Symbol *parameter) {
             return getsMemoryOfTensor(function, *parameter, 0);
           });
  });
}

bool ProgramFacts::launchesForCaller(const FunctionBody &function) const {
  const auto isForCaller = [](const KernelLaunch &launch) {
    return !launch.isOnTensors && !launch.handedOn.empty();
  };
  llvm::SmallSetVector<const FunctionBody *, 8> reached;
  const auto reach = [&](const FunctionBody *body) {
    if (body && !body->kernelCare.choosesDevice)
      reached.insert(body);
  };
  reach(&function);
  for (size_t i = 0; i < reached.size(); ++i) {
    if (llvm::any_of(reached[i]->kernelCare.launches, isForCaller))
      return true;
    for (const Block &block : reached[i]->blocks)
      for (const Event &event : block.events)
        if (event.kind == EventKind::Call)
          reach(graph.calleeOf(event));
  }
  return false;
}

void ProgramFacts::addHanding(const FunctionBody &function) {
  KernelCare care = function.kernelCare;
  care.launches.clear();
  for (const KernelLaunch &call : function.kernelCare.calls)
    if (hasEvent(function, [&](const Event &event) {
          const FunctionBody *callee = event.kind == EventKind::Call && event.site == call.call
                                           ? graph.calleeOf(event)
                                           : nullptr;
          return callee && launchesForCaller(*callee);
        }))
      care.launches.push_back(call);
  if (!care.launches.empty())
    handing.push_back({&function, std::move(care)});
}

bool ProgramFacts::movesModuleOf(const FunctionBody &function) const {
  if (!function.isModuleMethod || !hasMain) // A library's modules are moved by others.
    return movesModules();
  return usesGpuItself && moved.has(*function.function->owner);
}

static bool isText(const ir::Node *argument) {
  const ir::Node *text = ir::stripped(argument);
  return text && text->kind == ir::NodeKind::String;
}

/// Whether \p call, of a method, gets \p function behind its name: `m.def("normalize",
/// &normalize)`.
static bool isNamedFor(const ir::Node &function, const ir::Node &call) {
  const auto arguments = call.arguments;
  return call.kind == ir::NodeKind::MemberCall && arguments.size() > 1 && isText(arguments[0]) &&
         ir::stripped(arguments[1]) &&
         (ir::stripped(arguments[1]) == &function || function.parent == ir::stripped(arguments[1]));
}

void ProgramFacts::addHandedOn(const FunctionBody &function) {
  ir::forEach(function.body, [&](const ir::Node &node) {
    const bool isNamed = node.kind == ir::NodeKind::Reference || node.kind == ir::NodeKind::Member;
    if (!isNamed || !node.symbol || !node.symbol->isFunction() || !node.symbol->definition)
      return;
    const ir::Node *around = node.parent;
    while (around && (around->kind == ir::NodeKind::Parentheses ||
                      around->kind == ir::NodeKind::Unary || around->kind == ir::NodeKind::Cast))
      around = around->parent; // `(&function)`
    const ir::Node *call = ir::asCall(around);
    // A function of the user's that gets it calls it here.
    const bool isForUser = call && call->symbol && call->symbol->isUser && call->symbol->definition;
    if (!call || (call->callee() != &node && !isForUser))
      handedOn.insert(node.symbol->first);
    if (call && !isForUser && isNamedFor(node, *call))
      named.insert(node.symbol->first);
  });
}

bool ProgramFacts::isHandedOn(const FunctionBody &function) const {
  return handedOn.contains(function.function->first);
}

bool ProgramFacts::isForOthers(const FunctionBody &function) const {
  return (hasMain ? named : handedOn).contains(function.function->first);
}

bool ProgramFacts::onlyInfers() const {
  const auto isTraining = [](const Event &event) {
    switch (event.kind) {
    case EventKind::Backward:
    case EventKind::Step:
    case EventKind::Differentiate:
    case EventKind::ClearGradients:
      return true;
    case EventKind::RequireGrad:
    case EventKind::EnterGradMode:
    case EventKind::SetGradMode:
      return event.constant != false;
    default:
      return event.subject.role == TypeRole::Optimizer;
    }
  };
  return hasMain && llvm::none_of(graph.functions(), [&](const FunctionBody *body) {
           return hasEvent(*body, isTraining);
         });
}

bool ProgramFacts::neverEvaluates() const {
  const auto mayEvaluate = [](const Event &event) {
    return event.kind == EventKind::SetMode && event.constant != true;
  };
  return hasMain && llvm::none_of(graph.functions(), [&](const FunctionBody *body) {
           return hasEvent(*body, mayEvaluate);
         });
}

bool ProgramFacts::changesTensors(const FunctionBody *except) const {
  const auto isChange = [&](const Event &event) {
    const ir::Symbol *callee = event.site->isCall() ? event.site->symbol : nullptr;
    return event.subject.role == TypeRole::Tensor &&
           (event.kind == EventKind::Overwrite ||
            (event.kind == EventKind::Combine && event.subject.escapes &&
             !(callee && callee->trait == Trait::SharesHandle)));
  };
  return llvm::any_of(graph.functions(), [&](const FunctionBody *body) {
    return body != except && hasEvent(*body, isChange);
  });
}

bool ProgramFacts::mayClear(const ir::Symbol &field) const {
  const auto fieldAt = [&](PathId path) {
    const PathStep &last = paths.last(path);
    return path && last.kind == PathStep::Member ? last.symbol() : nullptr;
  };
  // By name: a class template and its instances have fields of their own.
  const auto isOfClass = [&](const ir::Symbol *record) {
    return record && record->name == field.owner->name;
  };
  const auto isOwn = [&](const Operand &operand) {
    const ir::Symbol *other = fieldAt(operand.path);
    return other && isOfClass(other->owner) &&
           (isModule(operand.role) || other->name == field.name);
  };
  const auto isClear = [&](const Event &event) {
    return event.kind == EventKind::ClearGradients ||
           (event.subject.path && paths.last(event.subject.path).kind == PathStep::Gradient);
  };
  const auto runsClear = [&](const FunctionBody *body) { return graph.runs(*body, isClear); };
  // Whether the event clears them, gives them to code that may, or got them from elsewhere.
  const auto concerns = [&](const FunctionBody &body, const Event &event) {
    if (isClear(event))
      return isOwn(event.subject) || (!fieldAt(event.subject.path) && body.function->isMethod() &&
                                      isOfClass(body.function->owner));
    return llvm::any_of(event.operands, [&](const Operand &operand) {
      const bool isBound = event.kind == EventKind::Bind;
      if (!isOwn(operand))
        return isBound && event.subject.role == TypeRole::Optimizer && isOwn(event.subject) &&
               paths.last(paths.rootOf(operand.path)).kind == PathStep::Variable;
      if (event.kind == EventKind::Call) {
        const auto callees = graph.candidates(event);
        return callees.empty() || llvm::any_of(callees, runsClear);
      }
      return (event.kind == EventKind::Return && operand.role == TypeRole::Optimizer) ||
             (((isBound && event.bind != BindKind::Value) ||
               event.site->kind == ir::NodeKind::List) &&
              runsClear(&body));
    });
  };
  return llvm::any_of(graph.functions(), [&](const FunctionBody *body) {
    return hasEvent(*body, [&](const Event &event) { return concerns(*body, event); });
  });
}

bool ProgramFacts::mayBe(Device::Kind kind, Device device) const {
  if (device.kind != Device::Symbol)
    return device.kind == kind;
  if (!origins)
    origins.emplace(unit, paths);
  return origins->mayBe(kind, device.id);
}

const Event *ProgramFacts::makerOf(const Operand &loader, const State &state) const {
  if (const Event *made = state.valueOf(loader).origin.made)
    return made->operation == Operation::MakeLoader ? made : nullptr;
  const PathStep &last = paths.last(state.resolve(loader.path));
  return last.kind == PathStep::Member ? onlyMakerFor(last.identity) : nullptr;
}

/// Whether a pointer that is made of \p value points to nothing.
static bool isEmpty(const ir::Node *value) {
  const ir::Node *made = ir::asConstruction(ir::stripped(value));
  return (made && made->arguments.empty()) || ir::isNull(value);
}

const Event *ProgramFacts::onlyMakerFor(const void *field) const {
  const Event *maker = nullptr;
  for (const FunctionBody *body : graph.functions())
    for (const Block &block : body->blocks)
      for (const Event &event : block.events) {
        const PathStep &last = paths.last(event.subject.path);
        if (event.kind != EventKind::Bind || event.operands.empty() || !event.subject.path ||
            last.kind != PathStep::Member || last.identity != field ||
            isEmpty(event.operands.front().expr))
          continue;
        const auto made = llvm::find_if(block.events, [&](const Event &each) {
          return each.operation == Operation::MakeLoader &&
                 each.result == event.operands.front().path;
        });
        if (made == block.events.end() || (maker && maker != &*made))
          return nullptr;
        maker = &*made;
      }
  return maker;
}

} // namespace gradtidy
