#include "Files.h"

#include "Interpreter.h"

namespace gradtidy {

FileId FileNames::of(llvm::StringRef name, llvm::ArrayRef<PathId> places) {
  const auto [known, isNew] = ids.try_emplace(name, names.size() + 1);
  if (isNew)
    names.push_back({name.str(), places.vec()});
  return known->second;
}

void State::changeText(PathId place) {
  if (saved.empty())
    return;
  saved.eraseIf([&](const auto &entry) {
    return llvm::any_of(tables->files.placesOf(entry.first), [&](PathId part) {
      return tables->paths.isWithin(part, place) || tables->paths.isWithin(place, part);
    });
  });
}

namespace {

/// Puts a name together from the parts that it has in a function, and those of its callers.
class NameBuilder {
public:
  NameBuilder(const Event &event, llvm::ArrayRef<const Event *> callers, const State &state)
      : event(event), callers(callers), state(state) {}

  std::string name;
  llvm::SmallVector<PathId, 4> places;

  /// \param depth How many calls lead to the function in which the text stands.
  bool add(const Text &text, size_t depth) {
    return llvm::all_of(text.parts, [&](const TextPart &part) {
      if (part.place)
        return addPlace(part.place, depth);
      name += part.literal;
      return true;
    });
  }

private:
  bool addPlace(PathId place, size_t depth) {
    for (size_t callee = depth; callee > 0; --callee) {
      const FunctionBody &function =
          callee == callers.size() ? *event.function : *callers[callee]->function;
      const auto parameter = llvm::find_if(
          function.parameters, [&](const auto &each) { return each.place.path == place; });
      if (parameter == function.parameters.end())
        continue;
      const Event &call = *callers[callee - 1];
      const size_t index = parameter - function.parameters.begin();
      if (call.kind == EventKind::Call && index < call.operands.size() && call.operands[index].text)
        return add(*call.operands[index].text, callee - 1);
      // The number that this call is given: each call binds it anew.
      const ir::Type *type = parameter->declaration->type;
      if (!type || !type->isInteger || type->isReference || type->isPointer)
        return false;
      break;
    }
    PathTable &paths = state.tables->paths;
    const PathId object = state.resolve(place);
    if (object == paths.unknown() || paths.isTemporary(object))
      return false;
    for (PathId step = object; step; step = paths.parent(step))
      if (paths.last(step).kind == PathStep::Element && paths.last(step).index < 0)
        return false; // One of several.
    name += '\0';
    name += std::to_string(object);
    name += '\0';
    places.push_back(object);
    return true;
  }

  const Event &event;
  llvm::ArrayRef<const Event *> callers;
  const State &state;
};

} // namespace

/// The text among the operands, or null.
static const Text *textOf(const Event &event) {
  for (const Operand &operand : event.operands)
    if (operand.text)
      return operand.text;
  return nullptr;
}

static FileId fileNamed(const Text &text, const Event &event, llvm::ArrayRef<const Event *> callers,
                        const State &state) {
  NameBuilder builder(event, callers, state);
  return builder.add(text, callers.size()) ? state.tables->files.of(builder.name, builder.places)
                                           : noFile;
}

FileId fileOf(const Event &event, llvm::ArrayRef<const Event *> callers, const State &state) {
  const Text *text = textOf(event);
  return text ? fileNamed(*text, event, callers, state) : noFile;
}

const Event &namingOf(const Event &event, llvm::ArrayRef<const Event *> callers) {
  const Event *naming = &event;
  const Text *text = textOf(event);
  for (const Event *call : llvm::reverse(callers)) {
    if (!text)
      break;
    const auto &parameters = naming->function->parameters;
    const auto isPart = [&](const auto &parameter) {
      return llvm::any_of(text->parts, [&](const TextPart &part) {
        return part.place && part.place == parameter.place.path;
      });
    };
    const Text *given = nullptr;
    for (size_t i = 0; i < std::min(parameters.size(), call->operands.size()); ++i)
      if (isPart(parameters[i]) && call->operands[i].text)
        given = call->operands[i].text; // The last: a folder comes before its file.
    if (!given)
      break;
    naming = call;
    text = given;
  }
  return *naming;
}

FileId registeredName(const Event &event, llvm::ArrayRef<const Event *> callers,
                      const State &state) {
  if (!event.details->name)
    return noFile;
  NameBuilder builder(event, callers, state);
  builder.name = std::to_string(static_cast<unsigned>(event.registers)) + ':';
  return builder.add(*event.details->name, callers.size()) && builder.places.empty()
             ? state.tables->files.of(builder.name, {})
             : noFile;
}

const Operand &storedBy(const Event &event) {
  return event.subject.path || event.operands.empty() ? event.subject : event.operands.front();
}

void Interpreter::noteFiles(const Event &event, State &state) {
  if (writesFile(event.operation) && event.kind == EventKind::Combine) {
    if (const FileId file = fileOf(event, callers, state); file != noFile)
      state.save(file, {&event, &namingOf(event, callers), state.resolve(storedBy(event).path)});
    return;
  }
  if (event.kind != EventKind::Call) // See callMayTouchFiles().
    callMayTouchFiles(event, state, /*isSeen=*/true);
}

/// What the event may change is no part of a name any more.
static void changeTexts(const Event &event, State &state) {
  if (event.subject.escapes && event.subject.role == TypeRole::None)
    state.changeText(state.resolve(event.subject.path));
  for (const Operand &operand : event.operands)
    if (operand.isLent && operand.role == TypeRole::None)
      state.changeText(state.resolve(operand.path));
}

void Interpreter::callMayTouchFiles(const Event &event, State &state, bool isSeen) {
  if (!state.hasSaved())
    return;
  changeTexts(event, state);
  if (!isSeen)
    return state.touchFiles([](FileId) { return true; });
  for (const Operand &operand : event.operands) {
    if (!operand.text)
      continue;
    NameBuilder builder(event, callers, state);
    if (!builder.add(*operand.text, callers.size()))
      return state.touchFiles([](FileId) { return true; });
    // A command may have it among other words.
    state.touchFiles([&](FileId file) {
      return llvm::StringRef(builder.name).contains(tables.files.nameOf(file));
    });
  }
}

bool Interpreter::touchesFiles(const FunctionBody &body) {
  const auto [known, added] = touching.try_emplace(&body, false);
  if (!added)
    return known->second;
  const bool result = hasEvent(body, [&](const Event &event) {
    llvm::SmallVector<const FunctionBody *, 4> callees;
    if (event.kind == EventKind::Call)
      callees = graph.candidates(event);
    if (callees.empty()) {
      const auto isText = [](const Operand &operand) { return operand.text; };
      return llvm::any_of(event.operands, isText) ||
             (event.kind == EventKind::Call && !(event.callee && event.callee->isOfSystem));
    }
    return llvm::any_of(callees, [&](const FunctionBody *each) { return touchesFiles(*each); });
  });
  return touching[&body] = result;
}

} // namespace gradtidy
