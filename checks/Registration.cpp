#include "Registration.h"

#include "Fixes.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gradtidy {
namespace {

/// Writes the repair. Every way in which the member is made must be repaired, or none is.
class Registration {
public:
  Registration(const ClassVisit &visit, const ModuleMember &member, llvm::StringRef function)
      : view(visit.view), context(visit.context), member(member), function(function),
        name(member.field->getName()) {}

  Fix fix() {
    bool isNameFree = !llvm::is_contained(view.registeredNames, name);
    if (!isNameFree || name.empty() || !member.isRegistrable)
      return {};
    bool isWhole = member.definitions.empty() ||
                   llvm::all_of(member.definitions, [](const EntityDefinition &definition) {
                     return definition.kind == EntityDefinition::DefaultInitialiser ||
                            definition.kind == EntityDefinition::Insertion;
                   });
    if (isWhole ? !registerInConstructors() : !wrapDefinitions())
      return {};
    return std::move(fixes);
  }

private:
  /// `register_module("fc", fc);` at the start of every constructor.
  bool registerInConstructors() {
    for (const clang::CXXConstructorDecl *constructor : view.record->ctors()) {
      if (constructor->isImplicit() || constructor->isDeleted() ||
          constructor->isCopyOrMoveConstructor())
        continue;
      const clang::FunctionDecl *definition = nullptr;
      const auto *body = constructor->hasBody(definition)
                             ? llvm::dyn_cast<clang::CompoundStmt>(definition->getBody())
                             : nullptr;
      if (!body || body->getLBracLoc().isMacroID())
        return false;
      if (llvm::cast<clang::CXXConstructorDecl>(definition)->isDelegatingConstructor())
        continue;
      bool isHidden =
          llvm::any_of(definition->parameters(), [&](const clang::ParmVarDecl *parameter) {
            return parameter->getName() == name;
          });
      std::string call =
          (function + "(\"" + name + "\", " + (isHidden ? "this->" : "") + name + ");").str();
      if (body->body_empty())
        insert(body->getLBracLoc().getLocWithOffset(1), " " + call + " ");
      else if (clang::SourceLocation first = body->body_front()->getBeginLoc(); first.isMacroID())
        return false;
      else
        insert(first,
               call + (lineOf(first) == lineOf(body->getLBracLoc()) ? " "
                                                                    : "\n" + indentation(first)));
    }
    return !fixes.empty();
  }

  bool wrapDefinitions() {
    llvm::SmallPtrSet<const clang::FunctionDecl *, 2> seen;
    for (const EntityDefinition &definition : member.definitions)
      if (definition.kind == EntityDefinition::Insertion ||
          definition.kind == EntityDefinition::DefaultInitialiser)
        continue;
      else if (!seen.insert(definition.function).second || !isOwn(definition.function) ||
               !wrap(definition))
        return false;
    return true;
  }

  /// Whether it is a method of the class, in which the registering functions can be called.
  bool isOwn(const clang::FunctionDecl *definer) const {
    const auto *method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(definer);
    return method && method->getParent()->getCanonicalDecl() == view.record->getCanonicalDecl();
  }

  bool wrap(const EntityDefinition &definition) {
    std::string before = (function + "(\"" + name + "\", ").str();
    const clang::Expr *value = definition.value->IgnoreImplicit();
    const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(value);
    if (construct && !llvm::isa<clang::CXXTemporaryObjectExpr>(construct)) {
      clang::SourceRange brackets = construct->getParenOrBraceRange();
      if (brackets.isValid() && definition.kind == EntityDefinition::MemberInitialiser &&
          !construct->getConstructor()->isCopyOrMoveConstructor()) {
        // `fc(64, 10)`: the type is not written, but it is that of the member.
        std::string type = text(member.field->getTypeSourceInfo()->getTypeLoc().getSourceRange());
        bool isBrace = *sources().getCharacterData(brackets.getBegin()) == '{';
        if (type.empty() || brackets.getBegin().isMacroID() || brackets.getEnd().isMacroID())
          return false;
        insert(brackets.getBegin().getLocWithOffset(1), before + type + (isBrace ? "{" : "("));
        insert(brackets.getEnd(), isBrace ? "})" : "))");
        return true;
      }
      // An implicit conversion to the type of the member.
      if (construct->getNumArgs() != 1)
        return false;
      value = construct->getArg(0)->IgnoreImplicit();
    }
    clang::SourceRange range = value->getSourceRange();
    if (range.getBegin().isMacroID() || range.getEnd().isMacroID() ||
        llvm::isa<clang::InitListExpr>(value))
      return false;
    insert(range.getBegin(), before);
    insert(clang::Lexer::getLocForEndOfToken(range.getEnd(), 0, sources(), context.getLangOpts()),
           ")");
    return true;
  }

