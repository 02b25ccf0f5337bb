#include "ModelCheck.h"

#include "analyzer/source/Nearest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <optional>

namespace gradtidy {
namespace {

using llvm::StringRef;
using Json = nlohmann::json;
using Kind = ModelProblem::Kind;

/// The keys whose values are lists of names of declarations.
constexpr llvm::StringLiteral nameKeys[] = {"types",      "devices",  "functions", "traits",
                                            "operations", "elements", "results",   "aspects"};

/// What a phrase begins and ends with, and the parts that it may have, the first of which it needs.
struct PhraseForm {
  llvm::StringLiteral name, begin, end;
  std::vector<StringRef> parts;
  bool needsPart = true;
};

const std::vector<PhraseForm> &phraseForms() {
  static const std::vector<PhraseForm> all = {
      {"disable-gradients", "", ";", {"name"}, /*needsPart=*/false},
      {"inference-guard", "", "", {}},
      {"detach", ".", "", {}},
      {"make-leaf", ".", "", {}},
      {"copy", ".", "", {}},
      {"move", ".", "", {"device"}},
      {"move-to-host", ".", "", {}},
      {"pack", ".", "", {}},
      {"move-module", "", ")", {"device"}},
      {"train", "", ")", {}},
      {"eval", "", ")", {}},
      {"ask-mode", "", ")", {}},
      {"give-mode", ".", "", {}},
      {"cast", ".", "", {"type"}},
      {"average", ".", "", {}},
      {"drop-dimension", ".", "", {"dimension"}},
      {"find-largest", ".", "", {}},
      {"bound", ".", "", {"number"}},
      {"put", "", "", {}},
      {"synchronize", "", ";", {}},
      {"clear-autocast-cache", "", ";", {}},
      {"element-size", "", "", {"type"}},
      {"numbered-device", "", "", {"number"}},
      {"tensor-device", "", "", {"tensor"}},
      {"module-device", "", "", {}},
      {"device-options", "", "", {"type", "device"}},
      {"guard-device", "", ";", {"tensor"}},
      {"current-stream", "", "", {}},
      {"check-launch", "", "", {}},
      {"random-sampler", "", "", {}},
  };
  return all;
}

/// A role without which a framework's programs are not understood.
struct CoreRole {
  llvm::StringLiteral key, role, consequence;
};

constexpr CoreRole coreRoles[] = {
    {"types", "module", "checks of layers, modes and registration find nothing"},
    {"types", "optimizer", "whose gradients a step uses is not known"},
    {"functions", "backward", "checks of training loops find nothing"},
    {"functions", "step", "checks of training loops find nothing"},
    {"functions", "clear-gradients", "every loop counts as one that never clears its gradients"},
    {"functions", "parameters", "which module belongs to which optimizer is not known"},
    {"functions", "detach", "values that are cut off from their graph count as part of it"},
    {"functions", "eval", "checks of evaluation mode find nothing"},
};

bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// Whether a declaration can have the name \p name.
bool isName(StringRef name) {
  const size_t found = name.starts_with("operator") ? 0 : name.find("::operator");
  if (found != StringRef::npos) {
    StringRef symbol = name.drop_front(found);
    symbol.consume_front("::");
    symbol.consume_front("operator");
    if (!symbol.empty() && !llvm::isAlnum(symbol.front()) && symbol.front() != '_') {
      const bool isConversion = symbol.front() == ' ' && symbol.size() > 1;
      return (found == 0 || isName(name.take_front(found))) &&
             (isConversion || symbol.find_first_not_of("+-*/%^&|~!=<>()[],") == StringRef::npos);
    }
  }
  while (true) {
    const auto [first, rest] = name.split("::");
    if (!isIdentifier(first))
      return false;
    if (first.size() == name.size())
      return true;
    name = rest;
  }
}

/// \p name without what no name in a model has: template arguments, parentheses, blanks.
std::string plainName(StringRef name) {
  std::string plain;
  unsigned depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const StringRef rest = name.drop_front(i);
    if (rest.front() == '(' && depth == 0)
      break;
    if (rest.starts_with("->") || (rest.front() == '.' && depth == 0)) {
      plain += "::";
      i += rest.front() == '-';
    } else if (rest.front() == '<') {
      ++depth;
    } else if (rest.front() == '>') {
      depth -= depth > 0;
    } else if (depth == 0 && !StringRef(" &*").contains(rest.front())) {
      plain += rest.front();
    }
  }
  StringRef text = plain;
  text.consume_front("::");
  return text.str();
}

/// "class", "struct" and "const" before a name are not part of it, nor is "#include".
StringRef withoutWords(StringRef name) {
  for (bool again = true; again;) {
    name = name.ltrim();
    again = name.consume_front("class ") || name.consume_front("struct ") ||
            name.consume_front("const ") || name.consume_front("#include");
  }
  return name;
}

class ModelChecker {
public:
  ModelChecker(ModelText &text, const Model &model, const DeclaredNames *declared)
      : text(text), model(model), declared(declared) {}

