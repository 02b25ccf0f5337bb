#include "Parse.h"

#include "Cursor.h"
#include "Fields.h"
#include "Interfaces.h"
#include "Print.h"
#include "SymbolTable.h"
#include "analyzer/model/Model.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"

#include <algorithm>
#include <limits>
#include <map>

namespace gradtidy {

using llvm::StringRef;
using text::Cursor;
using text::fail;
using text::Malformed;

namespace {

class ParsedPlaces : public ir::Places {
public:
  Chain of(clang::SourceLocation location) const override {
    const auto known = words.find(location);
    return known == words.end() ? Chain() : chainOf(known->second.text, known->second.word);
  }
  StringRef mainFile() const override { return files.front().name; }
  std::optional<ir::Place> includedAt(StringRef file, unsigned inclusion) const override {
    for (const File &each : files)
      if (each.name == file && each.inclusion == inclusion)
        return each.includedAt;
    return std::nullopt;
  }

  bool isOfSystem(StringRef file, unsigned inclusion) const override {
    return llvm::any_of(files, [&](const File &each) {
      return each.name == file && each.inclusion == inclusion && each.isOfSystem;
    });
  }

  /// What a text calls \p word; without its number, the text that is read.
  Chain chainOf(unsigned text, StringRef word) const {
    const std::vector<size_t> &filesOf = filesOfTexts[text];
    Chain chain;
    for (StringRef rest = word; chain.empty() || !rest.empty();) {
      ir::Place place;
      if (!chain.empty() && !(place.isParameter = rest.consume_front("&")) &&
          !rest.consume_front("^"))
        fail("'" + word + "' is no place");
      unsigned file = 0;
      if (rest.consume_front("f") && (rest.consumeInteger(10, file) || !rest.consume_front(":")))
        fail("'" + word + "' is no place");
      if (file >= filesOf.size())
        fail("there is no file f" + llvm::Twine(file));
      place.file = files[filesOf[file]].name;
      place.inclusion = files[filesOf[file]].inclusion;
      takeNumbers(word, rest, place.line, place.column);
      if (rest.consume_front("-"))
        takeNumbers(word, rest, place.endLine, place.endColumn);
      chain.push_back(place);
    }
    return chain;
  }

  /// Notes that \p word is the place of \p location in the last text.
  void add(clang::SourceLocation location, StringRef word) {
    if (const auto [known, isNew] = words.try_emplace(location); isNew)
      known->second = {static_cast<unsigned>(filesOfTexts.size() - 1), word.copy(allocator)};
  }

  StringRef saved(StringRef name) { return name.copy(allocator); }

  struct File {
    StringRef name;
    unsigned inclusion = 1;
    std::optional<ir::Place> includedAt;
    bool isOfSystem = false;
  };
  std::vector<File> files;
  std::vector<std::vector<size_t>> filesOfTexts; ///< Of each text: which of `files` it names.

private:
  static void takeNumbers(StringRef word, StringRef &rest, unsigned &line, unsigned &column) {
    if (rest.consumeInteger(10, line) || !rest.consume_front(":") ||
        rest.consumeInteger(10, column))
      fail("'" + word + "' is no place");
  }

  struct Word {
    unsigned text;
    StringRef word;
  };
  llvm::DenseMap<clang::SourceLocation, Word> words;
  llvm::BumpPtrAllocator allocator;
};

/// Numbers them as they come: nobody asks for more than what they are called.
class NumberedLocations : public ir::Locations {
public:
  void addFile(StringRef, unsigned, const std::optional<ir::Place> &, bool) override {}
  clang::SourceLocation at(const ir::Places::Chain &) override {
    return clang::SourceLocation::getFromRawEncoding(++last);
  }

private:
  unsigned last = 0;
};

/// What a unit that was read is made of.
struct Owned {
  llvm::BumpPtrAllocator allocator;
  llvm::UniqueStringSaver strings{allocator};
  llvm::StringMap<std::unique_ptr<const Operator>> operators;
};

// ---- the reader --------------------------------------------------------------------------------

class Reader {
public:
  static constexpr bool isReading = true;