  void insert(clang::SourceLocation where, llvm::StringRef what) {
    fixes.push_back(clang::FixItHint::CreateInsertion(where, what));
  }

  const clang::SourceManager &sources() const { return context.getSourceManager(); }

  std::string text(clang::SourceRange range) const {
    if (range.isInvalid() || range.getBegin().isMacroID() || range.getEnd().isMacroID())
      return "";
    return clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(range), sources(),
                                       context.getLangOpts())
        .str();
  }

  unsigned lineOf(clang::SourceLocation location) const {
    return sources().getSpellingLineNumber(location);
  }

  std::string indentation(clang::SourceLocation location) const {
    auto [file, offset] = sources().getDecomposedLoc(location);
    llvm::StringRef line = sources().getBufferData(file).take_front(offset);
    line = line.substr(line.rfind('\n') + 1);
    return line.take_while([](char c) { return c == ' ' || c == '\t'; }).str();
  }

  const ModuleClass &view;
  const clang::ASTContext &context;
  const ModuleMember &member;
  llvm::StringRef function, name;
  Fix fixes;
};

} // namespace

bool isForgotten(const ModuleClass &view, const ModuleMember &member) {
  return view.isVisible && member.registered == Answer::No && member.stateful == Answer::Yes &&
         !member.isHandedIn && !member.isManaged && member.isMade && !member.forwardUses.empty();
}

std::string userOf(const ModuleMember &member) {
  return member.user ? member.user->getNameAsString() + "()" : "forward()";
}

/// Where the member is made, if that is a constructor written elsewhere than the class: beside the
/// registrations of others. Else where it is declared.
static clang::SourceRange placeOf(const ClassVisit &visit, const ModuleMember &member) {
  const clang::SourceManager &sources = visit.context.getSourceManager();
  const clang::SourceRange own = visit.view.record->getSourceRange();
  const auto isElsewhere = [&](const EntityDefinition &definition) {
    const clang::SourceLocation place = sources.getExpansionLoc(definition.value->getExprLoc());
    return (definition.kind == EntityDefinition::Assignment ||
            definition.kind == EntityDefinition::MemberInitialiser) &&
           llvm::isa_and_nonnull<clang::CXXConstructorDecl>(definition.function) &&
           (sources.isBeforeInTranslationUnit(place, own.getBegin()) ||
            sources.isBeforeInTranslationUnit(own.getEnd(), place));
  };
  const auto made = llvm::find_if(member.definitions, isElsewhere);
  return made == member.definitions.end() ? member.field->getSourceRange()
                                          : made->value->getSourceRange();
}

Finding unregistered(const ClassVisit &visit, const ModuleMember &member, llvm::StringRef function,
                     std::string message) {
  const clang::SourceRange range = placeOf(visit, member);
  const bool isAtDeclaration = range == member.field->getSourceRange();
  Finding finding(Level::Certain, isAtDeclaration ? Place(*member.field) : Place(range),
                  std::move(message));
  finding.notes.push_back({member.forwardUses.front()->getExprLoc(), "it is used here"});
  if (!member.definitions.empty() && isAtDeclaration)
    finding.notes.push_back({member.definitions.front().value->getExprLoc(), "it is made here"});
  finding.fixes = Registration(visit, member, function).fix();
  return finding;
}

Finding replaced(const ModuleMember &member, const EntityDefinition &definition,
                 llvm::StringRef kind, llvm::StringRef reaching) {
  Finding finding(Level::Certain,
                  {definition.value->getExprLoc(), definition.value->getSourceRange()});
  finding.message =
      (kind + " '" + member.field->getName() +
       "' is replaced, but the old one stays registered: " + reaching + " do not reach the new one")
          .str();
  return finding;
}

} // namespace gradtidy