  void run() {
    checkHeaders();
    checkRenamed();
    checkPhrases();
    listClasses();
    for (const StringRef key : nameKeys)
      checkNames(key);
    noteMissing();
  }

private:
  /// Those that the text names.
  void listClasses() {
    if (text.json().contains("types"))
      for (const auto &[role, names] : text.json()["types"].items())
        for (const Json &name : names)
          classes.push_back(name.get<std::string>());
  }

  void warn(ModelText::Keys keys, const llvm::Twine &message, size_t element) {
    text.add(Kind::Warning, keys, message, static_cast<int>(element));
  }
  void warn(ModelText::Keys keys, const llvm::Twine &message) {
    text.add(Kind::Warning, keys, message);
  }

  void checkHeaders() {
    if (!text.json().contains("headers"))
      return;
    const Json &headers = text.json()["headers"];
    for (size_t i = 0; i < headers.size(); ++i) {
      const auto header = headers[i].get<std::string>();
      const StringRef plain = withoutWords(header).trim(" <>\"");
      if (plain.starts_with("/") || plain.starts_with("."))
        warn({"headers"},
             "'" + header +
                 "' is never found: a header is named as users include it, and looked for in the "
                 "include path",
             i);
      else if (plain != header)
        warn({"headers"}, "'" + header + "' is never found; did you mean '" + plain + "'?", i);
    }
  }

  void checkRenamed() {
    if (text.json().contains("renamed"))
      for (const auto &[from, to] : text.json()["renamed"].items())
        if (const auto name = to.get<std::string>(); !isIdentifier(name))
          warn({"renamed", from}, "the new name stands without its namespace; did you mean '" +
                                      StringRef(name).rsplit("::").second + "'?");
  }

  void checkPhrases() {
    if (!text.json().contains("phrases"))
      return;
    for (const auto &[name, value] : text.json()["phrases"].items()) {
      const auto form =
          llvm::find_if(phraseForms(), [&, name = StringRef(name)](const PhraseForm &row) {
            return row.name == name;
          });
      if (form != phraseForms().end())
        checkPhrase(*form, value.get<std::string>());
    }
  }

  void checkPhrase(const PhraseForm &form, StringRef phrase) {
    const StringRef way[] = {"phrases", form.name};
    if (!phrase.starts_with(form.begin) && !phrase.starts_with("->"))
      warn(way, "stands behind an expression, and so begins with '" + form.begin + "'");
    if (!phrase.ends_with(form.end))
      warn(way, form.end == ";" ? "is a statement, and so ends with ';'"
                                : "is a call, and so ends with ')'");
    for (StringRef rest = phrase; !rest.empty();) {
      rest = rest.drop_until([](char c) { return c == '{'; }).drop_front(!rest.empty());
      const StringRef part = rest.take_while([](char c) { return llvm::isLower(c) || c == '-'; });
      if (part.empty() || !rest.drop_front(part.size()).starts_with("}") ||
          llvm::is_contained(form.parts, part))
        continue;
      const std::optional<StringRef> near = nearestName(part, form.parts);
      warn(way, "'{" + part + "}' is not filled in" +
                    (near ? "; did you mean '{" + near->str() + "}'?" : std::string()));
    }
    if (form.needsPart && !form.parts.empty() &&
        !phrase.contains(("{" + form.parts.front() + "}").str()))
      warn(way, "lacks '{" + form.parts.front() + "}'");
  }

  void checkNames(StringRef key) {
    if (!text.json().contains(key.str()))
      return;
    struct Place {
      unsigned line;
      std::string role;
      size_t element;
    };
    std::map<std::string, std::vector<Place>> places; // By name.
    named.clear();
    for (const auto &[role, names] : text.json()[key.str()].items())
      for (size_t i = 0; i < names.size(); ++i)
        places[names[i].get<std::string>()].push_back(
            {text.lineOf({key, role}, static_cast<int>(i)), role, i});
    for (const auto &entry : places)
      named.insert(entry.first);
    for (auto &[name, each] : places) {
      llvm::stable_sort(
          each, [](const Place &left, const Place &right) { return left.line < right.line; });
      const Place &first = each.front();
      checkName(key, first.role, name, first.element);
      if (key == "aspects") // Of which a name may have several.
        continue;
      for (const Place &other : llvm::drop_begin(each))
        warn({key, other.role},
             "'" + name + "' " +
                 (other.role == first.role ? "is named in line "
                                           : "is \"" + first.role + "\" in line ") +
                 llvm::Twine(first.line) +
                 (other.role == first.role ? " already" : ": a name has one role only"),
             other.element);
    }
  }

