#include "Print.h"

#include "Fields.h"
#include "analyzer/model/Operators.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <charconv>

namespace gradtidy {

using llvm::StringRef;

namespace {

// ---- what a text is about ----------------------------------------------------------------------

/// Whether \p path is the value of an expression, and no part of it.
const ir::Node *madeAt(PathId path, const PathTable &paths) {
  return path && path == PathTable::rootOf(path) ? paths.last(path).made() : nullptr;
}

/// Finds the code, names and types that functions lead to, in an order that depends on them alone.
class Collector {
public:
  static constexpr bool isReading = false;

  /// Starts with \p functions and \p classes.
  Collector(llvm::ArrayRef<const FunctionBody *> functions,
            llvm::ArrayRef<const ModuleClass *> classes, const PathTable &paths)
      : paths(paths) {
    for (const FunctionBody *function : functions)
      if (function->body)
        numberAround(*function->body);
    for (const FunctionBody *function : functions) {
      take(*function);
      settle();
    }
    for (const ModuleClass *view : classes) {
      take(view);
      settle();
    }
  }

  /// The roots of all code, in the order of their numbers.
  llvm::ArrayRef<const ir::Node *> roots() const { return trees; }
  llvm::ArrayRef<const ir::Symbol *> symbols() const { return names.getArrayRef(); }
  llvm::ArrayRef<const ir::Type *> types() const { return kinds.getArrayRef(); }
  llvm::ArrayRef<const ModuleClass *> classes() const { return views.getArrayRef(); }

  /// The number of a node, from 1; 0 for one that is not in the text.
  unsigned numberOf(const ir::Node *node) const { return numbers.lookup(node); }

  /// The node under which \p node stands, or null.
  const ir::Node *stemOf(const ir::Node *node) const { return stems.lookup(node); }

  template <typename Value, typename Default = int>
  void operator()(StringRef, const Value &value, const Default & = {}) {
    take(value);
  }

private:
  void take(const ir::Node *node) {
    if (node)
      waiting.push_back(node);
  }
  void take(const ir::Symbol *symbol) {
    if (symbol)
      names.insert(symbol);
  }
  void take(const ir::Type *type) {
    if (type)
      kinds.insert(type);
  }
  void take(const ModuleClass *view) {
    if (view)
      views.insert(view);
  }
  void take(PathId path) {
    if (!path)
      return;
    take(paths.parent(path));
    take(paths.last(path).symbol());
    take(paths.last(path).made());
  }
  void take(const Device &device) {
    if (device.kind == Device::Symbol)
      take(device.id);
  }
  void take(const Operand &operand) {
    take(operand.path);
    take(operand.expr);
    text::fields(*this, operand);
  }
  void take(const Event &event) {
    take(event.callee);
    take(event.subject);
    take(event.operands);
    take(event.result);
    take(event.site);
    text::fields(*this, event);
  }
  void take(const Block &block) {
    text::fields(*this, block);
    take(block.events);
    take(block.edges);
  }
  void take(const FunctionBody::Parameter &parameter) {
    take(parameter.place);
    text::fields(*this, parameter);
  }
  void take(const FunctionBody &function) {
    take(function.function);
    text::fields(*this, function);
    take(function.parameters);
    take(function.blocks);
  }
  template <typename Value> void take(const Value &value) {
    if constexpr (llvm::is_one_of<Value, const Typing *, const Text *, const CalledModule *,
                                  const ir::Class *>::value) {
      if (value)
        text::fields(*this, *value);
    } else if constexpr (requires { value.has_value(); }) {
      if (value)
        take(*value);
    } else if constexpr (requires { value.data(); }) {
      if constexpr (!std::is_convertible_v<Value, StringRef>)
        for (const auto &each : value)
          take(each);
    } else if constexpr (requires { text::fields(*this, value); }) {
      text::fields(*this, value);
    }
  }