  Reader(const Model &model, ir::Locations *given)
      : model(model), where(given ? *given : numbers) {}

  /// Reads one text, or one more.
  llvm::Error add(StringRef next) {
    begin(next);
    try {
      readLines();
      checkDefinitions();
    } catch (const Malformed &wrong) {
      return llvm::createStringError("line " + llvm::Twine(lineNumber) + ": " + wrong.why);
    }
    end();
    return llvm::Error::success();
  }

  ParsedUnit finish(const LeavesOut &leavesOut) {
    symbols.end();
    functionsBefore = 0;
    if (leavesOut)
      removeThose([&](const FunctionBody &body) { return leavesOut(*body.function); });
    std::stable_partition(functions.begin(), functions.end(),
                          [](const auto &function) { return !function->isInner; });
    if (textNumber > 1) {
      tellModules(functions);
      tellPasses(functions);
    }
    for (auto &function : functions)
      unit.functions.push_back(std::move(function));
    for (ModuleClass *view : classOrder)
      unit.classes.push_back(std::move(classes[view->record]));
    unit.owner = std::move(owned);
    return {std::make_unique<LoweredUnit>(model, std::move(table), std::move(unit)),
            std::move(places), std::move(ownFiles)};
  }

  // --- fields

  void operator()(StringRef name, bool &value, bool byDefault = false) {
    if (line.takeWord(name))
      value = true;
    else
      value = !line.takeNotWord(name) && byDefault;
  }

  template <typename Value> void operator()(StringRef name, Value &value) {
    if (line.takeField(name))
      take(value);
  }

  template <typename Value, typename Default>
  void operator()(StringRef name, Value &value, const Default &byDefault) {
    value = static_cast<Value>(byDefault);
    (*this)(name, value);
  }

private:
  // --- values

