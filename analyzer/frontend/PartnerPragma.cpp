#include "PartnerPragma.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclBase.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace gradtidy {

namespace {

void addFolder(clang::Preprocessor &preprocessor, const std::string &folder) {
  if (const auto entry = preprocessor.getFileManager().getOptionalDirectoryRef(folder))
    preprocessor.getHeaderSearchInfo().AddSearchPath(
        clang::DirectoryLookup(*entry, clang::SrcMgr::C_User, /*isFramework=*/false),
        /*isAngled=*/true);
}

/// Keeps the user's headers that have been read once from being read again, for those that have no
/// guard against it: each source includes them but once.
void readHeadersOnce(clang::Preprocessor &preprocessor, const UserCode &userCode) {
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  llvm::DenseMap<clang::FileEntryRef, unsigned> read;
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    const clang::SrcMgr::SLocEntry &entry = sources.getLocalSLocEntry(i);
    const auto begin = clang::SourceLocation::getFromRawEncoding(entry.getOffset());
    const auto file = entry.isFile() ? entry.getFile().getContentCache().OrigEntry : std::nullopt;
    if (file && userCode.contains(begin, sources))
      ++read[*file];
  }
  for (const auto &[file, times] : read)
    if (times == 1)
      preprocessor.getHeaderSearchInfo().MarkFileIncludeOnce(file);
}

} // namespace

std::string textOf(const std::vector<Partner> &found, size_t partners) {
  std::string text;
  for (const Partner &partner : found) {
    for (llvm::StringRef macro : partner.macros) {
      const auto [word, value] = macro.split('=');
      text += ("#ifndef " + word.split('(').first + "\n#define " + word + " " +
               (macro.contains('=') ? value : "1") + "\n#endif\n")
                  .str();
    }
    // Each program has a main() of its own.
    text += "#define main main_of_partner_" + std::to_string(partners++) + "\n#include \"" +
            partner.file + "\"\n#undef main\n";
  }
  return text;
}

void PartnerPragma::HandlePragma(clang::Preprocessor &preprocessor, clang::PragmaIntroducer,
                                 clang::Token &name) {
  preprocessor.DiscardUntilEndOfDirective();
  clang::SourceManager &sources = preprocessor.getSourceManager();
  const TurnOf turnOf = [&](const clang::Decl &declaration) -> std::optional<size_t> {
    const std::string partner = partnerAt(declaration.getLocation(), sources);
    if (partner.empty())
      return 0;
    const auto known = llvm::find_if(partners, [&](const auto &p) { return p.file == partner; });
    if (known == partners.end())
      return std::nullopt;
    return known - partners.begin() + 1;
  };
  std::vector<Partner> found;
  do {
    found = finder.find(contextSoFar(), userCode, turnOf);
    const std::string text = textOf(found, partners.size());
    llvm::append_range(partners, found);
    if (!found.empty() && !areInHeader) {
      parse(preprocessor, found, text + partnersHere.str(), name.getLocation());
      return;
    }
  } while (!found.empty());
  more = finder.findMore();
  if (!more.empty())
    parse(preprocessor, more, textOf(more, partners.size()), name.getLocation());
}

void PartnerPragma::parse(clang::Preprocessor &preprocessor, const std::vector<Partner> &sources,
                          const std::string &text, clang::SourceLocation here) const {
  readHeadersOnce(preprocessor, userCode);
  for (const Partner &source : sources)
    for (const std::string &folder : source.folders)
      addFolder(preprocessor, folder);
  const clang::FileID file = preprocessor.getSourceManager().createFileID(
      llvm::MemoryBuffer::getMemBufferCopy(text, partnersBuffer), clang::SrcMgr::C_User, 0, 0,
      here);
  preprocessor.EnterSourceFile(file, nullptr, here);
}

} // namespace gradtidy
