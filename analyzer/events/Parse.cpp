#include "Parse.h"

#include "Fields.h"
#include "Print.h"
#include "analyzer/model/Model.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"

#include <charconv>
#include <limits>

namespace gradtidy {

using llvm::StringRef;

namespace {

/// The text is wrong: thrown and caught within this file.
struct Malformed {
  std::string why;
};

[[noreturn]] void fail(const llvm::Twine &why) { throw Malformed{why.str()}; }

class ParsedPlaces : public ir::Places {
public:
  Chain of(clang::SourceLocation location) const override { return chains.lookup(location); }
  std::string mainFile() const override { return files.front().name; }
  std::optional<ir::Place> includedAt(const std::string &file, unsigned inclusion) const override {
    for (const File &each : files)
      if (each.name == file && each.inclusion == inclusion)
        return each.includedAt;
    return std::nullopt;
  }

  struct File {
    std::string name;
    unsigned inclusion = 1;
    std::optional<ir::Place> includedAt;
  };
  std::vector<File> files;
  llvm::DenseMap<clang::SourceLocation, Chain> chains;
};

/// Numbers them as they come: nobody asks for more than what they are called.
class NumberedLocations : public ir::Locations {
public:
  void addFile(const std::string &, unsigned, const std::optional<ir::Place> &) override {}
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
  std::vector<std::unique_ptr<const Operator>> operators;
};

// ---- words of a line ---------------------------------------------------------------------------

class Cursor {
public:
  explicit Cursor(StringRef line) : rest(line) {}

  bool isAtEnd() {
    skip();
    return rest.empty();
  }

  /// Passes over \p text if it is what comes next, without spaces before it.
  bool takeNext(StringRef text) { return rest.consume_front(text); }
  bool take(StringRef text) {
    skip();
    return takeNext(text);
  }
  void expect(StringRef text) {
    if (!take(text))
      fail("expected '" + text + "' before '" + rest.take_front(20) + "'");
  }

  /// A word of lower case letters, digits and hyphens.
  StringRef word() {
    skip();
    const StringRef result = peekWord();
    if (result.empty())
      fail("expected a word before '" + rest.take_front(20) + "'");
    rest = rest.drop_front(result.size());
    return result;
  }

  /// Whether the next word is \p name, and no longer.
  bool takeWord(StringRef name) {
    skip();
    if (peekWord() != name)
      return false;
    rest = rest.drop_front(name.size());
    return true;
  }

  /// The name of a field with a value.
  bool takeField(StringRef name) {
    skip();
    return rest.starts_with(name) && rest.drop_front(name.size()).starts_with("=") &&
           rest.consume_front((name + "=").str());
  }

  template <typename Number> Number number() {
    Number result{};
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), result);
    if (error != std::errc())
      fail("expected a number before '" + rest.take_front(20) + "'");
    rest = rest.drop_front(end - rest.data());
    return result;
  }

  std::string string() {
    expect("\"");
    std::string result;
    for (;;) {
      if (rest.empty())
        fail("a string has no end");
      const char c = rest.front();
      rest = rest.drop_front();
      if (c == '"')
        return result;
      if (c != '\\') {
        result += c;
        continue;
      }
      unsigned code = 0;
      if (!rest.consume_front("x")) {
        result += rest.empty() ? '\\' : rest.front();
        rest = rest.drop_front(!rest.empty());
      } else if (rest.take_front(2).getAsInteger(16, code)) {
        fail("expected two hexadecimal digits after '\\x'");
      } else {
        result += static_cast<char>(code);
        rest = rest.drop_front(2);
      }
    }
  }

  /// A name as a whole: bare or quoted, with the number behind it.
  StringRef label() {
    skip();
    const StringRef start = rest;
    if (rest.starts_with("\"")) {
      string();
    } else {
      while (rest.consume_front("::") || (!rest.empty() && isOfName(rest.front())))
        if (!rest.empty() && isOfName(rest.front()))
          rest = rest.drop_front();
    }
    takeOrdinal();
    const StringRef result = start.drop_back(rest.size());
    if (result.empty())
      fail("expected a name before '" + rest.take_front(20) + "'");
    return result;
  }

  /// The name of a type as a whole.
  StringRef typeLabel() {
    skip();
    const StringRef start = rest;
    const size_t end = rest.find('>');
    if (!rest.starts_with("<") || end == StringRef::npos)
      fail("expected a type before '" + rest.take_front(20) + "'");
    rest = rest.drop_front(end + 1);
    takeOrdinal();
    return start.drop_back(rest.size());
  }

