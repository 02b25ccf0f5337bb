#include "IncompleteClasses.h"

#include "analyzer/lowering/ast/Syntax.h"
#include "analyzer/lowering/ast/Values.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace gradtidy {

namespace {

/// Finds where functions that register are named in the syntax tree.
class Names : public RecursiveASTVisitor<Names> {
public:
  explicit Names(const Vocabulary &vocabulary) : vocabulary(vocabulary) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl *declaration) {
    return isPassedOver(declaration, vocabulary.code().isUserCode()) ||
           RecursiveASTVisitor::TraverseDecl(declaration);
  }

  bool VisitOverloadExpr(OverloadExpr *overloads) {
    if (llvm::any_of(overloads->decls(), [&](const NamedDecl *candidate) {
          return registers(vocabulary.traitOf(candidate->getUnderlyingDecl()));
        }))
      found.insert(overloads->getNameLoc());
    return true;
  }

  bool VisitMemberExpr(MemberExpr *member) {
    if (registers(vocabulary.traitOf(member->getMemberDecl())))
      found.insert(member->getMemberLoc());
    return true;
  }

  llvm::DenseSet<SourceLocation> found;

private:
  const Vocabulary &vocabulary;
};

/// The source of module classes, as the lexer reads it.
class WrittenClasses {
public:
  WrittenClasses(llvm::ArrayRef<const ir::Symbol *> records, const Vocabulary &vocabulary)
      : context(vocabulary.code().context()), sources(context.getSourceManager()),
        vocabulary(vocabulary) {
    for (const ir::Symbol *record : records)
      add(CodeMap::record(record), record);
  }

  /// The classes where functions that register are named in other places than those \p seen.
  llvm::SetVector<const ir::Symbol *>
  findIncomplete(const llvm::DenseSet<SourceLocation> &seen) const {
    llvm::DenseSet<SourceLocation> spelled;
    for (SourceLocation location : seen)
      spelled.insert(sources.getSpellingLoc(location));
    llvm::SetVector<const ir::Symbol *> incomplete;
    for (FileID file : files)
      findIn(file, spelled, incomplete);
    return incomplete;
  }

private:
  void add(const CXXRecordDecl *definition, const ir::Symbol *record) {
    addPlace(definition, record);
    for (const CXXMethodDecl *method : definition->methods())
      if (const ir::Symbol *definition = vocabulary.code().symbol(method)->definition)
        addPlace(CodeMap::function(definition), record);
    definition->forallBases([&](const CXXRecordDecl *base) {
      addNames(base);
      return true;
    });
  }

  void addPlace(const Decl *declaration, const ir::Symbol *record) {
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

  void findIn(FileID file, const llvm::DenseSet<SourceLocation> &spelled,
              llvm::SetVector<const ir::Symbol *> &incomplete) const {
    Lexer lexer(file, sources.getBufferOrFake(file), sources, context.getLangOpts());
    Token token;
    bool isDirective = false;
    do {
      lexer.LexFromRawLexer(token);
      if (token.isAtStartOfLine())
        isDirective = token.is(tok::hash);
      if (!isDirective && token.is(tok::raw_identifier) &&
          names.contains(token.getRawIdentifier()) && !spelled.contains(token.getLocation()))
        addClassesAt(token.getLocation(), incomplete);
    } while (token.isNot(tok::eof));
  }

  /// What is in no class may be in any of the file.
  void addClassesAt(SourceLocation location, llvm::SetVector<const ir::Symbol *> &found) const {
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
  const Vocabulary &vocabulary;
  llvm::StringSet<> names; ///< Of the functions that register.
  llvm::SmallVector<std::pair<SourceRange, const ir::Symbol *>> places;
  llvm::SmallSetVector<FileID, 4> files;
};

} // namespace

std::vector<const ir::Symbol *> findIncompleteClasses(llvm::ArrayRef<const ir::Symbol *> records,
                                                      const Vocabulary &vocabulary) {
  const ASTContext &context = vocabulary.code().context();
  if (!context.getDiagnostics().hasErrorOccurred())
    return {};
  Names names(vocabulary);
  for (Decl *declaration : context.getTraversalScope())
    names.TraverseDecl(declaration);
  const auto found = WrittenClasses(records, vocabulary).findIncomplete(names.found);
  return {found.begin(), found.end()};
}

} // namespace gradtidy
