// Forms of local variables: of tensors, modules, optimizers, loaders, guards, devices and flags.
#include "Forms.h"

using namespace clang;

namespace rewrites {
namespace {

/// What the text between "before" and "after" is.
enum class Middle {
  Value,     ///< An expression that gives the value.
  Arguments, ///< What the constructor is given, without parentheses.
  Whole,     ///< The declaration itself, which stays.
};

struct Row {
  const char *name, *summary;
  Middle middle;
  const char *before, *after;
  const char *use = "$x"; ///< How the variable is named elsewhere.
  const char *helpers = "";
  bool copies = false; ///< Makes another object, which means the same of handles alone.
};

} // namespace

// $x is the name, $T the type without const, $C "const " or nothing, $n a number, $E the value once
// more.
static constexpr Row rows[] = {
    {"field", "a local is the member of an object of a local class", Middle::Value,
     "struct Holder$n { $C$T $x; } holder$n{", "}", "holder$n.$x"},
    {"pair", "a local is an element of a std::pair", Middle::Value, "std::pair<$C$T, int> pair$n{",
     ", 0}", "pair$n.first"},
    {"tuple", "a local is an element of a std::tuple", Middle::Value,
     "std::tuple<int, $C$T> tuple$n{0, ", "}", "std::get<1>(tuple$n)"},
    {"structured-binding", "a local is a structured binding", Middle::Value,
     "auto [$x, spare$n] = std::pair<$C$T, int>{", ", 0}"},
    {"optional", "a local is the value of a std::optional", Middle::Arguments,
     "std::optional<$C$T> optional$n = std::make_optional<$C$T>(", ")", "(*optional$n)"},
    {"optional-emplace", "a local is the value of a std::optional, put there by emplace()",
     Middle::Arguments, "std::optional<$C$T> optional$n; optional$n.emplace(", ")",
     "(*optional$n)"},
    {"unique-pointer", "a local is behind a std::unique_ptr", Middle::Arguments,
     "auto pointer$n = std::make_unique<$C$T>(", ")", "(*pointer$n)"},
    {"shared-pointer", "a local is behind a std::shared_ptr", Middle::Arguments,
     "auto pointer$n = std::make_shared<$C$T>(", ")", "(*pointer$n)"},
    {"vector", "a local is the element of a std::vector", Middle::Arguments,
     "std::vector<$T> list$n; list$n.emplace_back(", ")", "list$n[0]"},
    {"array", "a local is the element of a std::array", Middle::Value,
     "std::array<$C$T, 1> array$n{", "}", "array$n[0]"},
    {"map", "a local is a value of a std::map", Middle::Value,
     "std::map<std::string, $T> map$n{{\"$x\", ", "}}", "map$n.at(\"$x\")"},
    {"variant", "a local is the alternative of a std::variant", Middle::Value,
     "std::variant<$C$T> variant$n{", "}", "std::get<0>(variant$n)"},
    {"reference", "a local is named through a reference", Middle::Whole, "", " auto &alias$n = $x;",
     "alias$n"},
    {"pointer", "a local is named through a pointer", Middle::Whole, "", " auto *pointer$n = &$x;",
     "(*pointer$n)"},
    {"reference-wrapper", "a local is named through a std::reference_wrapper", Middle::Whole, "",
     " std::reference_wrapper alias$n($x);", "alias$n.get()"},
    {"copy", "another handle of the same object is used", Middle::Whole, "", " auto copy$n = $x;",
     "copy$n", "", true},
    {"separate-initializer", "a local is assigned to behind its declaration", Middle::Value,
     "$T $x; $x = ", ""},
    {"both-branches", "a local is assigned to the same on both branches", Middle::Value,
     "$T $x; if (rewritten::on()) $x = ", "; else $x = $E", "$x",
     "inline bool on() { return true; }"},
    {"conditional-initializer", "both branches of a conditional operator give the same",
     Middle::Value, "$C$T $x = rewritten::on() ? ", " : $E", "$x",
     "inline bool on() { return true; }"},
    {"moved-local", "a local is moved from another one", Middle::Value,
     "auto source$n = ", "; $C$T $x = std::move(source$n)"},
    {"lambda-initializer", "a local is what a lambda returns that is called on the spot",
     Middle::Value, "$C$T $x = [&] { return ", "; }()"},
    {"lambda-block", "a local is made in a lambda and returned", Middle::Value,
     "$C$T $x = [&] { auto made = ", "; return made; }()"},
};

std::optional<Declaration> splitDeclaration(const Program &program, const Local &local) {
  const VarDecl *variable = local.variable;
  const Range whole = *program.range(local.declaration->getSourceRange());
  const Range name = program.tokenAt(variable->getLocation());
  if (variable->getType()->isReferenceType() || !program.text(whole).ends_with(";"))
    return std::nullopt;
  const bool isConst = variable->getType().isConstQualified();
  llvm::StringRef written = program.text({whole.begin, name.begin}).trim();
  std::string type = written.str();
  if (written.contains("auto"))
    type = program.typeName(variable->getType().getUnqualifiedType());
  else if (written.consume_front("const "))
    type = written.str();
  unsigned begin = name.end;
  const llvm::StringRef behind = program.text({begin, whole.end - 1});
  begin += behind.size() - behind.ltrim().size();
  bool isAssigned = behind.ltrim().starts_with("=");
  if (isAssigned) {
    const llvm::StringRef value = behind.ltrim().drop_front();
    begin += 1 + value.size() - value.ltrim(" \n").size();
  }
  return Declaration{type,       isConst, {whole.begin, begin}, {begin, whole.end - 1},
                     isAssigned, whole};
}

/// The edits of the declaration; nothing if the row does not suit it.
static std::optional<Place>
rewriteDeclaration(const Program &program, const Row &row, const Declaration &parts,
                   llvm::ArrayRef<std::pair<char, std::string>> values) {
  Place place;
  const std::string before = fillIn(row.before, values), after = fillIn(row.after, values);
  const llvm::StringRef initializer = program.text(parts.initializer);
  const bool isList = initializer.starts_with("{");
  switch (row.middle) {
  case Middle::Whole:
    place.after(parts.whole.end, after);
    break;
  case Middle::Value:
    place.replace(parts.head, before + (parts.isAssigned && !isList ? "" : parts.type));
    place.after(parts.initializer.end, initializer.empty() ? "()" + after : after);
    break;
  case Middle::Arguments:
    if (isList)
      return std::nullopt;
    if (parts.isAssigned || initializer.empty()) {
      place.replace(parts.head, before);
      place.after(parts.initializer.end, after);
    } else {
      place.replace({parts.head.begin, parts.initializer.begin + 1}, before);
      place.replace({parts.initializer.end - 1, parts.initializer.end}, after);
    }
  }
  return place;
}

static std::vector<Place> rewriteLocals(const Program &program, const Row &row) {
  std::vector<Place> places;
  unsigned number = 0;
  for (const Local &local : program.locals) {
    const auto parts = splitDeclaration(program, local);
    const bool keepsName = llvm::StringRef(row.use) == "$x";
    if (!parts || !isRelevant(local.variable->getType()) ||
        (local.isNamedByCapture && !keepsName) ||
        (row.copies && !isTensor(local.variable->getType())))
      continue;
    const std::string name = local.variable->getName().str();
    std::string value = program.oneLine(parts->initializer).value_or("");
    if (value.empty() && llvm::StringRef(row.after).contains("$E"))
      continue;
    if (!parts->isAssigned)
      value = parts->type + value;
    const std::pair<char, std::string> values[] = {{'x', name},
                                                   {'T', parts->type},
                                                   {'C', parts->isConst ? "const " : ""},
                                                   {'n', std::to_string(number++)},
                                                   {'E', value}};
    auto place = rewriteDeclaration(program, row, *parts, values);
    if (!place)
      continue;
    if (!keepsName)
      for (const Range &use : local.uses)
        place->replace(use, fillIn(row.use, values));
    places.push_back(std::move(*place));
  }
  return places;
}

std::vector<Form> localForms() {
  std::vector<Form> forms;
  for (const Row &row : rows)
    forms.push_back({row.name, row.summary, row.helpers,
                     [&row](const Program &program) { return rewriteLocals(program, row); }});
  return forms;
}

} // namespace rewrites