  /// A place, up to what cannot be part of it.
  StringRef place() {
    skip();
    size_t length = 0;
    while (length < rest.size() && (llvm::isDigit(rest[length]) || rest[length] == ':' ||
                                    StringRef("f^&-").contains(rest[length])))
      ++length;
    const StringRef result = rest.take_front(length);
    rest = rest.drop_front(length);
    return result;
  }

  bool startsWith(StringRef text) {
    skip();
    return rest.starts_with(text);
  }
  bool startsWithNext(StringRef text) const { return rest.starts_with(text); }
  StringRef left() const { return rest; }
  void skip() { rest = rest.ltrim(' '); }

private:
  static bool isOfName(char c) { return llvm::isAlnum(c) || StringRef("_~$").contains(c); }
  StringRef peekWord() const {
    return rest.take_while([](char c) { return llvm::isLower(c) || llvm::isDigit(c) || c == '-'; });
  }
  void takeOrdinal() {
    if (rest.consume_front("#"))
      number<unsigned>();
  }

  StringRef rest;
};

// ---- the reader --------------------------------------------------------------------------------

class Reader {
public:
  static constexpr bool isReading = true;

  Reader(StringRef text, const Model &model, ir::Locations *given)
      : text(text), model(model), where(given ? *given : numbers) {}

  llvm::Expected<ParsedUnit> read() {
    try {
      readLines();
      checkDefinitions();
    } catch (const Malformed &wrong) {
      return llvm::createStringError("line " + llvm::Twine(lineNumber) + ": " + wrong.why);
    }
    for (auto &function : functions)
      unit.functions.push_back(std::move(function));
    for (ModuleClass *view : classOrder)
      unit.classes.push_back(std::move(classes[view->record]));
    unit.owner = std::move(owned);
    return ParsedUnit{std::make_unique<LoweredUnit>(model, std::move(table), std::move(unit)),
                      std::move(places)};
  }

  // --- fields