  /// Finds what else is named by what is known.
  void settle() {
    for (bool goesOn = true; goesOn;) {
      goesOn = !waiting.empty() || nextNode < order.size() || nextName < names.size() ||
               nextKind < kinds.size() || nextView < views.size();
      const auto asked = std::exchange(waiting, {});
      for (const ir::Node *node : asked)
        numberAround(*node);
      for (; nextNode < order.size(); ++nextNode) {
        take(order[nextNode]->parent);
        text::fields(*this, *order[nextNode]);
      }
      for (; nextName < names.size(); ++nextName)
        text::fields(*this, *names[nextName]);
      for (; nextKind < kinds.size(); ++nextKind)
        text::fields(*this, *kinds[nextKind]);
      for (; nextView < views.size(); ++nextView) {
        take(views[nextView]->record);
        take(views[nextView]->members);
        text::fields(*this, *views[nextView]);
      }
    }
  }

  /// Numbers the code that \p node is part of.
  void numberAround(const ir::Node &node) {
    if (numbers.contains(&node))
      return;
    const ir::Node *top = &node;
    while (top->parent && !numbers.contains(top->parent))
      top = top->parent;
    number(*top);
    if (!numbers.contains(&node)) // What is around it does not count it among its children.
      number(node);
  }

  void number(const ir::Node &root) {
    trees.push_back(&root);
    llvm::SmallVector<std::pair<const ir::Node *, const ir::Node *>> open = {{&root, nullptr}};
    while (!open.empty()) {
      const auto [node, stem] = open.pop_back_val();
      if (!numbers.try_emplace(node, order.size() + 1).second)
        continue;
      order.push_back(node);
      stems[node] = stem;
      for (const ir::Node *child : llvm::reverse(node->children))
        if (child)
          open.push_back({child, node});
    }
  }

  const PathTable &paths;
  std::vector<const ir::Node *> trees, order, waiting;
  llvm::DenseMap<const ir::Node *, unsigned> numbers;
  llvm::DenseMap<const ir::Node *, const ir::Node *> stems;
  llvm::SetVector<const ir::Symbol *> names;
  llvm::SetVector<const ir::Type *> kinds;
  llvm::SetVector<const ModuleClass *> views;
  size_t nextNode = 0, nextName = 0, nextKind = 0, nextView = 0;
};

// ---- words -------------------------------------------------------------------------------------

/// ASCII alone, since letters of a source can change the direction of all behind them.
std::string inQuotes(StringRef text) {
  std::string result = "\"";
  for (const unsigned char c : text)
    if (c == '"' || c == '\\')
      (result += '\\') += static_cast<char>(c);
    else if (c < 0x20 || c >= 0x7f)
      ((result += "\\x") += llvm::hexdigit(c >> 4, true)) += llvm::hexdigit(c & 15, true);
    else
      result += static_cast<char>(c);
  return result + "\"";
}

/// \p name as it is, or quoted if it could be taken for something else.
std::string wordOf(StringRef name) {
  bool isPlain =
      !name.empty() && !llvm::isDigit(name.front()) && name != "this" && name != "return";
  for (StringRef rest = name; isPlain && !rest.empty();)
    if (!rest.consume_front("::"))
      isPlain = llvm::isAlnum(rest.front()) || StringRef("_~$").contains(rest.front()),
      rest = rest.drop_front();
  return isPlain ? name.str() : inQuotes(name);
}

/// Shows what a type is; several may look the same.
std::string sketchOf(const ir::Type &type, unsigned depth = 0) {
  std::string result = type.isConst ? "const " : "";
  if (!type.name.empty())
    result += type.name;
  else if (type.pointee && depth < 4)
    result += sketchOf(*type.pointee, depth + 1);
  else if (type.isVoid)
    result += "void";
  else if (type.isBoolean)
    result += "bool";
  else if (type.isInteger)
    result += "integer";
  else
    result += type.isArithmetic ? "number" : "other";
  result += type.isPointer ? "*" : "";
  result += type.isArray ? "[]" : "";
  return result + (type.isReference ? "&" : "");
}

// ---- the writer --------------------------------------------------------------------------------

class Writer : public Labels {
public:
  static constexpr bool isReading = false;

