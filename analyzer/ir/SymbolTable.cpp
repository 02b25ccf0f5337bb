#include "SymbolTable.h"

#include "Cursor.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>
#include <type_traits>
#include <vector>

namespace gradtidy {

using llvm::StringRef;

/// The value of a field, as it is written.
static StringRef rawValue(text::Cursor &line) {
  const StringRef start = line.left();
  unsigned depth = 0;
  size_t end = 0;
  for (; end < start.size() && (start[end] != ' ' || depth > 0); ++end)
    switch (start[end]) {
    case '"':
      for (++end; end < start.size() && start[end] != '"'; ++end)
        end += start[end] == '\\';
      break;
    case '(':
    case '[':
    case '{':
    case '<':
      ++depth;
      break;
    case ')':
    case ']':
    case '}':
    case '>':
      depth -= depth > 0;
      break;
    default:
      break;
    }
  const StringRef value = start.take_front(end);
  line.takeNext(value);
  return value;
}

/// The names of fields are those of Fields.h.
void SymbolTable::readFields(text::Cursor &line, Line &said) {
  while (!line.isAtEnd()) {
    const StringRef name = line.word();
    const bool hasValue = line.takeNext("=");
    const StringRef value = hasValue ? rawValue(line) : StringRef();
    if (name == "usr")
      said.usr = value;
    else if (name == "name")
      said.name = value;
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
    else if (name == "code")
      said.hasCode = true;
    else if (name == "init")
      said.hasInit = true;
    else if (name == "initializers")
      said.hasInitializers = true;
    else if (name == "record")
      said.hasRecord = true;
    else if (name == "names-device")
      said.namesDevice = true;
    else if (name == "default")
      said.hasDefault = true;
    else if (name == "extern")
      said.isExtern = true;
  }
}

void SymbolTable::begin(StringRef text, PlaceOf placeOf) {
  isFirst = ++number == 1;
  lines.clear();
  taken.clear();
  better.clear();
  std::vector<Line *> order;
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
      if (const auto [known, isNew] = lines.try_emplace(said.label, std::move(said)); isNew)
        order.push_back(&known->second);
    } catch (const text::Malformed &) {
      // Whoever reads the line says so.
    }
  }
  // Each after those by which it is known.
  const auto uniteThose = [&](llvm::function_ref<bool(const Line &)> isMeant) {
    for (Line *line : order)
      if (isMeant(*line))
        unite(*line, placeOf);
  };
  uniteThose([](const Line &line) { return line.isClass(); });
  uniteThose([](const Line &line) { return !line.isClass() && !line.isPart() && line.isFirst(); });
  uniteThose([](const Line &line) { return !line.isClass() && !line.isPart() && !line.isFirst(); });
  uniteThose([](const Line &line) { return line.isPart(); });
}

SymbolTable::Line *SymbolTable::find(StringRef label) {
  const auto known = label.empty() ? lines.end() : lines.find(label);
  return known == lines.end() ? nullptr : &known->second;
}

StringRef SymbolTable::placeOfLine(Line &line, PlaceOf placeOf) {
  if (!line.place)
    line.place = line.at.empty() ? std::string() : placeOf(line.at);
  return *line.place;
}

/// What names the same in all texts; empty where nothing does. Owners of owners are few, unless a
/// text says that they own each other.
std::string SymbolTable::keyOf(Line &line, PlaceOf placeOf, unsigned depth) {
  if (line.key)
    return *line.key;
  const auto behind = [&](StringRef before, const llvm::Twine &rest) {
    Line *known = depth < 8 ? find(before) : nullptr;
    const std::string key = known ? keyOf(*known, placeOf, depth + 1) : std::string();
    return key.empty() ? key : key + rest.str();
  };
  if (!line.isFirst())
    return behind(line.first,
                  line.definition == line.label ? "=" : "@" + placeOfLine(line, placeOf));
  if (!line.usr.empty())
    return line.usr.str() + (line.isOfOthers ? "~" + std::to_string(number) : "");
  if (line.kind == "member" && !line.name.empty())
    return behind(line.owner, "." + line.name);
  return line.kind == "parameter" ? behind(line.owner, "#" + line.index) : std::string();
}

