// The analysis of the unit that clang-tidy has parsed, which all checks share.
#pragma once

#include "analyzer/flow/UnitAnalysis.h"
#include "analyzer/frontend/Bodies.h"
#include "analyzer/frontend/UserCode.h"
#include "analyzer/ir/LoweredUnit.h"
#include "checks/Check.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Decl;
class Preprocessor;
} // namespace clang

namespace clang::tidy {
class ClangTidyContext;
} // namespace clang::tidy

namespace gradtidy {

class Model;

class SharedUnit {
public:
  /// The unit that \p preprocessor reads, made when the first check asks for it.
  static std::shared_ptr<SharedUnit> of(clang::Preprocessor &preprocessor, const Model &model,
                                        const clang::tidy::ClangTidyContext &context);

  SharedUnit(clang::Preprocessor &preprocessor, const Model &model,
             const clang::tidy::ClangTidyContext &context);

  /// The check will ask for the analysis, which then has what it wants to see.
  void join(const Check &check) { checks.push_back(&check); }

  /// Hands the analysis to \p use, on a deep stack. What was not followed to the end is written to
  /// standard error.
  void analyse(clang::ASTContext &ast, llvm::function_ref<void(const UnitAnalysis &)> use);

  const UserCode &users() const { return userCode; }

private:
  const UnitAnalysis &analysis(clang::ASTContext &ast, const FunctionPlaces &dropped);
  std::vector<clang::Decl *> ownDeclarations(const clang::ASTContext &ast) const;

  const clang::Preprocessor *preprocessor;
  const Model &model;
  UserCode userCode;
  std::vector<const Check *> checks;
  std::unique_ptr<LoweredUnit> lowered;
  std::optional<UnitAnalysis> made;
};

} // namespace gradtidy
