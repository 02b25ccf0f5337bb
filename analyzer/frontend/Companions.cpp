#include "Companions.h"

#include "clang-tidy/ClangTidy.h"
#include "clang/AST/ASTContext.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

namespace tidy = clang::tidy;

Companions::Companions(const Parse &parse, CompanionFinder &finder, tidy::ClangTidyContext &context,
                       tidy::ClangTidyASTConsumerFactory &consumers,
                       std::function<bool(const Foreword &)> commutes, Unit &unit)
    : parse(parse), finder(finder), context(context), consumers(consumers),
      commutes(std::move(commutes)), unit(unit) {}

void Companions::lookFromUnit() {
  if (parse.more.empty())
    return;
  const clang::SourceManager &sources = parse.compiler.getSourceManager();
  const Inclusions &inclusions = parse.inclusions;
  sightOfUnit.emplace();
  sightOfUnit->own = inclusions.reachedFrom(sources.getFileEntryForID(sources.getMainFileID()));
  sightOfUnit->seen = sightOfUnit->own;
  for (const Partner &partner : parse.partners)
    if (const clang::FileEntry *source = parsed(partner.file))
      for (const clang::FileEntry *file : inclusions.reachedFrom(source))
        sightOfUnit->seen.insert(file);
  viewpoint.emplace(sightOfUnit->own, sightOfUnit->seen);
}

void Companions::HandleTranslationUnit(clang::ASTContext &ast) {
  viewpoint.reset();
  const auto isOtherwiseCompiled = [](const Partner &source) {
    return !source.folders.empty() || !source.macros.empty();
  };
  // What clang makes of a source after errors depends on what comes before it.
  if (unit.headerIsMissing || parse.compiler.getDiagnostics().hasErrorOccurred() ||
      llvm::any_of(parse.partners, isOtherwiseCompiled))
    return;
  const std::string mainFile = context.getCurrentFile().str();
  for (const Partner &partner : llvm::concat<const Partner>(parse.partners, parse.more)) {
    const clang::FileEntry *source = parsed(partner.file);
    PartnerFinder *search = finder.search(partner.file);
    if (!search || !source || parse.diagnostics.partnersWithWarnings().contains(partner.file))
      continue;
    const std::optional<Sight> sight = narrow(ast, source, *search);
    if (!sight)
      continue;
    unit.companions.push_back({partner.file, analyse(ast, partner.file, *sight)});
    context.setCurrentFile(mainFile);
    finder.end(partner.file);
  }
}

/// Makes what the unit of \p source consists of the traversal scope; nothing if not all of it is
/// there, or if it would be something else by itself.
std::optional<Companions::Sight> Companions::narrow(clang::ASTContext &ast,
                                                    const clang::FileEntry *source,
                                                    PartnerFinder &search) const {
  const Inclusions &inclusions = parse.inclusions;
  Sight sight;
  sight.own = sight.seen = inclusions.reachedFrom(source);
  if (!inclusions.standAlone(source, sight.own) || !commutes(inclusions.forewordOf(sight.own)))
    return std::nullopt;
  std::vector<FileSet> turns = {sight.own};
  const TurnOf turnOf = [&](const clang::Decl &declaration) -> std::optional<size_t> {
    const clang::FileEntry *file = inclusions.fileAt(declaration.getLocation());
    if (!file)
      return 0;
    const auto turn =
        llvm::find_if(turns, [&](const FileSet &files) { return files.contains(file); });
    return turn == turns.end() ? std::nullopt : std::optional<size_t>(turn - turns.begin());
  };
  std::vector<Partner> found;
  search.begin();
  do {
    std::vector<std::vector<clang::Decl *>> byTurn(turns.size());
    for (clang::Decl *declaration : parse.code.declarations())
      if (const std::optional<size_t> turn = turnOf(*declaration))
        byTurn[*turn].push_back(declaration);
    std::vector<clang::Decl *> scope;
    for (const std::vector<clang::Decl *> &declarations : byTurn)
      llvm::append_range(scope, declarations);
    ast.setTraversalScope(scope);

    found = search.find(ast, parse.userCode, turnOf);
    for (const Partner &partner : found) {
      const clang::FileEntry *file = parsed(partner.file);
      if (!file || !partner.folders.empty() || !partner.macros.empty())
        return std::nullopt;
      turns.push_back(inclusions.reachedFrom(file));
      sight.seen.insert(turns.back().begin(), turns.back().end());
    }
  } while (!found.empty());
  return sight;
}

Unit Companions::analyse(clang::ASTContext &ast, const std::string &source,
                         const Sight &sight) const {
  Unit companion;
  HeaderDoubts none;
  UnitDiagnostics diagnostics(context, parse.userCode, parse.diagnostics.projectRoot(), companion,
                              none);
  clang::DiagnosticConsumer *before = parse.engine.getClient();
  parse.engine.setClient(&diagnostics, /*ShouldOwnClient=*/false);
  const tidy::ClangTidyStats statsBefore = context.getStats();
  const Viewpoint ofCompanion(sight.own, sight.seen);
  consumers.createASTConsumer(parse.compiler, source)->HandleTranslationUnit(ast);
  parse.engine.setClient(before, /*ShouldOwnClient=*/false);
  companion.diagnostics = diagnostics.takeClean(parse.folder);
  companion.stats = since(statsBefore, context.getStats());
  companion.outcome = Unit::Outcome::Analysed;
  return companion;
}

/// The file of \p source, if it was parsed.
const clang::FileEntry *Companions::parsed(const std::string &source) const {
  const clang::SourceManager &sources = parse.compiler.getSourceManager();
  const auto file = sources.getFileManager().getOptionalFileRef(source);
  const auto isSource = [&](const Partner &each) { return each.file == source; };
  const bool isParsed =
      file && (*file == *sources.getFileEntryRefForID(sources.getMainFileID()) ||
               llvm::any_of(parse.partners, isSource) || llvm::any_of(parse.more, isSource));
  return isParsed ? &file->getFileEntry() : nullptr;
}

} // namespace gradtidy
