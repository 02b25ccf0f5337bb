// The checks of the catalogue as checks of clang-tidy.
#pragma once

#include "analyzer/frontend/UserCode.h"
#include "checks/Catalogue.h"
#include "checks/Check.h"
#include "clang-tidy/ClangTidyCheck.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Basic/SourceManager.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gradtidy {

class Model;
class SharedUnit;
class UnitAnalysis;

/// A unit that was analyzed, for the checks to judge.
struct JudgedUnit {
  const UnitAnalysis &analysis;
  const clang::SourceManager &sources; ///< Those of the locations in the analysis.
  const clang::LangOptions &language;
  const UserCode &users;
  /// The files whose findings are the unit's: what is found elsewhere belongs to other units. Null
  /// for all.
  const llvm::DenseSet<clang::FileID> *own;
};

/// One check. In clang-tidy the first function that its matcher sees starts the analysis of the
/// whole unit, which the checks share.
class CheckAdapter : public clang::tidy::ClangTidyCheck, private Reporter {
public:
  CheckAdapter(const CatalogueRow &row, llvm::StringRef name,
               clang::tidy::ClangTidyContext *context);
  ~CheckAdapter() override;

  bool isLanguageVersionSupported(const clang::LangOptions &options) const override {
    return options.CPlusPlus;
  }
  void storeOptions(clang::tidy::ClangTidyOptions::OptionMap &options) override;
  void registerPPCallbacks(const clang::SourceManager &, clang::Preprocessor *preprocessor,
                           clang::Preprocessor *) override;
  void registerMatchers(clang::ast_matchers::MatchFinder *finder) override;
  void check(const clang::ast_matchers::MatchFinder::MatchResult &result) override;
  // The AST is gone by the time that this object is destroyed.
  void onEndOfTranslationUnit() override { shared.reset(); }

  /// What the analysis is to see for this check.
  const Check &judgedBy() const { return *judge; }
  llvm::StringRef name() const { return row.name; }

  /// Tells the context what the check finds in \p unit.
  void judgeUnit(const JudgedUnit &unit);

private:
  unsigned readLevel();
  std::string readGlobal(llvm::StringRef option);
  void report(Finding finding) override;
  bool isShown(clang::SourceLocation location) const;
  bool isPossible(const clang::FixItHint &fix) const;

  clang::tidy::ClangTidyContext &context;
  const CatalogueRow &row;
  unsigned level;
  std::string models;
  std::unique_ptr<Check> judge;
  std::string ownOption; ///< What the user gives for that of the check, or its default.
  std::shared_ptr<SharedUnit> shared; ///< Null without a usable model.
  const JudgedUnit *unit = nullptr;   ///< While it is judged.
  bool done = false;
};

/// The checks that the options of \p context enable.
std::vector<std::unique_ptr<CheckAdapter>> enabledChecks(clang::tidy::ClangTidyContext &context);

} // namespace gradtidy
