#include "Placement.h"

#include "Conditions.h"
#include "analyzer/ir/UserWords.h"
#include "analyzer/lowering/ast/Syntax.h"

#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {

using namespace clang;

/// What a device is made of, as written, or null.
static const Expr *spelledDevice(const Operand &operand) {
  const Expr *expr = operand.expr ? strip(CodeMap::expr(operand.expr)) : nullptr;
  while (const auto *construct = dyn_cast_or_null<CXXConstructExpr>(expr))
    expr = construct->getNumArgs() ? strip(construct->getArg(0)) : nullptr;
  return expr;
}

namespace {

/// The devices that a text may name: `"cuda:1"`, `isGpu ? "cuda" : "cpu"`, a variable that is given
/// such texts.
class NamedDevices {
public:
  void add(const Expr *text);

  /// What they have in common; \p choice where they differ and one is a GPU, or where the text is
  /// all that is known: whoever asks for a name leaves the choice to others.
  Device common(Device choice) const;

private:
  void addVariable(const VarDecl *variable);

  llvm::SmallVector<Device, 2> named;
  llvm::SmallPtrSet<const VarDecl *, 2> variables;
  bool isOpen = false;   ///< It may be another text, too.
  bool isChosen = false; ///< Something that no caller leaves out says so: `argv[1]`.
};

void NamedDevices::add(const Expr *text) {
  text = strip(text);
  if (const auto *construct = dyn_cast<CXXConstructExpr>(text)) {
    if (construct->getNumArgs() > 0) // Of the empty text no device is made.
      add(construct->getArg(0));
  } else if (const auto *choice = dyn_cast<ConditionalOperator>(text)) {
    add(choice->getTrueExpr());
    add(choice->getFalseExpr());
  } else if (const auto *literal = dyn_cast<StringLiteral>(text);
             literal && literal->isOrdinary()) {
    StringRef name = literal->getString();
    Device device{name == "cpu"                ? Device::Cpu
                  : name.consume_front("cuda") ? Device::Cuda
                                               : Device::Unknown};
    if (unsigned index = 0; name.consume_front(":") && !name.getAsInteger(10, index))
      device.id = index;
    named.push_back(device);
  } else if (const auto *reference = dyn_cast<DeclRefExpr>(text);
             reference && isa<VarDecl>(reference->getDecl())) {
    addVariable(cast<VarDecl>(reference->getDecl()));
  } else {
    isOpen = isChosen = true;
  }
}

void NamedDevices::addVariable(const VarDecl *variable) {
  const auto *function = dyn_cast<FunctionDecl>(variable->getDeclContext());
  const bool isConstant = variable->getType().isConstQualified();
  if (!variables.insert(variable).second)
    return;
  if (isa<ParmVarDecl>(variable) || (!function && !isConstant))
    isOpen = true;
  if (variable->getInit())
    add(variable->getInit());
  if (!function || isConstant)
    return;
  forEach(function->getBody(), [&](const Stmt *statement) {
    const auto *expr = dyn_cast<Expr>(statement);
    const std::optional<Assigned> assigned = expr ? asAssignment(expr) : std::nullopt;
    const auto *target = assigned ? dyn_cast<DeclRefExpr>(strip(assigned->target)) : nullptr;
    if (target && target->getDecl() == variable)
      add(assigned->value);
  });
}

Device NamedDevices::common(Device choice) const {
  const auto isGpu = [](Device device) { return device.kind == Device::Cuda; };
  if (!named.empty() && !isOpen && llvm::all_equal(named))
    return named.front();
  return isChosen || named.empty() || llvm::any_of(named, isGpu) ? choice : Device();
}

/// Whether it is a `std::string`, or characters.
bool isText(const Expr &expr) {
  const QualType type = expr.getType();
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record ? isStandard(record) && record->getName().starts_with("basic_string")
                : type->isPointerType() && type->getPointeeType()->isAnyCharacterType();
}

} // namespace

void readDevice(Operand &operand, PathId made) {
  const Expr *expr = spelledDevice(operand);
  if (const auto *integer = dyn_cast_or_null<IntegerLiteral>(expr))
    operand.device = {Device::Unknown,
                      static_cast<PathId>(integer->getValue().getLimitedValue(255))};
  if (!expr || operand.device.isKnown() || !(isa<StringLiteral>(expr) || isText(*expr)))
    return;
  NamedDevices named;
  named.add(expr);
  if (const Device device = named.common({Device::Symbol, made}); device.isKnown())
    operand.device = device;
}