  Writer(const LoweredUnit &unit, llvm::ArrayRef<const FunctionBody *> functions,
         llvm::ArrayRef<const ModuleClass *> classes, const ir::Places &places, Remarks *remarks)
      : unit(unit), functions(functions), paths(unit.paths()), places(places), remarks(remarks),
        all(functions, classes, paths) {
    llvm::StringMap<unsigned> used;
    const auto unlike = [&](const std::string &name) {
      const unsigned number = ++used[name];
      return number == 1 ? name : name + "#" + std::to_string(number);
    };
    for (const ir::Symbol *symbol : all.symbols())
      symbolNames[symbol] = unlike(wordOf(
          symbol->isFunction() || symbol->kind == ir::SymbolKind::Class ? symbol->qualifiedName
                                                                        : symbol->spelling));
    for (const ir::Type *type : all.types())
      typeNames[type] = unlike("<" + sketchOf(*type) + ">");
    fileNumber(places.mainFile(), 1);
  }

  void write(llvm::raw_ostream &to) {
    out << "\nunit";
    text::fields(*this, unit.contents());
    out << "\n";
    llvm::DenseSet<const ir::Node *> placed;
    for (const FunctionBody *function : functions) {
      write(*function);
      if (function->body && llvm::is_contained(all.roots(), function->body)) {
        out << "  code\n";
        writeTree(*function->body);
        placed.insert(function->body);
      }
    }
    bool isFirst = true;
    for (const ir::Node *root : all.roots())
      if (!placed.contains(root)) {
        out << (std::exchange(isFirst, false) ? "\ncode\n" : "");
        writeTree(*root);
      }
    for (const ModuleClass *view : all.classes())
      write(*view);
    out << "\n";
    for (const ir::Symbol *symbol : all.symbols()) {
      out << "symbol " << of(symbol) << " " << text::nameOf(symbol->kind);
      text::fields(*this, *symbol);
      out << "\n";
    }
    out << "\n";
    for (const ir::Type *type : all.types()) {
      out << "type " << typeNames.lookup(type);
      text::fields(*this, *type);
      out << "\n";
    }
    to << irVersion << "\n";
    for (size_t i = 0; i < files.size(); ++i) { // Those that include them are added.
      const auto file = (files.begin() + i)->first;
      to << "file f" << i << " " << inQuotes(file.first);
      if (file.second > 1)
        to << " inclusion=" << file.second;
      if (const std::optional<ir::Place> around = places.includedAt(file.first, file.second))
        to << " at=" << placeWord(*around);
      if (places.isOfSystem(file.first, file.second))
        to << " system";
      to << "\n";
    }
    to << text;
  }

  std::string of(const ir::Node *node) const override {
    if (!node)
      return "-";
    if (const unsigned number = all.numberOf(node))
      return "@" + std::to_string(number);
    return "@(" + placeIn(node->begin()) + ")"; // In remarks alone.
  }

  /// The place in a file, which gets no number: texts with and without remarks are the same.
  std::string placeIn(clang::SourceLocation location) const {
    if (location.isInvalid())
      return "-";
    const ir::Place place = places.of(location).back();
    return (place.file == places.mainFile() ? "" : place.file.str() + ":") +
           std::to_string(place.line) + ":" + std::to_string(place.column);
  }

  std::string of(const ir::Symbol *symbol) const override {
    if (!symbol)
      return "-";
    const auto known = symbolNames.find(symbol);
    return known == symbolNames.end() ? wordOf(symbol->qualifiedName) : known->second;
  }

