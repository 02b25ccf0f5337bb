#include "DamagedCode.h"

#include "ModuleUses.h"
#include "analyzer/events/values/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace gradtidy {

/// Whether it is the definition of a method, out of its class, that stands for itself: a method
/// whose parameters have unknown types is declared in the class, and once more where it is defined.
static bool isStray(const CXXMethodDecl *definition) {
  return definition->isInvalidDecl() && definition->hasBody() && definition->isOutOfLine() &&
         !definition->getPreviousDecl();
}

static const CXXMethodDecl *declarationOf(const CXXMethodDecl *definition,
                                          const ASTContext &context) {
  for (const Decl *member : definition->getParent()->decls())
    if (const auto *method = dyn_cast<CXXMethodDecl>(member);
        method && method->isInvalidDecl() && !method->hasBody() &&
        method->getDeclName() == definition->getDeclName() &&
        context.hasSameType(method->getType(), definition->getType()))
      return method;
  return nullptr;
}

static void findStrayMethods(const Decl *declaration, const ASTContext &context,
                             StrayMethods &found) {
  if (const auto *scope = dyn_cast<DeclContext>(declaration);
      scope && (scope->isFileContext() || isa<LinkageSpecDecl>(scope)))
    for (const Decl *inner : scope->decls())
      findStrayMethods(inner, context, found);
  const auto *definition = dyn_cast<CXXMethodDecl>(declaration);
  if (!definition || !isStray(definition))
    return;
  if (const CXXMethodDecl *method = declarationOf(definition, context)) {
    found.definitions[method->getCanonicalDecl()] = definition;
    found.declarations[definition->getCanonicalDecl()] = method->getCanonicalDecl();
  }
}

StrayMethods findStrayMethods(const ASTContext &context) {
  StrayMethods found;
  for (const Decl *declaration : context.getTraversalScope())
    findStrayMethods(declaration, context, found);
  return found;
}

namespace {

/// The source of module classes, as the lexer reads it.
class WrittenClasses {
public:
  WrittenClasses(const ASTContext &context, const ModuleUses &uses, const Vocabulary &vocabulary)
      : context(context), sources(context.getSourceManager()), uses(uses), vocabulary(vocabulary) {
    for (const CXXRecordDecl *record : uses.records)
      add(record->getDefinition(), record);
  }

  /// The classes where functions that register are named in other places than those \p seen.
  llvm::DenseSet<const CXXRecordDecl *>
  findDamaged(const llvm::DenseSet<SourceLocation> &seen) const {
    llvm::DenseSet<SourceLocation> spelled;
    for (SourceLocation location : seen)
      spelled.insert(sources.getSpellingLoc(location));
    llvm::DenseSet<const CXXRecordDecl *> damaged;
    for (FileID file : files)
      findDamaged(file, spelled, damaged);
    return damaged;
  }

private:
  void add(const CXXRecordDecl *definition, const CXXRecordDecl *record) {
    addPlace(definition, record);
    for (const CXXMethodDecl *method : definition->methods())
      if (const FunctionDecl *body = uses.definitionOf(method))
        addPlace(body, record);
    definition->forallBases([&](const CXXRecordDecl *base) {
      addNames(base);
      return true;
    });
  }

  void addPlace(const Decl *declaration, const CXXRecordDecl *record) {
    const SourceRange range = sources.getExpansionRange(declaration->getSourceRange()).getAsRange();
    places.push_back({range, record});
    files.insert(sources.getFileID(range.getBegin()));
  }

  void addNames(const CXXRecordDecl *base) {
    for (const CXXMethodDecl *method : base->methods())
      if (registers(vocabulary.traitOf(method)))
        names.insert(simpleName(method));
    for (const Decl *member : base->decls())
      if (const auto *generic = dyn_cast<FunctionTemplateDecl>(member);
          generic && registers(vocabulary.traitOf(generic)))
        names.insert(generic->getName());
  }

  void findDamaged(FileID file, const llvm::DenseSet<SourceLocation> &spelled,
                   llvm::DenseSet<const CXXRecordDecl *> &damaged) const {
    Lexer lexer(file, sources.getBufferOrFake(file), sources, context.getLangOpts());
    Token token;
    bool isDirective = false;
    do {
      lexer.LexFromRawLexer(token);
      if (token.isAtStartOfLine())
        isDirective = token.is(tok::hash);
      if (!isDirective && token.is(tok::raw_identifier) &&
          names.contains(token.getRawIdentifier()) && !spelled.contains(token.getLocation()))
        addClassesAt(token.getLocation(), damaged);
    } while (token.isNot(tok::eof));
  }

  /// What is in no class may be in any of the file.
  void addClassesAt(SourceLocation location, llvm::DenseSet<const CXXRecordDecl *> &found) const {
    bool isPlaced = false;
    for (const auto &[range, record] : places)
      if (range.fullyContains(location)) {
        found.insert(record);
        isPlaced = true;
      }
    for (const auto &[range, record] : places)
      if (!isPlaced && sources.getFileID(range.getBegin()) == sources.getFileID(location))
        found.insert(record);
  }

  const ASTContext &context;
  const SourceManager &sources;
  const ModuleUses &uses;
  const Vocabulary &vocabulary;
  llvm::StringSet<> names; ///< Of the functions that register.
  llvm::SmallVector<std::pair<SourceRange, const CXXRecordDecl *>> places;
  llvm::SmallSetVector<FileID, 4> files;
};

} // namespace

llvm::DenseSet<const CXXRecordDecl *>
findDamagedClasses(const ASTContext &context, const ModuleUses &uses, const Vocabulary &vocabulary,
                   const llvm::DenseSet<SourceLocation> &seen) {
  return WrittenClasses(context, uses, vocabulary).findDamaged(seen);
}

} // namespace gradtidy
