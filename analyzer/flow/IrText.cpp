#include "IrText.h"

#include "UnitAnalysis.h"
#include "analyzer/events/Print.h"

#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace gradtidy {

using llvm::StringRef;

namespace {

// ---- values ------------------------------------------------------------------------------------

/// Puts words about one thing into a line.
class Words {
public:
  Words(const State &state, const Labels &labels) : tables(*state.tables), labels(labels) {}

  void add(const llvm::Twine &word) { words.push_back(word.str()); }
  void addIf(bool holds, StringRef word) {
    if (holds)
      add(word);
  }
  void add(StringRef name, const Event *event) {
    if (event)
      add(name + " " + labels.of(event->site));
  }
  void add(StringRef name, PathId path) {
    if (path)
      add(name + " " + labels.of(path));
  }
  void add(StringRef name, const Device &device) {
    switch (device.kind) {
    case Device::Unknown:
    case Device::Unset:
      return;
    case Device::Cpu:
      return add(name + " cpu");
    case Device::Cuda:
      return add(name + " cuda:" + llvm::Twine(device.id));
    case Device::Symbol:
      return add(name + " the device of " + labels.of(device.id));
    }
  }
  /// What is possible, of which \p names tells the bits from the lowest.
  void add(StringRef name, std::uint8_t possible, llvm::ArrayRef<StringRef> names) {
    llvm::SmallVector<StringRef, 4> held;
    for (size_t bit = 0; bit < names.size(); ++bit)
      if (possible & (1u << bit))
        held.push_back(names[bit]);
    if (!held.empty())
      add(name + " " + llvm::join(held, " or "));
  }
  void addPaths(StringRef name, SourcesId set) {
    llvm::SmallVector<std::string, 4> members;
    for (const PathId path : tables.sources.members(set))
      members.push_back(labels.of(path));
    addMembers(name, std::move(members), tables.sources.isUnknown(set));
  }
  void addSites(StringRef name, SourcesId set) {
    llvm::SmallVector<std::string, 4> members;
    for (const PathId site : tables.histories.members(set))
      members.push_back(labels.of(tables.sites.event(static_cast<SiteId>(site)).site));
    addMembers(name, std::move(members), tables.histories.isUnknown(set));
  }

  bool empty() const { return words.empty(); }
  std::string take() { return llvm::join(std::exchange(words, {}), ", "); }

private:
  void addMembers(StringRef name, llvm::SmallVector<std::string, 4> members, bool mayBeMore) {
    if (mayBeMore)
      members.push_back("others");
    if (!members.empty())
      add(name + " {" + llvm::join(members, " ") + "}");
  }

