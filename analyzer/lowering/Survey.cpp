#include "Survey.h"

#include "Placement.h"
#include "analyzer/ir/UserWords.h"
#include "analyzer/lowering/ast/Guards.h"
#include "analyzer/lowering/ast/Memory.h"

#include "clang/AST/ExprCXX.h"

namespace gradtidy {
namespace {

using namespace clang;

class Surveyor {
public:
  Surveyor(const FunctionDecl *function, PathTable &paths, Vocabulary &vocabulary, Values &values)
      : function(function), paths(paths), vocabulary(vocabulary), values(values) {}

  void visit(Stmt *statement);

  Survey found;

private:
  void noteCall(const CallExpr *call);
  void guessRole(const CallExpr *call);
  void noteMove(const CXXMemberCallExpr *call);
  void noteHandedOn(const CallExpr *call);
  void noteGuardFunction(const DeclStmt *declarations);
  void findGuards(const Stmt *statement, llvm::SmallVectorImpl<const VarDecl *> &guards);
  bool asksForDevice(const Stmt *condition);
  bool isTensorOrDevice(const CXXMemberCallExpr *call);
  std::optional<Operand> deviceOfMove(const CXXMemberCallExpr *call);
  bool isPartOfBatch(PathId path) const;

  const FunctionDecl *function;
  PathTable &paths;
  Vocabulary &vocabulary;
  Values &values;
};

/// Where the type of the range is not known (in a template, for want of a header), the parts of
/// the loop that depend on it are not there; without them clang makes no CFG.
void complete(CXXForRangeStmt &loop) {
  if (loop.getBeginStmt())
    return;
  loop.setBeginStmt(loop.getRangeStmt());
  loop.setEndStmt(loop.getRangeStmt());
  loop.setCond(loop.getRangeInit());
  loop.setInc(loop.getRangeInit());
}

bool isBodyOf(const Stmt *statement, const Stmt *child) {
  if (isa<CompoundStmt, SwitchCase, LabelStmt>(statement))
    return true;
  if (const auto *branch = dyn_cast<IfStmt>(statement))
    return child == branch->getThen() || child == branch->getElse();
  if (const auto *loop = dyn_cast<ForStmt>(statement))
    return child == loop->getBody();
  if (const auto *loop = dyn_cast<CXXForRangeStmt>(statement))
    return child == loop->getBody();
  if (const auto *loop = dyn_cast<WhileStmt>(statement))
    return child == loop->getBody();
  const auto *loop = dyn_cast<DoStmt>(statement);
  return loop && child == loop->getBody();
}

void Surveyor::visit(Stmt *statement) {
  if (const auto *call = dyn_cast<CallExpr>(statement))
    noteCall(call);
  if (auto *loop = dyn_cast<CXXForRangeStmt>(statement))
    complete(*loop);
  if (const auto *branch = dyn_cast<IfStmt>(statement); branch && !branch->isConsteval())
    found.asksForDevices |= asksForDevice(branch->getCond());
  if (const auto *choice = dyn_cast<ConditionalOperator>(statement))
    found.asksForDevices |= asksForDevice(choice->getCond());
  if (const auto *declarations = dyn_cast<DeclStmt>(statement))
    noteGuardFunction(declarations);
  if (const auto *handled = dyn_cast<CXXTryStmt>(statement))
    for (unsigned i = 0; i < handled->getNumHandlers(); ++i)
      findGuards(handled->getTryBlock(), found.guardsBefore[handled->getHandler(i)]);
  bool isExpr = isa<Expr>(statement);
  for (Stmt *child : statement->children()) {
    if (!child)
      continue;
    // An expression right below a statement is one by itself, a condition or a value.
    if (const auto *expr = dyn_cast<Expr>(child); expr && !isExpr && isBodyOf(statement, child))
      found.statements.insert(expr->IgnoreImplicit()->IgnoreParens()->IgnoreImplicit());
    visit(child);
  }
}

void Surveyor::noteCall(const CallExpr *call) {
  // What is called but has errors: the call tells more than the callee by itself.
  found.callees.insert(call->getCallee()->IgnoreParenImpCasts());
  if (call->isTypeDependent())
    guessRole(call);
  if (const auto *method = dyn_cast<CXXMemberCallExpr>(call))
    noteMove(method);
  noteHandedOn(call);
  const FunctionDecl *callee = call->getDirectCallee();
  if (callee && call->getNumArgs() && call->getArg(0)->getType()->isPointerType() &&
      vocabulary.operationOf(callee) == Operation::WrapMemory)
    if (const VarDecl *holder = holderOf(call->getArg(0), vocabulary, callee->getASTContext()))
      found.holders.insert(holder);
}

/// The roles of things whose types depend on template parameters, by what is called of them.
void Surveyor::guessRole(const CallExpr *call) {
  const auto *member = dyn_cast<CXXDependentScopeMemberExpr>(call->getCallee());
  const auto *object = member && !member->isImplicitAccess()
                           ? dyn_cast<DeclRefExpr>(strip(member->getBase()))
                           : nullptr;
  if (!object || !object->isTypeDependent())
    return;
  const std::string name = member->getMember().getAsString();
  const Aspects told = vocabulary.aspectsOfMember(name);
  const TypeRole role = told.has(Aspect::TellsModule) || words::isForward(name) ? TypeRole::Module
                        : told.has(Aspect::TellsTensor)                         ? TypeRole::Tensor
                        : told.has(Aspect::TellsOptimizer) ? TypeRole::Optimizer
                                                           : TypeRole::None;
  if (role != TypeRole::None)
    values.setRole(object->getDecl(), role);
}

/// Who moves one part of a batch says that the batch is on the host.
void Surveyor::noteMove(const CXXMemberCallExpr *call) {
  if (found.asksForDevices)
    return; // It may be moved only where it is not there yet.
  const std::optional<Operand> device = deviceOfMove(call);
  const Expr *object = call->getImplicitObjectArgument();
  if (!device || !object || values.roleOf(object) != TypeRole::Tensor)
    return;
  PathId path = values.pathOf(object);
  if (!isPartOfBatch(path))
    return;
  values.addHostBatch(paths.parent(path));
  if (!found.batchDevice)
    found.batchDevice = device;
  else if (found.batchDevice->path != device->path ||
           !(found.batchDevice->device == device->device))
    found.batchDevice = Operand{}; // Several.
}

/// The device to which the call moves something; none if the source does not tell.
std::optional<Operand> Surveyor::deviceOfMove(const CXXMemberCallExpr *call) {
  const FunctionDecl *callee = call->getDirectCallee();
  FunctionRole role = callee ? vocabulary.roleOf(callee) : FunctionRole::None;
  if (role != FunctionRole::Move && role != FunctionRole::MoveToCuda)
    return std::nullopt;
  Operand device{.device = {role == FunctionRole::MoveToCuda ? Device::Cuda : Device::Unknown}};
  for (const Expr *argument : call->arguments()) {
    Operand operand = values.operand(argument);
    if (operand.role == TypeRole::Device &&
        (operand.device.kind == Device::Cuda || isChosenDevice(operand, vocabulary)))
      device = operand;
  }
  bool isTold = device.path || device.device.isKnown();
  return isTold ? std::optional(device) : std::nullopt;
}

bool Surveyor::isPartOfBatch(PathId path) const {
  const PathStep &last = paths.last(path);
  return (last.kind == PathStep::Element && last.index >= 0) ||
         (last.kind == PathStep::Member && paths.last(paths.rootOf(path)).kind != PathStep::This);
}

/// The list of which the expression is an element, or null.
static const Expr *listOf(const Expr *element) {
  if (const auto *subscript = dyn_cast<ArraySubscriptExpr>(element))
    return subscript->getBase();
  const auto *call = dyn_cast<CXXOperatorCallExpr>(element);
  return call && call->getOperator() == OO_Subscript ? call->getArg(0) : nullptr;
}

/// `std::move(values)`, `values.swap(others)`, `std::move(rows[i])`, `values.release()`: what the
/// variable holds may live on elsewhere.
void Surveyor::noteHandedOn(const CallExpr *call) {
  const StringRef name = simpleName(call->getDirectCallee());
  if (name != "move" && name != "swap" && name != "release")
    return;
  for (const Stmt *part : call->children()) {
    if (const auto *member = dyn_cast<MemberExpr>(part))
      part = member->getBase();
    const Expr *whole = strip(cast<Expr>(part));
    while (const Expr *list = listOf(whole))
      whole = strip(list);
    if (const auto *reference = dyn_cast<DeclRefExpr>(whole))
      found.handedOn.insert(reference->getDecl());
  }
}

void Surveyor::noteGuardFunction(const DeclStmt *declarations) {
  if (!declarations->isSingleDecl())
    return;
  if (const auto *declared = dyn_cast<FunctionDecl>(declarations->getSingleDecl());
      declared && isGuard(vocabulary.roleOf(declared->getReturnType())))
    found.guardFunctions.push_back(declarations);
}

/// The guards an exception may leave; no destructor stands on its way in the CFG.
void Surveyor::findGuards(const Stmt *statement, llvm::SmallVectorImpl<const VarDecl *> &guards) {
  if (const auto *declarations = dyn_cast<DeclStmt>(statement))
    for (const Decl *declaration : declarations->decls())
      if (const auto *variable = dyn_cast<VarDecl>(declaration);
          variable && (isGuard(vocabulary.roleOf(variable->getType())) ||
                       guardMemberOf(variable->getType(), vocabulary)))
        guards.push_back(variable);
  for (const Stmt *child : statement->children())
    if (child && !isa<LambdaExpr>(child))
      findGuards(child, guards);
}

/// Whether a condition asks where a tensor is.
bool Surveyor::asksForDevice(const Stmt *condition) {
  const auto *call = dyn_cast<CXXMemberCallExpr>(condition);
  const auto *expr = dyn_cast<Expr>(condition);
  const bool asksForPlaceOf = call && asksForPlace(*call, vocabulary) && isTensorOrDevice(call);
  const bool asksForType = call &&
                           vocabulary.is(call->getDirectCallee(), {Aspect::TellsDeviceKind}) &&
                           values.roleOf(call->getImplicitObjectArgument()) == TypeRole::Device;
  found.asksForPlaces |= asksForPlaceOf || asksForType;
  return asksForPlaceOf || (expr && asksForGpu(expr, function, vocabulary)) ||
         llvm::any_of(condition->children(),
                      [&](const Stmt *child) { return child && asksForDevice(child); });
}

bool Surveyor::isTensorOrDevice(const CXXMemberCallExpr *call) {
  TypeRole role = values.roleOf(call->getImplicitObjectArgument());
  return role == TypeRole::Tensor || role == TypeRole::Device;
}

} // namespace

Survey surveyBody(clang::Stmt *body, const clang::FunctionDecl *function, PathTable &paths,
                  Vocabulary &vocabulary, Values &values) {
  Surveyor surveyor(function, paths, vocabulary, values);
  if (const auto *constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(function))
    for (const clang::CXXCtorInitializer *member : constructor->inits())
      surveyor.visit(member->getInit());
  surveyor.visit(body);
  return std::move(surveyor.found);
}

} // namespace gradtidy
