// What the user's own modules make of what they are given: their code runs by itself for each kind
// of input, in front of a caller that needs to know.
#include "Interpreter.h"

namespace gradtidy {
namespace {

/// So many kinds of input are told apart for each forward pass; what is more, by the mode alone.
constexpr size_t maxInputs = 8;

} // namespace

Interpreter::Inputs Interpreter::inputsOf(const FunctionBody &pass, const Event &event,
                                          const State &state) const {
  Inputs inputs;
  inputs.told = answersTo(pass, event);
  inputs.modes = state.gradMode().possible;
  if (const ModuleFacts module = state.module(event.subject); module.cast && !module.undone) {
    inputs.element = module.element;
    inputs.cast = module.cast;
  }
  for (size_t i = 0; i < pass.parameters.size(); ++i) {
    const Value given = i < event.operands.size() && event.operands[i].isTensor
                            ? state.valueOf(event.operands[i])
                            : Value();
    inputs.tensors.push_back({given.layout.type, given.autograd.graph});
  }
  return inputs;
}

const Interpreter::Pass &Interpreter::passOf(const FunctionBody &body, const Event &event,
                                             const State &caller) {
  std::deque<std::pair<Inputs, Pass>> &known = passes[&body];
  Inputs inputs = inputsOf(body, event, caller);
  if (known.size() >= maxInputs) { // Whatever it is given.
    inputs = {};
    inputs.modes = caller.gradMode().possible;
    inputs.tensors.resize(body.parameters.size());
  }
  for (const auto &[others, pass] : known)
    if (others == inputs)
      return pass;
  Pass &pass = known.emplace_back(inputs, Pass()).second; // Nothing, as far as it calls itself.
  pass = runPass(body, inputs, event);
  return pass;
}

Interpreter::Pass Interpreter::runPass(const FunctionBody &body, const Inputs &inputs,
                                       const Event &event) {
  // What happens there is no caller's affair: it is looked at when the pass itself is analyzed.
  Uses elsewhere = std::exchange(used, Uses(tables));
  auto outerSites = std::exchange(rootSites, {});
  auto outerStack = std::exchange(stack, {});
  auto outerCallers = std::exchange(callers, {});
  const auto outerKnown = std::exchange(known, {});
  const Event *const outerGiver = std::exchange(inputGiver, &event);
  const bool wasFirstRun = isFirstRun;
  const unsigned visitsBefore = std::exchange(visits, 0);
  const std::uint64_t workBefore = std::exchange(work, 0);

  // The caller's handle of an input, which the pass has no name for.
  const auto handleOf = [&](size_t input) {
    return tables.paths.element(event.result, static_cast<std::int64_t>(input));
  };
  State entry = entryOf(body);
  entry.restoreGradMode({inputs.modes, {}});
  if (inputs.cast && body.thisObject) {
    ModuleFacts module = entry.moduleAt(body.thisObject);
    module.cast = inputs.cast;
    module.element = inputs.element;
    entry.setModule(body.thisObject, module);
  }
  for (size_t i = 0; i < body.parameters.size(); ++i) {
    const Operand &place = body.parameters[i].place;
    if (!place.isTensor)
      continue;
    Value given = entry.valueOf(place);
    given.layout.type = inputs.tensors[i].type;
    given.autograd.graph = inputs.tensors[i].graph;
    given.storage.object = tables.paths.element(place.path, 0); // By this it is known again.
    entry.setValue(place.path, given);
    if (place.role == TypeRole::Tensor)
      entry.setValue(handleOf(i), given);
  }
  visits = work = 0; // What constructors take is not the pass's.
  const std::optional<State> end = solve(body, entry, /*observe=*/!snapshots, inputs.told);
  if (snapshots) { // For those who want to see it.
    callers.push_back(&event);
    solve(body, entry, /*observe=*/true, inputs.told);
  }

  used = std::move(elsewhere);
  rootSites = std::move(outerSites);
  stack = std::move(outerStack);
  callers = std::move(outerCallers);
  known = outerKnown;
  inputGiver = outerGiver;
  isFirstRun = wasFirstRun;
  visits = visitsBefore;
  work = workBefore;
  Pass pass;
  if (!end)
    return pass;
  const auto valueAt = [&](PathId path) {
    return end->valueOf({.path = path, .role = TypeRole::Tensor, .isTensor = true});
  };
  pass.result = valueAt(body.returned);
  noteMaker(body, pass.result.origin.made);
  for (size_t i = 0; i < body.parameters.size(); ++i) {
    const bool isTensor = body.parameters[i].place.role == TypeRole::Tensor;
    pass.left.push_back(isTensor ? std::optional(valueAt(handleOf(i))) : std::nullopt);
  }
  for (const PathStep &step : partsOf(*body.function->type))
    pass.parts.push_back({step, valueAt(tables.paths.step(end->resolve(body.returned), step))});
  return pass;
}

void Interpreter::noteMaker(const FunctionBody &body, const Event *made) {
  const auto [known, isFirst] = returnedBy.try_emplace(&body, made);
  if (known->second != made)
    known->second = nullptr;
}

void Interpreter::changeInputs(const Event &event, const Pass &pass, State &state) const {
  for (size_t i = 0; i < pass.left.size() && i < event.operands.size(); ++i) {
    const Operand &given = event.operands[i];
    const PathId object = state.resolve(given.path);
    if (!pass.left[i] || given.role != TypeRole::Tensor || object == tables.paths.unknown())
      continue;
    const Value &left = *pass.left[i];
    const auto change = [&](Value &value) {
      value.autograd.graph = left.autograd.graph;
      value.layout.type = left.layout.type;
    };
    const Value before = state.valueOf(given);
    Value value = before;
    change(value);
    if (value == before)
      continue;
    state.setValue(object, value);
    state.changeHandles(object, before, change);
  }
}

void Interpreter::take(const Value &given, const FunctionBody &pass, bool isFrozen,
                       Value &value) const {
  value.layout.type = given.layout.type;
  const TensorType &type = tables.types[given.layout.type];
  value.placement.hasDimensions =
      !type.shape.sizes.empty() || (type.shape.isOpen && value.placement.hasDimensions);
  const Placement &placement = given.placement;
  if (placement.device.kind == Device::Cpu || placement.device.kind == Device::Cuda) {
    value.placement.device = placement.device;
    value.placement.placed = placement.placed;
  } else if (!(placement.device == Device{Device::Symbol, pass.thisObject})) {
    value.placement.device = {};
  }
  value.autograd.cut = given.autograd.cut;
  value.storage.overwritten = given.storage.overwritten;
  if (!isFrozen) // Of what it is given when it runs, its parameters are never.
    value.autograd.graph = given.autograd.graph == Graph::Unknown
                               ? value.autograd.graph | Graph::Unknown
                               : given.autograd.graph;
  if (given.autograd.graph != Graph::Detached)
    return;
  value.autograd.graph = Graph::Detached;
  value.autograd.sources = value.autograd.graphs = noSources;
  value.autograd.latest = {};
  value.autograd.isRecorded = false;
}

} // namespace gradtidy