  void take(const ir::Node *&node) { node = line.take("-") ? nullptr : &nodeNamed(); }
  void take(const ir::Symbol *&symbol) { symbol = line.take("-") ? nullptr : &symbolNamed(); }
  void take(const ir::Type *&type) { type = line.take("-") ? nullptr : &typeNamed(); }
  void take(PathId &path) { path = takePath(); }
  void take(StringRef &value) { value = owned->strings.save(line.string()); }
  void take(std::string &value) { value = line.string(); }
  void take(clang::SourceLocation &location) { location = takeLocation(); }
  void take(clang::SourceRange &range) {
    const clang::SourceLocation begin = takeLocation();
    range = {begin, line.takeNext("..") ? takeLocation() : begin};
  }
  void take(Aspects &aspects) {
    line.expect("[");
    aspects = {};
    while (!line.take("]"))
      if (const StringRef name = line.word(); const auto aspect = aspectOf(name))
        aspects.add(*aspect);
      else
        fail("'" + name + "' has no meaning here");
  }
  void take(Flag &flag) {
    flag.isNegated = line.take("!");
    flag.condition = line.number<int>();
  }
  void take(Device &device) {
    takeEnumerator(device.kind);
    line.expect(":");
    device.id = device.kind == Device::Symbol ? takePath() : line.number<PathId>();
  }
  void take(const Operator *&run) {
    const StringRef name = line.label();
    std::unique_ptr<const Operator> &known = owned->operators[name];
    if (std::optional<Operator> found = known ? std::nullopt : operatorNamed(name))
      known = std::make_unique<const Operator>(std::move(*found));
    if (!known)
      fail("there is no operator '" + name + "'");
    run = known.get();
  }
  /// An operator, or the form of one that writes its result into an argument.
  std::optional<Operator> operatorNamed(StringRef name) const {
    if (std::optional<Operator> found = model.operators().findMember(name))
      return found;
    Operator result;
    result.out = name.ends_with("_outf") ? Operator::Out::Last : Operator::Out::First;
    const bool isOut = name.consume_back("_outf") || name.consume_back("_out");
    result.name = name.str();
    return isOut && model.operators().findMember(name) ? std::optional(result) : std::nullopt;
  }
  void take(const Typing *&typing) { typing = takeOwned(function().typings); }
  void take(const Text *&text) { text = takeOwned(function().texts); }
  void take(const CalledModule *&module) { module = takeOwned(function().modules); }
  void take(const ir::Class *&record) {
    auto *made = new (owned->allocator) ir::Class;
    take(*made);
    record = made;
  }
  void take(const ModuleClass *&view) { view = &classNamed(); }
  template <typename Value> const Value *takeOwned(std::vector<std::unique_ptr<const Value>> &all) {
    auto owned = std::make_unique<Value>();
    take(*owned);
    all.push_back(std::move(owned));
    return all.back().get();
  }
  void take(Operand &operand) {
    operand.path = takePath();
    operand.expr = madeAt(operand.path);
    if (line.takeNext("@-"))
      operand.expr = nullptr;
    else if (line.startsWithNext("@"))
      operand.expr = &nodeNamed();
    if (line.takeNext(":"))
      takeEnumerator(operand.role);
    operand.fresh = line.takeNext("!");
    operand.escapes = line.takeNext("&");
    takeBraces(operand, /*isAttached=*/true);
  }
  template <typename Value> void take(llvm::ArrayRef<Value> &list) {
    llvm::SmallVector<Value, 8> values;
    take(values);
    list = llvm::ArrayRef<Value>(values).copy(owned->allocator);
  }
  template <typename Value> void take(std::optional<Value> &value) { take(value.emplace()); }
  void take(std::optional<bool> &value) {
    value = line.takeWord("on");
    if (!*value && !line.takeWord("off"))
      fail("expected 'on' or 'off'");
  }
  template <typename Value> void take(Value &value) {
    if constexpr (std::is_enum_v<Value>) {
      takeEnumerator(value);
    } else if constexpr (std::is_arithmetic_v<Value>) {
      value = line.number<Value>();
    } else if constexpr (requires { value.data(); }) {
      line.expect("[");
      value.clear();
      while (!line.take("]"))
        take(value.emplace_back());
    } else {
      line.expect("(");
      text::fields(*this, value);
      line.expect(")");
    }
  }

  template <typename Enumeration> void takeEnumerator(Enumeration &value) {
    const StringRef name = line.word();
    if (!text::takeName(name, value))
      fail("'" + name + "' has no meaning here");
  }

  template <typename Value> void takeBraces(Value &value, bool isAttached = false) {
    if (isAttached ? line.takeNext("{") : line.take("{")) {
      text::fields(*this, value);
      line.expect("}");
    } else {
      readDefaults(value);
    }
  }

  /// Gives all fields the values that they have where nothing is said.
  template <typename Value> void readDefaults(Value &value) {
    Cursor before = std::exchange(line, Cursor(""));
    text::fields(*this, value);
    line = before;
  }

  const ir::Node *madeAt(PathId path) const {
    return path && path == PathTable::rootOf(path) ? table->last(path).made() : nullptr;
  }

  clang::SourceLocation takeLocation() {
    if (line.take("-"))
      return {};
    const StringRef word = line.place();
    const auto [known, isNew] = locations.try_emplace(word);
    if (isNew) {
      known->second = where.at(chainOf(word));
      if (known->second.isValid())
        places->add(known->second, word);
    }
    return known->second;
  }

  ir::Places::Chain chainOf(StringRef word) const {
    return places->chainOf(places->filesOfTexts.size() - 1, word);
  }

  PathId takePath() {
    PathTable &paths = *table;
    if (line.take("-"))
      return noPath;
    PathId path = takeRoot();
    for (;;)
      if (line.takeNext(".grad()"))
        path = paths.step(path, {PathStep::Gradient});
      else if (line.takeNext("."))
        path = paths.member(path, &symbolNamed());
      else if (line.takeNext("[*]"))
        path = paths.element(path);
      else if (line.takeNext("["))
        path = takeElement(path);
      else
        return path;
  }

