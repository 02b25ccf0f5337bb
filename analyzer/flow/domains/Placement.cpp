#include "Placement.h"

#include "analyzer/flow/CallGraph.h"
#include "analyzer/flow/State.h"
#include "analyzer/flow/Words.h"

namespace gradtidy {

/// What makes the tensor on the CPU, if the other way brings it from the device of the object whose
/// method runs, and does not move it there: who does that asks whether it has to be moved. Or null.
static const Event *madeBeside(const Placement &tensor, const Placement &other,
                               const Tables &tables) {
  const bool isMade = tensor.device.kind == Device::Cpu && tensor.hasDimensions && tensor.placed &&
                      tensor.placed->kind == EventKind::Create;
  const bool isMoved = other.placed && other.placed->kind == EventKind::Move;
  const bool isOwn = !isMoved && other.device.kind == Device::Symbol &&
                     tables.paths.last(other.device.id).kind == PathStep::This;
  return isMade && isOwn ? tensor.placed.event() : nullptr;
}

Placement joined(const Placement &a, const Placement &b, const Tables &tables) {
  Placement result = a;
  if (a.device.kind == Device::Unset || b.device.kind == Device::Unset) {
    // Nothing in it yet: it is where that will be.
    const Placement &filled = a.device.kind == Device::Unset ? b : a;
    result.device = filled.device;
    result.hasDimensions = filled.hasDimensions;
  } else {
    result.hasDimensions &= b.hasDimensions;
    if (!(a.device == b.device))
      result.device = {};
  }
  result.placed = onEither(a.placed, b.placed);
  result.madeOnHost = onEither(onEither(madeBeside(a, b, tables), madeBeside(b, a, tables)),
                               onEither(a.madeOnHost, b.madeOnHost));
  result.freshOnHost = onBoth(a.freshOnHost, b.freshOnHost);
  result.copying = onBoth(a.copying, b.copying);
  return result;
}

void describe(Words &words, const Placement &placement) {
  words.add("on", placement.device);
  words.addIf(placement.hasDimensions, "has dimensions");
  words.add("placed by", placement.placed.event());
  words.add("made on the CPU by", placement.madeOnHost);
  words.add("allocated on the CPU by", placement.freshOnHost);
  words.add("being copied by", placement.copying);
  words.add("copied from", placement.copiedFrom);
}

Device State::deviceOf(const Operand &operand) const {
  if (operand.role == TypeRole::Tensor || isModule(operand.role))
    return valueOf(operand).placement.device;
  if (operand.device.isKnown())
    return operand.device;
  if (!operand.path)
    return {};
  if (operand.role != TypeRole::Device)
    return valueOf(operand).placement.device;
  PathId path = resolve(operand.path);
  if (const Device *known = devices.find(path))
    return *known;
  if (path == tables->paths.unknown() || tables->paths.isTemporary(path))
    return {};
  return {Device::Symbol, path};
}

namespace {

/// Whether the first is the CPU and the second is not, or they are two GPUs.
bool differ(Device a, Device b) {
  if (a.kind == Device::Cpu)
    return b.kind == Device::Cuda || b.kind == Device::Symbol;
  return a.kind == Device::Cuda && b.kind == Device::Cuda && a.id < b.id;
}

/// Whether \p placed makes a tensor for the machine that the program runs on: its function asks
/// where tensors are that are with its object, or moves this one where something asks for that:
/// `if (onGpu) x = x.cuda();`. The same question has placed the others.
bool isForMachine(const Event &placed, bool isWithOwn) {
  const FunctionBody &function = *placed.function;
  if (placed.kind != EventKind::Create)
    return false;
  const PathId variable = boundTo(placed);
  return (isWithOwn && function.asksForDevices) ||
         (variable && hasEvent(function, [&](const Event &event) {
            return event.kind == EventKind::Move && event.subject.path == variable &&
                   function.isConditional(event.site);
          }));
}

} // namespace

llvm::SmallVector<Clash, 1> State::clashes(const Event &event) const {
  llvm::SmallVector<Clash, 1> found;
  if (event.isAnyDevice || !event.isTensor ||
      (event.kind != EventKind::Combine && event.kind != EventKind::Forward))
    return found;
  struct Place {
    const Operand *operand;
    Value value;
    bool isUnsure = false; ///< It may as well be where the module is.
  };
  llvm::SmallVector<Place, 4> places;
  /// Takes what some ways make on the CPU to be there; whether it is such a value.
  const auto isUnsureOf = [](Value &value) {
    if (value.placement.device.isKnown() || !value.placement.madeOnHost)
      return false;
    value.placement.device = {Device::Cpu};
    value.placement.placed = value.placement.madeOnHost;
    value.placement.hasDimensions = true;
    return true;
  };
  auto add = [&](const Operand &operand) {
    if (!operand.path || operand.isMovedThere || operand.isForHost ||
        !(operand.isTensor || isModule(operand.role)))
      return;
    Value value = valueOf(operand);
    if (llvm::is_contained(tables->types[value.layout.type].shape.sizes, 0))
      return; // It has no elements: it stands for none, and the program asks for that.
    const bool isUnsure = isUnsureOf(value);
    if (value.placement.device.isKnown())
      places.push_back({&operand, value, isUnsure});
    if (PathId own = event.function->thisObject;
        isUnsure && operand.role == TypeRole::None && own) {
      Value there; // In the same list.
      there.placement.device = {Device::Symbol, own};
      places.push_back({&operand, there});
    }
    if (operand.role != TypeRole::None)
      return;
    // Of a list all meet; who gets an object of the user's may use some of its members.
    const PathId object = resolve(operand.path);
    const auto isInList = [&](PathId part) {
      while (part && part != object && tables->paths.last(part).kind == PathStep::Element)
        part = tables->paths.parent(part);
      return part == object;
    };
    for (const auto &[part, held] : values.within(tables->paths.sameRoot(object)))
      if (part != object && isInList(part)) {
        Value there = held;
        const bool mayBeOnHost = isUnsureOf(there);
        if (there.placement.device.isKnown())
          places.push_back({&operand, there, mayBeOnHost});
      }
  };
  const bool isAnywhere =
      event.kind == EventKind::Forward && (event.isWeightless || event.followsInput);
  if (event.subject.path && (!isAnywhere || module(event.subject).isWeighted))
    add(event.subject);
  for (const Operand &operand : event.operands)
    add(operand);
  // Who moves the first operand and not the others knows what he does.
  bool isFirstMoved = event.mayUseHost && !event.operands.empty() &&
                      differ({Device::Cpu}, valueOf(event.operands.front()).placement.device);
  for (const Place &a : places)
    for (const Place &b : places) {
      if (isFirstMoved && a.operand != &event.subject &&
          a.value.placement.device.kind == Device::Cpu)
        continue;
      // Scalars on the CPU are welcome everywhere, but for a place to write to.
      bool isWritten = a.operand == &event.subject && event.subject.escapes;
      bool isScalar = a.value.placement.device.kind == Device::Cpu && !isModule(a.operand->role) &&
                      !a.value.placement.hasDimensions && !isWritten;
      Device host = settledDevice(a.value.placement.device),
             other = settledDevice(b.value.placement.device);
      const bool isWithOwn = isOwn(b.value.placement.device);
      const Event *placed = a.value.placement.placed;
      if (!differ(host, other) || isScalar || (a.isUnsure && !isWithOwn) ||
          (placed && isForMachine(*placed, isWithOwn)))
        continue;
      if (b.value.placement.device.kind == Device::Symbol &&
          !tables->paths.isTemporary(b.value.placement.device.id))
        other = b.value.placement.device; // It has a name.
      found.push_back(
          {a.operand, b.operand, host, other, a.value.placement.placed, b.value.placement.placed});
      break;
    }
  return found;
}

} // namespace gradtidy