  void checkName(StringRef key, StringRef role, StringRef name, size_t element) {
    const StringRef keys[] = {key, role};
    const auto never = [&](const llvm::Twine &why, StringRef better) {
      warn(keys,
           "'" + name + "' matches nothing: " + why +
               (better.empty() ? std::string() : "; did you mean '" + better.str() + "'?"),
           element);
    };
    if (!isName(name)) {
      const std::string better = plainName(withoutWords(name));
      return never("names are qualified, without template arguments and parentheses",
                   isName(better) ? better : "");
    }
    if (const std::string canonical = model.canonicalName(name); canonical != name)
      return never("its namespace is one of those that \"namespaces\" gives another name",
                   canonical);
    if (key == "functions" && llvm::is_contained(classes, name))
      return never("it is a class, and a function has another name", "");
    // Options have simple names.
    const auto [scope, simple] = name.rsplit("::");
    if (simple.empty())
      return;
    if (declared && isOfFramework(name))
      return checkDeclared(name, never);
    if (llvm::is_contained(classes, scope) || key == "types")
      return;
    for (const std::string &each : classes)
      if (StringRef(each).ends_with(("::" + scope).str()))
        return never("\"types\" has no '" + scope + "'", each + "::" + simple.str());
  }

  /// Whether the headers have to declare \p name.
  bool isOfFramework(StringRef name) const {
    return llvm::any_of(classes, [&](StringRef each) {
      return each.contains("::") && each.split("::").first == name.split("::").first;
    });
  }

  template <typename Never> void checkDeclared(StringRef name, const Never &never) const {
    // A module is named like its holder.
    if (declared->names.contains(name) || declared->names.contains((name + "Impl").str()))
      return;
    const auto [scope, simple] = name.rsplit("::");
    // Which a compiler declares where nobody does.
    if (simple == "operator=" && declared->names.contains(scope))
      return;
    if (const auto alias = declared->aliases.find(name); alias != declared->aliases.end())
      return never("it is another name of a declaration", alias->second);
    if (const std::string base = declaringBase(scope, simple); !base.empty()) {
      const std::string better = base + "::" + simple.str();
      // A model may serve versions in which the class declares it itself.
      return named.contains(better) ? void() : never("a base class declares it", better);
    }
    if (const auto alias = declared->aliases.find(scope); alias != declared->aliases.end())
      return never("'" + scope + "' is another name of a class",
                   alias->second + "::" + simple.str());
    // Beside it, or under the same simple name elsewhere.
    std::vector<StringRef> beside;
    std::optional<std::string> elsewhere;
    for (const StringRef each : declared->names.keys()) {
      const auto [otherScope, otherSimple] = each.rsplit("::");
      if (otherScope == scope)
        beside.push_back(otherSimple);
      else if (otherSimple == simple && (!elsewhere || each.size() < elsewhere->size()) &&
               isOfFramework(each))
        elsewhere = each.str();
    }
    llvm::sort(beside);
    const std::optional<StringRef> near = nearestName(simple, beside);
    constexpr unsigned fewLetters = 2;
    if (near && (!elsewhere || simple.edit_distance(*near) <= fewLetters))
      elsewhere = (scope + "::" + *near).str();
    never("no header declares it", elsewhere.value_or(""));
  }

  /// The base of \p name that declares the member \p simple; empty if there is none.
  std::string declaringBase(StringRef name, StringRef simple) const {
    llvm::SmallVector<std::string> open{name.str()};
    llvm::StringSet<> seen;
    while (!open.empty()) {
      const std::string each = open.pop_back_val();
      if (!seen.insert(each).second)
        continue;
      if (each != name && declared->names.contains(each + "::" + simple.str()))
        return each;
      if (const auto bases = declared->bases.find(each); bases != declared->bases.end())
        open.append(bases->second.begin(), bases->second.end());
    }
    return {};
  }

  /// Of a text that describes a framework, not one that adds to another.
  void noteMissing() {
    const Json &json = text.json();
    const auto has = [&](StringRef key, StringRef role) {
      const auto found = json.find(key.str());
      return found != json.end() && found->contains(role.str()) && !(*found)[role.str()].empty();
    };
    if (!has("types", "tensor"))
      return;
    if (!json.contains("headers") || json["headers"].empty())
      text.add(Kind::Note, {},
               "there is no \"headers\": the framework's own code is analyzed like the user's");
    for (const CoreRole &each : coreRoles)
      if (!has(each.key, each.role))
        text.add(Kind::Note, {},
                 "there is no \"" + each.key + "." + each.role + "\": " + each.consequence);
    if (!has("types", "no-grad-guard") && !has("types", "grad-mode-guard") &&
        !has("functions", "set-grad-mode"))
      text.add(Kind::Note, {},
               "nothing disables the recording of gradients: checks that ask for it are silent");
  }

  ModelText &text;
  const Model &model;
  const DeclaredNames *declared;
  std::vector<std::string> classes; ///< That the text names.
  llvm::StringSet<> named;          ///< Under the key that is checked.
};

} // namespace

void checkModel(ModelText &text, const Model &model, const DeclaredNames *declared) {
  ModelChecker(text, model, declared).run();
}

} // namespace gradtidy