  PathId takeRoot() {
    PathTable &paths = *table;
    if (line.take("%?"))
      return paths.unknown();
    if (line.take("%"))
      return paths.root(PathStep::Temporary, &nodeOf(line.number<unsigned>()));
    const StringRef label = line.label();
    if (label == "this")
      return line.takeNext("(") ? takeRootOf(PathStep::This) : takeThis();
    if (label == "return")
      return line.takeNext("(") ? takeRootOf(PathStep::Returned)
                                : paths.root(PathStep::Returned, function().function);
    return paths.root(PathStep::Variable, &symbols.named(label));
  }

  /// `this` of a closure that initialises a member is that of no function.
  PathId takeRootOf(PathStep::Kind kind) {
    const PathId path = table->root(kind, line.take("-") ? nullptr : &symbolNamed());
    line.expect(")");
    return path;
  }

  PathId takeThis() const {
    if (!thisObject)
      fail("there is no 'this'");
    return thisObject;
  }

  PathId takeElement(PathId list) {
    PathTable &paths = *table;
    const PathId path = line.startsWithNext("\"")
                            ? paths.element(list, line.string())
                            : paths.element(list, line.number<std::int64_t>());
    line.expect("]");
    return path;
  }

  // --- what has a name

  ir::Node &nodeNamed() {
    line.expect("@");
    return nodeOf(line.number<unsigned>());
  }
  ir::Node &nodeOf(unsigned number) {
    if (number >= nodes.size()) {
      if (number > text.size()) // Each has a number of its own, and is named.
        fail("@" + llvm::Twine(number) + " is too much");
      nodes.resize(std::max<size_t>(number + 1, 2 * nodes.size()));
    }
    ir::Node *&node = nodes[number].made;
    if (!node)
      node = new (owned->allocator) ir::Node;
    return *node;
  }
  ir::Symbol &symbolNamed() { return symbols.named(line.label()); }
  ModuleClass &classNamed() {
    const ir::Symbol &record = symbolNamed();
    std::unique_ptr<ModuleClass> &view = classes[&record];
    if (!view) {
      view = std::make_unique<ModuleClass>();
      view->record = &record;
    }
    return *view;
  }
  ir::Type &typeNamed() { return typeNamed(types[line.typeLabel()]); }
  /// What a text names and, elsewhere, tells of.
  template <typename Value> struct Named {
    Value *made = nullptr;
    bool isDefined = false;
  };
  ir::Type &typeNamed(Named<ir::Type> &type) {
    if (!type.made)
      type.made = new (owned->allocator) ir::Type;
    return *type.made;
  }

  template <typename Value> static void define(Named<Value> &value, const llvm::Twine &name) {
    if (std::exchange(value.isDefined, true))
      fail("'" + name + "' is there twice");
  }

  void checkDefinitions() {
    for (size_t number = 0; number < nodes.size(); ++number)
      if (nodes[number].made && !nodes[number].isDefined)
        fail("nothing tells what @" + llvm::Twine(number) + " is");
    if (const StringRef name = symbols.undescribed(); !name.empty())
      fail("nothing tells what " + name + " is");
    for (const auto &type : types)
      if (!type.second.isDefined)
        fail("nothing tells what " + type.first() + " is");
    for (const auto &[record, view] : classes)
      if (!defined.contains(view.get()))
        fail("nothing tells what the class " + record->qualifiedName + " is");
    for (const auto &function : llvm::ArrayRef(functions).drop_front(functionsBefore))
      for (const Block &block : function->blocks)
        checkEdges(block, function->blocks.size());
  }

  static void checkEdges(const Block &block, size_t blocks) {
    for (const Block::Edge &edge : block.edges)
      if (edge.target >= blocks)
        fail("there is no block " + llvm::Twine(edge.target));
    if (block.exitEdge >= static_cast<int>(block.edges.size()) || block.latch >= blocks)
      fail("a block names an edge or a block that is not there");
  }

