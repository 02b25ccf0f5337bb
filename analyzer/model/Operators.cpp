#include "Operators.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

#include <nlohmann/json.hpp>

namespace gradtidy {
namespace {

using Json = nlohmann::json;

llvm::Error wrong(const llvm::Twine &message) { return llvm::createStringError(message); }

llvm::Expected<unsigned> indexIn(const Json &value, size_t count) {
  if (!value.is_number_unsigned() || value.get<size_t>() >= count)
    return wrong("there is no argument " + value.dump());
  return value.get<unsigned>();
}

llvm::Error readIndices(const Json &value, size_t count, std::vector<unsigned> &into) {
  if (!value.is_array())
    return wrong("expected a list of positions, found " + value.dump());
  into.clear();
  for (const Json &item : value) {
    llvm::Expected<unsigned> index = indexIn(item, count);
    if (!index)
      return index.takeError();
    into.push_back(*index);
  }
  return llvm::Error::success();
}

llvm::Error readArguments(const Json &value, Overload &overload) {
  if (!value.is_array())
    return wrong("\"arguments\" is no list");
  for (const Json &item : value) {
    if (!item.is_string())
      return wrong("an argument is no string: " + item.dump());
    const auto text = item.get<std::string>();
    const size_t split = text.find('=');
    overload.arguments.push_back({text.substr(0, split), std::nullopt});
    if (split != std::string::npos)
      overload.arguments.back().defaultValue = text.substr(split + 1);
  }
  if (!overload.arguments.empty())
    overload.tensors = {0};
  return llvm::Error::success();
}

/// `{"self": ["other"], "other": ["self", "=0"]}`
llvm::Error readSaved(const Json &value, Overload &overload) {
  const auto indexOf = [&](const std::string &name) {
    return static_cast<unsigned>(
        llvm::find_if(overload.arguments,
                      [&](const Overload::Argument &argument) { return argument.name == name; }) -
        overload.arguments.begin());
  };
  if (!value.is_object())
    return wrong("\"saves\" is no object");
  for (const auto &[name, list] : value.items()) {
    Overload::Saved saved{.of = indexOf(name), .arguments = {}};
    if (saved.of >= overload.arguments.size() || !list.is_array())
      return wrong("\"saves\" says nothing of an argument: " + name);
    for (const Json &item : list) {
      if (!item.is_string())
        return wrong("\"saves\" expects names, found " + item.dump());
      const auto text = item.get<std::string>();
      if (text.starts_with("=")) {
        saved.result = true;
        continue;
      }
      saved.arguments.push_back(indexOf(text));
      if (saved.arguments.back() >= overload.arguments.size())
        return wrong("there is no argument " + text);
    }
    overload.saves.push_back(std::move(saved));
  }
  return llvm::Error::success();
}

llvm::Error readKey(const std::string &key, const Json &value, Overload &overload) {
  const size_t count = overload.arguments.size();
  if (key == "arguments")
    return llvm::Error::success(); // Read before.
  if (key == "tensors")
    return readIndices(value, count, overload.tensors);
  if (key == "changes")
    return readIndices(value, count, overload.changes);
  if (key == "saves")
    return readSaved(value, overload);
  if (key == "views" || key == "mayView") {
    llvm::Expected<unsigned> index = indexIn(value, count);
    if (!index)
      return index.takeError();
    overload.viewOf = *index;
    overload.mayCopy = key == "mayView";
    return llvm::Error::success();
  }
  if (key == "gradient") {
    const auto rule = llvm::StringSwitch<std::optional<GradientRule>>(
                          value.is_string() ? value.get<std::string>() : "")
                          .Case("formula", GradientRule::Formula)
                          .Case("composite", GradientRule::Composite)
                          .Case("zero", GradientRule::Zero)
                          .Case("none", GradientRule::None)
                          .Case("unknown", GradientRule::Unknown)
                          .Default(std::nullopt);
    if (!rule)
      return wrong("a gradient is formula, composite, zero, none or unknown, not " + value.dump());
    overload.gradient = *rule;
    return llvm::Error::success();
  }
  if (!value.is_boolean())
    return wrong("unknown key or value: \"" + key + "\": " + value.dump());
  if (key == "random")
    overload.isRandom = value.get<bool>();
  else if (key == "waits")
    overload.waitsForGpu = value.get<bool>();
  else if (key == "reshapes")
    overload.changesShape = value.get<bool>();
  else if (key == "tensor")
    overload.givesTensor = value.get<bool>();
  else
    return wrong("unknown key \"" + key + "\"");
  return llvm::Error::success();
}

llvm::Expected<Overload> overloadIn(const Json &json) {
  if (!json.is_object() || !json.contains("arguments"))
    return wrong("an overload is an object with \"arguments\"");
  Overload overload;
  if (llvm::Error failure = readArguments(json["arguments"], overload))
    return failure;
  for (const auto &[key, value] : json.items())
    if (llvm::Error failure = readKey(key, value, overload))
      return failure;
  return overload;
}

llvm::Expected<Operator> operatorIn(const Json &json, llvm::StringRef name) {
  Operator result;
  result.name = name.str();
  if (!json.is_object())
    return wrong("expected an object");
  for (const auto &[key, value] : json.items()) {
    if (key == "out" && value.is_boolean()) {
      result.hasOut = value.get<bool>();
    } else if (key == "overloads" && value.is_array()) {
      for (const Json &item : value) {
        llvm::Expected<Overload> overload = overloadIn(item);
        if (!overload)
          return overload.takeError();
        result.overloads.push_back(std::move(*overload));
      }
    } else {
      return wrong("unknown key \"" + key + "\"; the keys are overloads and out");
    }
  }
  return result;
}

Json parsed(llvm::StringRef text) {
  return Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

} // namespace

unsigned Operator::object() const {
  if (overloads.empty())
    return 0;
  const auto &arguments = overloads.front().arguments;
  const auto self =
      llvm::find_if(arguments, [](const auto &argument) { return argument.name == "self"; });
  return self == arguments.end() ? 0 : self - arguments.begin();
}

bool Operator::changes(unsigned index) const {
  return !overloads.empty() && llvm::all_of(overloads, [&](const Overload &overload) {
    return llvm::is_contained(overload.changes, index);
  });
}

bool Operator::changesElements() const {
  return changes(0) &&
         llvm::none_of(overloads, [](const Overload &overload) { return overload.changesShape; });
}

bool Operator::dependsOnFirst() const {
  return !overloads.empty() && llvm::all_of(overloads, [](const Overload &overload) {
    return !overload.isRandom && (overload.gradient == GradientRule::Formula ||
                                  overload.gradient == GradientRule::Composite);
  });
}

bool Operator::isRandom() const {
  return !overloads.empty() &&
         llvm::all_of(overloads, [](const Overload &overload) { return overload.isRandom; });
}

std::optional<unsigned> Operator::viewOf() const {
  if (overloads.empty() || llvm::any_of(overloads, [&](const Overload &overload) {
        return overload.mayCopy || overload.viewOf != overloads.front().viewOf;
      }))
    return std::nullopt;
  return overloads.front().viewOf;
}

GradientRule Operator::gradient() const {
  if (overloads.empty() || llvm::any_of(overloads, [&](const Overload &overload) {
        return overload.gradient != overloads.front().gradient;
      }))
    return GradientRule::Unknown;
  return overloads.front().gradient;
}

OperatorTable OperatorTable::ofLines(llvm::ArrayRef<llvm::StringLiteral> lines) {
  OperatorTable table;
  for (llvm::StringRef line : lines) {
    line = line.rtrim(',');
    if (!line.consume_front("\""))
      continue;
    const auto [name, value] = line.split("\": ");
    if (value.starts_with("{\""))
      table.rows[name] = value;
  }
  return table;
}

llvm::Expected<OperatorTable> OperatorTable::parse(llvm::StringRef text) {
  const Json json = parsed(text);
  if (!json.is_object())
    return wrong("expected an object from names to operators");
  OperatorTable table;
  table.owned = std::make_unique<std::vector<std::string>>();
  table.owned->reserve(json.size());
  for (const auto &[name, value] : json.items()) {
    llvm::Expected<Operator> row = operatorIn(value, name);
    if (!row)
      return wrong("\"" + name + "\": " + llvm::toString(row.takeError()));
    table.owned->push_back(value.dump());
    table.rows[name] = table.owned->back();
  }
  return table;
}

std::optional<Operator> OperatorTable::find(llvm::StringRef name) const {
  const auto row = rows.find(name);
  if (row == rows.end())
    return std::nullopt;
  llvm::Expected<Operator> result = operatorIn(parsed(row->second), name);
  if (!result) {
    llvm::consumeError(result.takeError());
    return std::nullopt;
  }
  return std::move(*result);
}

std::vector<llvm::StringRef> OperatorTable::names() const {
  std::vector<llvm::StringRef> names(rows.keys().begin(), rows.keys().end());
  llvm::sort(names);
  return names;
}

void OperatorIndex::addScope(llvm::StringRef scope, std::shared_ptr<const OperatorTable> table,
                             llvm::StringRef prefix) {
  scopes[scope] = {std::move(table), prefix.str()};
}

void OperatorIndex::addName(llvm::StringRef canonicalName,
                            std::shared_ptr<const OperatorTable> table, llvm::StringRef name) {
  names[canonicalName] = {std::move(table), name.str()};
}

/// `add_out(result, a, b)` and `add_outf(a, b, result)`, of an operator `add`.
static std::optional<Operator> outFormOf(const OperatorTable &table, llvm::StringRef name) {
  const bool isLast = name.ends_with("_outf");
  if (!name.consume_back("_outf") && !name.consume_back("_out"))
    return std::nullopt;
  const std::optional<Operator> plain = table.find(name);
  if (!plain || !plain->hasOut)
    return std::nullopt;
  Operator result;
  result.name = plain->name;
  result.out = isLast ? Operator::Out::Last : Operator::Out::First;
  return result;
}

std::optional<Operator> OperatorIndex::find(const OperatorTable &table,
                                            llvm::StringRef name) const {
  std::optional<Operator> found = table.contains(name) ? table.find(name) : outFormOf(table, name);
  if (!found)
    return found;
  found->isIdempotent = idempotent.contains(name);
  found->mayReturn = returning.contains(name);
  found->rule = rules.lookup(name);
  if (found->rule == ResultRule::None && found->changesElements())
    found->rule = ResultRule::Same;
  const auto same = savesAs.find(name);
  const std::optional<Operator> other =
      same == savesAs.end() ? std::nullopt : table.find(same->second);
  if (other && !other->overloads.empty())
    for (Overload &overload : found->overloads)
      overload.saves = other->overloads.front().saves;
  return found;
}

std::optional<Operator> OperatorIndex::find(llvm::StringRef canonicalName) const {
  if (const auto row = names.find(canonicalName); row != names.end())
    return find(*row->second.table, row->second.name);
  const auto [scope, simple] = canonicalName.rsplit("::");
  const auto row = scopes.find(scope);
  if (row == scopes.end())
    return std::nullopt;
  return find(*row->second.table, row->second.name + simple.str());
}

std::optional<Operator> OperatorIndex::findMember(llvm::StringRef simpleName) const {
  for (const auto &scope : scopes)
    if (scope.second.name.empty() && scope.second.table->contains(simpleName))
      return find(*scope.second.table, simpleName);
  return std::nullopt;
}

} // namespace gradtidy