/// Whether \p function gives the device, or the options, of something.
static bool givesDevice(const FunctionDecl *function, Vocabulary &vocabulary) {
  return vocabulary.is(function, {Aspect::TellsDevice, Aspect::TellsOptions}) ||
         (function && !vocabulary.isFramework(function) &&
          words::givesDevice(simpleName(function)));
}

bool isChosenDevice(const Operand &operand, Vocabulary &vocabulary) {
  const Expr *expr = spelledDevice(operand);
  const bool isType = expr && expr->getType()->isEnumeralType() &&
                      vocabulary.roleOf(expr->getType()) != TypeRole::Device;
  if (!expr || isType || operand.device.kind == Device::Cpu)
    return false;
  const auto *call = dyn_cast<CXXMemberCallExpr>(expr);
  return isa<DeclRefExpr, MemberExpr>(expr) ||
         (call && givesDevice(call->getDirectCallee(), vocabulary));
}

bool mentionsGpu(const Event &event, Vocabulary &vocabulary) {
  return llvm::any_of(event.operands, [&](const Operand &operand) {
    return operand.device.kind == Device::Cuda || operand.device.kind == Device::Symbol ||
           (operand.role == TypeRole::Device && isChosenDevice(operand, vocabulary));
  });
}

bool mayMoveTensors(QualType type, Vocabulary &vocabulary) {
  if (QualType inner = pointee(type); !inner.isNull())
    return mayMoveTensors(inner, vocabulary);
  const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  if (!record)
    return false;
  if (!vocabulary.isFramework(record) && !isStandard(record)) {
    for (const CXXMethodDecl *method : record->methods())
      if (const FunctionDecl *body = method->getDefinition())
        if (namesDevice(body->getBody(), vocabulary))
          return true;
    return llvm::any_of(record->fields(), [&](const FieldDecl *field) {
      return vocabulary.roleOf(field->getType()) == TypeRole::Device;
    });
  }
  const auto *special = dyn_cast<ClassTemplateSpecializationDecl>(record);
  return special && llvm::any_of(special->getTemplateArgs().asArray(), [&](const auto &argument) {
           return argument.getKind() == TemplateArgument::Type &&
                  mayMoveTensors(argument.getAsType(), vocabulary);
         });
}

namespace {

/// Looks for the first thing that is done to a tensor, in the order in which it is done.
class FirstUse {
public:
  FirstUse(Vocabulary &vocabulary, Values &values) : vocabulary(vocabulary), values(values) {}

  /// Whether that is a move; nothing if \p statement does not mention \p variable.
  std::optional<bool> isMove(const Stmt *statement, const VarDecl *variable, unsigned depth = 0);

private:
  static constexpr unsigned maxDepth = 3; ///< How many calls the tensor is followed through.

  std::optional<bool> isMoveOfObject(const CXXMemberCallExpr *call, const VarDecl *variable,
                                     unsigned depth);