  std::string of(PathId path) const override {
    if (!path)
      return "-";
    const PathStep &step = paths.last(path);
    const PathId parent = paths.parent(path);
    switch (step.kind) {
    case PathStep::Variable:
      return of(step.symbol());
    case PathStep::This:
      return path == thisObject ? "this" : "this(" + of(step.symbol()) + ")";
    case PathStep::Temporary:
      return step.made() ? "%" + of(step.made()).substr(1) : "%?";
    case PathStep::Returned:
      return current && step.symbol() == current->function ? "return"
                                                           : "return(" + of(step.symbol()) + ")";
    case PathStep::Member:
      return of(parent) + "." + of(step.symbol());
    case PathStep::Element:
      if (step.identity)
        return of(parent) + "[" + inQuotes(step.key()) + "]";
      return of(parent) + "[" + (step.index == -1 ? "*" : std::to_string(step.index)) + "]";
    case PathStep::Gradient:
      return of(parent) + ".grad()";
    }
    return {};
  }

  std::string of(clang::SourceLocation location) const override {
    if (location.isInvalid())
      return "-";
    std::string result;
    for (const ir::Place &place : places.of(location)) {
      result += result.empty() ? "" : place.isParameter ? "&" : "^";
      result += placeWord(place);
      if (place.endLine)
        result += "-" + std::to_string(place.endLine) + ":" + std::to_string(place.endColumn);
    }
    return result;
  }

  // --- fields

  void operator()(StringRef name, const bool &value, bool byDefault = false) {
    if (value != byDefault)
      begin() << (value ? "" : "not-") << name;
  }

  template <typename Value> void operator()(StringRef name, const Value &value) {
    if constexpr (requires { value.has_value(); }) {
      if (value)
        begin() << name << "=" << wordFor(*value);
    } else if constexpr (requires { value.data(); }) {
      if (!std::empty(value))
        begin() << name << "=" << wordFor(value);
    } else if constexpr (requires { value == Value(); }) {
      (*this)(name, value, Value());
    } else if (const std::string word = wordFor(value); word != wordFor(Value())) {
      begin() << name << "=" << word;
    }
  }

  template <typename Value, typename Default>
  void operator()(StringRef name, const Value &value, const Default &byDefault) {
    if (value != static_cast<Value>(byDefault))
      begin() << name << "=" << wordFor(value);
  }

private:
  llvm::raw_ostream &begin() { return out << (std::exchange(isFirstField, false) ? "" : " "); }

  /// The fields of \p value between \p open and \p close.
  template <typename Value>
  std::string enclosed(const Value &value, StringRef open, StringRef close) {
    const size_t start = text.size();
    const bool wasFirst = std::exchange(isFirstField, true);
    text::fields(*this, value);
    std::string inner = text.substr(start);
    text.resize(start);
    isFirstField = wasFirst;
    return open.str() + inner + close.str();
  }

  /// Fields in braces, or nothing.
  template <typename Value> std::string inBraces(const Value &value) {
    std::string result = enclosed(value, "{", "}");
    return result == "{}" ? "" : result;
  }

