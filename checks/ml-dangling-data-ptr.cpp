// data_ptr() of a temporary tensor: the memory is given back when the statement ends, and whoever
// keeps the pointer reads what comes to lie there.

#include "Check.h"
#include "Fixes.h"
#include "Leftovers.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

namespace gradtidy {
namespace {

class DanglingDataPtr : public Check {
public:
  void on(const Visit &visit, Reporter &reporter) override {
    const Event &event = visit.event;
    const std::optional<Level> level = levelOfLeftover(visit);
    if (!level || event.subject.role != TypeRole::Tensor || event.kind != EventKind::Combine)
      return;
    Finding finding(*level, event);
    const clang::VarDecl *keeper = event.leftover.keeper;
    finding.message = (keeper ? "'" + keeper->getNameAsString() + "' keeps a pointer"
                              : std::string("this is kept, a pointer")) +
                      " into a temporary tensor, which ends with the statement; give the tensor a "
                      "name";
    finding.notes.push_back(noteOnTemporary(visit, "the temporary is made here"));
    finding.fixes = name(visit);
    reporter.report(std::move(finding));
  }

private:
  /// Gives the tensor a variable in front of the one that keeps the pointer.
  static Fix name(const Visit &visit) {
    const Event &event = visit.event;
    const auto *declaration =
        llvm::dyn_cast<clang::DeclStmt>(event.function->statementOf(event.site));
    const clang::VarDecl *keeper = event.leftover.keeper;
    const clang::Expr *tensor = event.subject.expr;
    if (!declaration || !declaration->isSingleDecl() || declaration->getSingleDecl() != keeper ||
        !event.function->compoundOf(declaration) || !tensor)
      return {};
    const clang::Expr *written = tensor->IgnoreImplicit();
    const llvm::StringRef text = textOf(visit, written);
    const std::string name = nameFor(keeper->getNameAsString());
    const clang::IdentifierTable &known = visit.context.Idents;
    if (text.empty() || known.find(name) != known.end())
      return {};
    Fix fix = insertBefore(visit, declaration, ("auto " + name + " = " + text + ";").str());
    if (!fix.empty())
      fix.push_back(clang::FixItHint::CreateReplacement(
          clang::CharSourceRange::getTokenRange(written->getSourceRange()), name));
    return fix;
  }

  static std::string nameFor(const std::string &pointer) {
    const bool isCamel = llvm::any_of(pointer, [](char c) { return c >= 'A' && c <= 'Z'; });
    return pointer + (isCamel ? "Tensor" : "_tensor");
  }
};

} // namespace

std::unique_ptr<Check> makeDanglingDataPtr() { return std::make_unique<DanglingDataPtr>(); }

} // namespace gradtidy
