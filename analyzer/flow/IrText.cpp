#include "IrText.h"

#include "UnitAnalysis.h"
#include "Words.h"
#include "analyzer/ir/Print.h"

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

/// What a state says of an operand. Empty if nothing.
std::string wordsOf(const Operand &operand, const State &state, const Labels &labels) {
  const Tables &tables = *state.tables;
  Words words(tables, labels);
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
  Words words(*state.tables, labels);
  describe(words, state.gradMode());
  describe(words, state.autocast());
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
    const auto known = snapshots.find(&event);
    if (known == snapshots.end())
      return {};
    const auto isDisabled = [](const Snapshot &snapshot) {
      return snapshot.after.gradMode().possible != GradMode::On;
    };
    // Where one context says that gradients are not recorded, the others say that they are.
    const bool tellsMode = llvm::any_of(known->second, isDisabled);
    llvm::SmallVector<Remark, 8> remarks;
    for (const Snapshot &snapshot : known->second) {
      std::string context;
      for (const Event *call : snapshot.callers)
        context += "called by " + labels.of(call->site) + ", ";
      if (!snapshot.goesOn)
        remarks.push_back({context, "", "control does not come back"});
      std::string words = wordsOf(snapshot.after, labels);
      if (tellsMode && !isDisabled(snapshot) && !words.empty())
        words = "gradients recorded: on, " + words;
      remarks.push_back({context, "", std::move(words), "gradients recorded: on"});
      for (const Operand &operand : operandsOf(event))
        remarks.push_back({context, labels.of(operand.path) + ": ",
                           wordsOf(operand, snapshot.after, labels), "nothing is known"});
    }
    return linesOf(remarks);
  }

private:
  /// What is said of a subject in one context, and what stands for nothing where others say more.
  struct Remark {
    std::string context, subject, words;
    StringRef otherwise = "";
  };

  /// Several contexts may say the same. Where one says nothing, a line says so if others say
  /// something: all that is possible has a line then.
  static std::vector<std::string> linesOf(llvm::ArrayRef<Remark> remarks) {
    std::vector<std::string> lines;
    for (const Remark &remark : remarks) {
      const bool isSaid = llvm::any_of(remarks, [&](const Remark &other) {
        return other.subject == remark.subject && other.otherwise == remark.otherwise &&
               !other.words.empty();
      });
      const StringRef words = remark.words.empty() ? remark.otherwise : StringRef(remark.words);
      std::string line = remark.context + remark.subject + words.str();
      if (isSaid && !llvm::is_contained(lines, line))
        lines.push_back(std::move(line));
    }
    return lines;
  }

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
  Selection(const LoweredUnit &unit, const clang::SourceManager &sources, const IrRequest &request)
      : unit(unit), sources(sources), request(request) {
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
    if (function.linkedFrom.empty() && isInFile(function)) {
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
  const clang::SourceManager &sources;
  const IrRequest &request;
  llvm::DenseSet<const FunctionBody *> known;
  std::vector<const FunctionBody *> all, chosen;
};

llvm::Expected<std::string> textOf(const LoweredUnit &unit, const clang::SourceManager &sources,
                                   StringRef root, const IrRequest &request, Remarks *remarks) {
  const ir::SourcePlaces places(sources, root);
  std::string text;
  llvm::raw_string_ostream out(text);
  if (request.whole) {
    print(out, unit, places, remarks);
    return text;
  }
  auto functions = Selection(unit, sources, request).functions();
  if (!functions)
    return functions.takeError();
  print(out, unit, *functions, places, remarks);
  return text;
}

} // namespace

llvm::Expected<std::string> irOf(LoweredUnit &unit, const clang::SourceManager &sources,
                                 StringRef root, const IrRequest &request) {
  if (!request.values)
    return textOf(unit, sources, root, request, nullptr);
  Snapshots snapshots;
  const UnitAnalysis analysis(unit, /*interest=*/{}, [](const FunctionBody *) {}, &snapshots);
  Knowledge knowledge(analysis, snapshots);
  return textOf(unit, sources, root, request, &knowledge);
}

} // namespace gradtidy
