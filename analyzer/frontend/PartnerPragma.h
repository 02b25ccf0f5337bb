// How the partners of a unit come to be parsed with it. See docs/decisions/0011-partners.md.
#pragma once

#include "UserCode.h"
#include "analyzer/source/Partners.h"
#include "clang/Lex/Pragma.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Decl;
} // namespace clang

namespace gradtidy {

/// At the end of the text behind which partners are to be parsed; handled by PartnerPragma. The
/// declaration before it makes sure that the parser is done with what comes before.
inline constexpr llvm::StringLiteral partnersHere = "\n;\n#pragma gradtidy_partners\n";

/// In which turn a declaration is read: 0 for the unit's own and its headers', then partner by
/// partner; none for those of partners that nobody has asked for yet.
using TurnOf = std::function<std::optional<size_t>(const clang::Decl &)>;

class PartnerFinder {
public:
  virtual ~PartnerFinder() = default;

  /// A unit is parsed, perhaps not for the first time.
  virtual void begin() = 0;

  /// Sources that are not to be partners: they did not fit.
  virtual std::set<std::string> &misfits() = 0;

  /// Says which sources to parse behind those parsed so far, whose user's declarations are the
  /// traversal scope of the context. Asked again behind these, until there are none.
  virtual std::vector<Partner> find(clang::ASTContext &context, const UserCode &userCode,
                                    const TurnOf &turnOf) = 0;

  /// Says which sources to parse behind these though they are no partners, for the units of
  /// others. Asked once.
  virtual std::vector<Partner> findMore() { return {}; }
};

/// The text that has \p found parsed behind \p partners.
std::string textOf(const std::vector<Partner> &found, size_t partners);

/// Has partners parsed where partnersHere stands.
class PartnerPragma : public clang::PragmaHandler {
public:
  /// The AST so far; its traversal scope are the user's declarations of the unit and \p partners.
  using ContextSoFar = std::function<clang::ASTContext &()>;

  /// \param partners   learns those that are parsed, and \p more what is parsed besides. All must
  ///                    outlive the preprocessor.
  /// \param areInHeader those asked for are in the precompiled header already.
  PartnerPragma(PartnerFinder &finder, const UserCode &userCode, std::vector<Partner> &partners,
                std::vector<Partner> &more, ContextSoFar contextSoFar, bool areInHeader)
      : PragmaHandler("gradtidy_partners"), finder(finder), userCode(userCode), partners(partners),
        more(more), contextSoFar(std::move(contextSoFar)), areInHeader(areInHeader) {}

  void HandlePragma(clang::Preprocessor &preprocessor, clang::PragmaIntroducer,
                    clang::Token &name) override;

private:
  void parse(clang::Preprocessor &preprocessor, const std::vector<Partner> &sources,
             const std::string &text, clang::SourceLocation here) const;

  PartnerFinder &finder;
  const UserCode &userCode;
  std::vector<Partner> &partners, &more;
  ContextSoFar contextSoFar;
  const bool areInHeader;
};

} // namespace gradtidy