  Vocabulary &vocabulary;
  Values &values;
};

std::optional<bool> FirstUse::isMove(const Stmt *statement, const VarDecl *variable,
                                     unsigned depth) {
  if (const auto *reference = dyn_cast<DeclRefExpr>(statement))
    return reference->getDecl() == variable ? std::optional(false) : std::nullopt;
  if (const auto *expr = dyn_cast<Expr>(statement))
    if (std::optional<Assigned> assigned = asAssignment(expr)) {
      std::optional<bool> answer = isMove(assigned->value, variable, depth);
      return answer ? answer : isMove(assigned->target, variable, depth);
    }
  if (const auto *handed = dyn_cast<CallExpr>(statement); handed && depth < maxDepth)
    for (unsigned i = 0; i < handed->getNumArgs(); ++i) {
      const auto *argument =
          dyn_cast<DeclRefExpr>(handed->getArg(i)->IgnoreUnlessSpelledInSource());
      const FunctionDecl *body = handed->getDirectCallee();
      if (argument && argument->getDecl() == variable && body && !values.isExternal(body) &&
          body->hasBody(body) && i < body->getNumParams() && !isa<CXXOperatorCallExpr>(handed))
        return isMove(body->getBody(), body->getParamDecl(i), depth + 1);
    }
  const auto *call = dyn_cast<CXXMemberCallExpr>(statement);
  const auto *object =
      call ? dyn_cast<DeclRefExpr>(strip(call->getImplicitObjectArgument())) : nullptr;
  if (object && object->getDecl() == variable && call->getMethodDecl())
    return isMoveOfObject(call, variable, depth);
  for (const Stmt *child : statement->children())
    if (std::optional<bool> answer = child ? isMove(child, variable, depth) : std::nullopt)
      return answer;
  return std::nullopt;
}

/// The same for a call of a method of the tensor.
std::optional<bool> FirstUse::isMoveOfObject(const CXXMemberCallExpr *call, const VarDecl *variable,
                                             unsigned depth) {
  const FunctionRole role = vocabulary.roleOf(call->getMethodDecl());
  const auto namesPlace = [&](const Expr *argument) {
    const TypeRole named = vocabulary.roleOf(argument->getType());
    return named == TypeRole::Device || named == TypeRole::Tensor;
  };
  if (role != FunctionRole::Attribute && role != FunctionRole::Defined)
    return role == FunctionRole::MoveToCpu || role == FunctionRole::MoveToCuda ||
           (role == FunctionRole::Move && llvm::any_of(call->arguments(), namesPlace));
  for (const Expr *argument : call->arguments())
    if (std::optional<bool> answer = isMove(argument, variable, depth))
      return answer;
  return std::nullopt;
}

} // namespace

std::optional<bool> movesFirst(const Stmt *body, const VarDecl *tensor, Vocabulary &vocabulary,
                               Values &values) {
  return FirstUse(vocabulary, values).isMove(body, tensor);
}

/// Whether \p expr is \p whole or a part of it, be it by another name: `state.first`,
/// `std::get<0>(state)`, `auto [h, c] = state`.
static bool isPartOf(const Expr *expr, const VarDecl *whole, unsigned depth = 0) {
  expr = strip(expr);
  if (depth > 4)
    return false;
  if (const auto *reference = dyn_cast<DeclRefExpr>(expr)) {
    const ValueDecl *named = reference->getDecl();
    if (const auto *binding = dyn_cast<BindingDecl>(named))
      named = binding->getDecomposedDecl();
    const auto *variable = dyn_cast<VarDecl>(named);
    return named == whole || (variable && !isa<ParmVarDecl>(variable) && variable->hasInit() &&
                              isPartOf(variable->getInit(), whole, depth + 1));
  }
  if (const auto *member = dyn_cast<MemberExpr>(expr))
    return isPartOf(member->getBase(), whole, depth + 1);
  const auto *call = dyn_cast<CallExpr>(expr);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  const Expr *object = callee && isStandard(callee) ? objectOf(call) : nullptr;
  if (callee && !object && isStandard(callee) && simpleName(callee) == "get")
    object = call->getArg(0);
  return object && isPartOf(object, whole, depth + 1);
}

bool meetsTensors(const Stmt *body, const VarDecl *tensor, Vocabulary &vocabulary) {
  const auto isIt = [&](const Expr *argument) { return isPartOf(argument, tensor); };
  const auto isOther = [&](const Expr *argument) {
    return vocabulary.roleOf(strip(argument)->getType()) == TypeRole::Tensor && !isIt(argument);
  };
  bool isFound = false;
  forEach(body, [&](const Stmt *statement) {
    const auto *call = dyn_cast<CallExpr>(statement);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!callee || !vocabulary.isFramework(callee))
      return;
    const FunctionRole role = vocabulary.roleOf(callee);
    llvm::SmallVector<const Expr *, 4> taken(call->arguments());
    if (const auto *method = dyn_cast<CXXMemberCallExpr>(call))
      taken.push_back(method->getImplicitObjectArgument());
    isFound |= (role == FunctionRole::None || role == FunctionRole::Reduce ||
                role == FunctionRole::NonDifferentiable) &&
               llvm::any_of(taken, isIt) && llvm::any_of(taken, isOther);
  });
  return isFound;
}