  const Tables &tables;
  const Labels &labels;
  std::vector<std::string> words;
};

void describe(Words &words, const Storage &storage, const Tables &tables) {
  words.add("in the memory", storage.memory);
  words.addPaths("saves", storage.saved);
  words.add("saved elements overwritten by", storage.overwritten);
  words.add("uninitialized since", storage.unwritten);
  words.add("partly written by", storage.partly);
  words.add("over memory of others since", storage.wrapped);
  words.add("memory released by", storage.released);
  words.add("made for inference under", storage.inference);
  words.addIf(storage.anyStrides, "any strides");
  words.add("memory held by", storage.origin);
  words.add("object", storage.object);
}

/// Whether nothing is said but that the object at \p path is made of itself and perhaps of others.
bool saysNothing(SourcesId sources, PathId path, const Tables &tables) {
  const auto members = tables.sources.members(sources);
  return tables.sources.isUnknown(sources) && members.size() == 1 && members.front() == path;
}

void describe(Words &words, const Value &value, PathId path, const Tables &tables) {
  static constexpr StringRef graphs[] = {"unknown", "detached", "attached", "not recorded"};
  const TensorType &type = tables.types[value.type];
  if (value.type == noType)
    words.add("no tensor");
  else if (value.type != unknownType)
    words.add(elementName(type.element) + " " + spell(type.shape));
  if (value.graph != Graph::Unknown)
    words.add("graph", value.graph, graphs);
  if (!saysNothing(value.sources, path, tables))
    words.addPaths("from", value.sources);
  words.addSites("history", value.history);
  words.addSites("graphs", value.graphs);
  words.add("on", value.device);
  words.add("placed by", value.placed.event());
  words.add("disabled by", value.disabled.event());
  words.addIf(value.hasDimensions, "has dimensions");
  words.addIf(value.isNoise, "noise");
  words.addIf(value.isMadeUp, "made up");
  words.addIf(value.isRecorded, "recorded");
  words.addIf(value.isParameter, "parameter");
  words.add("samples second", value.order.isSecond ? value.order.told : nullptr);
  words.add("samples first", value.order.isSecond ? nullptr : value.order.told);
  words.addIf(value.order.isSequence, "sequence");
  words.addIf(value.order.isState, "final state");
  words.add("padded by", value.padded);
  words.add("made by", value.made);
  words.add("made on the CPU by", value.madeOnHost);
  words.add("allocated on the CPU by", value.freshOnHost);
  words.add("borrowed by", value.borrowed);
  words.add("permuted by", value.permuted);
  words.add("being copied by", value.copying);
  words.add("copied from", value.copiedFrom);
  words.addSites("last graphs", value.parts.last);
  words.add("graph used again by", value.parts.again);
  words.add("graph freed by", value.parts.freed);
  words.add("derived by", value.derived);
  words.add("taken from parameters by", value.taken);
  words.addPaths("shares", value.shared);
  words.addPaths("copied from parameters of", value.copied);
  words.add("changed by", value.changed);
  words.add("gradient cut by", value.cut);
  words.add("gradient of a term cut by", value.idleTerm);
  describe(words, value.storage, tables);
  words.add("leads into", value.look.into);
  words.add("taken by", value.look.taken);
  words.add("which ended by", value.look.ended);
}

void describe(Words &words, const ModuleFacts &module) {
  static constexpr StringRef modes[] = {"as it was", "training", "evaluation",
                                        "evaluation, after training", "unknown"};
  if (module.mode != ModuleFacts::Entry)
    words.add("mode", module.mode, modes);
  words.addIf(module.isTrained, "trained");
  words.addIf(module.isFrozen, "frozen");
  words.addIf(module.isNew, "new");
  words.addIf(module.isOwn, "own");
  words.addIf(module.isWeighted, "weighted");
  words.add("on", module.device);
  if (module.element != ElementType::Unknown)
    words.add("parameters of " + elementName(module.element));
  words.add("cast by", module.cast);
  words.add("loaded by", module.loaded);
  words.add("mode set by", module.set.event());
  words.add("placed by", module.placed.event());
  words.add("reloaded by", module.reloaded);
}

void describe(Words &words, const OptimizerFacts &optimizer) {
  static constexpr StringRef lives[] = {"untouched", "clean",   "fresh", "used",
                                        "stale",     "unknown", "lost"};
  words.addPaths("owns", optimizer.owned);
  words.add("gradients", optimizer.gradients.possible, lives);
  words.add("used by", optimizer.gradients.step.event());
  words.add("added by", optimizer.gradients.backward.event());
  words.add("cleared by", optimizer.gradients.cleared.event());
  words.addIf(optimizer.needsClosure, "needs a closure");
  words.add("outdated by", optimizer.outdated);
}

void describe(Words &words, const ListFacts &list) {
  words.addIf(list.isEmpty, "empty");
  words.add("elements that hold nothing since", list.sized);
  words.addIf(list.isGrown, "grown");
}

/// What a state says of an operand. Empty if nothing.
std::string wordsOf(const Operand &operand, const State &state, const Labels &labels) {
  Words words(state, labels);
  const Tables &tables = *state.tables;
  if (const PathId object = state.resolve(operand.path); object != operand.path)
    words.add("is", object);
  if (operand.role == TypeRole::Device)
    words.add("names", state.deviceOf(operand));
  else if (isModule(operand.role))
    describe(words, state.module(operand));
  else if (const OptimizerFacts *optimizer = state.optimizer(operand))
    describe(words, *optimizer);
  else if (mayHoldTensors(operand.role))
    describe(words, state.valueOf(operand), operand.path, tables);
  if (const ListFacts *list = state.list(operand.path))
    describe(words, *list);
  return words.take();
}

/// What a state says of the program.
std::string wordsOf(const State &state, const Labels &labels) {
  static constexpr StringRef answers[] = {"on", "off", "as values decide"};
  static constexpr StringRef casts[] = {"off", "on"};
  Words words(state, labels);
  if (state.gradMode().possible != GradMode::On) {
    words.add("gradients recorded:", state.gradMode().possible, answers);
    words.add("set by", state.gradMode().set.event());
  }
  if (state.autocast().possible != Autocast::Off) {
    words.add("autocast:", state.autocast().possible, casts);
    words.add("set by", state.autocast().set.event());
  }
  words.add("work on the GPU since", state.gpuWork().launched);
  words.add("guard of another thread", state.guardElsewhere);
  words.addIf(state.lacksGpu, "no GPU");
  return words.take();
}

/// What the engine knows behind each event.
class Knowledge : public Remarks {
public:
  Knowledge(const UnitAnalysis &unit, const Snapshots &snapshots)
      : unit(unit), snapshots(snapshots) {}

  std::vector<std::string> about(const FunctionBody &function, const Labels &) override {
    if (llvm::is_contained(unit.cutShort(), &function))
      return {"not followed to the end: too large, or calls too deep"};
    return {};
  }

