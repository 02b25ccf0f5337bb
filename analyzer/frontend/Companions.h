// Units of other sources, analysed over the AST of a unit that they were parsed with. See
// docs/decisions/0015-companions.md.
#pragma once

#include "Inclusions.h"
#include "PartnerPragma.h"
#include "UnitDiagnostics.h"
#include "UserCodeConsumer.h"
#include "clang/AST/ASTConsumer.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class CompilerInstance;
} // namespace clang

namespace clang::tidy {
class ClangTidyASTConsumerFactory;
} // namespace clang::tidy

namespace gradtidy {

/// Who wants to know what is found in the units of partners.
class CompanionFinder {
public:
  virtual ~CompanionFinder() = default;

  /// A unit is parsed, perhaps not for the first time: what was said before does not count.
  virtual void begin() = 0;

  /// The search for the partners that the unit of \p source has by itself; null if nobody wants to
  /// know of that unit, or if it is compiled in another way.
  virtual PartnerFinder *search(const std::string &source) = 0;

  /// The unit of \p source, which was asked for, has been analysed.
  virtual void end(const std::string &source) = 0;
};

/// Once the unit itself is done, looks at the same AST as each of its partners' units would see it,
/// if that is all the same: all of the unit's sources are there, and none depends on what is parsed
/// before it.
class Companions : public clang::ASTConsumer {
public:
  /// What was parsed. All must outlive the consumer.
  struct Parse {
    clang::CompilerInstance &compiler;
    clang::DiagnosticsEngine &engine; ///< That of the checks.
    const UserCode &userCode;
    const UserCodeConsumer &code;
    const Inclusions &inclusions;
    const std::vector<Partner> &partners, &more; ///< As PartnerPragma tells.
    const UnitDiagnostics &diagnostics;
    const std::string &folder; ///< In which the compiler runs.
  };

  /// \param commutes  whether the precompiled header is right for a unit of that foreword.
  /// \param unit      learns of its companions. All must outlive this object.
  Companions(const Parse &parse, CompanionFinder &finder, clang::tidy::ClangTidyContext &context,
             clang::tidy::ClangTidyASTConsumerFactory &consumers,
             std::function<bool(const Foreword &)> commutes, Unit &unit);

  /// From now on, until its companions' turn comes, the unit sees no more than itself and its
  /// partners.
  void lookFromUnit();

  void HandleTranslationUnit(clang::ASTContext &ast) override;

private:
  /// What a unit sees, and which of it is its own.
  struct Sight {
    FileSet own, seen;
  };

  std::optional<Sight> narrow(clang::ASTContext &ast, const clang::FileEntry *source,
                              PartnerFinder &search) const;
  Unit analyse(clang::ASTContext &ast, const std::string &source, const Sight &sight) const;
  const clang::FileEntry *parsed(const std::string &source) const;

  const Parse parse;
  std::optional<Sight> sightOfUnit;
  std::optional<Viewpoint> viewpoint;
  CompanionFinder &finder;
  clang::tidy::ClangTidyContext &context;
  clang::tidy::ClangTidyASTConsumerFactory &consumers;
  const std::function<bool(const Foreword &)> commutes;
  Unit &unit;
};

} // namespace gradtidy