  std::string wordFor(const ir::Node *node) { return of(node); }
  std::string wordFor(const ir::Symbol *symbol) { return of(symbol); }
  std::string wordFor(const ir::Type *type) { return type ? typeNames.lookup(type) : "-"; }
  std::string wordFor(PathId path) { return of(path); }
  std::string wordFor(clang::SourceLocation location) { return of(location); }
  std::string wordFor(clang::SourceRange range) {
    const std::string first = of(range.getBegin()), last = of(range.getEnd());
    return first == last ? first : first + ".." + last;
  }
  std::string wordFor(const ModuleClass *view) { return view ? of(view->record) : "-"; }
  std::string wordFor(bool value) { return value ? "on" : "off"; }
  std::string wordFor(StringRef value) { return inQuotes(value); }
  std::string wordFor(const std::string &value) { return inQuotes(value); }
  std::string wordFor(double value) {
    char digits[32];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value);
    return {digits, end.ptr};
  }
  std::string wordFor(Aspects aspects) {
    std::string result = "[";
    for (unsigned i = 0; i < aspectCount; ++i)
      if (const auto aspect = static_cast<Aspect>(i); aspects.has(aspect))
        result += (result.size() == 1 ? "" : " ") + aspectName(aspect).str();
    return result + "]";
  }
  std::string wordFor(const Flag &flag) {
    return (flag.isNegated ? "!" : "") + std::to_string(flag.condition);
  }
  std::string wordFor(const Device &device) {
    return text::nameOf(device.kind).str() + ":" +
           (device.kind == Device::Symbol ? of(device.id) : std::to_string(device.id));
  }
  std::string wordFor(const Operator *run) {
    static constexpr StringRef endings[] = {"", "_out", "_outf"};
    return run ? run->name + endings[static_cast<size_t>(run->out)].str() : "-";
  }
  std::string wordFor(const Operand &operand) {
    std::string result = of(operand.path);
    if (operand.expr != madeAt(operand.path, paths))
      result += operand.expr ? of(operand.expr) : "@-";
    if (operand.role != TypeRole::None)
      result += ":" + text::nameOf(operand.role).str();
    result += operand.fresh ? "!" : "";
    result += operand.escapes ? "&" : "";
    return result + inBraces(operand);
  }
  template <typename Value> std::string wordFor(const Value &value) {
    if constexpr (std::is_enum_v<Value>) {
      return text::nameOf(value).str();
    } else if constexpr (std::is_integral_v<Value>) {
      return std::to_string(value);
    } else if constexpr (std::is_pointer_v<Value>) {
      return value ? wordFor(*value) : "-";
    } else if constexpr (requires { value.data(); }) {
      std::string result = "[";
      for (const auto &each : value)
        result += (result.size() == 1 ? "" : " ") + wordFor(each);
      return result + "]";
    } else {
      return enclosed(value, "(", ")");
    }
  }

  // --- functions

  void write(const FunctionBody &function) {
    current = &function;
    thisObject = noPath;
    out << "\nfunction " << of(function.function);
    text::fields(*this, function);
    out << "\n";
    thisObject = function.thisObject;
    for (const FunctionBody::Parameter &parameter : function.parameters) {
      out << "  parameter " << wordFor(parameter.place);
      text::fields(*this, parameter);
      out << "\n";
    }
    if (remarks)
      writeRemarks(remarks->about(function, *this), 2);
    for (unsigned number = 0; number < function.blocks.size(); ++number)
      write(number, function.blocks[number]);
    current = nullptr;
    thisObject = noPath;
  }

  void write(const ModuleClass &view) {
    out << "\nclass " << of(view.record);
    text::fields(*this, view);
    out << "\n";
    for (const ModuleMember &member : view.members) {
      out << "  member";
      text::fields(*this, member);
      out << "\n";
    }
  }

  void write(unsigned number, const Block &block) {
    out << "  block " << number;
    text::fields(*this, block);
    out << "\n";
    for (const Event &event : block.events)
      write(event);
    for (const Block::Edge &edge : block.edges) {
      out << "    to " << edge.target;
      text::fields(*this, edge);
      out << "\n";
    }
  }

  void write(const Event &event) {
    out << "    " << text::nameOf(event.kind);
    if (event.callee)
      out << ":" << of(event.callee);
    if (const std::string subject = wordFor(event.subject); subject != wordFor(Operand()))
      out << " " << subject;
    if (!event.operands.empty()) {
      out << " (";
      for (const Operand &operand : event.operands)
        out << (&operand == event.operands.begin() ? "" : ", ") << wordFor(operand);
      out << ")";
    }
    if (event.result || event.resultRole != TypeRole::None) {
      out << " -> " << of(event.result);
      if (event.resultRole != TypeRole::None)
        out << ":" << text::nameOf(event.resultRole);
    }
    if (event.site != madeAt(event.result, paths))
      out << " " << (event.site ? of(event.site) : "@-");
    if (const std::string rest = inBraces(event); !rest.empty())
      out << " " << rest;
    out << "\n";
    if (remarks)
      writeRemarks(remarks->about(event, *this), 6);
  }

