#include "Precompile.h"
#include "HostFunctions.h"
#include "Paths.h"
#include "PhaseTimer.h"
#include "SecureInvocation.h"

#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace gradtidy {

using llvm::StringRef;

namespace {

/// The names of includes.
class IncludeRecorder : public clang::PPCallbacks {
public:
  IncludeRecorder(std::vector<std::string> &names, SearchRecorder &search)
      : names(names), search(search) {}

  void InclusionDirective(clang::SourceLocation, const clang::Token &, StringRef name,
                          bool isAngled, clang::CharSourceRange, clang::OptionalFileEntryRef file,
                          StringRef, StringRef, const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    names.push_back(name.str());
    search.add(name, isAngled, file);
  }
  void HasInclude(clang::SourceLocation, StringRef name, bool isAngled,
                  clang::OptionalFileEntryRef file, clang::SrcMgr::CharacteristicKind) override {
    names.push_back(name.str());
    search.add(name, isAngled, file);
  }

private:
  std::vector<std::string> &names;
  SearchRecorder &search;
};

/// Finds the includes of the main file of which tokens or macros are left, or errors.
class RemainsAction : public clang::PreprocessorFrontendAction {
public:
  void add(clang::SourceLocation location) {
    const clang::SourceManager &sources = getCompilerInstance().getSourceManager();
    clang::FileID file = sources.getFileID(sources.getExpansionLoc(location)), included;
    while (file.isValid() && file != sources.getMainFileID()) {
      included = file;
      file = sources.getFileID(sources.getIncludeLoc(file));
    }
    // What the compiler defines by itself is of no file.
    if (file.isValid() && included.isValid())
      if (const auto entry = sources.getFileEntryRefForID(included);
          entry && (found.empty() || found.back() != entry->getName()))
        found.push_back(entry->getName().str());
  }

  std::vector<std::string> found;

protected:
  void ExecuteAction() override {
    clang::Preprocessor &preprocessor = getCompilerInstance().getPreprocessor();
    preprocessor.addPPCallbacks(std::make_unique<MacroWatcher>(*this));
    preprocessor.IgnorePragmas(); // But for clang's own.
    securePreprocessor(getCompilerInstance());
    preprocessor.EnterMainSourceFile();
    clang::Token token;
    for (preprocessor.Lex(token); token.isNot(clang::tok::eof); preprocessor.Lex(token))
      add(token.getLocation());
  }

private:
  class MacroWatcher : public clang::PPCallbacks {
  public:
    explicit MacroWatcher(RemainsAction &action) : action(action) {}
    void MacroDefined(const clang::Token &name, const clang::MacroDirective *) override {
      action.add(name.getLocation());
    }
    void MacroUndefined(const clang::Token &name, const clang::MacroDefinition &,
                        const clang::MacroDirective *) override {
      action.add(name.getLocation());
    }

  private:
    RemainsAction &action;
  };
};

class ErrorWatcher : public clang::DiagnosticConsumer {
public:
  explicit ErrorWatcher(RemainsAction &action) : action(action) {}
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override {
    if (level >= clang::DiagnosticsEngine::Error && info.getLocation().isValid())
      action.add(info.getLocation());
  }

private:
  RemainsAction &action;
};

/// Writes what units find in the header when they are parsed behind it.
class HeaderGenerator : public clang::PCHGenerator {
public:
  using PCHGenerator::PCHGenerator;

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl *declaration : group)
      offerToHost(*declaration);
    return true;
  }
};

/// False if there are errors.
bool execute(std::shared_ptr<clang::CompilerInvocation> invocation, clang::FileManager &files,
             clang::FrontendAction &action, clang::DiagnosticConsumer &diagnostics) {
  clang::CompilerInstance compiler(std::move(invocation));
  compiler.setVirtualFileSystem(files.getVirtualFileSystemPtr());
  compiler.setFileManager(llvm::IntrusiveRefCntPtr<clang::FileManager>(&files));
  compiler.createDiagnostics(&diagnostics, /*ShouldOwnClient=*/false);
  compiler.getDiagnostics().setFatalsAsError(true);
  compiler.createSourceManager();
  return compiler.ExecuteAction(action) && diagnostics.getNumErrors() == 0;
}

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
  precompiler->getPreprocessorOpts().clearRemappedFiles(); // The main file.
  clang::CodeGenOptions &code = precompiler->getCodeGenOpts();
  precompiler->getLangOpts().CUID.clear(); // Of the unit's kernels.
  code.MainFileName.clear();
  code.DebugCompilationDir.clear();
  code.CoverageCompilationDir.clear();
  return precompiler;
}