bool movesItself(const Stmt *body, Vocabulary &vocabulary, unsigned depth) {
  const auto *call = dyn_cast<CXXMemberCallExpr>(body);
  const CXXMethodDecl *method = call ? call->getMethodDecl() : nullptr;
  if (method && vocabulary.roleOf(method) == FunctionRole::Move &&
      isModule(vocabulary.roleOf(call->getObjectType())))
    return llvm::any_of(call->arguments(), [&](const Expr *argument) {
      const auto *place = dyn_cast<CXXMemberCallExpr>(strip(argument));
      return place && vocabulary.is(place->getDirectCallee(), {Aspect::TellsDevice});
    });
  const FunctionDecl *called = method;
  if (method && isa<CXXThisExpr>(strip(call->getImplicitObjectArgument())) && depth < 2 &&
      called->hasBody(called) && movesItself(called->getBody(), vocabulary, depth + 1))
    return true;
  return llvm::any_of(body->children(), [&](const Stmt *child) {
    return child && movesItself(child, vocabulary, depth);
  });
}

bool asksForPlace(const CXXMemberCallExpr &call, Vocabulary &vocabulary) {
  return vocabulary.is(call.getDirectCallee(),
                       {Aspect::TellsCuda, Aspect::TellsCpu, Aspect::TellsDevice});
}

static const Expr *withoutConversions(const Expr *expr) {
  expr = strip(expr);
  while (const auto *construct = dyn_cast<CXXConstructExpr>(expr)) {
    if (construct->getNumArgs() == 0)
      break;
    expr = strip(construct->getArg(0));
  }
  return expr;
}

/// The kind of device that \p expr names: `kCUDA`, `kCPU`; or None.
static DeviceRole kindNamedBy(const Expr *expr, const Vocabulary &vocabulary) {
  const auto *reference = dyn_cast<DeclRefExpr>(withoutConversions(expr));
  return reference ? vocabulary.deviceOf(reference->getDecl()) : DeviceRole::None;
}

/// A device that somebody has chosen, or its kind.
static bool isChoice(const Expr *expr, Vocabulary &vocabulary) {
  expr = withoutConversions(expr);
  if (const auto *call = dyn_cast<CXXMemberCallExpr>(expr);
      call && vocabulary.is(call->getDirectCallee(), {Aspect::TellsDeviceKind}))
    expr = strip(call->getImplicitObjectArgument());
  return isa<DeclRefExpr, MemberExpr>(expr) && kindNamedBy(expr, vocabulary) == DeviceRole::None &&
         vocabulary.roleOf(expr->getType()) == TypeRole::Device;
}

/// `device == torch::kCUDA`, `device.is_cuda()`: the run uses a GPU; the same of the CPU.
static bool asksForChoice(const Expr *expr, DeviceRole kind, Vocabulary &vocabulary) {
  if (const auto *call = dyn_cast<CXXMemberCallExpr>(expr))
    return vocabulary.is(call->getDirectCallee(),
                         {kind == DeviceRole::Cuda ? Aspect::TellsCuda : Aspect::TellsCpu}) &&
           isChoice(call->getImplicitObjectArgument(), vocabulary);
  const Expr *left = nullptr, *right = nullptr;
  if (const auto *comparison = dyn_cast<BinaryOperator>(expr);
      comparison && comparison->getOpcode() == BO_EQ) {
    left = comparison->getLHS();
    right = comparison->getRHS();
  } else if (const auto *call = dyn_cast<CXXOperatorCallExpr>(expr);
             call && call->getOperator() == OO_EqualEqual && call->getNumArgs() == 2) {
    left = call->getArg(0);
    right = call->getArg(1);
  }
  return left && ((kindNamedBy(right, vocabulary) == kind && isChoice(left, vocabulary)) ||
                  (kindNamedBy(left, vocabulary) == kind && isChoice(right, vocabulary)));
}

bool asksForHost(const Expr *expr, Vocabulary &vocabulary) {
  return asksForChoice(strip(expr), DeviceRole::Cpu, vocabulary);
}

bool asksForGpu(const Expr *expr, const FunctionDecl *function, Vocabulary &vocabulary) {
  expr = strip(expr);
  if (asksForChoice(expr, DeviceRole::Cuda, vocabulary))
    return true;
  if (const auto *call = dyn_cast<CallExpr>(expr))
    return call->getDirectCallee() &&
           vocabulary.traitOf(call->getDirectCallee()) == Trait::AsksForGpu;
  const auto *reference = dyn_cast<DeclRefExpr>(expr);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return variable && variable->isLocalVarDecl() && variable->hasInit() &&
         asksForGpu(variable->getInit(), function, vocabulary) &&
         isOnlyRead(function->getBody(), variable);
}

} // namespace gradtidy
