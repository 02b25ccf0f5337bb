#include "SymbolTable.h"

#include "Cursor.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>
#include <type_traits>
#include <vector>

namespace gradtidy {

using llvm::StringRef;

/// What has to be known of a name before what uses it is read.
struct SymbolTable::Line {
  StringRef label, kind, first, owner, definition, at;
  std::string usr, name;
  std::string place; ///< The words for `at` that are the same in all texts.
  StringRef index = "0";
  bool hasRecord = false;
  bool isOfOthers = false; ///< Another text defines something else of that name.

  bool isFirst() const { return first.empty() || first == label; }
  bool isClass() const { return kind == "class"; }
  /// What its owner tells.
  bool isPart() const { return kind == "member" || kind == "parameter"; }
  /// Whether it is a function's definition, or a class of which all is known.
  bool isWhole() const { return definition == label || (isClass() && hasRecord); }
};

/// The value of a field, as it is written.
static StringRef rawValue(text::Cursor &line) {
  const StringRef start = line.left();
  for (unsigned depth = 0; !line.left().empty();) {
    const char c = line.left().front();
    if (c == '"') {
      line.string();
      continue;
    }
    if (c == ' ' && depth == 0)
      break;
    depth += StringRef("([{<").contains(c);
    depth -= depth > 0 && StringRef(")]}>").contains(c);
    line.takeNext(line.left().take_front());
  }
  return start.drop_back(line.left().size());
}

/// The names of fields are those of Fields.h.
template <typename Line> static void readFields(text::Cursor &line, Line &said) {
  while (!line.isAtEnd()) {
    const StringRef name = line.word();
    if (!line.takeNext("="))
      continue;
    const StringRef value = rawValue(line);
    if (name == "usr")
      said.usr = text::Cursor(value).string();
    else if (name == "name")
      said.name = text::Cursor(value).string();
    else if (name == "first")
      said.first = value;
    else if (name == "owner")
      said.owner = value;
    else if (name == "definition")
      said.definition = value;
    else if (name == "at")
      said.at = value;
    else if (name == "index")
      said.index = value;
    else if (name == "record")
      said.hasRecord = true;
  }
}

void SymbolTable::begin(StringRef text, llvm::function_ref<std::string(StringRef)> placeOf) {
  isFirst = ++number == 1;
  symbols.clear();
  hasLine.clear();
  taken.clear();
  better.clear();
  Lines lines;
  std::vector<StringRef> order;
  for (StringRef line; !text.empty();) {
    std::tie(line, text) = text.split('\n');
    if (!line.consume_front("symbol "))
      continue;
    try {
      text::Cursor cursor(line);
      Line said;
      said.label = cursor.label();
      said.kind = cursor.word();
      readFields(cursor, said);
      said.place = said.at.empty() ? std::string() : placeOf(said.at);
      order.push_back(said.label);
      lines.try_emplace(said.label, std::move(said));
    } catch (const text::Malformed &) {
      // Whoever reads the line says so.
    }
  }
  // Each after those by which it is known.
  const auto uniteThose = [&](llvm::function_ref<bool(const Line &)> isMeant) {
    for (const StringRef label : order)
      if (Line &line = lines.find(label)->second; isMeant(line))
        unite(lines, line);
  };
  uniteThose([](const Line &line) { return line.isClass(); });
  uniteThose([](const Line &line) { return !line.isClass() && !line.isPart() && line.isFirst(); });
  uniteThose([](const Line &line) { return !line.isClass() && !line.isPart() && !line.isFirst(); });
  uniteThose([](const Line &line) { return line.isPart(); });
}

/// What names the same in all texts; empty where nothing does. Owners of owners are few, unless a
/// text says that they own each other.
std::string SymbolTable::keyOf(const Lines &lines, StringRef label, unsigned depth) const {
  const auto known = lines.find(label);
  if (known == lines.end() || depth > 8)
    return {};
  const Line &line = known->second;
  const auto behind = [&](StringRef before, const llvm::Twine &rest) {
    const std::string key = keyOf(lines, before, depth + 1);
    return key.empty() ? key : key + rest.str();
  };
  if (!line.isFirst())
    return behind(line.first, line.definition == label ? "=" : "@" + line.place);
  if (!line.usr.empty())
    return line.usr + (line.isOfOthers ? "~" + std::to_string(number) : "");
  if (line.kind == "member" && !line.name.empty())
    return behind(line.owner, "." + line.name);
  return line.kind == "parameter" ? behind(line.owner, "#" + line.index) : std::string();
}

void SymbolTable::unite(const Lines &lines, Line &line) {
  hasLine[line.label] = false;
  // Where the text shows its code, or the whole class.
  const auto definition = lines.find(line.isWhole() ? line.label : line.definition);
  const std::string definedAt =
      definition == lines.end() ? std::string() : definition->second.place;
  if (line.isFirst() && !line.usr.empty()) {
    const auto owner = lines.find(line.owner);
    const auto known = identities.find(line.usr);
    line.isOfOthers = (owner != lines.end() && owner->second.isOfOthers) ||
                      (known != identities.end() && !definedAt.empty() &&
                       !known->second.definedAt.empty() && definedAt != known->second.definedAt);
  }
  const std::string key = keyOf(lines, line.label);
  if (key.empty())
    return;
  // The definition is the first declaration where another text defines without declaring.
  if (!line.isFirst() && line.definition == line.label && !identities.contains(key))
    if (const auto first = identities.find(keyOf(lines, line.first));
        first != identities.end() && first->second.isWhole &&
        first->second.definedAt == definedAt) {
      symbols[line.label] = first->second.symbol;
      return;
    }
  const auto [entry, isNew] = identities.try_emplace(key);
  Identity &identity = entry->second;
  if (!isNew && taken.contains(identity.symbol)) // Nothing tells two of the text apart.
    return;
  if (isNew)
    identity.symbol = new (allocator) ir::Symbol;
  const auto owner = symbols.find(line.owner);
  const bool isOfBetter = line.isPart() && owner != symbols.end() && better.contains(owner->second);
  const bool isDefining = line.isWhole() && identity.definedAt.empty();
  if (!isNew && (isDefining || isOfBetter))
    better.insert(identity.symbol);
  identity.isWhole |= isDefining;
  if (identity.definedAt.empty())
    identity.definedAt = definedAt;
  taken.insert(identity.symbol);
  symbols[line.label] = identity.symbol;
}

ir::Symbol &SymbolTable::named(StringRef label) {
  ir::Symbol *&symbol = symbols[label];
  if (!symbol)
    symbol = new (allocator) ir::Symbol;
  return *symbol;
}

bool SymbolTable::describe(StringRef label, ir::Symbol said) {
  if (std::exchange(hasLine[label], true))
    return false;
  ir::Symbol &symbol = named(label);
  said.isOfMainFile &= isFirst;
  if (described.insert(&symbol).second)
    symbol = said;
  else
    fillIn(symbol, said);
  return true;
}

StringRef SymbolTable::undescribed() const {
  for (const auto &each : symbols)
    if (!hasLine.lookup(each.first()))
      return each.first();
  return {};
}

void SymbolTable::fillIn(ir::Symbol &known, const ir::Symbol &said) {
  const ir::Symbol before = known;
  if (better.contains(&known)) {
    known = said;
    known.first = before.first;
  }
  const auto fill = [&](auto ir::Symbol::*field) {
    if (auto &value = known.*field; value == std::remove_reference_t<decltype(value)>())
      value = before.*field ? before.*field : said.*field;
  };
  fill(&ir::Symbol::definition);
  fill(&ir::Symbol::body);
  fill(&ir::Symbol::init);
  if (known.initializers.empty())
    known.initializers = before.initializers.empty() ? said.initializers : before.initializers;
  known.usr = before.usr;
  known.namesDevice |= before.namesDevice | said.namesDevice;
  known.hasDefault |= before.hasDefault | said.hasDefault;
  known.isExtern |= before.isExtern | said.isExtern;
  known.isOfMainFile = false;
  if (before.record && said.record)
    known.record = joined(*before.record, *said.record);
}

const ir::Class *SymbolTable::joined(const ir::Class &known, const ir::Class &said) {
  llvm::SmallVector<ir::Method, 8> methods(known.methods);
  for (ir::Method &method : methods)
    for (const ir::Method &other : said.methods)
      method.isDefined |= other.symbol == method.symbol && other.isDefined;
  auto *result = new (allocator) ir::Class(known);
  result->methods = llvm::ArrayRef(methods).copy(allocator);
  result->isDamaged |= said.isDamaged;
  return result;
}

} // namespace gradtidy