void SymbolTable::unite(Line &line, PlaceOf placeOf) {
  // Where the text shows its code, or the whole class.
  Line *definition = line.isWhole() ? &line : find(line.definition);
  const StringRef definedAt = definition ? placeOfLine(*definition, placeOf) : StringRef();
  if (line.isFirst() && !line.usr.empty()) {
    const Line *owner = find(line.owner);
    line.isOfOthers = owner && owner->isOfOthers;
    if (const auto known = identities.find(line.usr); known != identities.end())
      line.isOfOthers |= !definedAt.empty() && !known->second.definedAt.empty() &&
                         definedAt != known->second.definedAt;
  }
  line.key = keyOf(line, placeOf);
  if (line.key->empty())
    return;
  // The definition is the first declaration where another text defines without declaring.
  if (!line.isFirst() && line.definition == line.label && !identities.contains(*line.key))
    if (Line *firstLine = find(line.first))
      if (const auto first = identities.find(keyOf(*firstLine, placeOf));
          first != identities.end() && first->second.isWhole &&
          first->second.definedAt == definedAt) {
        line.symbol = first->second.symbol;
        return;
      }
  const auto [entry, isNew] = identities.try_emplace(*line.key);
  Identity &identity = entry->second;
  if (!isNew && taken.contains(identity.symbol)) // Nothing tells two of the text apart.
    return;
  if (isNew)
    identity.symbol = new (allocator) ir::Symbol;
  const Line *owner = find(line.owner);
  const bool isOfBetter = line.isPart() && owner && owner->symbol && better.contains(owner->symbol);
  const bool isDefining = line.isWhole() && identity.definedAt.empty();
  if (!isNew && (isDefining || isOfBetter))
    better.insert(identity.symbol);
  identity.isWhole |= isDefining;
  if (identity.definedAt.empty())
    identity.definedAt = definedAt;
  taken.insert(identity.symbol);
  line.symbol = identity.symbol;
}

ir::Symbol &SymbolTable::named(StringRef label) { return symbolOf(lines[label]); }

ir::Symbol &SymbolTable::symbolOf(Line &line) {
  if (!line.symbol)
    line.symbol = new (allocator) ir::Symbol;
  return *line.symbol;
}

bool SymbolTable::isWithin(StringRef label, const Functions &functions) {
  const Line *line = find(label);
  for (unsigned depth = 0; line && depth < 32; ++depth) {
    line = find(line->owner);
    if (line && line->symbol && functions.contains(line->symbol))
      return true;
  }
  return false;
}

bool SymbolTable::isTold(StringRef label, const Functions &passedOver) {
  Line *line = find(label);
  if (isFirst || !line || line->label.empty() || line->isDescribed)
    return false;
  ir::Symbol &known = symbolOf(*line);
  if (!described.contains(&known)) {
    const bool isLocal = line->kind == "variable" || line->kind == "binding";
    const Line *owner = isLocal && line->key && line->key->empty() ? find(line->owner) : nullptr;
    line->isDescribed = owner && owner->symbol && passedOver.contains(owner->symbol);
    return line->isDescribed;
  }
  if (better.contains(&known) || line->hasRecord ||
      (!line->definition.empty() && !known.definition) || (line->hasCode && !known.body) ||
      (line->hasInit && !known.init) || (line->hasInitializers && known.initializers.empty()) ||
      (line->namesDevice && !known.namesDevice) || (line->hasDefault && !known.hasDefault) ||
      (line->isExtern && !known.isExtern))
    return false;
  known.isOfMainFile = false;
  return line->isDescribed = true;
}

bool SymbolTable::describe(StringRef label, ir::Symbol said) {
  Line &line = lines[label];
  if (std::exchange(line.isDescribed, true))
    return false;
  ir::Symbol &symbol = symbolOf(line);
  said.isOfMainFile &= isFirst;
  if (described.insert(&symbol).second)
    symbol = said;
  else
    fillIn(symbol, said);
  return true;
}

StringRef SymbolTable::undescribed() const {
  for (const auto &each : lines)
    if (!each.second.isDescribed)
      return each.first();
  return {};
}

void SymbolTable::end() {
  for (const auto &each : identities) {
    ir::Symbol &symbol = *each.second.symbol;
    if (symbol.isFunction() && symbol.first && !symbol.definition)
      symbol.definition = symbol.first->definition;
  }
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
