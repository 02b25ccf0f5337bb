#include "Texts.h"

#include "analyzer/lowering/ast/Syntax.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace gradtidy {

namespace {

/// The call of a function that makes a text of its arguments and its object.
struct TextCall {
  const CallExpr &call;
  const FunctionDecl &callee;
  const TextCall *outer; ///< The one in whose function this one stands; null for the outermost.
};

class TextReader {
public:
  TextReader(const FunctionCode &function, Values &values, PathTable &paths)
      : function(function), values(values), paths(paths) {}

  Text text;

  bool read(const Expr *expr, unsigned depth = 0) {
    expr = strip(expr);
    if (depth > 16)
      return false;
    if (const auto *literal = dyn_cast<StringLiteral>(expr))
      return literal->isOrdinary() && add(literal->getString());
    if (const auto *number = dyn_cast<IntegerLiteral>(expr)) {
      llvm::SmallString<16> digits;
      number->getValue().toString(digits, 10, /*Signed=*/false);
      return add(digits);
    }
    if (const auto *letter = dyn_cast<CharacterLiteral>(expr))
      return letter->getValue() < 128 &&
             add(StringRef(std::string(1, static_cast<char>(letter->getValue()))));
    if (const auto *made = dyn_cast<CXXConstructExpr>(expr))
      return readCopy(*made, depth);
    if (const auto *call = dyn_cast<CallExpr>(expr))
      return readCall(*call, depth);
    if (isa<DeclRefExpr, MemberExpr, ArraySubscriptExpr>(expr))
      return readPlace(expr, depth);
    return false;
  }

private:
  bool add(StringRef literal) {
    if (!text.parts.empty() && !text.parts.back().place)
      text.parts.back().literal += literal;
    else
      text.parts.push_back({literal.str()});
    return true;
  }

  bool readCopy(const CXXConstructExpr &made, unsigned depth) {
    const unsigned given = llvm::count_if(
        made.arguments(), [](const Expr *argument) { return !isa<CXXDefaultArgExpr>(argument); });
    return given == 1 && isTextClass(*made.getConstructor()->getParent()) &&
           isText(made.getArg(0)->getType()) && read(made.getArg(0), depth + 1);
  }

  bool readCall(const CallExpr &call, unsigned depth) {
    const FunctionDecl *callee = call.getDirectCallee();
    if (!callee || !isStandard(callee))
      return callee && readResult(call, *callee, depth);
    if (const auto *operation = dyn_cast<CXXOperatorCallExpr>(&call)) {
      const bool isPath = operation->getOperator() == OO_Slash;
      return (operation->getOperator() == OO_Plus || isPath) && call.getNumArgs() == 2 &&
             isText(call.getType()) && read(call.getArg(0), depth + 1) && (!isPath || add("/")) &&
             read(call.getArg(1), depth + 1);
    }
    const Expr *object = methodObject(&call);
    if (object && isText(object->getType()) && isText(call.getType()) && call.getNumArgs() == 0)
      return read(object, depth + 1); // `name.c_str()`, `path.string()`
    const bool isNumber = simpleName(callee) == "to_string" && call.getNumArgs() == 1;
    return isNumber && call.getArg(0)->getType()->isIntegerType() &&
           read(call.getArg(0), depth + 1);
  }

  /// `std::string file(int epoch) const { return folder + std::to_string(epoch); }`
  bool readResult(const CallExpr &call, const FunctionDecl &callee, unsigned depth) {
    const FunctionDecl *definition = nullptr;
    const auto *method = dyn_cast<CXXMethodDecl>(&callee);
    const auto *body = callee.hasBody(definition)
                           ? dyn_cast_or_null<CompoundStmt>(definition->getBody())
                           : nullptr;
    const auto *result =
        body && body->size() == 1 ? dyn_cast<ReturnStmt>(body->body_front()) : nullptr;
    if (!result || !result->getRetValue() || !isText(call.getType()) ||
        isa<CXXOperatorCallExpr>(call) || (method && method->isVirtual()))
      return false;
    const TextCall inner{call, *definition, within};
    within = &inner;
    const bool isRead = read(result->getRetValue(), depth + 1);
    within = inner.outer;
    return isRead;
  }