  FunctionBody &function() {
    if (functions.empty())
      fail("this does not stand in a function");
    return *functions.back();
  }
  Block &block() {
    if (function().blocks.empty())
      fail("this does not stand in a block");
    return function().blocks.back();
  }

  // --- lines

  void readLines() {
    rest = text;
    readRest();
    readPassedCode();
    if (lineNumber == 0 || filesOfText().empty())
      fail("there is no file f0");
  }

  void readRest() {
    while (!rest.empty()) {
      StringRef whole;
      std::tie(whole, rest) = rest.split('\n');
      ++lineNumber;
      const StringRef said = whole.ltrim(' ');
      if (said.empty() || said.starts_with(";"))
        continue;
      line = Cursor(said);
      if (lineNumber == 1 && said != irVersion)
        fail("expected '" + irVersion + "'");
      else if (lineNumber > 1)
        readLine(said, whole.size() - said.size());
      if (!line.isAtEnd() && lineNumber > 1)
        fail("'" + line.left().take_front(20) + "' has no meaning here");
    }
    closeNodes(0);
  }

  /// Leaves out the rest of a function, but for code that something else leads to: each tree of it
  /// has numbers that follow each other.
  void passOver() {
    line = Cursor("");
    PassedCode *tree = nullptr;
    for (; rest.starts_with(" ") || rest.starts_with("\n") || rest.starts_with(";"); ++lineNumber) {
      const StringRef passed = rest.take_front(std::min(rest.find('\n'), rest.size() - 1) + 1);
      rest = rest.drop_front(passed.size());
      unsigned number = 0;
      StringRef root = passed;
      if (root.consume_front("    @") && !root.consumeInteger(10, number) && root.starts_with(" "))
        tree = &(passedCode[number] = {passed, lineNumber});
      else if (tree)
        tree->text = {tree->text.data(), tree->text.size() + passed.size()};
    }
  }

  void readPassedCode() {
    for (bool goesOn = !passedCode.empty(); std::exchange(goesOn, false);)
      for (size_t number = 0; number < nodes.size(); ++number)
        if (nodes[number].made && !nodes[number].isDefined)
          if (const auto behind = passedCode.upper_bound(number); behind != passedCode.begin()) {
            goesOn = true;
            const PassedCode passed = std::prev(behind)->second;
            passedCode.erase(std::prev(behind));
            rest = passed.text;
            lineNumber = passed.lineNumber;
            readRest();
          }
  }

  void readLine(StringRef said, size_t indent) {
    if (line.take(">")) { // Code that is nested too deeply to be indented.
      const auto levels = line.number<unsigned>();
      return readNode(indent + 2 * static_cast<size_t>(levels));
    }
    if (said.starts_with("@"))
      return readNode(indent);
    closeNodes(0);
    const StringRef first = line.word();
    if (indent == 0)
      readTop(first);
    else if (indent == 2)
      readPart(first);
    else if (indent == 4 && first == "to")
      readEdge();
    else if (indent == 4)
      readEvent(first);
    else
      fail("the line begins too far to the right");
  }

  void readTop(StringRef first) {
    if (first == "file")
      return readFile();
    if (!std::exchange(hasFiles, true))
      addFiles();
    if (first == "function")
      readFunction();
    else if (first == "unit")
      readUnit();
    else if (first == "class")
      readClass();
    else if (first == "symbol")
      readSymbol();
    else if (first == "type")
      readType();
    else if (first != "code")
      fail("'" + first + "' has no meaning here");
  }