  void writeRemarks(const std::vector<std::string> &lines, unsigned indent) {
    for (const std::string &line : lines)
      out.indent(indent) << "; " << line << "\n";
  }

  // --- code

  /// Levels of code that are indented: what is nested more deeply says how much, or the size of a
  /// text would be quadratic in the depth of its code.
  static constexpr unsigned mostIndented = 30;

  void writeTree(const ir::Node &root) {
    struct Open {
      const ir::Node *node, *around;
      unsigned depth;
    };
    llvm::SmallVector<Open> open = {{&root, nullptr, 0}};
    while (!open.empty()) {
      const auto [node, around, depth] = open.pop_back_val();
      out.indent(4 + 2 * std::min(depth, mostIndented));
      if (depth > mostIndented)
        out << ">" << depth - mostIndented << " ";
      out << of(node);
      // Code that stands in several places is written at the first.
      if (all.stemOf(node) == around && written.insert(node).second) {
        writeNode(*node);
        for (const ir::Node *child : llvm::reverse(node->children))
          open.push_back({child, node, depth + 1});
      }
      out << "\n";
    }
  }

  void writeNode(const ir::Node &node) {
    out << " " << text::nameOf(node.kind) << " " << wordFor(node.range);
    (*this)("parent", node.parent, all.stemOf(&node));
    text::fields(*this, node);
  }

  std::string placeWord(const ir::Place &place) const {
    const unsigned number = fileNumber(place.file, place.inclusion);
    return (number ? "f" + std::to_string(number) + ":" : "") + std::to_string(place.line) + ":" +
           std::to_string(place.column);
  }

  /// The number of a file, from 0; it gets one when it is first named.
  unsigned fileNumber(StringRef file, unsigned inclusion) const {
    return files.try_emplace({file, inclusion}, files.size()).first->second;
  }

  const LoweredUnit &unit;
  const llvm::ArrayRef<const FunctionBody *> functions;
  const PathTable &paths;
  const ir::Places &places;
  Remarks *const remarks;
  const Collector all;
  llvm::DenseMap<const ir::Symbol *, std::string> symbolNames;
  llvm::DenseMap<const ir::Type *, std::string> typeNames;
  mutable llvm::MapVector<std::pair<StringRef, unsigned>, unsigned> files;
  const FunctionBody *current = nullptr; ///< The function that is being written.
  PathId thisObject = noPath;            ///< What `this` is there.
  bool isFirstField = false;             ///< Of what is enclosed.
  llvm::DenseSet<const ir::Node *> written;
  std::string text;
  llvm::raw_string_ostream out{text};
};

} // namespace

Labels::~Labels() = default;
Remarks::~Remarks() = default;

StringRef name(EventKind kind) { return text::nameOf(kind); }

void print(llvm::raw_ostream &out, const LoweredUnit &unit,
           llvm::ArrayRef<const FunctionBody *> functions, const ir::Places &places,
           Remarks *remarks) {
  Writer(unit, functions, /*classes=*/{}, places, remarks).write(out);
}

void print(llvm::raw_ostream &out, const LoweredUnit &unit, const ir::Places &places,
           Remarks *remarks) {
  std::vector<const FunctionBody *> functions;
  for (const auto &function : unit.contents().functions)
    functions.push_back(function.get());
  std::vector<const ModuleClass *> classes;
  for (const ModuleClass &view : unit.classes())
    classes.push_back(&view);
  Writer(unit, functions, classes, places, remarks).write(out);
}

} // namespace gradtidy
