#include "Precompile.h"
#include "PhaseTimer.h"

#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

namespace gradtidy {

using llvm::StringRef;

namespace {

/// The names of includes.
class IncludeRecorder : public clang::PPCallbacks {
public:
  explicit IncludeRecorder(std::vector<std::string> &names) : names(names) {}

  void InclusionDirective(clang::SourceLocation, const clang::Token &, StringRef name, bool,
                          clang::CharSourceRange, clang::OptionalFileEntryRef, StringRef, StringRef,
                          const clang::Module *, bool, clang::SrcMgr::CharacteristicKind) override {
    names.push_back(name.str());
  }
  void HasInclude(clang::SourceLocation, StringRef name, bool, clang::OptionalFileEntryRef,
                  clang::SrcMgr::CharacteristicKind) override {
    names.push_back(name.str());
  }

private:
  std::vector<std::string> &names;
};

} // namespace

std::shared_ptr<clang::CompilerInvocation> precompilerFor(const clang::CompilerInvocation &unit) {
  auto precompiler = std::make_shared<clang::CompilerInvocation>(unit);
  clang::FrontendOptions &frontend = precompiler->getFrontendOpts();
  frontend.Inputs.clear();
  frontend.ProgramAction = clang::frontend::GeneratePCH;
  frontend.SkipFunctionBodies = true;
  // Content tells whether a header is still the same; a copy of the cache may be used elsewhere.
  frontend.IncludeTimestamps = false;
  precompiler->getDependencyOutputOpts() = {};
  precompiler->getPreprocessorOpts().clearRemappedFiles(); // The main file: see PartnerPragma.
  clang::CodeGenOptions &code = precompiler->getCodeGenOpts();
  code.MainFileName.clear();
  code.DebugCompilationDir.clear();
  code.CoverageCompilationDir.clear();
  return precompiler;
}

std::string keyOf(const clang::CompilerInvocation &precompiler, StringRef source) {
  std::string text = (HeaderEntry::format + "\n" + clang::getClangFullVersion() + "\n").str();
  for (const std::string &argument : precompiler.getCC1CommandLine())
    text += argument + "\n";
  text += source;
  const llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(text));
  return llvm::utohexstr(hash.high64, true, 16) + llvm::utohexstr(hash.low64, true, 16);
}

bool PrecompileAction::BeginSourceFileAction(clang::CompilerInstance &compiler) {
  compiler.getPreprocessor().addPPCallbacks(
      std::make_unique<IncludeRecorder>(record.facts["include"]));
  return GeneratePCHAction::BeginSourceFileAction(compiler);
}

void PrecompileAction::EndSourceFileAction() {
  clang::Preprocessor &preprocessor = getCompilerInstance().getPreprocessor();
  for (const auto &word : preprocessor.getIdentifierTable())
    record.facts["word"].push_back(word.first().str());
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  for (auto file = sources.fileinfo_begin(); file != sources.fileinfo_end(); ++file) {
    const auto text = file->second->getBufferIfLoaded();
    if (!text || file->first == sources.getFileEntryRefForID(sources.getMainFileID()))
      continue;
    const std::string path = absolute(file->first);
    record.files.emplace_back(path, FileIdentity::of(text->getBuffer(), path, begin));
    if (!preprocessor.getHeaderSearchInfo().isFileMultipleIncludeGuarded(file->first))
      record.facts["unguarded"].push_back(path);
  }
  llvm::sort(record.files,
             [](const auto &left, const auto &right) { return left.first < right.first; });
  for (const char *kind : {"include", "unguarded", "word"}) {
    std::vector<std::string> &facts = record.facts[kind];
    llvm::sort(facts);
    facts.erase(llvm::unique(facts), facts.end());
  }
  GeneratePCHAction::EndSourceFileAction();
}

std::string PrecompileAction::absolute(clang::FileEntryRef file) {
  llvm::SmallString<256> path = file.getName();
  getCompilerInstance().getFileManager().makeAbsolutePath(path);
  return std::string(path);
}

bool precompile(const clang::CompilerInvocation &precompiler, clang::FileManager &files,
                PrecompileAction &action, StringRef source, StringRef target) {
  const PhaseTimer timer(makingPhase);
  auto own = std::make_shared<clang::CompilerInvocation>(precompiler);
  own->getFrontendOpts().Inputs.emplace_back(source, own->getFrontendOpts().DashX);
  own->getFrontendOpts().OutputFile = target.str();
  clang::CompilerInstance compiler(std::move(own));
  compiler.setVirtualFileSystem(files.getVirtualFileSystemPtr());
  compiler.setFileManager(llvm::IntrusiveRefCntPtr<clang::FileManager>(&files));
  clang::DiagnosticConsumer counter;
  compiler.createDiagnostics(&counter, /*ShouldOwnClient=*/false);
  compiler.createSourceManager();
  return compiler.ExecuteAction(action) && counter.getNumErrors() == 0;
}

} // namespace gradtidy
