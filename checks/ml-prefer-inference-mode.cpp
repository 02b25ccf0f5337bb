// NoGradGuard stops recording, and keeps tensors ready for a graph all the same: each has a counter
// of its changes, each view a record of its base. InferenceMode makes neither. Its tensors take no
// part in autograd later, which is for programs that train nothing.

#include "Check.h"
#include "Loops.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Stmt.h"

#include <optional>

namespace gradtidy {
namespace {

class PreferInferenceMode : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const GradMode &mode = visit.before.gradMode();
    if (!isEvaluation(visit) || mode.possible != GradMode::Off || !mode.set ||
        mode.set->subject.role != TypeRole::NoGradGuard)
      return;
    const Event &guard = *mode.set;
    const clang::VarDecl *variable = declaredBy(guard);
    if (!variable || !onlyInfers(visit) || handlesParameters(*guard.function) ||
        (mayLeave(visit, guard) && isChangedElsewhere(visit, guard)))
      return;
    Finding finding(Level::Advice, guard,
                    "nothing in this program is trained: InferenceMode also spares what "
                    "NoGradGuard keeps of each tensor for a graph");
    finding.notes.push_back({visit.shown(), "the first forward pass under the guard is here"});
    const clang::SourceRange type = variable->getTypeSourceInfo()->getTypeLoc().getSourceRange();
    finding.fixes.push_back(clang::FixItHint::CreateReplacement(type, "torch::InferenceMode"));
    reporter.report(std::move(finding));
  }

private:
  /// The variable that is the guard, if its declaration names its class and no other variable.
  static const clang::VarDecl *declaredBy(const Event &guard) {
    const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(guard.site);
    const auto *variable = declaration && declaration->isSingleDecl()
                               ? llvm::dyn_cast<clang::VarDecl>(declaration->getSingleDecl())
                               : nullptr;
    const bool isNamed = variable && variable->getType()->getAsCXXRecordDecl() &&
                         !variable->getType()->getContainedAutoType() &&
                         variable->getTypeSourceInfo();
    const auto *made = isNamed && variable->getInit()
                           ? llvm::dyn_cast<clang::CXXConstructExpr>(variable->getInit())
                           : nullptr;
    return made && made->getNumArgs() == 0 ? variable : nullptr;
  }

  bool onlyInfers(const Visit &visit) {
    if (!isServing)
      isServing = visit.unit.program().onlyInfers();
    return *isServing;
  }

  static bool handlesParameters(const FunctionBody &function) {
    return llvm::any_of(function.blocks, [](const Block &block) {
      return llvm::any_of(block.events, [](const Event &event) {
        return event.givesParameters || event.registersParameter;
      });
    });
  }

  /// Whether a tensor that is made under the guard may outlive it.
  static bool mayLeave(const Visit &visit, const Event &guard) {
    const FunctionBody &function = *guard.function;
    const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(function.function);
    const bool isWhole = function.compoundOf(guard.site) == function.body;
    return !isWhole || function.returnsTensors || visit.unit.uses().isStored(visit.site) ||
           (method && method->getParent()->isLambda()) ||
           llvm::any_of(function.parameters, [](const FunctionBody::Parameter &parameter) {
             const clang::QualType type = parameter.declaration->getType();
             return parameter.place.isTensor &&
                    (type->isPointerType() ||
                     (type->isReferenceType() && !type.getNonReferenceType().isConstQualified()));
           });
  }

  /// Whether a tensor is changed in place out of the guard's reach, where those that are made under
  /// InferenceMode cannot be.
  static bool isChangedElsewhere(const Visit &visit, const Event &guard) {
    const bool isWhole = guard.function->compoundOf(guard.site) == guard.function->body;
    return visit.unit.program().changesTensors(isWhole ? guard.function : nullptr);
  }

  std::optional<bool> isServing; ///< What the unit says once and for all.
};

} // namespace

std::unique_ptr<Check> makePreferInferenceMode() { return std::make_unique<PreferInferenceMode>(); }

} // namespace gradtidy
