// Constructions of objects.
#include "FunctionLowering.h"
#include "Placement.h"
#include "analyzer/idioms/HandleLists.h"
#include "analyzer/idioms/ListChanges.h"
#include "analyzer/idioms/Temporaries.h"

namespace gradtidy {

using namespace clang;

/// Whether the object looks over a list that it is made of, or keeps a pointer that it is made
/// with.
static bool leadsIntoArgument(const CXXConstructExpr &construct, const Vocabulary &vocabulary) {
  const CXXRecordDecl *record = construct.getConstructor()->getParent();
  if (construct.getNumArgs() == 0)
    return false;
  if (vocabulary.traitOf(record) == Trait::ViewsElements) {
    const Expr *list = construct.getArg(0)->IgnoreParenImpCasts();
    const CXXRecordDecl *held = list->getType()->getAsCXXRecordDecl();
    return list->getType()->isPointerType() || (held && list->isLValue() && isStandard(held) &&
                                                vocabulary.traitOf(held) == Trait::OwnsElements);
  }
  const bool takesPointer = llvm::any_of(construct.arguments(), [](const Expr *argument) {
    const QualType pointee = argument->getType()->getPointeeType();
    return argument->getType()->isPointerType() &&
           (pointee->isVoidType() || pointee->isArithmeticType());
  });
  if (!takesPointer || !record->hasDefinition())
    return false;
  // What has nothing to free does not own what its pointers lead to.
  const auto keepsPointer = [](const FieldDecl *field) {
    return field->getType()->isPointerType();
  };
  const bool isOfImages = !isStandard(record) && vocabulary.traitOf(record) == Trait::OwnsElements;
  return isOfImages ||
         (record->hasTrivialDestructor() && llvm::any_of(record->fields(), keepsPointer));
}

void FunctionLowering::lowerConstruct(const CXXConstructExpr *construct) {
  if (values.forwarded(construct))
    return;
  const CXXConstructorDecl *constructor = construct->getConstructor();
  const Expressions arguments(construct->getArgs(), construct->getNumArgs());
  if (isOfParts(*constructor->getParent(), arguments))
    return bindElements(construct, arguments);
  TypeRole role = vocabulary.roleOf(construct->getType());
  // A default constructor that nobody wrote may still have members to initialise.
  bool isTrivial = constructor->isDefaulted() &&
                   !(constructor->isDefaultConstructor() && constructor->hasBody());
  bool external = values.isExternal(constructor) || isTrivial;
  const CXXConstructorDecl *user = external ? nullptr : constructor;
  if (role == TypeRole::ModuleHolder)
    user = constructorOf(construct->getType()->getAsCXXRecordDecl(), arguments);
  Event event = make(user ? EventKind::Call : EventKind::Construct, construct);
  // What a base is made of, and what another constructor makes, is the object itself.
  const bool isOfThis =
      user && construct->getConstructionKind() != clang::CXXConstructionKind::Complete;
  event.subject = {isOfThis ? values.thisObject() : values.temporary(construct), role};
  event.result = event.subject.path;
  event.callee = symbol(user);
  event.isTensor = vocabulary.holdsTensors(construct->getType());
  const Operation operation = vocabulary.operationOf(constructor->getParent());
  if (operation == Operation::ChooseStream)
    event.operation = operation;
  if (operation == Operation::DetectAnomaly) {
    event.operation = operation;
    event.constant = true;
  }
  event.startsThread = isThread(construct->getType());
  addArguments(event, constructor, arguments);
  if (role == TypeRole::Device)
    for (Operand &operand : event.operands)
      readDevice(operand, event.result);
  event.details.change()->sharedChange = changeOfShared(*node(construct), *result);
  markConstruction(event, construct->getType(), arguments);
  event.listChange = madeList(*node(construct));
  event.leadsIn = leadsIntoArgument(*construct, vocabulary);
  if (!isText(construct->getType())) // `std::ifstream file(name)`
    markTexts(event);
  const bool startsThread = event.startsThread;
  current->events.push_back(std::move(event));
  if (startsThread)
    startMethod(construct, arguments);
}

void FunctionLowering::startMethod(const Expr *site, Expressions arguments) {
  if (!arguments.empty() && arguments.front()->getType()->isEnumeralType())
    arguments = arguments.drop_front(); // `std::async(std::launch::async, …)`
  const auto *reference =
      arguments.size() > 1 ? dyn_cast<DeclRefExpr>(strip(arguments.front())) : nullptr;
  const auto *method = reference ? dyn_cast<CXXMethodDecl>(reference->getDecl()) : nullptr;
  if (!method || method->isStatic() || values.isExternal(method))
    return;
  Event event = make(EventKind::Call, site);
  event.callee = symbol(method);
  event.isVirtual = method->isVirtual();
  event.startsThread = true;
  event.subject = values.operand(arguments[1]);
  for (const Expr *argument : arguments.drop_front(2))
    event.operands.push_back(values.operand(argument));
  current->events.push_back(std::move(event));
}

void FunctionLowering::lowerUnresolved(const CXXUnresolvedConstructExpr *construct) {
  Event &event = emit(EventKind::Construct, construct);
  event.subject = {values.temporary(construct), values.roleOf(construct)};
  event.result = event.subject.path;
  for (const Expr *argument : construct->arguments())
    event.operands.push_back(values.operand(argument));
}

bool FunctionLowering::isOfParts(const CXXRecordDecl &record, Expressions arguments) {
  if (!isStandard(&record) || arguments.size() < 2)
    return false;
  const auto *tag = arguments[0]->getType()->getAsCXXRecordDecl();
  const StringRef name = record.getName(), first = tag ? tag->getName() : StringRef();
  const auto isTensor = [&](const Expr *part) { return values.roleOf(part) == TypeRole::Tensor; };
  const auto isPlain = [&](const Expr *part) { return !isModule(values.roleOf(part)); };
  return (name == "pair" || name == "tuple") && first != "piecewise_construct_t" &&
         first != "allocator_arg_t" && llvm::any_of(arguments, isTensor) &&
         llvm::all_of(arguments, isPlain);
}

const CXXConstructorDecl *FunctionLowering::constructorOf(const CXXRecordDecl *record,
                                                          Expressions arguments) {
  if (record && vocabulary.roleOf(record) == TypeRole::ModuleHolder)
    record = vocabulary.heldBy(record);
  record = record ? record->getDefinition() : nullptr;
  if (!record || vocabulary.isFramework(record) || isStandard(record))
    return nullptr;
  auto given = static_cast<unsigned>(llvm::count_if(
      arguments, [](const Expr *argument) { return !isa<CXXDefaultArgExpr>(argument); }));
  if (given == 1 && isa<CXXNullPtrLiteralExpr>(strip(arguments.front())))
    return nullptr;
  const CXXConstructorDecl *found = nullptr;
  for (const CXXConstructorDecl *constructor : record->ctors()) {
    if (constructor->isImplicit() || constructor->isCopyOrMoveConstructor() ||
        constructor->getMinRequiredArguments() > given || constructor->getNumParams() < given)
      continue;
    if (found)
      return nullptr;
    found = constructor;
  }
  return found;
}

} // namespace gradtidy
