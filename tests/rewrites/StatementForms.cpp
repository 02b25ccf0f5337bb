// Forms of statements and loops.
#include "Forms.h"

using namespace clang;

namespace rewrites {
namespace {

/// Which statements a row is about.
enum class Target {
  Expression, ///< A statement that is an expression.
  Loop,       ///< A loop as a whole.
  Body,       ///< What is between the braces of a loop.
  Function,   ///< What is between the braces of a function that returns nothing.
};

struct Row {
  const char *name, *summary;
  Target target;
  const char *before, *after;
  const char *helpers = "";
};

} // namespace

// $n is a number. Of the variables of the function that the statement names, $A lists the names, $P
// parameters for them, $U declares their types, $Q parameters of these types and $F members.
static constexpr Row rows[] = {
    {"lambda-statement", "a statement stands in a lambda that is called on the spot",
     Target::Expression, "[&] { ", " }();"},
    {"lambda-loop", "a loop stands in a lambda that is called on the spot", Target::Loop, "[&] { ",
     " }();"},
    {"lambda-body", "the body of a loop stands in a lambda that is called on the spot",
     Target::Body, " [&] {", " }(); "},
    {"lambda-function", "the body of a function stands in a lambda that is called on the spot",
     Target::Function, " [&] {", " }(); "},
    {"callback-statement", "a helper function calls a lambda with a statement", Target::Expression,
     "rewritten::run([&] { ", " });", "template <class F> void run(F &&function) { function(); }"},
    {"callback-body", "a helper function calls a lambda with the body of a loop", Target::Body,
     " rewritten::run([&] {", " }); ", "template <class F> void run(F &&function) { function(); }"},
    {"function-object-statement", "a statement stands in a std::function", Target::Expression,
     "std::function<void()>([&] { ", " })();"},
    {"function-object-body", "the body of a loop stands in a std::function", Target::Body,
     " std::function<void()>([&] {", " })(); "},
    {"named-lambda-body", "the body of a loop stands in a lambda with a name", Target::Body,
     " auto part$n = [&] {", " }; part$n(); "},
    {"reference-lambda-statement",
     "a statement stands in a lambda that gets its variables by reference", Target::Expression,
     "[]($P) { ", " }($A);"},
    {"reference-lambda-loop", "a loop stands in a lambda that gets its variables by reference",
     Target::Loop, "[]($P) { ", " }($A);"},
    {"reference-lambda-body",
     "the body of a loop stands in a lambda that gets its variables by reference", Target::Body,
     " []($P) {", " }($A); "},
    {"method-statement", "a statement stands in a method of a local class with references",
     Target::Expression, "{ $U struct Part$n { $F void run() { ", " } }; Part$n{$A}.run(); }"},
    {"method-loop", "a loop stands in a method of a local class with references", Target::Loop,
     "{ $U struct Part$n { $F void run() { ", " } }; Part$n{$A}.run(); }"},
    {"method-body", "the body of a loop stands in a method of a local class with references",
     Target::Body, " $U struct Part$n { $F void run() {", " } }; Part$n{$A}.run(); "},
    {"static-method-statement",
     "a statement stands in a static method that gets its variables by reference",
     Target::Expression, "{ $U struct Part$n { static void run($Q) { ", " } }; Part$n::run($A); }"},
    {"static-method-loop", "a loop stands in a static method that gets its variables by reference",
     Target::Loop, "{ $U struct Part$n { static void run($Q) { ", " } }; Part$n::run($A); }"},
    {"static-method-body",
     "the body of a loop stands in a static method that gets its variables by reference",
     Target::Body, " $U struct Part$n { static void run($Q) {", " } }; Part$n::run($A); "},
    {"block", "a statement stands in a block", Target::Expression, "{ ", " }"},
    {"loop-block", "a loop stands in a block", Target::Loop, "{ ", " }"},
    {"do-once", "a statement stands in a do loop of one iteration", Target::Expression, "do { ",
     " } while (false);"},
    {"for-once", "a statement stands in a for loop of one iteration", Target::Expression,
     "for (int once$n = 0; once$n < 1; ++once$n) { ", " }"},
    {"try-body", "the body of a loop stands in a try block that throws on", Target::Body, " try {",
     " } catch (...) { throw; } "},
    {"flag-statement", "a statement stands below a flag that is true", Target::Expression,
     "if (rewritten::on()) { ", " }", "inline bool on() { return true; }"},
    {"flag-body", "the body of a loop stands below a flag that is true", Target::Body,
     " if (rewritten::on()) {", " } ", "inline bool on() { return true; }"},
    {"switch-body", "the body of a loop stands in a switch", Target::Body,
     " switch (0) { default: {", " } } "},
};

static const Stmt *bodyOf(const Stmt *loop) {
  if (const auto *statement = dyn_cast<ForStmt>(loop))
    return statement->getBody();
  if (const auto *statement = dyn_cast<WhileStmt>(loop))
    return statement->getBody();
  if (const auto *statement = dyn_cast<DoStmt>(loop))
    return statement->getBody();
  return cast<CXXForRangeStmt>(loop)->getBody();
}

namespace {

struct Candidate {
  const Stmt *statement;
  Range range; ///< What moves.
};

} // namespace

/// What is between the braces of \p body.
static void addInner(const Program &program, const Stmt *body, std::vector<Candidate> &candidates) {
  if (const auto range =
          isa<CompoundStmt>(body) ? program.range(body->getSourceRange()) : std::nullopt)
    candidates.push_back({body, {range->begin + 1, range->end - 1}});
}

static std::vector<Candidate> candidatesFor(const Program &program, Target target) {
  std::vector<Candidate> candidates;
  switch (target) {
  case Target::Expression:
    for (const Stmt *statement : program.statements)
      if (isa<Expr>(statement))
        candidates.push_back({statement, *program.statementRange(statement)});
    break;
  case Target::Loop:
    for (const Stmt *loop : program.loops)
      if (const auto range = program.statementRange(loop))
        candidates.push_back({loop, *range});
    break;
  case Target::Body:
    for (const Stmt *loop : program.loops)
      addInner(program, bodyOf(loop), candidates);
    break;
  case Target::Function:
    for (const Function &function : program.functions)
      if (function.function->getReturnType()->isVoidType())
        addInner(program, function.function->getBody(), candidates);
  }
  return candidates;
}

/// The values of $A, $P, $U, $Q, $F and $n.
static std::vector<std::pair<char, std::string>>
valuesFor(llvm::ArrayRef<const ValueDecl *> variables, const std::string &number) {
  std::string names, parameters, types, typedParameters, members;
  for (const ValueDecl *variable : variables) {
    const std::string name = variable->getNameAsString(), type = "Part" + number + "_" + name,
                      comma = names.empty() ? "" : ", ";
    names += comma + name;
    parameters += comma + "decltype((" + name + ")) " + name;
    types += "using " + type + " = decltype((" + name + ")); ";
    typedParameters += comma + type + " " + name;
    members += type + " " + name + "; ";
  }
  return {{'A', names},           {'P', parameters}, {'U', types},
          {'Q', typedParameters}, {'F', members},    {'n', number}};
}

static std::vector<Place> wrap(const Program &program, const Row &row) {
  std::vector<Place> places;
  const bool passesVariables = llvm::StringRef(row.after).contains("$A");
  unsigned number = 0;
  for (const Candidate &candidate : candidatesFor(program, row.target)) {
    const auto variables = freeVariables(candidate.statement);
    const bool stays = row.target == Target::Function ? false : mayLeave(candidate.statement);
    if (stays || (passesVariables && !variables))
      continue;
    const auto values =
        valuesFor(variables.value_or(std::vector<const ValueDecl *>()), std::to_string(number++));
    Place place;
    place.before(candidate.range.begin, fillIn(row.before, values));
    place.after(candidate.range.end, fillIn(row.after, values));
    places.push_back(std::move(place));
  }
  return places;
}

//===- Loops ----------------------------------------------------------------------------------===//

namespace {

/// Whether a statement has a continue of its own loop.
bool continues(const Stmt *statement) {
  if (!statement || isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, LambdaExpr>(statement))
    return false;
  return isa<ContinueStmt>(statement) || llvm::any_of(statement->children(), continues);
}

/// The parts of a for statement with braces.
struct ForParts {
  Range head; ///< "for (INIT".
  std::string init, condition, increment;
  Range body;
};

} // namespace

static std::optional<ForParts> partsOf(const Program &program, const ForStmt *loop) {
  const auto whole = program.range(loop->getSourceRange());
  const auto body = isa<CompoundStmt>(loop->getBody())
                        ? program.range(loop->getBody()->getSourceRange())
                        : std::nullopt;
  if (!whole || !body || loop->getConditionVariable() || !loop->getCond())
    return std::nullopt;
  const auto textOf = [&](const Stmt *part) -> std::optional<std::string> {
    if (!part)
      return "";
    const auto range = program.range(part->getSourceRange());
    return range ? program.oneLine(*range) : std::nullopt;
  };
  const auto init = textOf(loop->getInit()), condition = textOf(loop->getCond()),
             increment = textOf(loop->getInc());
  if (!init || !condition || !increment)
    return std::nullopt;
  const Range head{whole->begin, body->begin};
  return ForParts{head, *init + (llvm::StringRef(*init).ends_with(";") ? "" : ";"), *condition,
                  *increment, *body};
}

/// What \p rewrite makes of each for loop. One that goes on with `continue` is left out where that
/// would leave out the increment.
static std::vector<Place>
rewriteForLoops(const Program &program, bool mayContinue,
                llvm::function_ref<void(const ForParts &parts, Place &place)> rewrite) {
  std::vector<Place> places;
  for (const Stmt *statement : program.loops) {
    const auto *loop = dyn_cast<ForStmt>(statement);
    const auto parts = loop ? partsOf(program, loop) : std::nullopt;
    if (!parts || (!mayContinue && llvm::any_of(loop->getBody()->children(), continues)))
      continue;
    rewrite(*parts, places.emplace_back());
  }
  return places;
}

/// `{ INIT while (CONDITION) { BODY INCREMENT; } }`
static std::vector<Place> forToWhile(const Program &program) {
  return rewriteForLoops(program, /*mayContinue=*/false, [](const ForParts &parts, Place &place) {
    place.replace(parts.head, "{ " + parts.init + " while (" + parts.condition + ") ");
    place.after(parts.body.end - 1, " " + parts.increment + "; ");
    place.after(parts.body.end, " }");
  });
}

/// `for (INIT ; INCREMENT) { if (!(CONDITION)) break; BODY }`
static std::vector<Place> forToBreak(const Program &program) {
  return rewriteForLoops(program, /*mayContinue=*/true, [](const ForParts &parts, Place &place) {
    place.replace(parts.head, "for (" + parts.init + " ; " + parts.increment + ") ");
    place.before(parts.body.begin + 1, " if (!(" + parts.condition + ")) break;");
  });
}

/// `{ INIT if (CONDITION) do { BODY INCREMENT; } while (CONDITION); }`
static std::vector<Place> forToDo(const Program &program) {
  return rewriteForLoops(program, /*mayContinue=*/false, [](const ForParts &parts, Place &place) {
    place.replace(parts.head, "{ " + parts.init + " if (" + parts.condition + ") do ");
    place.after(parts.body.end - 1, " " + parts.increment + "; ");
    place.after(parts.body.end, " while (" + parts.condition + "); }");
  });
}

/// `{ auto &&range = RANGE; for (auto it = begin, end …; it != end; ++it) { VARIABLE = *it; BODY }
/// }`
static std::vector<Place> rangeToIterators(const Program &program) {
  std::vector<Place> places;
  unsigned number = 0;
  for (const Stmt *statement : program.loops) {
    const auto *loop = dyn_cast<CXXForRangeStmt>(statement);
    const auto whole = loop && isa<CompoundStmt>(loop->getBody()) && !loop->getInit()
                           ? program.range(loop->getSourceRange())
                           : std::nullopt;
    const auto range = whole ? program.range(loop->getRangeInit()->getSourceRange()) : std::nullopt;
    const auto colon =
        range ? program.range({loop->getColonLoc(), loop->getColonLoc()}) : std::nullopt;
    if (!colon)
      continue;
    const Range body = *program.range(loop->getBody()->getSourceRange());
    const Range variable{program.tokenAt(loop->getLoopVarStmt()->getBeginLoc()).begin,
                         colon->begin};
    const std::string n = std::to_string(number++);
    const bool isClass = loop->getRangeInit()->getType().getNonReferenceType()->isRecordType();
    const auto call = [&](const std::string &function) {
      return isClass ? "range" + n + "." + function + "()"
                     : "std::" + function + "(range" + n + ")";
    };
    const auto values = program.oneLine(*range);
    if (!values)
      continue;
    Place place;
    place.replace({whole->begin, body.begin + 1},
                  "{ auto &&range" + n + " = " + *values + "; auto end" + n + " = " + call("end") +
                      "; for (auto at" + n + " = " + call("begin") + "; at" + n + " != end" + n +
                      "; ++at" + n + ") { " + program.text(variable).str() + "= *at" + n + ";");
    place.after(body.end, " }");
    places.push_back(std::move(place));
  }
  return places;
}

/// What follows the first guard of a block stands with it in a block of its own.
static std::vector<Place> restBlock(const Program &program) {
  std::vector<Place> places;
  const CompoundStmt *last = nullptr;
  for (const Local &local : program.locals) {
    const auto block = program.range(local.block->getSourceRange());
    if (!block || local.block == last || !isRelevant(local.variable->getType()))
      continue;
    last = local.block;
    const Range declaration = *program.range(local.declaration->getSourceRange());
    Place place;
    place.before(declaration.begin, "{ ");
    place.after(block->end - 1, " } ");
    places.push_back(std::move(place));
  }
  return places;
}

std::vector<Form> statementForms() {
  std::vector<Form> forms;
  for (const Row &row : rows)
    forms.push_back({row.name, row.summary, row.helpers,
                     [&row](const Program &program) { return wrap(program, row); }});
  forms.push_back({"for-to-while", "a for loop is a while loop", "", forToWhile});
  forms.push_back({"for-to-break", "a for loop is left by a break", "", forToBreak});
  forms.push_back({"for-to-do", "a for loop is a do loop below a condition", "", forToDo});
  forms.push_back(
      {"range-to-iterators", "a range-based for loop is one over iterators", "", rangeToIterators});
  forms.push_back(
      {"rest-block", "a local stands with all that follows in a block of its own", "", restBlock});
  return forms;
}

} // namespace rewrites