  std::vector<std::string> about(const Event &event, const Labels &labels) override {
    std::vector<std::string> lines; // Several contexts may say the same.
    const auto known = snapshots.find(&event);
    if (known == snapshots.end())
      return lines;
    for (const Snapshot &snapshot : known->second) {
      std::string context;
      for (const Event *call : snapshot.callers)
        context += "called by " + labels.of(call->site) + ", ";
      const auto add = [&](const std::string &subject, const std::string &words) {
        std::string line = context + subject + words;
        if (!words.empty() && !llvm::is_contained(lines, line))
          lines.push_back(std::move(line));
      };
      if (!snapshot.goesOn)
        add("", "control does not come back");
      add("", wordsOf(snapshot.after, labels));
      for (const Operand &operand : operandsOf(event))
        add(labels.of(operand.path) + ": ", wordsOf(operand, snapshot.after, labels));
    }
    return lines;
  }

private:
  /// The subject, the operands and the result, each once.
  static std::vector<Operand> operandsOf(const Event &event) {
    std::vector<Operand> all;
    const auto add = [&](const Operand &operand) {
      if (operand.path &&
          llvm::none_of(all, [&](const Operand &known) { return known.path == operand.path; }))
        all.push_back(operand);
    };
    add(event.subject);
    llvm::for_each(event.operands, add);
    Operand result{event.result, event.resultRole};
    result.isTensor = event.isTensor;
    add(result);
    return all;
  }

  const UnitAnalysis &unit;
  const Snapshots &snapshots;
};

// ---- functions ---------------------------------------------------------------------------------

/// Whether \p name, perhaps without what it stands in, is that of \p symbol.
bool isNamed(const ir::Symbol &symbol, StringRef name) {
  return symbol.qualifiedName == name || symbol.spelling == name ||
         symbol.qualifiedName.ends_with(("::" + name).str());
}

/// Whether \p function or what it stands in has that name.
bool isOrStandsIn(const FunctionBody &function, StringRef name) {
  for (const ir::Symbol *around = function.function; around; around = around->owner)
    if (around->isFunction() && isNamed(*around, name))
      return true;
  return false;
}

class Selection {
public:
  Selection(const LoweredUnit &unit, const IrRequest &request) : unit(unit), request(request) {
    for (const FunctionBody *function : unit.functions())
      add(*function);
  }

  llvm::Expected<std::vector<const FunctionBody *>> functions() const {
    if (request.function.empty() || !chosen.empty())
      return chosen;
    return llvm::createStringError("there is no function '" + request.function + "'" +
                                   (all.empty() ? std::string("; the source defines none")
                                                : "; the nearest names are " + nearest()));
  }

private:
  /// Adds \p function and the lambdas in it, those of generic ones that are called included.
  void add(const FunctionBody &function) {
    if (!known.insert(&function).second)
      return;
    if (unit.isOwn(function) && isInFile(function)) {
      all.push_back(&function);
      if (request.function.empty() || isOrStandsIn(function, request.function))
        chosen.push_back(&function);
    }
    ir::forEach(function.body, [&](const ir::Node &node) {
      if (node.kind == ir::NodeKind::Lambda)
        for (const ir::Symbol *closure : node.declared)
          if (const FunctionBody *body = unit.bodyOf(*closure))
            add(*body);
    });
  }

  bool isInFile(const FunctionBody &function) const {
    if (request.file.empty())
      return true;
    const clang::SourceManager &sources = unit.sources();
    const auto file = sources.getFileEntryRefForID(
        sources.getFileID(sources.getFileLoc(function.function->location)));
    if (!file)
      return false;
    llvm::SmallString<256> path = file->getName();
    sources.getFileManager().makeAbsolutePath(path);
    bool isSame = false;
    return !llvm::sys::fs::equivalent(path, request.file, isSame) && isSame;
  }

  std::string nearest() const {
    constexpr size_t most = 5;
    std::vector<std::pair<unsigned, StringRef>> names;
    for (const FunctionBody *function : all) {
      const ir::Symbol &symbol = *function->function;
      if (!symbol.isClosure)
        names.push_back({std::min(symbol.spelling.edit_distance_insensitive(request.function),
                                  symbol.qualifiedName.edit_distance_insensitive(request.function)),
                         symbol.qualifiedName});
    }
    llvm::sort(names);
    names.erase(llvm::unique(names), names.end());
    std::string result;
    for (const auto &[distance, name] : llvm::ArrayRef(names).take_front(most))
      result += (result.empty() ? "'" : ", '") + name.str() + "'";
    return result;
  }

  const LoweredUnit &unit;
  const IrRequest &request;
  llvm::DenseSet<const FunctionBody *> known;
  std::vector<const FunctionBody *> all, chosen;
};

llvm::Expected<std::string> textOf(const LoweredUnit &unit, const PathTable &paths, StringRef root,
                                   const IrRequest &request, Remarks *remarks) {
  auto functions = Selection(unit, request).functions();
  if (!functions)
    return functions.takeError();
  std::string text;
  llvm::raw_string_ostream out(text);
  print(out, *functions, paths, ir::SourcePlaces(unit.sources(), root), remarks);
  return text;
}

} // namespace

llvm::Expected<std::string> irOf(clang::ASTContext &context, const Model &model,
                                 const UserCode &userCode, StringRef root,
                                 const IrRequest &request) {
  if (!request.values) {
    PathTable paths;
    const LoweredUnit unit(context, model, userCode, paths);
    return textOf(unit, paths, root, request, nullptr);
  }
  Snapshots snapshots;
  const UnitAnalysis unit(context, model, userCode, &snapshots);
  Knowledge knowledge(unit, snapshots);
  return textOf(unit.code(), unit.tables().paths, root, request, &knowledge);
}

} // namespace gradtidy