  void operator()(StringRef name, bool &value, bool byDefault = false) {
    if (line.takeWord(name))
      value = true;
    else
      value = !line.takeWord(("not-" + name).str()) && byDefault;
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
    std::optional<Operator> found = operatorNamed(name);
    if (!found)
      fail("there is no operator '" + name + "'");
    owned->operators.push_back(std::make_unique<const Operator>(std::move(*found)));
    run = owned->operators.back().get();
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
  void take(const ClassTest *&test) { test = takeOwned(function().classTests); }
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
      const ir::Places::Chain chain = chainOf(word);
      known->second = where.at(chain);
      if (known->second.isValid())
        places->chains[known->second] = chain;
    }
    return known->second;
  }

  ir::Places::Chain chainOf(StringRef word) const {
    ir::Places::Chain chain;
    for (StringRef rest = word; chain.empty() || !rest.empty();) {
      ir::Place place;
      if (!chain.empty() && !(place.isParameter = rest.consume_front("&")) &&
          !rest.consume_front("^"))
        fail("'" + word + "' is no place");
      unsigned file = 0;
      if (rest.consume_front("f") && (rest.consumeInteger(10, file) || !rest.consume_front(":")))
        fail("'" + word + "' is no place");
      if (file >= places->files.size())
        fail("there is no file f" + llvm::Twine(file));
      place.file = places->files[file].name;
      place.inclusion = places->files[file].inclusion;
      takeNumbers(word, rest, place.line, place.column);
      if (rest.consume_front("-"))
        takeNumbers(word, rest, place.endLine, place.endColumn);
      chain.push_back(std::move(place));
    }
    return chain;
  }

  static void takeNumbers(StringRef word, StringRef &rest, unsigned &line, unsigned &column) {
    if (rest.consumeInteger(10, line) || !rest.consume_front(":") ||
        rest.consumeInteger(10, column))
      fail("'" + word + "' is no place");
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
    return paths.root(PathStep::Variable, &made(symbols, label));
  }

  PathId takeRootOf(PathStep::Kind kind) {
    const PathId path = table->root(kind, &symbolNamed());
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
    ir::Node *&node = nodes[number];
    if (!node)
      node = new (owned->allocator) ir::Node;
    return *node;
  }
  ir::Symbol &symbolNamed() { return made(symbols, line.label()); }
  ModuleClass &classNamed() {
    const ir::Symbol &record = symbolNamed();
    std::unique_ptr<ModuleClass> &view = classes[&record];
    if (!view) {
      view = std::make_unique<ModuleClass>();
      view->record = &record;
    }
    return *view;
  }
  ir::Type &typeNamed() { return made(types, line.typeLabel()); }
  template <typename Value> Value &made(llvm::StringMap<Value *> &all, StringRef name) {
    Value *&value = all[name];
    if (!value)
      value = new (owned->allocator) Value;
    return *value;
  }

  template <typename Value> void define(const Value &value, StringRef name) {
    if (!defined.insert(&value).second)
      fail("'" + name + "' is there twice");
  }

  void checkDefinitions() {
    for (const auto &[number, node] : nodes)
      if (!defined.contains(node))
        fail("nothing tells what @" + llvm::Twine(number) + " is");
    const auto check = [&](const auto &all) {
      for (const auto &each : all)
        if (!defined.contains(each.second))
          fail("nothing tells what " + each.first() + " is");
    };
    check(symbols);
    check(types);
    for (const auto &[record, view] : classes)
      if (!defined.contains(view.get()))
        fail("nothing tells what the class " + record->qualifiedName + " is");
    for (const auto &function : functions)
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
    for (StringRef rest = text; !rest.empty();) {
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
    if (lineNumber == 0 || places->files.empty())
      fail("there is no file f0");
  }

  void readLine(StringRef said, size_t indent) {
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
      text::fields(*this, unit);
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
      if (classOrder.empty())
        fail("this does not stand in a class");
      text::fields(*this, classOrder.back()->members.emplace_back());
    } else if (first != "code") {
      fail("'" + first + "' has no meaning here");
    }
  }

  void readFile() {
    line.expect("f");
    if (line.number<unsigned>() != places->files.size())
      fail("files are numbered from 0");
    ParsedPlaces::File file;
    file.name = line.string();
    (*this)("inclusion", file.inclusion, 1u);
    places->files.push_back(std::move(file));
    if (line.takeField("at"))
      includedAt.emplace_back(places->files.size() - 1, line.place());
  }

  /// Tells where files are included, once all of them are known.
  void addFiles() {
    for (const auto &[file, word] : includedAt)
      places->files[file].includedAt = chainOf(word).front();
    for (const ParsedPlaces::File &file : places->files)
      where.addFile(file.name, file.inclusion, file.includedAt);
  }

  void readClass() {
    ModuleClass &view = classNamed();
    define(view, view.record->qualifiedName);
    classOrder.push_back(&view);
    text::fields(*this, view);
  }

  void readFunction() {
    functions.push_back(std::make_unique<FunctionBody>(&symbolNamed(), nullptr));
    thisObject = noPath;
    text::fields(*this, function());
    thisObject = function().thisObject;
  }

  void readSymbol() {
    const StringRef name = line.label();
    ir::Symbol &symbol = made(symbols, name);
    define(symbol, name);
    takeEnumerator(symbol.kind);
    text::fields(*this, symbol);
  }

  void readType() {
    const StringRef name = line.typeLabel();
    ir::Type &type = made(types, name);
    define(type, name);
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
    define(node, "@" + std::to_string(number));
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

  const StringRef text;
  const Model &model;
  NumberedLocations numbers;
  ir::Locations &where;
  LoweredUnit::Contents unit;
  std::unique_ptr<PathTable> table = std::make_unique<PathTable>();
  std::unique_ptr<ParsedPlaces> places = std::make_unique<ParsedPlaces>();
  std::shared_ptr<Owned> owned = std::make_shared<Owned>();
  std::vector<std::unique_ptr<FunctionBody>> functions;
  llvm::MapVector<const ir::Symbol *, std::unique_ptr<ModuleClass>> classes;
  std::vector<ModuleClass *> classOrder;                ///< As they stand in the text.
  std::vector<std::pair<size_t, StringRef>> includedAt; ///< By the number of a file.
  unsigned lineNumber = 0;
  bool hasFiles = false; ///< All of them are read.
  Cursor line{""};
  PathId thisObject = noPath;
  llvm::DenseMap<unsigned, ir::Node *> nodes;
  llvm::StringMap<ir::Symbol *> symbols;
  llvm::StringMap<ir::Type *> types;
  llvm::StringMap<clang::SourceLocation> locations;
  llvm::DenseSet<const void *> defined;

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
  return Reader(text, model, locations).read();
}

} // namespace gradtidy
