// Where the program has a model is decided in one place. A module that names a GPU itself breaks
// wherever that is another one, or none.

#include "Check.h"
#include "Devices.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

class HardcodedDevice : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &named = visit.event;
    const FunctionBody &function = *named.function;
    if (!named.namesGpu || isSettled(visit))
      return;
    // What asks for devices itself, means the one that it names, but for what it always does.
    const bool isBesideChoice = !function.isModuleMethod && !function.isConditional(named.site) &&
                                keepsChosenDevice(function);
    if (function.asksForDevices && !isBesideChoice)
      return;
    const bool isOfModule =
        function.isModuleMethod && !isMove(function) && !isUnderFlag(function, named.site);
    // What asks anything before may have been told the device, by a name or a flag.
    const bool isElsewhere =
        isBesideChoice || (!isOfModule && !function.isConditional(named.site) &&
                           (isChosenByCaller(visit) || isChosenBySibling(visit)));
    if (!isOfModule && !isElsewhere && !function.function->isMain())
      return;
    if (!reported.insert(function.function).second)
      return;
    Finding finding(isOfModule || isElsewhere ? Level::Likely : Level::Advice, named);
    finding.message =
        isOfModule    ? "the module names a GPU here, wherever its parameters and inputs are"
        : isElsewhere ? "a GPU is named here although the program asks whether there is one"
                      : "the program fails here on a machine without a GPU, and cannot be told "
                        "another device";
    reporter.report(std::move(finding));
  }

private:
  static bool speaksOfGpus(const clang::NamedDecl &declaration) {
    const clang::IdentifierInfo *name = declaration.getIdentifier();
    return name && (name->getName().contains_insensitive("cuda") ||
                    name->getName().contains_insensitive("gpu"));
  }

  /// `cuda()`, `toGpu()`: what moves a module says so.
  static bool isMove(const FunctionBody &function) { return speaksOfGpus(*function.function); }

  /// `if (wasOnGpu) to(kCUDA);`
  static bool isUnderFlag(const FunctionBody &function, const clang::Stmt *site) {
    for (const clang::Stmt *outer = site; outer; outer = function.statementAround(outer))
      if (const auto *choice = llvm::dyn_cast<clang::IfStmt>(outer)) {
        const clang::Expr *asked = choice->getCond()->IgnoreUnlessSpelledInSource();
        const auto *variable = llvm::dyn_cast<clang::DeclRefExpr>(asked);
        const auto *member = llvm::dyn_cast<clang::MemberExpr>(asked);
        if ((variable && speaksOfGpus(*variable->getDecl())) ||
            (member && speaksOfGpus(*member->getMemberDecl())))
          return true;
      }
    return false;
  }

  /// Whether another method of the class chooses the device of its objects.
  static bool isChosenBySibling(const Visit &visit) {
    const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(visit.event.function->function);
    return method && llvm::any_of(method->getParent()->methods(), [&](const auto *sibling) {
             const FunctionBody *body = visit.unit.callGraph().bodyOf(*sibling);
             return body && keepsChosenDevice(*body);
           });
  }

  /// Whether a caller has made sure that there is a GPU.
  static bool isSettled(const Visit &visit) {
    return llvm::any_of(visit.callers, [](const Event *caller) {
      return caller->function->asksForDevices &&
             (!choosesDevice(*caller->function) || caller->function->isConditional(caller->site));
    });
  }

  llvm::SmallPtrSet<const clang::FunctionDecl *, 4> reported; ///< Functions, once each.
};

} // namespace

std::unique_ptr<Check> makeHardcodedDevice() { return std::make_unique<HardcodedDevice>(); }

} // namespace gradtidy
