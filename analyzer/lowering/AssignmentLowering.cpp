// What gives a place its value: initialisers, assignments, and what is written to a view.
#include "FunctionLowering.h"
#include "analyzer/idioms/Coverages.h"
#include "analyzer/idioms/Temporaries.h"
#include "analyzer/lowering/ast/Selection.h"

namespace gradtidy {

using namespace clang;

/// Whether \p value stands for the elements of a container.
static bool isIterator(const Expr *value) {
  const auto *call = dyn_cast<CallExpr>(strip(value));
  StringRef name = call ? simpleName(call->getDirectCallee()) : StringRef();
  return name == "begin" || name == "cbegin" || name == "rbegin";
}

Event &FunctionLowering::bind(PathId place, QualType type, const Expr *value, const Stmt *site) {
  Event &event = emit(EventKind::Bind, site);
  event.subject = {place, vocabulary.roleOf(type)};
  if (event.subject.role == TypeRole::None && value && value->isTypeDependent())
    event.subject.role = values.roleOf(value);
  event.bind = values.bindKind(type);
  if (value && values.isNumber(value))
    event.isArithmetic = true;
  else if (value)
    event.operands.push_back(values.operand(value));
  if (value && event.bind == BindKind::Value && (isGradient(value) || isIterator(value)))
    event.bind = BindKind::Handle; // A gradient is shared with its tensor.
  return event;
}

void FunctionLowering::assign(const VarDecl *variable, const Expr *value, const Stmt *site) {
  unsigned affected = conditions.affectedBy(variable);
  if (!affected)
    return;
  Event &event = emit(EventKind::Assign, site);
  event.forgets = affected;
  if (const auto *constant = value ? dyn_cast<CXXBoolLiteralExpr>(strip(value)) : nullptr)
    event.constant = constant->getValue(); // A flag is a condition by itself.
}

void FunctionLowering::modify(const Expr *target, const Stmt *site) {
  if (const auto *reference = dyn_cast<DeclRefExpr>(strip(target)))
    if (const auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
      assign(variable, nullptr, site);
  if (const auto *member = dyn_cast<MemberExpr>(strip(target))) {
    const unsigned affected = conditions.affectedBy(member->getMemberDecl());
    const bool isNumber = member->getType()->isIntegerType() && !member->getType()->isBooleanType();
    if (!affected && !isNumber)
      return;
    Event &event = emit(EventKind::Assign, site);
    event.forgets = affected;
    if (isNumber)
      event.subject.path = values.pathOf(target); // Names of files may be made of it.
  }
}

// --- assignments --------------------------------------------------------------------------------

void FunctionLowering::lowerAssignment(const BinaryOperator *assignment) {
  const Expr *target = assignment->getLHS();
  if (assignTie(assignment, target, values.pathOf(assignment->getRHS())))
    return;
  if (const auto *reference = dyn_cast<DeclRefExpr>(strip(target));
      reference && isa<VarDecl>(reference->getDecl()))
    assign(cast<VarDecl>(reference->getDecl()),
           assignment->getOpcode() == BO_Assign ? assignment->getRHS() : nullptr, assignment);
  else
    modify(target, assignment);
  if (assignment->getOpcode() == BO_Assign && !isArithmetic(target)) {
    Event &event = bind(values.pathOf(target), target->getType().getNonReferenceType(),
                        assignment->getRHS(), assignment);
    event.details.change()->danglingView = located(leftByPointerTo(*node(assignment)));
  }
  if (assignment->isCompoundAssignmentOp() && values.roleOf(target) == TypeRole::Tensor) {
    // In a template, where the operand has no type yet.
    if (Event *event = combine(assignment, {assignment->getRHS()})) {
      event->subject = values.operand(target);
      event->subject.escapes = true;
    }
  }
}

void FunctionLowering::lowerAssignment(const CallSite &site) {
  if (assignTie(site.call, site.object, values.pathOf(site.call->getArg(1))))
    return;
  const Expr *value = site.arguments.front();
  if (const Expr *base = viewed(site.object))
    return writeInto(base, site.call, values.operand(value));
  const PathId place = values.pathOf(site.object);
  const auto *made = dyn_cast<CallExpr>(strip(value));
  const Expr *source = made ? objectOf(made) : nullptr;
  const bool isUpdate = source && values.pathOf(source) == place;
  bind(place, site.object->getType().getNonReferenceType(), value, site.call);
  Event &event = current->events.back();
  event.isUpdate = isUpdate;
  // What is asked to require gradients is a leaf again; what a function of the user gives may be.
  event.usesOwnGradient = made && made->getDirectCallee() &&
                          values.isExternal(made->getDirectCallee()) &&
                          vocabulary.roleOf(made->getDirectCallee()) != FunctionRole::RequireGrad &&
                          namesGradient(value, place);
  event.isDiscarded = isRebindingInVain(site);
  markAssignment(event, site, value);
  event.changesCopy = survey.statements.contains(site.call) && copiedFrom(site.object, vocabulary);
}

bool FunctionLowering::assignTie(const Expr *assignment, const Expr *object, PathId tuple) {
  const auto *tie = dyn_cast<CallExpr>(strip(object));
  const FunctionDecl *callee = tie ? tie->getDirectCallee() : nullptr;
  if (!callee || !isStandard(callee) ||
      (simpleName(callee) != "tie" && simpleName(callee) != "forward_as_tuple"))
    return false;
  std::int64_t index = 0;
  for (const Expr *target : tie->arguments()) {
    if (assignTie(assignment, target, paths.element(tuple, index))) {
      ++index;
      continue;
    }
    QualType type = target->getType();
    Event &event = emit(EventKind::Bind, assignment);
    event.subject = {values.pathOf(target), vocabulary.roleOf(type)};
    event.bind = values.bindKind(type);
    Operand element{paths.element(tuple, index++), event.subject.role};
    element.isTensor = vocabulary.holdsTensors(type);
    event.operands.push_back(element);
  }
  return true;
}

// --- tuples and swaps ---------------------------------------------------------------------------

void FunctionLowering::bindElements(const Expr *made, Expressions parts) {
  PathId tuple = values.temporary(made);
  std::int64_t index = 0;
  for (const Expr *part : parts) {
    Event &event = emit(EventKind::Bind, made);
    event.subject = {paths.element(tuple, index++), values.roleOf(part)};
    event.bind = values.bindKind(part->getType().getNonReferenceType());
    event.operands.push_back(values.operand(part));
  }
}

void FunctionLowering::swapTensors(const CallExpr *call, const Expr *left, const Expr *right) {
  const Operand kept{values.temporary(call), TypeRole::Tensor};
  const auto bindTo = [&](PathId place, Operand value) {
    Event &event = emit(EventKind::Bind, call);
    event.subject = {place, TypeRole::Tensor};
    event.bind = BindKind::Value;
    event.operands.push_back(value);
    event.operands.back().isTensor = true;
  };
  bindTo(kept.path, values.operand(left));
  bindTo(values.pathOf(left), values.operand(right));
  bindTo(values.pathOf(right), kept);
}

// --- views --------------------------------------------------------------------------------------

const Expr *FunctionLowering::viewed(const Expr *expr) {
  const auto *call = dyn_cast<CallExpr>(strip(expr));
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  const Operation operation = callee ? vocabulary.operationOf(callee) : Operation::None;
  if (!sharesMemory(operation) &&
      !(operation == Operation::Index && takesRanges(*call, vocabulary)))
    return nullptr;
  const Expr *object = objectOf(call);
  const Expr *base = object ? viewed(object) : nullptr;
  return base ? base : object;
}

void FunctionLowering::writeInto(const Expr *base, const CallExpr *call,
                                 ArrayRef<Operand> written) {
  llvm::SmallVector<Operand, 2> tensors(
      llvm::make_filter_range(written, [](const Operand &value) { return value.isTensor; }));
  if (isGradient(base))
    return;
  Event &event = emit(EventKind::Combine, call);
  event.subject = values.operand(base);
  event.subject.escapes = true;
  event.operands.append(tensors);
  event.result = values.temporary(call);
  event.resultRole = TypeRole::Tensor;
  event.isTensor = true;
  event.isAnyDevice = true; // It is copied there, or said of the view.
  event.changesElements = true;
  if (objectOf(call))
    event.coverage = coverageOf(*node(call), *result);
}

} // namespace gradtidy
