#include "KernelLaunches.h"

#include "analyzer/events/values/Syntax.h"
#include "analyzer/events/values/Values.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace gradtidy {
namespace {

class CareReader {
public:
  CareReader(const FunctionCode &function, Vocabulary &vocabulary)
      : function(function), vocabulary(vocabulary) {}

  KernelCare read();

private:
  void visit(const Stmt *statement);
  void noteCall(const CallExpr &call);
  void noteVariable(const VarDecl &variable);
  void noteLaunch(const CUDAKernelCallExpr &call);
  KernelLaunch launchBy(const CallExpr &call) const;
  const Expr *memoryIn(const Stmt *argument, unsigned depth = 0) const;
  std::optional<RawPointer> rawPointer(const Expr &pointer) const;
  bool isSettled(const VarDecl &tensor) const;

  bool isTensor(const Expr *expr) const {
    return expr && vocabulary.roleOf(expr->getType()) == TypeRole::Tensor;
  }

  const FunctionCode &function;
  Vocabulary &vocabulary;
  KernelCare care;
};

bool namesLayout(llvm::StringRef name) {
  return name.contains_insensitive("contiguous") || name == "stride" || name == "strides" ||
         name == "is_non_overlapping_and_dense" || name == "suggest_memory_format";
}

/// The name of what \p call calls, which need not be declared: macros of missing headers look like
/// functions.
llvm::StringRef calledName(const CallExpr &call) {
  if (const FunctionDecl *callee = call.getDirectCallee())
    return simpleName(callee);
  const Expr *callee = call.getCallee()->IgnoreParenImpCasts();
  const IdentifierInfo *name = nullptr;
  if (const auto *reference = dyn_cast<DeclRefExpr>(callee))
    name = reference->getDecl()->getIdentifier();
  else if (const auto *lookup = dyn_cast<OverloadExpr>(callee))
    name = lookup->getName().getAsIdentifierInfo();
  return name ? name->getName() : llvm::StringRef();
}

/// Whether \p call is of a function that checks a tensor, or leaves to it what to do with that.
bool checks(const CallExpr &call) { return calledName(call).contains_insensitive("check"); }

/// `CUDA_KERNEL_CHECK()`, `cudaCheckError()`, `getLastCudaError(…)`
bool asksForErrors(llvm::StringRef name) {
  const auto has = [&](llvm::StringRef part) { return name.contains_insensitive(part); };
  return (has("check") && (has("cuda") || has("launch") || has("kernel") || has("error"))) ||
         (has("last") && has("error"));
}

KernelCare CareReader::read() {
  forEach(function.body, [&](const Stmt *statement) { visit(statement); });
  return std::move(care);
}

void CareReader::visit(const Stmt *statement) {
  if (const auto *launch = dyn_cast<CUDAKernelCallExpr>(statement))
    noteLaunch(*launch);
  if (const auto *call = dyn_cast<CallExpr>(statement))
    noteCall(*call);
  // Of a macro that is not there, nothing else is left.
  if (const auto *lookup = dyn_cast<OverloadExpr>(statement))
    if (const IdentifierInfo *name = lookup->getName().getAsIdentifierInfo();
        name && asksForErrors(name->getName()))
      care.asksForErrors = care.asksLast = true;
  if (const auto *declarations = dyn_cast<DeclStmt>(statement))
    for (const Decl *declaration : declarations->decls())
      if (const auto *variable = dyn_cast<VarDecl>(declaration))
        noteVariable(*variable);
}

void CareReader::noteCall(const CallExpr &call) {
  if (asksForErrors(calledName(call)))
    care.asksForErrors = care.asksLast = true;
  const FunctionDecl *callee = call.getDirectCallee();
  if (!callee)
    return;
  const Trait trait = vocabulary.traitOf(callee);
  care.choosesDevice |= trait == Trait::ChoosesDevice;
  // Whoever waits for the GPU and looks at what that gives is told, too.
  const bool asks = trait == Trait::AsksForErrors ||
                    (vocabulary.operationOf(callee) == Operation::Synchronize &&
                     !call.getType()->isVoidType() && !function.expressionStatementOf(&call));
  if (asks)
    care.asksForErrors = care.asksLast = true;
  const auto isPointer = [](const ParmVarDecl *parameter) {
    return parameter->getType()->isPointerType();
  };
  if (function.map.symbol(callee)->isUser && !isa<CUDAKernelCallExpr>(call) &&
      llvm::any_of(callee->parameters(), isPointer))
    if (KernelLaunch launch = launchBy(call); launch.isOnTensors) {
      launch.configuration = launch.call;
      care.calls.push_back(std::move(launch));
    }
  care.asksForLayout |= namesLayout(simpleName(callee)) ||
                        (checks(call) && llvm::any_of(call.arguments(), [&](const Expr *argument) {
                           return isTensor(argument);
                         }));
}

/// A class that is called a guard, and says nothing of gradients, may be one of devices.
void CareReader::noteVariable(const VarDecl &variable) {
  const CXXRecordDecl *record = variable.getType()->getAsCXXRecordDecl();
  care.choosesDevice |=
      record && record->getIdentifier() &&
      (vocabulary.traitOf(record) == Trait::ChoosesDevice ||
       (record->getName().ends_with("Guard") && vocabulary.traitOf(record) != Trait::GradGuard));
}

/// Whether \p argument is missing, or names the stream that is there without any.
bool isDefaultStream(const Expr *argument) {
  const Expr *value = argument->IgnoreParenCasts();
  const auto *number = dyn_cast<IntegerLiteral>(value);
  return isa<CXXDefaultArgExpr, CXXNullPtrLiteralExpr, GNUNullExpr>(value) ||
         (number && number->getValue() == 0);
}

/// What the kernel, or the function, that \p call runs gets of the memory of tensors.
KernelLaunch CareReader::launchBy(const CallExpr &call) const {
  KernelLaunch launch;
  launch.call = function.map.node(&call);
  llvm::SmallPtrSet<const ir::Symbol *, 4> seen;
  for (const Expr *argument : call.arguments()) {
    const Expr *memory = memoryIn(argument);
    launch.isOnTensors |= memory != nullptr;
    if (const VarDecl *variable = variableOf(strip(argument));
        variable && isa<ParmVarDecl>(variable) && variable->getType()->isPointerType())
      launch.handedOn.push_back(function.map.symbol(variable));
    if (const auto raw = memory ? rawPointer(*memory) : std::nullopt;
        raw && (!raw->tensor || seen.insert(raw->tensor).second))
      launch.pointers.push_back(*raw);
  }
  return launch;
}

void CareReader::noteLaunch(const CUDAKernelCallExpr &call) {
  KernelLaunch launch = launchBy(call);
  if (!launch.isOnTensors && launch.handedOn.empty())
    return;
  const CallExpr *configuration = call.getConfig();
  launch.configuration = function.map.node(configuration);
  launch.isOnDefaultStream =
      configuration->getNumArgs() < 4 || isDefaultStream(configuration->getArg(3));
  care.launches.push_back(std::move(launch));
  care.asksLast = false;
}

/// What gives the memory of a tensor in \p argument, or in what the variable that it names begins
/// with: a pointer, or an accessor, which knows sizes and strides.
const Expr *CareReader::memoryIn(const Stmt *argument, unsigned depth) const {
  const auto *call = dyn_cast<CallExpr>(argument);
  if (call && isTensor(objectOf(call))) {
    const CXXRecordDecl *record = call->getType()->getAsCXXRecordDecl();
    return call->getType()->isPointerType() ||
                   (record && record->getIdentifier() && record->getName().contains("Accessor"))
               ? call
               : nullptr;
  }
  const auto *reference = dyn_cast<DeclRefExpr>(argument);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (variable && variable->hasLocalStorage() && variable->hasInit() && depth == 0)
    return memoryIn(variable->getInit(), depth + 1);
  for (const Stmt *child : argument->children())
    if (const Expr *memory = child ? memoryIn(child, depth) : nullptr)
      return memory;
  return nullptr;
}

std::optional<RawPointer> CareReader::rawPointer(const Expr &pointer) const {
  if (!pointer.getType()->isPointerType())
    return std::nullopt;
  RawPointer raw;
  raw.pointer = function.map.node(&pointer);
  const Expr *tensor = objectOf(cast<CallExpr>(&pointer));
  for (unsigned depth = 0; tensor && depth < 4; ++depth) {
    tensor = originalOf(strip(tensor));
    if (const auto *call = dyn_cast<CallExpr>(tensor)) {
      const FunctionDecl *callee = call->getDirectCallee();
      if (!callee || vocabulary.operationOf(callee) != Operation::Permute)
        return std::nullopt;
      raw.rearranged = function.map.node(call);
      return raw;
    }
    const VarDecl *variable = variableOf(tensor);
    if (!variable || isSettled(*variable))
      return std::nullopt;
    if (!raw.tensor)
      raw.tensor = function.map.symbol(variable);
    if (isa<ParmVarDecl>(variable))
      return raw;
    tensor = variable->hasLocalStorage() ? variable->getInit() : nullptr;
  }
  return std::nullopt;
}

/// Whether the function knows how \p tensor lies in memory: it asks, checks, or assigns another.
bool CareReader::isSettled(const VarDecl &tensor) const {
  bool isSettled = false;
  const auto names = [&](const Expr *expr) { return expr && variableOf(expr) == &tensor; };
  forEach(function.body, [&](const Stmt *statement) {
    const auto *call = dyn_cast<CallExpr>(statement);
    if (!call)
      return;
    const auto *operation = dyn_cast<CXXOperatorCallExpr>(call);
    isSettled |= (names(objectOf(call)) && namesLayout(simpleName(call->getDirectCallee()))) ||
                 (operation && operation->getOperator() == OO_Equal && names(operation->getArg(0)));
    const bool isAsked = checks(*call) || namesLayout(simpleName(call->getDirectCallee()));
    isSettled |= isAsked && llvm::any_of(call->arguments(), names);
  });
  return isSettled;
}

} // namespace

KernelCare kernelCareOf(const FunctionCode &function, Vocabulary &vocabulary) {
  return CareReader(function, vocabulary).read();
}

} // namespace gradtidy