std::string keyOf(const clang::CompilerInvocation &precompiler, StringRef source) {
  std::string text = (HeaderEntry::format + "\n" + clang::getClangFullVersion() + "\n").str();
  for (const std::string &argument : precompiler.getCC1CommandLine())
    text += argument + "\n";
  // The command line leaves out what stands behind a folder for quoted names.
  for (const auto &entry : precompiler.getHeaderSearchOpts().UserEntries)
    text += entry.Path + "\n" + std::to_string(entry.Group) + (entry.IsFramework ? "f" : "") +
            (entry.IgnoreSysRoot ? "" : "s") + "\n";
  text += source;
  return checksum(text);
}

std::unique_ptr<clang::ASTConsumer>
PrecompileAction::CreateASTConsumer(clang::CompilerInstance &compiler, StringRef file) {
  return std::make_unique<HeaderGenerator>(
      compiler.getPreprocessor(), compiler.getModuleCache(), file, /*isysroot=*/"", buffer,
      compiler.getCodeGenOpts(), llvm::ArrayRef<std::shared_ptr<clang::ModuleFileExtension>>(),
      /*AllowASTWithErrors=*/false, /*IncludeTimestamps=*/false);
}

bool PrecompileAction::BeginSourceFileAction(clang::CompilerInstance &compiler) {
  securePreprocessor(compiler);
  search = std::make_unique<SearchRecorder>(compiler);
  compiler.getPreprocessor().addPPCallbacks(
      std::make_unique<IncludeRecorder>(record.facts["include"], *search));
  return GeneratePCHAction::BeginSourceFileAction(compiler);
}

void PrecompileAction::EndSourceFileAction() {
  clang::Preprocessor &preprocessor = getCompilerInstance().getPreprocessor();
  for (const auto &word : preprocessor.getIdentifierTable())
    record.facts["word"].push_back(word.first().str());
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  for (auto file = sources.fileinfo_begin(); file != sources.fileinfo_end(); ++file) {
    const auto text = file->second->getBufferIfLoaded();
    if (!text)
      continue;
    const std::string path = search->absolute(file->first.getName());
    record.files.emplace_back(path, FileIdentity::of(text->getBuffer(), path, begin));
    if (file->first != sources.getFileEntryRefForID(sources.getMainFileID()) &&
        !preprocessor.getHeaderSearchInfo().isFileMultipleIncludeGuarded(file->first))
      record.facts["unguarded"].push_back(cleanPath(path, {}));
  }
  record.lookups = search->lookups();
  llvm::sort(record.files,
             [](const auto &left, const auto &right) { return left.first < right.first; });
  for (const char *kind : {"include", "unguarded", "word"}) {
    std::vector<std::string> &facts = record.facts[kind];
    llvm::sort(facts);
    facts.erase(llvm::unique(facts), facts.end());
  }
  GeneratePCHAction::EndSourceFileAction();
}

Precompiled precompile(const clang::CompilerInvocation &precompiler, clang::FileManager &files,
                       PrecompileAction &action, StringRef source) {
  const PhaseTimer timer(makingPhase);
  auto own = std::make_shared<clang::CompilerInvocation>(precompiler);
  own->getFrontendOpts().Inputs.emplace_back(source, own->getFrontendOpts().DashX);
  clang::DiagnosticConsumer counter;
  return execute(std::move(own), files, action, counter) ? action.take() : Precompiled();
}

std::vector<std::string> findRepeating(const clang::CompilerInvocation &precompiler,
                                       clang::FileManager &files,
                                       const std::vector<std::string> &headers, StringRef target) {
  std::string text;
  for (const std::string &header : headers)
    text += "#include \"" + header + "\"\n";
  const auto buffer = llvm::MemoryBuffer::getMemBuffer(text);
  auto own = std::make_shared<clang::CompilerInvocation>(precompiler);
  own->getFrontendOpts().ProgramAction = clang::frontend::PrintPreprocessedInput;
  const std::string source = (target + ".once-more").str();
  own->getFrontendOpts().Inputs.emplace_back(source, clang::Language::CXX);
  own->getPreprocessorOpts().ImplicitPCHInclude = target.str();
  own->getPreprocessorOpts().addRemappedFile(source, buffer.get());
  own->getPreprocessorOpts().RetainRemappedFileBuffers = true;
  RemainsAction action;
  ErrorWatcher errors(action);
  execute(std::move(own), files, action, errors);
  return action.found;
}

} // namespace gradtidy
