#include "CodeMap.h"

#include "Syntax.h"
#include "Values.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Index/USRGeneration.h"

namespace gradtidy {

using namespace clang;

struct CodeMap::OwnedNode : ir::Node {
  const Stmt *origin = nullptr;
};

struct CodeMap::OwnedSymbol : ir::Symbol {
  const NamedDecl *origin = nullptr;
};

CodeMap::CodeMap(ASTContext &context, Vocabulary &vocabulary, IsUserCode isUserCode)
    : ast(context), vocabulary(vocabulary), isUser(std::move(isUserCode)),
      detached(findDetachedMethods(context)) {}

/// What \p code wraps in the same place, or null: implicit casts, temporaries, cleanups.
static const Expr *wrapped(const Stmt *code) {
  if (const auto *cast = dyn_cast<ImplicitCastExpr>(code))
    return cast->getSubExpr();
  if (const auto *full = dyn_cast<FullExpr>(code))
    return full->getSubExpr();
  if (const auto *temporary = dyn_cast<MaterializeTemporaryExpr>(code))
    return temporary->getSubExpr();
  if (const auto *bound = dyn_cast<CXXBindTemporaryExpr>(code))
    return bound->getSubExpr();
  return nullptr;
}

// --- nodes --------------------------------------------------------------------------------------

const ir::Node *CodeMap::node(const Stmt *code) {
  if (!code)
    return nullptr;
  if (const ir::Node *known = made(code))
    return known;
  const bool isOutermost = !std::exchange(isMaking, true);
  const ir::Node *result = make(code, nullptr);
  if (isOutermost)
    settle();
  return result;
}

const ir::Node *CodeMap::made(const Stmt *code) const {
  return code ? nodes.lookup(code) : nullptr;
}

llvm::ArrayRef<const ir::Node *> CodeMap::allMade(llvm::ArrayRef<const Expr *> code) {
  const ir::Node **list = allocator.Allocate<const ir::Node *>(code.size());
  for (size_t i = 0; i < code.size(); ++i)
    list[i] = made(code[i]);
  return {list, code.size()};
}

/// The functions that the type of a temporary is made of: `Wrapped<f>()`.
static llvm::SmallVector<const Expr *, 1> functionsInType(const Stmt *code) {
  llvm::SmallVector<const Expr *, 1> functions;
  const auto *temporary = dyn_cast<CXXTemporaryObjectExpr>(code);
  const auto written =
      temporary
          ? temporary->getTypeSourceInfo()->getTypeLoc().getAs<TemplateSpecializationTypeLoc>()
          : TemplateSpecializationTypeLoc();
  if (!written)
    return functions;
  for (unsigned i = 0; i < written.getNumArgs(); ++i)
    if (const TemplateArgumentLoc &argument = written.getArgLoc(i);
        argument.getArgument().getKind() == TemplateArgument::Expression) {
      const Expr *value = argument.getSourceExpression()->IgnoreParenImpCasts();
      if (const auto *address = dyn_cast<UnaryOperator>(value))
        value = address->getSubExpr()->IgnoreParenImpCasts();
      if (const auto *name = dyn_cast<DeclRefExpr>(value);
          name && isa<FunctionDecl>(name->getDecl()))
        functions.push_back(name);
    }
  return functions;
}

CodeMap::OwnedNode *CodeMap::make(const Stmt *code, const ir::Node *parent) {
  llvm::SmallVector<const Stmt *, 4> wrappers;
  OwnedNode *node = nodes.lookup(code);
  for (const Expr *inner = wrapped(code); inner && !node; inner = wrapped(code)) {
    wrappers.push_back(code);
    code = inner;
    node = nodes.lookup(code);
  }
  const bool isNew = !node;
  if (isNew) {
    node = new (allocator) OwnedNode;
    node->origin = code;
    nodes.try_emplace(code, node);
  }
  for (const Stmt *wrapper : wrappers)
    nodes.try_emplace(wrapper, node);
  if (!node->parent && parent != node)
    node->parent = parent;
  if (isNew) {
    llvm::SmallVector<const ir::Node *, 8> children;
    for (const Stmt *child : code->children())
      if (child)
        children.push_back(make(child, node));
    for (const Expr *function : functionsInType(code))
      children.push_back(make(function, node));
    node->children = llvm::ArrayRef(children).copy(allocator);
    node->range = code->getSourceRange();
    if (const auto *expr = dyn_cast<Expr>(code))
      describeExpression(*node, *expr);
    else
      describeStatement(*node, *code);
  }
  for (const Stmt *wrapper : wrappers)
    noteRead(*wrapper);
  return node;
}

/// Whether what is cast is only read.
static bool isRead(const ImplicitCastExpr &cast) {
  return cast.getCastKind() == CK_LValueToRValue ||
         (cast.getCastKind() == CK_NoOp && cast.getType().isConstQualified());
}

void CodeMap::noteRead(const Stmt &wrapper) {
  const auto *cast = dyn_cast<ImplicitCastExpr>(&wrapper);
  if (!cast || !isRead(*cast))
    return;
  // Of what is read, all that leads to it is.
  const Expr *inner = cast->getSubExpr()->IgnoreParenImpCasts();
  while (isa<DeclRefExpr, MemberExpr>(inner)) {
    if (OwnedNode *name = nodes.lookup(inner))
      name->isOnlyRead = true;
    const auto *member = dyn_cast<MemberExpr>(inner);
    if (!member)
      break;
    inner = member->getBase()->IgnoreParenImpCasts();
  }
}

/// Whether a statement of the body of a loop may leave the loop for what is behind it.
static bool mayLeave(const Stmt &code, bool isInnermost = true) {
  if (isa<GotoStmt, IndirectGotoStmt>(code) || (isInnermost && isa<BreakStmt>(code)))
    return true;
  if (isa<LambdaExpr>(code))
    return false;
  isInnermost &= !isa<ForStmt, CXXForRangeStmt, WhileStmt, DoStmt, SwitchStmt>(code);
  return llvm::any_of(code.children(),
                      [&](const Stmt *child) { return child && mayLeave(*child, isInnermost); });
}

void CodeMap::describeStatement(ir::Node &node, const Stmt &code) {
  using ir::NodeKind;
  if (const auto *block = dyn_cast<CompoundStmt>(&code)) {
    node.kind = NodeKind::Compound;
    node.brackets = {block->getLBracLoc(), block->getRBracLoc()};
  } else if (const auto *declaration = dyn_cast<DeclStmt>(&code)) {
    node.kind = NodeKind::Declaration;
    llvm::SmallVector<const ir::Symbol *, 2> declared;
    for (const Decl *each : declaration->decls())
      if (const auto *named = dyn_cast<NamedDecl>(each))
        declared.push_back(symbol(named));
    node.declared = llvm::ArrayRef(declared).copy(allocator);
  } else if (const auto *choice = dyn_cast<IfStmt>(&code)) {
    node.kind = NodeKind::If;
    node.isConstantBranch = choice->isConstexpr();
    node.init = made(choice->getInit());
    node.condition = made(choice->getCond());
    node.body = made(choice->getThen());
    node.otherwise = made(choice->getElse());
  } else if (const auto *counted = dyn_cast<ForStmt>(&code)) {
    node.kind = NodeKind::For;
    node.init = made(counted->getInit());
    node.condition = made(counted->getCond());
    node.body = made(counted->getBody());
  } else if (const auto *over = dyn_cast<CXXForRangeStmt>(&code)) {
    node.kind = NodeKind::RangeFor;
    node.init = made(over->getBeginStmt());
    node.object = made(over->getRangeInit());
    node.body = made(over->getBody());
    node.symbol = symbol(over->getLoopVariable());
    symbols.lookup(over->getLoopVariable())->seesAll = !mayLeave(*over->getBody());
  } else if (const auto *loop = dyn_cast<WhileStmt>(&code)) {
    node.kind = NodeKind::While;
    node.condition = made(loop->getCond());
    node.body = made(loop->getBody());
  } else if (const auto *loop = dyn_cast<DoStmt>(&code)) {
    node.kind = NodeKind::Do;
    node.condition = made(loop->getCond());
    node.body = made(loop->getBody());
  } else if (isa<SwitchStmt>(code)) {
    node.kind = NodeKind::Switch;
  } else if (isa<CXXCatchStmt>(code)) {
    node.kind = NodeKind::Catch;
  } else if (isa<BreakStmt>(code)) {
    node.kind = NodeKind::Break;
  } else if (isa<ContinueStmt>(code)) {
    node.kind = NodeKind::Continue;
  } else if (isa<ReturnStmt>(code)) {
    node.kind = NodeKind::Return;
  } else if (isa<NullStmt>(code)) {
    node.kind = NodeKind::Null;
  }
}

/// The operator that \p operand is, if it is one; what is known of it need not be asked of clang
/// again, which would take time quadratic in the length of a chain.
static const BinaryOperator *operatorIn(const Expr *operand) {
  return dyn_cast<BinaryOperator>(operand->IgnoreParenImpCasts());
}

/// \param nodeOf The node of an operand.
static bool hasSideEffects(const Expr &expr, const ASTContext &ast,
                           llvm::function_ref<const ir::Node *(const Expr *)> nodeOf) {
  const auto *binary = dyn_cast<BinaryOperator>(&expr);
  if (!binary || binary->isAssignmentOp())
    return expr.HasSideEffects(ast);
  const auto hasOwn = [&](const Expr *operand) {
    const BinaryOperator *inner = operatorIn(operand);
    return inner ? nodeOf(inner)->hasSideEffects : operand->HasSideEffects(ast);
  };
  return hasOwn(binary->getLHS()) || hasOwn(binary->getRHS());
}

/// Where a type is written, if it is.
static SourceRange rangeOf(const TypeSourceInfo *written) {
  return written ? written->getTypeLoc().getSourceRange() : SourceRange();
}

void CodeMap::describeExpression(ir::Node &node, const Expr &expr) {
  using ir::NodeKind;
  node.isExpression = true;
  node.caret = expr.getExprLoc();
  node.type = type(expr.getType());
  node.hasSideEffects =
      hasSideEffects(expr, ast, [&](const Expr *operand) { return nodes.lookup(operand); });
  node.spelledNode = made(expr.IgnoreUnlessSpelledInSource());
  evaluate(node, expr);
  if (const auto *call = dyn_cast<CallExpr>(&expr)) {
    describeCall(node, *call);
  } else if (const auto *construct = dyn_cast<CXXConstructExpr>(&expr)) {
    describeConstruction(node, *construct);
  } else if (const auto *reference = dyn_cast<DeclRefExpr>(&expr)) {
    describeReference(node, *reference);
  } else if (const auto *member = dyn_cast<MemberExpr>(&expr)) {
    node.kind = NodeKind::Member;
    node.symbol = symbol(member->getMemberDecl());
    node.name = member->getMemberLoc();
    node.object = made(member->getBase());
  } else if (const auto *unary = dyn_cast<UnaryOperator>(&expr)) {
    node.kind = NodeKind::Unary;
    node.op = UnaryOperator::getOpcodeStr(unary->getOpcode());
  } else if (const auto *binary = dyn_cast<BinaryOperator>(&expr)) {
    node.kind = NodeKind::Binary;
    node.op = binary->getOpcodeStr();
  } else if (const auto *choice = dyn_cast<AbstractConditionalOperator>(&expr)) {
    node.kind = NodeKind::Conditional;
    node.condition = made(choice->getCond());
  } else if (const auto *cast = dyn_cast<CXXFunctionalCastExpr>(&expr)) {
    node.kind = NodeKind::FunctionalCast;
    node.brackets = {cast->getLParenLoc(), cast->getRParenLoc()};
  } else if (const auto *cast = dyn_cast<ExplicitCastExpr>(&expr)) {
    node.kind = NodeKind::Cast;
    const auto *named = dyn_cast<CXXNamedCastExpr>(cast);
    node.op = named ? named->getCastName() : "";
    node.typeArgument = rangeOf(cast->getTypeInfoAsWritten());
  } else if (const auto *asked = dyn_cast<CXXTypeidExpr>(&expr)) {
    node.kind = NodeKind::TypeId;
    if (asked->isTypeOperand()) {
      node.symbol = symbol(asked->getTypeOperand(ast).getNonReferenceType()->getAsCXXRecordDecl());
      node.typeArgument = rangeOf(asked->getTypeOperandSourceInfo());
    }
  } else if (isa<FloatingLiteral>(expr)) {
    node.kind = NodeKind::Real;
  } else if (isa<IntegerLiteral>(expr)) {
    node.kind = NodeKind::Integer;
  } else if (isa<CXXBoolLiteralExpr>(expr)) {
    node.kind = NodeKind::Boolean;
  } else if (const auto *text = dyn_cast<StringLiteral>(&expr)) {
    node.kind = NodeKind::String;
    node.op = text->isOrdinary() ? text->getString() : StringRef();
  } else if (isa<CXXNullPtrLiteralExpr>(expr)) {
    node.kind = NodeKind::NullPointer;
  } else if (isa<CXXThisExpr>(expr)) {
    node.kind = NodeKind::This;
  } else if (isa<InitListExpr>(expr)) {
    node.kind = NodeKind::List;
  } else if (const auto *lambda = dyn_cast<LambdaExpr>(&expr)) {
    node.kind = NodeKind::Lambda;
    llvm::SmallVector<const ir::Symbol *, 1> operators;
    if (const FunctionTemplateDecl *generic = lambda->getDependentCallOperator())
      for (const FunctionDecl *special : generic->specializations())
        operators.push_back(symbol(special));
    if (operators.empty())
      operators.push_back(symbol(lambda->getCallOperator()));
    node.declared = llvm::ArrayRef(operators).copy(allocator);
  } else if (isa<RecoveryExpr>(expr)) {
    node.kind = NodeKind::Damaged;
  } else if (isa<CXXNewExpr>(expr)) {
    node.kind = NodeKind::New;
  } else if (isa<ParenListExpr>(expr)) {
    node.kind = NodeKind::List;
  } else if (const auto *open = dyn_cast<CXXUnresolvedConstructExpr>(&expr)) {
    node.kind = NodeKind::OpenConstruct;
    node.type = type(open->getTypeAsWritten());
    node.arguments = node.children;
  } else if (const auto *member = dyn_cast<CXXDependentScopeMemberExpr>(&expr)) {
    node.kind = NodeKind::Open;
    node.op = names.save(member->getMember().getAsString());
    node.openAspects = vocabulary.aspectsOfMember(node.op);
    node.object = member->isImplicitAccess() ? nullptr : made(member->getBase());
  } else if (const auto *overloads = dyn_cast<OverloadExpr>(&expr)) {
    node.kind = NodeKind::Open;
    node.op = names.save(overloads->getName().getAsString());
    node.name = overloads->getNameLoc();
    if (overloads->getNumDecls() > 0)
      node.symbol = symbol((*overloads->decls_begin())->getUnderlyingDecl()->getAsFunction());
    else
      node.openAspects = vocabulary.aspectsOfMember(node.op);
    if (const auto *method = dyn_cast<UnresolvedMemberExpr>(overloads);
        method && !method->isImplicitAccess())
      node.object = made(method->getBase());
  } else if (isa<ArraySubscriptExpr>(expr)) {
    node.kind = NodeKind::Subscript;
  } else if (isa<ParenExpr>(expr)) {
    node.kind = NodeKind::Parentheses;
  } else if (isa<CXXThrowExpr>(expr)) {
    node.kind = NodeKind::Throw;
  } else if (const auto *left = dyn_cast<CXXDefaultArgExpr>(&expr)) {
    node.kind = NodeKind::DefaultArgument;
    node.symbol = symbol(left->getParam());
  }
}

/// Whether its parameters leave open that \p function is what is called.
static bool takesArguments(const FunctionDecl &function, const CallExpr &call) {
  return function.isTemplated() || function.isVariadic() ||
         (function.getNumParams() >= call.getNumArgs() &&
          function.getMinRequiredArguments() <= call.getNumArgs());
}

const FunctionDecl *CodeMap::candidateFor(const CallExpr &call,
                                          const OverloadExpr &overloads) const {
  const FunctionDecl *only = nullptr;
  for (const NamedDecl *candidate : overloads.decls()) {
    const FunctionDecl *function = candidate->getUnderlyingDecl()->getAsFunction();
    if (!function || !takesArguments(*function, call))
      continue;
    if (only && (isUser(function) || isUser(only)))
      return nullptr;
    only = function;
  }
  return only;
}

void CodeMap::describeCall(ir::Node &node, const CallExpr &call) {
  using ir::NodeKind;
  node.kind = NodeKind::Call;
  if (const auto *overloads = dyn_cast<OverloadExpr>(call.getCallee()->IgnoreParenImpCasts()))
    if (OwnedNode *open = nodes.lookup(overloads))
      open->symbol = symbol(candidateFor(call, *overloads));
  node.symbol = symbol(call.getDirectCallee());
  node.brackets = {{}, call.getRParenLoc()};
  node.arguments = allMade(llvm::ArrayRef(call.getArgs(), call.getNumArgs()));
  if (const auto *method = dyn_cast<CXXMemberCallExpr>(&call)) {
    node.kind = NodeKind::MemberCall;
    node.object = made(method->getImplicitObjectArgument());
  } else if (const auto *operation = dyn_cast<CXXOperatorCallExpr>(&call)) {
    node.kind = NodeKind::OperatorCall;
    node.op = getOperatorSpelling(operation->getOperator());
  } else if (isa<CUDAKernelCallExpr>(call)) {
    node.kind = NodeKind::KernelCall;
  }
  const Expr *callee = call.getCallee()->IgnoreParenImpCasts();
  if (const auto *member = dyn_cast<MemberExpr>(callee))
    node.name = member->getMemberLoc();
  else if (const auto *reference = dyn_cast<DeclRefExpr>(callee))
    node.name = reference->getLocation();
}

void CodeMap::describeConstruction(ir::Node &node, const CXXConstructExpr &made) {
  const bool isNamed = isa<CXXTemporaryObjectExpr>(made);
  node.kind = isNamed ? ir::NodeKind::Temporary : ir::NodeKind::Construct;
  node.symbol = symbol(made.getConstructor());
  node.brackets = made.getParenOrBraceRange();
  node.arguments = allMade(llvm::ArrayRef(made.getArgs(), made.getNumArgs()));
}

void CodeMap::describeReference(ir::Node &node, const DeclRefExpr &reference) {
  node.kind = ir::NodeKind::Reference;
  node.symbol = symbol(reference.getDecl());
  node.name = reference.getLocation();
  if (reference.getNumTemplateArgs() > 0)
    if (const TemplateArgumentLoc &first = reference.getTemplateArgs()[0];
        first.getArgument().getKind() == TemplateArgument::Type)
      node.typeArgument = rangeOf(first.getTypeSourceInfo());
}

static double approximate(llvm::APFloat value) {
  bool losesInfo = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

void CodeMap::evaluate(ir::Node &node, const Expr &expr) const {
  if (expr.getType().isNull() || !expr.getType().getNonReferenceType()->isArithmeticType() ||
      expr.isValueDependent() || expr.containsErrors())
    return;
  if (const auto *binary = dyn_cast<BinaryOperator>(&expr);
      binary && !binary->isCommaOp() && !binary->isPtrMemOp())
    if (const BinaryOperator *left = operatorIn(binary->getLHS());
        left && left->getType()->isArithmeticType() && !nodes.lookup(left)->isConstant)
      return;
  Expr::EvalResult result;
  node.isConstant = expr.EvaluateAsRValue(result, ast) && !result.HasSideEffects;
  if (node.isConstant && result.Val.isInt())
    node.integer = result.Val.getInt().tryExtValue();
  else if (node.isConstant && result.Val.isFloat())
    node.real = approximate(result.Val.getFloat());
}

const Stmt *CodeMap::code(const ir::Node *node) {
  return node ? static_cast<const OwnedNode *>(node)->origin : nullptr;
}

const Expr *CodeMap::expr(const ir::Node *node) { return dyn_cast_or_null<Expr>(code(node)); }

// --- symbols ------------------------------------------------------------------------------------

static ir::SymbolKind kindOf(const NamedDecl &declaration) {
  using ir::SymbolKind;
  if (isa<ParmVarDecl>(declaration))
    return SymbolKind::Parameter;
  if (isa<VarDecl>(declaration))
    return SymbolKind::Variable;
  if (isa<BindingDecl>(declaration))
    return SymbolKind::Binding;
  if (isa<FieldDecl>(declaration))
    return SymbolKind::Member;
  if (isa<CXXConstructorDecl>(declaration))
    return SymbolKind::Constructor;
  if (isa<CXXDestructorDecl>(declaration))
    return SymbolKind::Destructor;
  if (isa<CXXMethodDecl>(declaration))
    return SymbolKind::Method;
  if (isa<FunctionDecl>(declaration))
    return SymbolKind::Function;
  if (isa<RecordDecl>(declaration))
    return SymbolKind::Class;
  return isa<EnumConstantDecl>(declaration) ? SymbolKind::Enumerator : SymbolKind::Other;
}

static StringRef outermostNamespace(const Decl &declaration) {
  StringRef name;
  for (const DeclContext *outer = declaration.getDeclContext(); outer; outer = outer->getParent())
    if (const auto *space = dyn_cast<NamespaceDecl>(outer))
      name = space->getName();
  return name;
}

/// Whether all declarations of the same are in the main file.
static bool isOfMainFile(const Decl &declaration) {
  const SourceManager &sources = declaration.getASTContext().getSourceManager();
  const auto isInSource = [&](const Decl *each) {
    return sources.isInMainFile(sources.getExpansionLoc(each->getLocation()));
  };
  return isInSource(&declaration) && llvm::all_of(declaration.redecls(), isInSource);
}

/// What tells the same in other sources: clang's USR. Empty for what no other source can name, and
/// for what its owner and its name, or place among the parameters, tell.
static llvm::SmallString<64> usrOf(const NamedDecl &declaration) {
  llvm::SmallString<64> usr;
  const auto *function = dyn_cast<FunctionDecl>(&declaration);
  const bool isNamedOutside = isa<FunctionDecl, CXXRecordDecl, EnumConstantDecl>(declaration) ||
                              (isa<VarDecl>(declaration) && !isa<ParmVarDecl>(declaration));
  if (!isNamedOutside || !declaration.hasExternalFormalLinkage() ||
      (function && function->isMain()) || index::generateUSRForDecl(&declaration, usr))
    usr.clear();
  return usr;
}

/// The name of \p declaration with all that it stands in. Of functions within functions, which
/// closures within closures are, only the outermost is named: else the names of n levels would take
/// n² of memory.
static std::string qualifiedNameOf(const NamedDecl &declaration) {
  llvm::SmallVector<const NamedDecl *, 4> within = {&declaration}; // The innermost function.
  const DeclContext *around = declaration.getDeclContext();
  for (; isa<CXXRecordDecl>(around); around = around->getParent())
    within.push_back(cast<CXXRecordDecl>(around));
  const Decl *outermost = nullptr; // Within another function.
  while (around->isFunctionOrMethod()) {
    const DeclContext *outer = around->getParent();
    while (isa<CXXRecordDecl>(outer))
      outer = outer->getParent();
    if (outer->isFunctionOrMethod())
      outermost = cast<Decl>(around);
    around = outer;
  }
  if (within.size() == 1 || !isa_and_nonnull<FunctionDecl>(outermost))
    return declaration.getQualifiedNameAsString();
  std::string name;
  llvm::raw_string_ostream text(name);
  cast<FunctionDecl>(outermost)->printNestedNameSpecifier(text);
  within.pop_back(); // The class that is named already, or one that takes the same place.
  for (const NamedDecl *each : llvm::reverse(within))
    text << *each << (each == &declaration ? "" : "::");
  return name;
}

const ir::Symbol *CodeMap::symbol(const NamedDecl *declaration) {
  if (const auto *record = dyn_cast_or_null<CXXRecordDecl>(declaration))
    declaration = record->getDefinition() ? record->getDefinition() : record->getCanonicalDecl();
  if (!declaration)
    return nullptr;
  if (const OwnedSymbol *known = symbols.lookup(declaration))
    return known;
  const bool isOutermost = !std::exchange(isMaking, true);
  OwnedSymbol *symbol = new (allocator) OwnedSymbol;
  symbols.try_emplace(declaration, symbol);
  symbol->origin = declaration;
  symbol->kind = kindOf(*declaration);
  if (const IdentifierInfo *name = declaration->getIdentifier())
    symbol->name = names.save(name->getName());
  symbol->spelling = names.save(declaration->getNameAsString());
  symbol->qualifiedName = names.save(qualifiedNameOf(*declaration));
  symbol->space = names.save(outermostNamespace(*declaration));
  symbol->location = declaration->getLocation();
  symbol->range = declaration->getSourceRange();
  symbol->isStandard = isStandard(declaration);
  symbol->isOfSystem = ast.getSourceManager().isInSystemHeader(declaration->getLocation());
  symbol->isOfMainFile = isOfMainFile(*declaration);
  symbol->isPublic = declaration->getAccess() == AS_public;
  symbol->isPrivate = declaration->getAccess() == AS_private;
  if (const auto *value = dyn_cast<ValueDecl>(declaration);
      value && !isa<FunctionDecl>(declaration))
    symbol->type = type(value->getType());
  symbol->isImplicit = declaration->isImplicit();
  const auto *canonical = cast<NamedDecl>(declaration->getCanonicalDecl());
  if (const auto *method = dyn_cast<FunctionDecl>(canonical))
    if (const FunctionDecl *declared = detached.declarations.lookup(method))
      canonical = declared;
  symbol->first = canonical == declaration || isa<CXXRecordDecl>(declaration)
                      ? symbol
                      : this->symbol(canonical);
  if (symbol->first == symbol)
    symbol->usr = names.save(usrOf(*declaration).str());
  if (const auto *typed = dyn_cast<DeclaratorDecl>(declaration);
      typed && typed->getTypeSourceInfo() && !symbol->isOfSystem &&
      !typed->getType()->getContainedAutoType())
    symbol->typeRange = typed->getTypeSourceInfo()->getTypeLoc().getSourceRange();
  const auto *binding = dyn_cast<BindingDecl>(declaration);
  const DeclContext *around = declaration->getDeclContext();
  if (binding && binding->getDecomposedDecl())
    symbol->owner = this->symbol(dyn_cast<NamedDecl>(binding->getDecomposedDecl()));
  else if (isa_and_nonnull<FunctionDecl, RecordDecl>(around))
    symbol->owner = this->symbol(cast<NamedDecl>(Decl::castFromDeclContext(around)));
  if (const auto *variable = dyn_cast<VarDecl>(declaration))
    describeVariable(*symbol, *variable);
  else if (const auto *function = dyn_cast<FunctionDecl>(declaration))
    describeFunction(*symbol, *function);
  symbol->isUser = isUser(declaration);
  if (const auto *variable = dyn_cast<VarDecl>(declaration);
      isa<FunctionDecl, CXXRecordDecl>(declaration) ||
      (variable && variable->isFileVarDecl() && !isUser(variable))) {
    symbol->isFramework = vocabulary.isFramework(declaration);
    symbol->trait = vocabulary.traitOf(declaration);
  }
  if (isa<FunctionDecl>(declaration) || (isa<CXXRecordDecl>(declaration) && symbol->isFramework))
    symbol->operation = vocabulary.operationOf(declaration);
  symbol->aspects = vocabulary.aspectsOf(declaration);
  if (isa<VarDecl, FieldDecl, FunctionDecl, CXXRecordDecl>(declaration))
    waiting.push_back(symbol);
  if (isOutermost)
    settle();
  return symbol;
}

/// Whether the function passes its argument on as it gets it, whatever that is: `save(value,
/// name)`. What the standard library gives back to be moved is another matter.
static bool isForwarded(const ParmVarDecl &parameter) {
  const auto *function = dyn_cast<FunctionDecl>(parameter.getDeclContext());
  const FunctionTemplateDecl *primary = function ? function->getPrimaryTemplate() : nullptr;
  const bool isCast =
      function && function->isInStdNamespace() && function->getReturnType()->isReferenceType();
  if (!primary || isCast)
    return false;
  const FunctionDecl *pattern = primary->getTemplatedDecl();
  if (pattern->getNumParams() == 0)
    return false;
  const unsigned last = pattern->getNumParams() - 1;
  QualType type =
      pattern->getParamDecl(std::min(parameter.getFunctionScopeIndex(), last))->getType();
  if (const auto *pack = type->getAs<PackExpansionType>())
    type = pack->getPattern();
  return type->isRValueReferenceType() && type.getNonReferenceType()->isTemplateTypeParmType() &&
         !type->getPointeeType().hasQualifiers();
}

void CodeMap::describeVariable(ir::Symbol &symbol, const VarDecl &variable) {
  symbol.isLocal = variable.isLocalVarDecl();
  symbol.isStatic = variable.hasGlobalStorage();
  symbol.isExtern = symbol.isStatic && llvm::any_of(variable.redecls(), [](const VarDecl *each) {
                      return each->getStorageClass() == SC_Extern;
                    });
  symbol.isOfThread = variable.getTSCSpec() != TSCS_unspecified;
  symbol.mayBeUnused = variable.hasAttr<UnusedAttr>();
  symbol.isRangeElement = variable.isCXXForRangeDecl();
  if (const auto *parameter = dyn_cast<ParmVarDecl>(&variable)) {
    symbol.index = parameter->getFunctionScopeIndex();
    symbol.isForwarded = isForwarded(*parameter);
    const auto *function = dyn_cast<FunctionDecl>(parameter->getDeclContext());
    symbol.hasDefault =
        function && llvm::any_of(function->redecls(), [&](const FunctionDecl *each) {
          return symbol.index < each->getNumParams() &&
                 each->getParamDecl(symbol.index)->hasDefaultArg();
        });
  }
}

const FunctionDecl *CodeMap::definitionOf(const FunctionDecl &function) const {
  const FunctionDecl *definition = nullptr, *pattern = function.getTemplateInstantiationPattern();
  return function.hasBody(definition) || (pattern && pattern->hasBody(definition))
             ? definition
             : detached.definitions.lookup(function.getCanonicalDecl());
}

bool CodeMap::redefines(const CXXMethodDecl &method) const {
  bool isFound = false;
  if (method.getParent()->hasDefinition())
    method.getParent()->forallBases([&](const CXXRecordDecl *base) {
      isFound |= vocabulary.isFramework(base) && !base->lookup(method.getDeclName()).empty();
      return true;
    });
  return isFound;
}

void CodeMap::describeFunction(ir::Symbol &symbol, const FunctionDecl &function) {
  symbol.type = type(function.getReturnType());
  if (const FunctionDecl *definition = definitionOf(function); definition && isUser(definition))
    symbol.definition = this->symbol(definition);
  symbol.isMain = function.isMain();
  symbol.isBuiltin = function.getBuiltinID() != 0;
  symbol.isPureVirtual = function.isPureVirtual();
  symbol.isDependent = function.isDependentContext();
  const auto *constructor = dyn_cast<CXXConstructorDecl>(&function);
  symbol.isDelegating = constructor && constructor->isDelegatingConstructor();
  symbol.isCopying = constructor && constructor->isCopyOrMoveConstructor();
  if (constructor && constructor->getInheritedConstructor())
    symbol.inherited = this->symbol(constructor->getInheritedConstructor().getConstructor());
  symbol.purpose = vocabulary.roleOf(&function);
  if (vocabulary.isFramework(&function))
    symbol.rule = vocabulary.ruleOf(&function);
  symbol.run = vocabulary.operatorOf(&function);
  symbol.neverReturns = function.isNoReturn();
  symbol.worksInPlace = vocabulary.worksInPlace(&function);
  const auto *method = dyn_cast<CXXMethodDecl>(&function);
  symbol.isClosure = method && method->getParent()->isLambda();
  symbol.isConstMethod = method && method->isConst();
  symbol.isStaticMethod = method && method->isStatic();
  symbol.isVirtual = method && method->isVirtual();
  symbol.isOfTemplate = method && (method->isTemplated() || method->isTemplateInstantiation());
  symbol.redefines = method && method->getIdentifier() && isUser(method) && redefines(*method);
  llvm::SmallVector<const ir::Symbol *, 4> parameters;
  for (const ParmVarDecl *parameter : function.parameters())
    parameters.push_back(this->symbol(parameter));
  symbol.parameters = llvm::ArrayRef(parameters).copy(allocator);
  llvm::SmallVector<const ir::Symbol *, 1> overridden;
  if (method)
    for (const CXXMethodDecl *base : method->overridden_methods())
      overridden.push_back(this->symbol(base)->first);
  symbol.overridden = llvm::ArrayRef(overridden).copy(allocator);
  if (const FunctionTypeLoc written = function.getFunctionTypeLoc())
    symbol.parentheses = written.getParensRange();
}

/// What a variable or member begins with, or a parameter if nothing is given for it.
static const Expr *initializerOf(const NamedDecl &declaration) {
  if (const auto *parameter = dyn_cast<ParmVarDecl>(&declaration))
    return parameter->hasUnparsedDefaultArg() || parameter->hasUninstantiatedDefaultArg()
               ? nullptr
               : parameter->getInit();
  if (const auto *variable = dyn_cast<VarDecl>(&declaration))
    return variable->hasGlobalStorage() ? variable->getAnyInitializer() : variable->getInit();
  const auto *member = dyn_cast<FieldDecl>(&declaration);
  return member && member->hasInClassInitializer() ? member->getInClassInitializer() : nullptr;
}

llvm::ArrayRef<ir::Initializer> CodeMap::initializersOf(const FunctionDecl &function) {
  llvm::SmallVector<ir::Initializer, 8> found;
  if (const auto *constructor = dyn_cast<CXXConstructorDecl>(&function))
    for (const CXXCtorInitializer *init : constructor->inits())
      if (init->isWritten())
        found.push_back({symbol(init->getAnyMember()), make(init->getInit(), nullptr)});
  return llvm::ArrayRef(found).copy(allocator);
}

void CodeMap::settle() {
  while (!waiting.empty()) {
    OwnedSymbol *symbol = waiting.back();
    waiting.pop_back();
    if (const auto *record = dyn_cast<CXXRecordDecl>(symbol->origin)) {
      describeRecord(*symbol, *record);
    } else if (const auto *function = dyn_cast<FunctionDecl>(symbol->origin)) {
      if (symbol->definition == symbol) {
        symbol->body = make(function->getBody(), nullptr);
        symbol->initializers = initializersOf(*function);
      }
    } else if (const Expr *init = symbol->isOfSystem ? nullptr : initializerOf(*symbol->origin)) {
      symbol->init = make(init, nullptr);
      symbol->namesDevice = symbol->type && symbol->type->role == TypeRole::Device &&
                            gradtidy::namesDevice(init, vocabulary);
    }
  }
  isMaking = false;
}

/// The types that an instance of a template is made of, without those that are there by default.
static llvm::SmallVector<QualType, 2> argumentsOf(const CXXRecordDecl *record) {
  llvm::SmallVector<QualType, 2> types;
  const auto add = [&](const TemplateArgument &argument) {
    if (argument.getKind() == TemplateArgument::Type)
      types.push_back(argument.getAsType());
  };
  const auto *special = dyn_cast_or_null<ClassTemplateSpecializationDecl>(record);
  if (!special)
    return types;
  const TemplateParameterList &parameters =
      *special->getSpecializedTemplate()->getMostRecentDecl()->getTemplateParameters();
  for (const auto [parameter, argument] :
       llvm::zip(parameters, special->getTemplateArgs().asArray()))
    if (argument.getKind() == TemplateArgument::Pack)
      llvm::for_each(argument.pack_elements(), add);
    else if (const auto *type = dyn_cast<TemplateTypeParmDecl>(parameter);
             type && !type->hasDefaultArgument())
      add(argument);
  return types;
}

const ir::Type *CodeMap::type(QualType type) {
  if (type.isNull())
    return nullptr;
  const auto [entry, isNew] = types.try_emplace(type.getAsOpaquePtr(), nullptr);
  if (!isNew)
    return entry->second;
  ir::Type *result = new (allocator) ir::Type;
  entry->second = result;
  const QualType object = type.getNonReferenceType();
  result->isReference = type->isReferenceType();
  result->isConst = object.isConstQualified();
  result->isPointer = object->isPointerType();
  result->isArray = object->isArrayType();
  result->isArithmetic = object->isArithmeticType();
  result->isInteger = object->isIntegerType();
  result->isBoolean = object->isBooleanType();
  if (object->isIntegerType() && !object->isDependentType())
    result->bits = ast.getIntWidth(object);
  result->isVoid = object->isVoidType();
  result->isDependent = object->isDependentType();
  const auto *enumeration = object->getAs<EnumType>();
  result->isEnumeration = enumeration != nullptr;
  result->isText = isText(type);
  if (enumeration)
    result->name = names.save(enumeration->getDecl()->getName());
  if (!object->isDependentType() || object->isRecordType())
    result->record = symbol(object->getAsCXXRecordDecl());
  if (result->record)
    result->name = result->record->name;
  result->role = vocabulary.roleOf(type);
  result->holdsTensors =
      vocabulary.isTensorList(object) ||
      (result->record && result->record->isStandard && vocabulary.holdsTensors(object));
  result->leadsToTensors = vocabulary.heldIn(type).hasTensors;
  result->leadsToTraining = vocabulary.reachesTraining(type);
  result->pointee = this->type(pointee(object));
  llvm::SmallVector<const ir::Symbol *, 2> modules;
  for (const CXXRecordDecl *module : vocabulary.heldIn(type).modules)
    modules.push_back(symbol(module));
  result->modules = llvm::ArrayRef(modules).copy(allocator);
  llvm::SmallVector<const ir::Type *, 2> arguments;
  for (const QualType argument : argumentsOf(object->getAsCXXRecordDecl()))
    arguments.push_back(this->type(argument));
  result->arguments = llvm::ArrayRef(arguments).copy(allocator);
  return result;
}

void CodeMap::describeRecord(ir::Symbol &symbol, const CXXRecordDecl &record) {
  if (!record.hasDefinition())
    return;
  llvm::SmallVector<const ir::Symbol *, 1> bases;
  for (const CXXBaseSpecifier &base : record.bases())
    if (const CXXRecordDecl *type = base.getType()->getAsCXXRecordDecl())
      bases.push_back(this->symbol(type));
  symbol.bases = llvm::ArrayRef(bases).copy(allocator);
  symbol.isDependent = record.isDependentContext();
  if (!symbol.isStandard)
    symbol.role = vocabulary.roleOf(&record);
  symbol.isStateless = isModule(symbol.role) && vocabulary.isStateless(record);
  symbol.held = this->symbol(vocabulary.heldBy(&record));
  if (symbol.isFramework)
    symbol.rule = vocabulary.ruleOf(&record);
  if (!symbol.isStandard)
    symbol.record = whole(record);
}

/// Whether the method overrides what copies a module.
static bool saysHowToCopy(const CXXMethodDecl &method, const Vocabulary &vocabulary) {
  const auto copies = [&](const CXXMethodDecl *each) {
    return vocabulary.operationOf(each) == Operation::CopyModule;
  };
  return method.size_overridden_methods() > 0 &&
         (copies(&method) || llvm::any_of(method.overridden_methods(), copies));
}

const ir::Class *CodeMap::whole(const CXXRecordDecl &record) {
  ir::Class *result = new (allocator) ir::Class;
  const bool isWhole = isUser(&record);
  llvm::SmallVector<const ir::Symbol *, 8> members;
  for (const FieldDecl *member : record.fields())
    if (isWhole || member->getAccess() == AS_public)
      members.push_back(symbol(member->getCanonicalDecl()));
  result->members = llvm::ArrayRef(members).copy(allocator);
  result->isAbstract = record.isAbstract();
  result->hasOpenBases = llvm::any_of(record.bases(), [](const CXXBaseSpecifier &base) {
    const CXXRecordDecl *type = base.getType()->getAsCXXRecordDecl();
    return !type || !type->hasDefinition();
  });
  llvm::SmallVector<ir::Method, 8> methods;
  for (const CXXMethodDecl *method : record.methods())
    if (isWhole || saysHowToCopy(*method, vocabulary))
      methods.push_back(
          {symbol(method), method->isImplicit() || method->isDefaulted() || method->isDeleted(),
           method->isDefined(), method->getTemplateInstantiationPattern() != nullptr});
  result->methods = llvm::ArrayRef(methods).copy(allocator);
  if (!isWhole)
    return result;
  llvm::SmallVector<const ir::Symbol *, 2> generic;
  for (const Decl *declaration : record.decls())
    if (const auto *pattern = dyn_cast<FunctionTemplateDecl>(declaration)) {
      generic.push_back(symbol(pattern->getTemplatedDecl()));
      for (const FunctionDecl *special : pattern->specializations())
        generic.push_back(symbol(special));
    }
  result->generic = llvm::ArrayRef(generic).copy(allocator);
  llvm::SmallVector<const ir::Symbol *, 4> constructors;
  for (const CXXConstructorDecl *constructor : record.ctors())
    if (!constructor->isCopyOrMoveConstructor() && !constructor->isDeleted())
      constructors.push_back(symbol(constructor));
  result->constructors = llvm::ArrayRef(constructors).copy(allocator);
  result->isDamaged = isDamaged(record);
  result->hasFriends = record.hasFriends();
  return result;
}

const NamedDecl *CodeMap::declaration(const ir::Symbol *symbol) {
  return symbol ? static_cast<const OwnedSymbol *>(symbol)->origin : nullptr;
}

const VarDecl *CodeMap::variable(const ir::Symbol *symbol) {
  return dyn_cast_or_null<VarDecl>(declaration(symbol));
}

const FieldDecl *CodeMap::member(const ir::Symbol *symbol) {
  return dyn_cast_or_null<FieldDecl>(declaration(symbol));
}

const FunctionDecl *CodeMap::function(const ir::Symbol *symbol) {
  return dyn_cast_or_null<FunctionDecl>(declaration(symbol));
}

const CXXRecordDecl *CodeMap::record(const ir::Symbol *symbol) {
  return dyn_cast_or_null<CXXRecordDecl>(declaration(symbol));
}

} // namespace gradtidy