  void readPart(StringRef first) {
    if (first == "parameter") {
      FunctionBody::Parameter parameter{nullptr, {}, BindKind::Value};
      line.skip();
      take(parameter.place);
      text::fields(*this, parameter);
      function().parameters.push_back(std::move(parameter));
    } else if (first == "block") {
      line.skip();
      if (line.number<unsigned>() != function().blocks.size())
        fail("blocks are numbered from 0");
      text::fields(*this, function().blocks.emplace_back());
    } else if (first == "member") {
      if (!currentClass)
        fail("this does not stand in a class");
      text::fields(*this, currentClass->members.emplace_back());
    } else if (first != "code") {
      fail("'" + first + "' has no meaning here");
    }
  }

  void readFile() {
    line.expect("f");
    std::vector<size_t> &files = filesOfText();
    if (line.number<unsigned>() != files.size())
      fail("files are numbered from 0");
    ParsedPlaces::File file;
    file.name = places->saved(line.string());
    (*this)("inclusion", file.inclusion, 1u);
    const auto known = llvm::find_if(places->files, [&](const ParsedPlaces::File &each) {
      return each.name == file.name && each.inclusion == file.inclusion;
    });
    files.push_back(known - places->files.begin());
    const bool isNew = known == places->files.end();
    if (line.takeField("at"))
      if (const StringRef around = line.place(); files.back() >= filesBefore) // Not said yet.
        includedAt.emplace_back(files.back(), around);
    (*this)("system", file.isOfSystem);
    if (isNew)
      places->files.push_back(std::move(file));
  }

  /// Which of all files the text names.
  std::vector<size_t> &filesOfText() { return places->filesOfTexts.back(); }

  /// Tells where files are included, once all of them are known. The main files of other texts are
  /// read behind that of the first.
  void addFiles() {
    for (const auto &[file, word] : includedAt)
      places->files[file].includedAt = chainOf(word).front();
    for (const ParsedPlaces::File &file : llvm::ArrayRef(places->files).drop_front(filesBefore)) {
      std::optional<ir::Place> around = file.includedAt;
      if (textNumber > 1 && &file == &places->files[filesOfText().front()])
        around = ir::Place{.file = places->mainFile(), .line = behindAll, .column = 1};
      where.addFile(file.name, file.inclusion, around, file.isOfSystem);
    }
    symbols.begin(text, [&](StringRef word) { return sharedPlace(word); });
  }

  /// The words for a place that are the same in all texts, or none.
  std::string sharedPlace(StringRef word) const {
    try {
      const ir::Place place = chainOf(word).front();
      return place.file.str() + ":" + std::to_string(place.line) + ":" +
             std::to_string(place.column);
    } catch (const Malformed &) {
      return {};
    }
  }

  void readUnit() {
    LoweredUnit::Contents said;
    text::fields(*this, said);
    said.hasErrors |= unit.hasErrors;
    said.isGuarded |= unit.isGuarded;
    if (textNumber == 1) {
      unit = std::move(said);
    } else {
      unit.hasErrors = said.hasErrors;
      unit.isGuarded = said.isGuarded;
      for (std::string &space : said.namespaces)
        if (!llvm::is_contained(unit.namespaces, space))
          unit.namespaces.push_back(std::move(space));
    }
  }

  void readClass() {
    ModuleClass &view = classNamed();
    if (!classesOfText.insert(&view).second)
      fail("'" + view.record->qualifiedName + "' is there twice");
    currentClass = &view;
    if (defined.insert(&view).second)
      classOrder.push_back(&view);
    const bool wasIncomplete = view.isIncomplete;
    text::fields(*this, view);
    view.isIncomplete |= wasIncomplete;
  }

  // --- several texts

  void begin(StringRef next) {
    text = next;
    ++textNumber;
    lineNumber = 0;
    hasFiles = false;
    thisObject = noPath;
    currentClass = nullptr;
    functionsBefore = functions.size();
    filesBefore = places->files.size();
    places->filesOfTexts.emplace_back();
    includedAt.clear();
    open.clear();
    nodes.clear();
    types.clear();
    passedOver.clear();
    passedCode.clear();
    locations.clear();
    classesOfText.clear();
  }

