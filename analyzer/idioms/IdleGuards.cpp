#include "IdleGuards.h"

#include "CodeForms.h"

#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

using namespace ir;

/// Whether a value of the type may be of interest to a guard.
static bool mayBeGuarded(const Type *type) {
  return !type || type->isDependent || type->leadsToTensors || type->leadsToTraining ||
         type->holdsTensors || isModule(type->role) || type->role == TypeRole::Tensor;
}

static bool isOfDevice(const Type *type) { return type && type->role == TypeRole::Device; }

/// `net`, `net->`, `this->net`, `*net`
static bool isNamed(const Node *object) {
  object = strip(object);
  if (!object)
    return false;
  if (object->kind == NodeKind::OperatorCall && object->arguments.size() == 1)
    return isNamed(object->arguments.front());
  return object->kind == NodeKind::Member
             ? isNamed(object->object)
             : object->kind == NodeKind::Reference || object->kind == NodeKind::This;
}

/// Whether the expression is a name, or a member of one.
static bool isPlace(const Node *expr) {
  expr = strip(expr);
  if (expr->kind == NodeKind::Open || expr->kind == NodeKind::Member)
    return !expr->object || isPlace(expr->object);
  return expr->kind == NodeKind::Reference || expr->kind == NodeKind::This ||
         expr->kind == NodeKind::Integer;
}

/// `device = torch::Device(torch::kCUDA, options.gpu);` where a missing header hides what `options`
/// are.
static bool isOpenChoice(const Node &expr) {
  const Node *choice = as(NodeKind::Binary, withoutParentheses(&expr));
  const Node *made =
      choice && choice->op == "=" ? as(NodeKind::OpenConstruct, choice->children[1]) : nullptr;
  return made && isNamed(choice->children[0]) && isOfDevice(choice->children[0]->type) &&
         isOfDevice(made->type) && llvm::all_of(made->arguments, isPlace);
}

static bool isIndifferent(const Node *expr);

static bool isIndifferentCall(const Node &call) {
  const Symbol *callee = call.symbol;
  if (!callee)
    return false;
  if (callee->purpose == FunctionRole::Train || callee->purpose == FunctionRole::Eval)
    return callee->isFramework && call.kind == NodeKind::MemberCall && isNamed(call.object) &&
           llvm::all_of(call.arguments, isIndifferent);
  const bool isKnown =
      callee->isStandard ||
      (callee->isFramework && (isOfDevice(call.type) || callee->trait == Trait::AsksForGpu));
  return isKnown && !mayBeGuarded(call.type) && llvm::all_of(call.children, isIndifferent) &&
         llvm::none_of(call.arguments,
                       [](const Node *argument) { return isClosure(argument->type); });
}

/// Whether a guard makes no difference to the value.
static bool isIndifferent(const Node *expr) {
  if (expr->kind == NodeKind::DefaultArgument)
    return true;
  if (expr->isCall())
    return isIndifferentCall(*expr);
  if (mayBeGuarded(expr->type))
    return false;
  switch (expr->kind) {
  case NodeKind::Member:
    return (expr->symbol && expr->symbol->kind == SymbolKind::Member && isNamed(expr)) ||
           isIndifferent(expr->object);
  case NodeKind::Construct:
  case NodeKind::Temporary:
    if (!expr->symbol || !(expr->symbol->isStandard || isOfDevice(expr->type)))
      return false;
    break;
  case NodeKind::Reference:
  case NodeKind::This:
  case NodeKind::Cast:
  case NodeKind::FunctionalCast:
  case NodeKind::Parentheses:
  case NodeKind::Unary:
  case NodeKind::Binary:
  case NodeKind::Conditional:
  case NodeKind::List:
  case NodeKind::Boolean:
  case NodeKind::Integer:
  case NodeKind::Real:
  case NodeKind::String:
  case NodeKind::NullPointer:
    break;
  default:
    return expr->isConstant && expr->children.empty();
  }
  return llvm::all_of(expr->children, isIndifferent);
}

/// The same of a statement, all of which is seen.
static bool isIndifferentStatement(const Node *statement) {
  switch (statement->kind) {
  case NodeKind::Null:
  case NodeKind::Break:
  case NodeKind::Continue:
    return true;
  case NodeKind::Declaration:
    return llvm::all_of(statement->declared,
                        [](const Symbol *each) {
                          return each->isVariable() && !mayBeGuarded(each->type);
                        }) &&
           llvm::all_of(statement->children, isIndifferent);
  case NodeKind::Return:
    return llvm::all_of(statement->children, isIndifferent);
  default:
    return statement->isExpression && (isIndifferent(statement) || isOpenChoice(*statement));
  }
}

/// Whether the source from the end of the first of \p statements on to \p end has nothing but the
/// others, and nothing that depends on macros between them or is left out.
static bool isAllOf(llvm::ArrayRef<const Node *> statements, clang::SourceLocation end,
                    const clang::SourceManager &sources, const clang::LangOptions &language) {
  const auto [file, last] = sources.getDecomposedLoc(end);
  const auto isThere = [&](clang::SourceLocation location) {
    return location.isFileID() && sources.getFileID(location) == file;
  };
  if (!isThere(end) || !llvm::all_of(statements, [&](const Node *each) {
        return isThere(each->begin()) && isThere(each->end());
      }))
    return false;
  const auto isWithin = [&](clang::SourceLocation token) {
    return llvm::any_of(statements, [&](const Node *each) {
      return each->begin() <= token && token <= each->end();
    });
  };
  const llvm::StringRef text = sources.getBufferData(file);
  clang::Lexer lexer(sources.getLocForStartOfFile(file), language, text.begin(),
                     text.begin() + sources.getFileOffset(statements.front()->begin()), text.end());
  clang::Token token;
  for (lexer.LexFromRawLexer(token); token.isNot(clang::tok::eof) && token.getLocation() < end;
       lexer.LexFromRawLexer(token))
    if (token.is(clang::tok::hash) ||
        (token.isNot(clang::tok::semi) && !isWithin(token.getLocation())))
      return false;
  return true;
}

bool guardsNothing(const Node &declaration, const FunctionBody &function,
                   const clang::SourceManager &sources, const clang::LangOptions &language) {
  const Node *block = function.compoundOf(&declaration);
  const Symbol *guard = onlyVariableOf(declaration);
  if (!block || !guard || !guard->type || !isGuard(guard->type->role))
    return false;
  const auto rest = block->children.drop_front(llvm::find(block->children, &declaration) -
                                               block->children.begin());
  return llvm::all_of(rest.drop_front(), isIndifferentStatement) &&
         isAllOf(rest, block->brackets.getEnd(), sources, language);
}

} // namespace gradtidy
