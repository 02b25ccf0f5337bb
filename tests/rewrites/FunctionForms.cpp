// Forms of functions: what they are, how they get their arguments and give their results, and what
// holds their variables.
#include "Forms.h"

#include "clang/AST/ParentMapContext.h"
#include "llvm/ADT/SetVector.h"

#include <set>

using namespace clang;

namespace rewrites {
namespace {

/// A function in parts: HEAD NAME ( PARAMETERS ) BODY.
struct Parts {
  Range whole, head, name, parameters, body;
  std::string result;    ///< The type, as it is written.
  std::string arguments; ///< The names of the parameters.
  std::string parameterText;
};

/// An expression that names a function.
struct Use {
  Range name;
  const CallExpr *call; ///< What it is called by; may be null.
};

} // namespace

static std::optional<Parts> split(const Program &program, const Function &function) {
  const FunctionDecl *declaration = function.function;
  const auto body = program.range(declaration->getBody()->getSourceRange());
  const FunctionTypeLoc type = declaration->getFunctionTypeLoc();
  const auto parameters =
      type ? program.range({type.getLParenLoc(), type.getRParenLoc()}) : std::nullopt;
  if (!body || !parameters)
    return std::nullopt;
  Parts parts;
  parts.whole = function.range;
  parts.name = program.tokenAt(declaration->getLocation());
  parts.head = {function.range.begin, parts.name.begin};
  parts.parameters = {parameters->begin + 1, parameters->end - 1};
  parts.body = *body;
  const auto parameterText = program.oneLine(parts.parameters);
  if (!parameterText || declaration->isVariadic() || declaration->getDescribedFunctionTemplate())
    return std::nullopt;
  parts.parameterText = *parameterText;
  for (const ParmVarDecl *parameter : declaration->parameters()) {
    if (parameter->getName().empty() || parameter->hasDefaultArg())
      return std::nullopt;
    parts.arguments += (parts.arguments.empty() ? "" : ", ") + parameter->getName().str();
  }
  llvm::StringRef result = program.text(parts.head).trim();
  for (const char *word : {"static ", "inline "})
    if (result.consume_front(word))
      result = result.ltrim();
  parts.result = result.str();
  return parts;
}

static std::optional<std::vector<Use>> usesOf(const Program &program, const Function &function) {
  std::vector<Use> uses;
  for (const Expr *expression : function.uses) {
    const auto *reference = cast<DeclRefExpr>(expression);
    const auto range = program.range(reference->getSourceRange());
    if (!range)
      return std::nullopt;
    const CallExpr *call = nullptr;
    DynTypedNode at = DynTypedNode::create(*expression);
    for (auto parents = program.context.getParents(at); !parents.empty();
         parents = program.context.getParents(at)) {
      at = parents[0];
      if (at.get<ImplicitCastExpr>())
        continue;
      if (const auto *parent = at.get<CallExpr>();
          parent && parent->getCallee()->IgnoreImplicit() == expression)
        call = parent;
      break;
    }
    uses.push_back({*range, call});
  }
  return uses;
}

/// Gives the place of a function, if it can be rewritten.
using Rewriting = std::function<std::optional<Place>(const Program &, const Function &,
                                                     const Parts &, const std::vector<Use> &)>;

static std::vector<Place> forFunctions(const Program &program, const Rewriting &rewriting) {
  std::vector<Place> places;
  for (const Function &function : program.functions) {
    const auto parts = split(program, function);
    const auto uses = usesOf(program, function);
    if (parts && uses)
      if (auto place = rewriting(program, function, *parts, *uses))
        places.push_back(std::move(*place));
  }
  return places;
}

//===- What a function is ---------------------------------------------------------------------===//

namespace {

struct Row {
  const char *name, *summary;
  const char *head;   ///< What stands before the parameters.
  const char *behind; ///< Behind the parameters.
  const char *after;  ///< Behind the body.
  const char *callee; ///< What is called.
};

} // namespace

// $f is the name, $R the type of the result, $P the parameters.
static constexpr Row rows[] = {
    {"static-method", "a function is a static method of a class", "struct $f_class { static $R $f",
     "", " };", "$f_class::$f"},
    {"method", "a function is a method of a temporary object", "struct $f_class { $R $f", " const",
     " };", "$f_class().$f"},
    {"functor", "a function is an object with a call operator", "struct $f_class { $R operator()",
     " const", " };", "$f_class()"},
    {"global-functor", "a function is a global object with a call operator",
     "struct { $R operator()", " const", " } const $f;", "$f"},
    {"global-lambda", "a function is a global lambda", "static const auto $f = []", " -> $R", ";",
     "$f"},
    {"function-object", "a function is a global std::function",
     "static const std::function<$R($P)> $f = []", " -> $R", ";", "$f"},
    {"virtual-method", "a function is a virtual method that is called through a base class",
     "struct $f_base { virtual ~$f_base() = default; virtual $R $f($P) = 0; }; struct $f_class "
     "final : $f_base { $R $f",
     " override", " }; static $f_base &$f_object() { static $f_class object; return object; }",
     "$f_object().$f"},
    {"function-template", "a function is a template", "template <class = void> static $R $f", "",
     "", "$f<>"},
    {"function-pointer", "a function is called through a pointer", "static $R $f_function", "",
     " static $R (*const $f)($P) = $f_function;", "$f"},
};

static std::optional<Place> rewriteKind(const Program &program, const Row &row,
                                        const Function &function, const Parts &parts,
                                        const std::vector<Use> &uses) {
  const std::pair<char, std::string> values[] = {
      {'f', function.function->getNameAsString()}, {'R', parts.result}, {'P', parts.parameterText}};
  const std::string callee = fillIn(row.callee, values);
  Place place;
  place.replace({parts.head.begin, parts.name.end}, fillIn(row.head, values));
  place.after(parts.parameters.end + 1, fillIn(row.behind, values));
  place.after(parts.body.end, fillIn(row.after, values));
  for (const Use &use : uses)
    if (use.call)
      place.replace(use.name, callee);
    else // A lambda without captures becomes any pointer to a function.
      place.replace(use.name, "[](auto &&...values) { return " + callee +
                                  "(std::forward<decltype(values)>(values)...); }");
  return place;
}

//===- Arguments and results ------------------------------------------------------------------===//

/// What is between the parentheses of a call.
static std::optional<Range> argumentsOf(const Program &program, const Use &use) {
  const auto call = use.call ? program.range(use.call->getSourceRange()) : std::nullopt;
  if (!call)
    return std::nullopt;
  const size_t open = program.text({use.name.end, call->end}).find('(');
  if (open == llvm::StringRef::npos)
    return std::nullopt;
  return Range{use.name.end + static_cast<unsigned>(open) + 1, call->end - 1};
}

/// `struct f_arguments { A a; B b; }; R f(const f_arguments &arguments) { … arguments.a … }`
static std::optional<Place> parameterObject(const Program &program, const Function &function,
                                            const Parts &parts, const std::vector<Use> &uses) {
  if (parts.arguments.empty())
    return std::nullopt;
  const std::string type = function.function->getNameAsString() + "_arguments";
  std::string members;
  for (const ParmVarDecl *parameter : function.function->parameters()) {
    const auto range = program.range(parameter->getSourceRange());
    if (!range)
      return std::nullopt;
    members += program.oneLine(*range).value_or("") + "; ";
  }
  Place place;
  place.before(parts.whole.begin, "struct " + type + " { " + members + "}; ");
  place.replace(parts.parameters, type + " arguments");
  for (const Use &use : uses) {
    const auto arguments = argumentsOf(program, use);
    if (!arguments)
      return std::nullopt;
    place.before(arguments->begin, type + "{");
    place.after(arguments->end, "}");
  }
  for (const auto &[variable, ranges] : program.parameterUses)
    if (llvm::is_contained(function.function->parameters(), variable))
      for (const Range &use : ranges)
        place.replace(use, "arguments." + variable->getName().str());
  return place;
}

/// The return statements of a function, without those of its lambdas.
static void addReturns(const Stmt *statement, std::vector<const ReturnStmt *> &returns) {
  if (!statement || isa<LambdaExpr>(statement))
    return;
  if (const auto *found = dyn_cast<ReturnStmt>(statement))
    returns.push_back(found);
  for (const Stmt *child : statement->children())
    addReturns(child, returns);
}

/// `void f(A a, R &result) { result = E; return; }`, and a lambda that calls it.
static std::optional<Place> outParameter(const Program &program, const Function &function,
                                         const Parts &parts, const std::vector<Use> &uses) {
  const QualType result = function.function->getReturnType();
  if (result->isVoidType() || result->isReferenceType())
    return std::nullopt;
  const std::string type = program.typeName(result.getUnqualifiedType());
  const std::string comma = parts.arguments.empty() ? "" : ", ";
  Place place;
  place.replace(parts.head, "static void ");
  place.after(parts.parameters.end, comma + type + " &result");
  std::vector<const ReturnStmt *> returns;
  addReturns(function.function->getBody(), returns);
  for (const ReturnStmt *statement : returns) {
    const auto range = program.statementRange(statement);
    const auto value = range && statement->getRetValue()
                           ? program.range(statement->getRetValue()->getSourceRange())
                           : std::nullopt;
    if (!value)
      return std::nullopt;
    const std::string list = program.text(*value).starts_with("{") ? type : "";
    place.replace({range->begin, value->begin}, "{ result = " + list);
    place.after(range->end, " return; }");
  }
  for (const Use &use : uses) {
    const auto arguments = argumentsOf(program, use);
    if (!arguments)
      return std::nullopt;
    place.before(use.name.begin, "[&] { " + type + " result; ");
    place.after(arguments->end, comma + "result");
    place.after(arguments->end + 1, "; return result; }()");
  }
  return place;
}

//===- What holds variables -------------------------------------------------------------------===//

/// The variable that \p statement declares; null if it does not.
static const Local *localOf(const Program &program, const Stmt *statement) {
  const auto found = llvm::find_if(
      program.locals, [&](const Local &local) { return local.declaration == statement; });
  return found == program.locals.end() ? nullptr : &*found;
}

/// `struct f_state { X x = E; … R run() { STATEMENTS } }; R f() { return f_state{}.run(); }`
static std::optional<Place> initializedMembers(const Program &program, const Function &function,
                                               const Parts &parts, const std::vector<Use> &) {
  if (!parts.arguments.empty())
    return std::nullopt;
  const std::string type = function.function->getNameAsString() + "_state",
                    name = function.function->getNameAsString();
  Place place;
  place.replace({parts.head.begin, parts.body.begin + 1}, "struct " + type + " {");
  const auto *body = cast<CompoundStmt>(function.function->getBody());
  unsigned rest = parts.body.begin + 1, members = 0;
  for (const Stmt *statement : body->body()) {
    const Local *local = localOf(program, statement);
    const auto declaration = local ? splitDeclaration(program, *local) : std::nullopt;
    if (!declaration)
      break;
    ++members;
    const std::string head = (declaration->isConst ? "const " : "") + declaration->type + " " +
                             local->variable->getName().str();
    const llvm::StringRef value = program.text(declaration->initializer);
    if (declaration->isAssigned || value.starts_with("{"))
      place.replace(declaration->head, head + (declaration->isAssigned ? " = " : ""));
    else if (!value.empty())
      place.replace(declaration->head, head + " = " + declaration->type);
    rest = declaration->whole.end;
  }
  if (!members)
    return std::nullopt;
  place.after(rest, " " + parts.result + " run() {");
  place.after(parts.body.end,
              " }; static " + parts.result + " " + name + "() { return " + type + "{}.run(); }");
  return place;
}

/// Null if there is none.
static const Stmt *firstLoop(const CompoundStmt *body) {
  const auto found = llvm::find_if(body->body(), [](const Stmt *statement) {
    return isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(statement);
  });
  return found == body->body_end() ? nullptr : *found;
}

/// The variables declared before \p first in \p body, or outside, that it or what follows it names.
static std::vector<const ValueDecl *> namedBehind(const Stmt *first, const CompoundStmt *body) {
  llvm::SetVector<const ValueDecl *> named;
  std::set<const Decl *> declared;
  bool isBehind = false;
  for (const Stmt *statement : body->body()) {
    isBehind |= statement == first;
    if (!isBehind)
      continue;
    for (const ValueDecl *variable :
         freeVariables(statement).value_or(std::vector<const ValueDecl *>()))
      if (!declared.contains(variable))
        named.insert(variable);
    if (const auto *declaration = dyn_cast<DeclStmt>(statement))
      declared.insert(declaration->decl_begin(), declaration->decl_end());
  }
  return {named.begin(), named.end()};
}

/// `struct f_state { X x; void setup() { x = E; … } void step() { LOOP … } }; void f() { … }`
static std::optional<Place> setupAndStep(const Program &program, const Function &function,
                                         const Parts &parts, const std::vector<Use> &) {
  if (!parts.arguments.empty() || !function.function->getReturnType()->isVoidType())
    return std::nullopt;
  const std::string name = function.function->getNameAsString(), type = name + "_state";
  const auto *body = cast<CompoundStmt>(function.function->getBody());
  const Stmt *loop = firstLoop(body);
  const auto loopRange = loop ? program.range(loop->getSourceRange()) : std::nullopt;
  if (!loopRange)
    return std::nullopt;
  Place place;
  std::string members;
  for (const Stmt *statement : body->body()) {
    const Local *local = localOf(program, statement);
    const auto declaration = local ? splitDeclaration(program, *local) : std::nullopt;
    if (statement == loop)
      break;
    if (!declaration)
      continue;
    const std::string variable = local->variable->getName().str();
    const auto *record = local->variable->getType()->getAsCXXRecordDecl();
    const bool isHeld = record && !record->hasDefaultConstructor();
    const llvm::StringRef value = program.text(declaration->initializer);
    if (!isHeld || value.starts_with("{")) {
      members += declaration->type + " " + variable + "; ";
      place.replace(
          declaration->head,
          variable + " = " +
              (declaration->isAssigned && !value.starts_with("{") ? "" : declaration->type));
      place.after(declaration->initializer.end, value.empty() ? "()" : "");
      continue;
    }
    members += "std::unique_ptr<" + declaration->type + "> " + variable + "; ";
    place.replace(declaration->head, variable + " = std::make_unique<" + declaration->type + ">" +
                                         (declaration->isAssigned ? "(" : ""));
    place.after(declaration->initializer.end, declaration->isAssigned ? ")"
                                              : value.empty()         ? "()"
                                                                      : "");
    for (const Range &use : local->uses)
      place.replace(use, "(*" + variable + ")");
  }
  place.replace({parts.head.begin, parts.body.begin + 1},
                "struct " + type + " { " + members + "void setup() {");
  place.before(loopRange->begin, "} void step() { ");
  place.after(parts.body.end, " }; static void " + name + "() { " + type +
                                  " state; state.setup(); state.step(); }");
  return place;
}

/// `void f_rest(X &x); void f() { X x = E; f_rest(x); } void f_rest(X &x) { LOOP … }`
static std::optional<Place> outlinedRest(const Program &program, const Function &function,
                                         const Parts &parts, const std::vector<Use> &) {
  const auto *body = cast<CompoundStmt>(function.function->getBody());
  const Stmt *loop = firstLoop(body);
  const auto begin = loop ? program.range(loop->getSourceRange()) : std::nullopt;
  if (!begin || !function.function->getReturnType()->isVoidType())
    return std::nullopt;
  std::string parameters, arguments;
  for (const ValueDecl *variable : namedBehind(loop, body)) {
    const std::string comma = arguments.empty() ? "" : ", ";
    parameters += comma + program.typeName(variable->getType().getNonReferenceType()) + " &" +
                  variable->getNameAsString();
    arguments += comma + variable->getNameAsString();
  }
  const std::string name = function.function->getNameAsString() + "_rest",
                    head = "static void " + name + "(" + parameters + ")";
  Place place;
  place.before(parts.whole.begin, head + "; ");
  place.before(begin->begin, name + "(" + arguments + "); } " + head + " { ");
  return place;
}

std::vector<Form> functionForms() {
  std::vector<Form> forms;
  const auto add = [&](const char *name, const char *summary, Rewriting rewriting) {
    forms.push_back({name, summary, "", [rewriting = std::move(rewriting)](const Program &program) {
                       return forFunctions(program, rewriting);
                     }});
  };
  for (const Row &row : rows)
    add(row.name, row.summary,
        [&row](const Program &program, const Function &function, const Parts &parts,
               const std::vector<Use> &uses) {
          return rewriteKind(program, row, function, parts, uses);
        });
  add("parameter-object", "a function gets its arguments in an object", parameterObject);
  add("out-parameter", "a function gives its result by a reference", outParameter);
  add("initialized-members", "the first locals of a function are members with initializers",
      initializedMembers);
  add("setup-and-step",
      "the locals of a function are members, which one method sets and another uses", setupAndStep);
  add("outlined-rest", "a function calls another one for its first loop and what follows",
      outlinedRest);
  return forms;
}

} // namespace rewrites