  /// Leaves out what earlier texts have said already.
  void end() {
    removeThose([&](const FunctionBody &body) {
      return withBody.contains(body.function) || withBody.contains(body.function->definition);
    });
    if (textNumber == 1)
      for (const ParsedPlaces::File &file : places->files)
        ownFiles.insert(file.name);
    for (const auto &body : llvm::ArrayRef(functions).drop_front(functionsBefore)) {
      withBody.insert(body->function);
      if (textNumber > 1 && body->linkedFrom.empty())
        body->linkedFrom = places->files[filesOfText().front()].name.str();
    }
  }

  /// Removes functions of the text, or all if there is no text any more, with the closures in them.
  void removeThose(llvm::function_ref<bool(const FunctionBody &)> isMeant) {
    llvm::SmallPtrSet<const ir::Symbol *, 16> dropped;
    for (const auto &body : llvm::ArrayRef(functions).drop_front(functionsBefore))
      if (isMeant(*body))
        dropped.insert(body->function);
    const auto isDropped = [&](const FunctionBody &body) {
      const ir::Symbol *around = body.function; // A closure stands in a function.
      for (unsigned depth = 0; around && depth < 32; ++depth, around = around->owner)
        if (dropped.contains(around))
          return true;
      return false;
    };
    functions.erase(std::remove_if(functions.begin() + functionsBefore, functions.end(),
                                   [&](const auto &body) { return isDropped(*body); }),
                    functions.end());
  }

  // --- lines of functions and names

  void readFunction() {
    const StringRef name = line.label();
    const ir::Symbol &symbol = symbols.named(name);
    if (withBody.contains(&symbol) || (!passedOver.empty() && symbols.isWithin(name, passedOver))) {
      passedOver.insert(&symbol);
      return passOver();
    }
    functions.push_back(std::make_unique<FunctionBody>(&symbol, nullptr));
    thisObject = noPath;
    text::fields(*this, function());
    thisObject = function().thisObject;
  }

  void readSymbol() {
    const StringRef name = line.label();
    if (symbols.isTold(name, passedOver)) {
      line = Cursor("");
      return;
    }
    ir::Symbol symbol;
    takeEnumerator(symbol.kind);
    text::fields(*this, symbol);
    if (symbol.first == &symbol)
      symbol.first = &symbols.named(name);
    if (!symbols.describe(name, symbol))
      fail("'" + name + "' is there twice");
  }

  void readType() {
    const StringRef name = line.typeLabel();
    Named<ir::Type> &known = types[name];
    ir::Type &type = typeNamed(known);
    define(known, name);
    text::fields(*this, type);
  }

  void readEdge() {
    Block::Edge edge{};
    line.skip();
    edge.target = line.number<unsigned>();
    text::fields(*this, edge);
    block().edges.push_back(std::move(edge));
  }

  void readEvent(StringRef kind) {
    Event event;
    event.function = &function();
    if (!text::takeName(kind, event.kind))
      fail("'" + kind + "' is no event");
    if (line.takeNext(":"))
      event.callee = &symbolNamed();
    if (!line.isAtEnd() && !line.startsWith("(") && !line.startsWith("-> ") &&
        !line.startsWith("@") && !line.startsWith("{"))
      take(event.subject);
    else
      readDefaults(event.subject);
    if (line.take("("))
      for (;;) {
        line.skip();
        take(event.operands.emplace_back());
        if (!line.take(",")) {
          line.expect(")");
          break;
        }
      }
    if (line.take("-> ")) {
      event.result = takePath();
      if (line.takeNext(":"))
        takeEnumerator(event.resultRole);
    }
    event.site = madeAt(event.result);
    if (line.take("@-"))
      event.site = nullptr;
    else if (line.startsWith("@"))
      event.site = &nodeNamed();
    takeBraces(event);
    block().events.push_back(std::move(event));
  }