  /// What the call that is read gives for the parameter.
  bool readArgument(const ParmVarDecl &parameter, unsigned depth) {
    const TextCall &inner = *within;
    const unsigned index = parameter.getFunctionScopeIndex();
    if (parameter.getDeclContext() != &inner.callee || index >= inner.call.getNumArgs())
      return false;
    within = inner.outer;
    const bool isRead = read(inner.call.getArg(index), depth + 1);
    within = &inner;
    return isRead;
  }

  /// The path of the object or member \p expr in the function that is lowered; none if that is not
  /// known.
  PathId pathOf(const Expr *expr, const TextCall *call) {
    expr = strip(expr);
    if (!call)
      return values.pathOf(expr);
    if (isa<CXXThisExpr>(expr)) {
      const Expr *object = methodObject(&call->call);
      return object ? pathOf(object, call->outer) : noPath;
    }
    const auto *member = dyn_cast<MemberExpr>(expr);
    const auto *field = member ? dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
    const PathId object = field ? pathOf(member->getBase(), call) : noPath;
    return object ? paths.member(object, function.map.symbol(field->getCanonicalDecl())) : noPath;
  }

  bool readPlace(const Expr *expr, unsigned depth) {
    const QualType type = expr->getType();
    if (!isText(type) && !type->isIntegerType())
      return false;
    const VarDecl *variable = variableOf(expr);
    if (const auto *parameter = dyn_cast_or_null<ParmVarDecl>(variable); parameter && within)
      return readArgument(*parameter, depth);
    if (within && !(variable && variable->hasGlobalStorage()) && !isa<MemberExpr>(expr))
      return false;
    if (variable && variable->hasInit() && isFixed(*variable) &&
        TextReader(function, values, paths).read(variable->getInit(), depth + 1))
      return read(variable->getInit(), depth + 1);
    // What changes a member is an event.
    if (type->isIntegerType() &&
        (variable ? changesWithin(*variable) : !isa<MemberExpr>(expr) || type->isBooleanType()))
      return false;
    const PathId place = pathOf(expr, within);
    if (!place)
      return false;
    text.parts.push_back({{}, place});
    return true;
  }

  /// Whether the variable always has the value that it begins with.
  bool isFixed(const VarDecl &variable) const {
    if (isa<ParmVarDecl>(variable) || variable.isCXXForRangeDecl())
      return false;
    return variable.getType().isConstQualified() || variable.isConstexpr() ||
           (variable.isLocalVarDecl() && !variable.isStaticLocal() &&
            variable.getDeclContext() == function.function &&
            !function.mayChange(variable, function.body));
  }

  /// Whether the variable changes, and not only between the rounds of loops.
  bool changesWithin(const VarDecl &variable) const {
    bool isChanged = false;
    const auto visit = [&](const auto &self, const Stmt *statement) -> void {
      if (!statement || isChanged)
        return;
      if (const auto *loop = dyn_cast<ForStmt>(statement)) {
        self(self, loop->getInit());
        self(self, loop->getBody());
      } else if (isa<CompoundStmt, IfStmt, CXXForRangeStmt, WhileStmt, DoStmt, SwitchStmt,
                     SwitchCase, CXXTryStmt, CXXCatchStmt, DeclStmt>(statement)) {
        for (const Stmt *child : statement->children())
          self(self, child);
      } else {
        isChanged |= function.mayChange(variable, statement);
      }
    };
    visit(visit, function.body);
    return isChanged || !variable.isLocalVarDeclOrParm();
  }

  const FunctionCode &function;
  Values &values;
  PathTable &paths;
  const TextCall *within = nullptr; ///< Null for the function that is lowered.
};

} // namespace

std::optional<Text> textOf(const Expr &expr, const FunctionCode &function, Values &values,
                           PathTable &paths) {
  TextReader reader(function, values, paths);
  if (!reader.read(&expr) || reader.text.parts.empty())
    return std::nullopt;
  return std::move(reader.text);
}

} // namespace gradtidy
