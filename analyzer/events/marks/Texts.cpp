#include "Texts.h"

#include "analyzer/events/values/Syntax.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace gradtidy {

namespace {

class TextReader {
public:
  TextReader(const FunctionCode &function, Values &values) : function(function), values(values) {}

  Text text;

  bool read(const Expr *expr, unsigned depth = 0) {
    expr = strip(expr);
    if (depth > 8)
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
      return false;
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

  bool readPlace(const Expr *expr, unsigned depth) {
    const QualType type = expr->getType();
    if (!isText(type) && !type->isIntegerType())
      return false;
    const VarDecl *variable = variableOf(expr);
    if (variable && variable->hasInit() && isFixed(*variable) &&
        TextReader(function, values).read(variable->getInit(), depth + 1))
      return read(variable->getInit(), depth + 1);
    if (type->isIntegerType() && (!variable || changesWithin(*variable)))
      return false;
    text.parts.push_back({{}, values.pathOf(expr)});
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
};

} // namespace

std::optional<Text> textOf(const Expr &expr, const FunctionCode &function, Values &values) {
  TextReader reader(function, values);
  if (!reader.read(&expr) || reader.text.parts.empty())
    return std::nullopt;
  return std::move(reader.text);
}

} // namespace gradtidy