  /// A node and where it stands: what is further to the right is part of it.
  void readNode(size_t indent) {
    closeNodes(indent);
    line.expect("@");
    const auto number = line.number<unsigned>();
    ir::Node &node = nodeOf(number);
    ir::Node *const stem = open.empty() ? nullptr : open.back().node;
    if (stem)
      open.back().children.push_back(&node);
    if (line.isAtEnd()) // It stands elsewhere.
      return;
    define(nodes[number], "@" + llvm::Twine(number));
    takeEnumerator(node.kind);
    take(node.range);
    (*this)("parent", node.parent, static_cast<const ir::Node *>(stem));
    text::fields(*this, node);
    open.push_back({&node, indent, {}});
  }

  void closeNodes(size_t indent) {
    while (!open.empty() && open.back().indent >= indent) {
      open.back().node->children = llvm::ArrayRef(open.back().children).copy(owned->allocator);
      open.pop_back();
    }
  }

  static constexpr unsigned behindAll = 1U << 30; ///< No file has so many lines.

  StringRef text; ///< The one that is read.
  StringRef rest; ///< Of it, behind the line.
  const Model &model;
  NumberedLocations numbers;
  ir::Locations &where;
  LoweredUnit::Contents unit;
  std::unique_ptr<PathTable> table = std::make_unique<PathTable>();
  std::unique_ptr<ParsedPlaces> places = std::make_unique<ParsedPlaces>();
  std::shared_ptr<Owned> owned = std::make_shared<Owned>();
  SymbolTable symbols{owned->allocator};
  std::vector<std::unique_ptr<FunctionBody>> functions;
  llvm::SmallPtrSet<const ir::Symbol *, 32> withBody; ///< Those of the texts before.
  llvm::MapVector<const ir::Symbol *, std::unique_ptr<ModuleClass>> classes;
  std::vector<ModuleClass *> classOrder; ///< As they stand in the texts.
  llvm::SmallPtrSet<const ModuleClass *, 8> classesOfText;
  /// Functions of the text of which earlier ones have said all, with the closures in them.
  llvm::SmallPtrSet<const ir::Symbol *, 16> passedOver;
  struct PassedCode {
    StringRef text;
    unsigned lineNumber; ///< Of what is before it.
  };
  std::map<unsigned, PassedCode> passedCode; ///< By the number of the first node.
  ModuleClass *currentClass = nullptr;
  std::vector<std::pair<size_t, StringRef>> includedAt; ///< By which of all files.
  llvm::StringSet<> ownFiles;                           ///< Those that the first text names.
  size_t functionsBefore = 0, filesBefore = 0;          ///< Of the texts before.
  unsigned textNumber = 0;
  unsigned lineNumber = 0;
  bool hasFiles = false; ///< All of them are read.
  Cursor line{""};
  PathId thisObject = noPath;
  std::vector<Named<ir::Node>> nodes; ///< By number.
  llvm::StringMap<Named<ir::Type>> types;
  llvm::StringMap<clang::SourceLocation> locations;
  llvm::SmallPtrSet<const ModuleClass *, 8> defined;

  /// Nodes whose children are being read, from the outermost.
  struct Open {
    ir::Node *node;
    size_t indent;
    std::vector<const ir::Node *> children;
  };
  std::vector<Open> open;
};

} // namespace

llvm::Expected<ParsedUnit> parseIr(StringRef text, const Model &model, ir::Locations *locations) {
  Reader reader(model, locations);
  if (llvm::Error wrong = reader.add(text))
    return wrong;
  return reader.finish(nullptr);
}

llvm::Expected<ParsedUnit> link(llvm::ArrayRef<StringRef> texts, const Model &model,
                                ir::Locations *locations, const LeavesOut &leavesOut) {
  Reader reader(model, locations);
  for (size_t i = 0; i < texts.size(); ++i)
    if (llvm::Error wrong = reader.add(texts[i]))
      return llvm::createStringError("text " + llvm::Twine(i + 1) + ", " +
                                     llvm::toString(std::move(wrong)));
  return reader.finish(leavesOut);
}

} // namespace gradtidy
