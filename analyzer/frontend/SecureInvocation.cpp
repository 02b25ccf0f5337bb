#include "SecureInvocation.h"
#include "analyzer/source/BoundedFile.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Basic/SourceManagerInternals.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/DependencyOutputOptions.h"
#include "clang/Frontend/FrontendOptions.h"
#include "clang/Frontend/MigratorOptions.h"
#include "clang/Frontend/PreprocessorOutputOptions.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/StaticAnalyzer/Core/AnalyzerOptions.h"
#include "llvm/ADT/DenseSet.h"

namespace gradtidy {

namespace {

/// Makes every one of \p values empty.
void clear(auto &...values) { (values.clear(), ...); }

/// A new set of options keeps what the driver says of the input.
void secureFrontend(clang::FrontendOptions &options) {
  clang::FrontendOptions parsing;
  parsing.Inputs = std::move(options.Inputs);
  parsing.DashX = options.DashX;
  parsing.DisableFree = options.DisableFree;
  parsing.AuxTriple = std::move(options.AuxTriple);
  parsing.AuxTargetCPU = std::move(options.AuxTargetCPU);
  parsing.AuxTargetFeatures = std::move(options.AuxTargetFeatures);
  parsing.ModuleMapFiles = std::move(options.ModuleMapFiles);
  parsing.ModuleFiles = std::move(options.ModuleFiles);
  parsing.UseGlobalModuleIndex = options.UseGlobalModuleIndex;
  parsing.ProgramAction = clang::frontend::ParseSyntaxOnly;
  options = std::move(parsing);
}

/// What code generation would read and write; the rest has a say in predefined macros.
void secureCodeGeneration(clang::CodeGenOptions &options) {
  clear(options.CoverageDataFile, options.CoverageNotesFile, options.ProfileFilterFiles,
        options.ProfileExcludeFiles, options.DIBugsReportFilePath, options.LinkBitcodeFiles,
        options.SplitDwarfFile, options.SplitDwarfOutput, options.ObjectFilenameForDebug,
        options.InstrProfileOutput, options.SampleProfileFile, options.MemoryProfileOutput,
        options.MemoryProfileUsePath, options.ProfileInstrumentUsePath,
        options.ProfileRemappingFile, options.ThinLTOIndexFile, options.ThinLinkBitcodeFile,
        options.SaveTempsFilePrefix, options.CudaGpuBinaryFileName, options.OffloadObjects,
        options.OptRecordFile, options.OptRecordPasses, options.OptRecordFormat,
        options.PassPlugins, options.PassBuilderCallbacks, options.SanitizeCoverageAllowlistFiles,
        options.SanitizeCoverageIgnorelistFiles, options.SanitizeMetadataIgnorelistFiles,
        options.StackUsageOutput, options.AsSecureLogFile, options.MSSecureHotPatchFunctionsFile,
        options.RecordCommandLine, options.CommandLineArgs, options.DependentLibraries,
        options.LinkerOptions);
}

void secureDiagnostics(clang::DiagnosticOptions &options) {
  clear(options.DiagnosticLogFile, options.DiagnosticSerializationFile, options.VerifyPrefixes);
  options.VerifyDiagnostics = false;
}

/// What writes modules into a cache.
void secureModules(clang::CompilerInvocation &invocation) {
  clang::HeaderSearchOptions &search = invocation.getHeaderSearchOpts();
  clear(search.ModuleCachePath, search.ModuleUserBuildPath);
  search.ModulesValidateOncePerBuildSession = false;
  invocation.getLangOpts().ImplicitModules = false;
}

/// What constant expressions may take, whatever the flags allow: minutes, or more stack than there
/// is.
void boundEvaluation(clang::LangOptions &language) {
  constexpr unsigned maxSteps = 1u << 24, maxDepth = 2000;
  const unsigned steps = language.ConstexprStepLimit; // 0: as many as one likes.
  language.ConstexprStepLimit = steps == 0 ? maxSteps : std::min(steps, maxSteps);
  language.ConstexprCallDepth = std::min<unsigned>(language.ConstexprCallDepth, maxDepth);
}

/// What reads binary formats, or files in place of others.
void clearInputs(clang::CompilerInvocation &invocation) {
  clang::FrontendOptions &frontend = invocation.getFrontendOpts();
  clear(frontend.ModuleMapFiles, frontend.ModuleFiles);
  clang::HeaderSearchOptions &search = invocation.getHeaderSearchOpts();
  clear(search.PrebuiltModuleFiles, search.PrebuiltModulePaths, search.VFSOverlayFiles);
  search.EnablePrebuiltImplicitModules = false;
  search.ImplicitModuleMaps = false;
  clang::PreprocessorOptions &preprocessor = invocation.getPreprocessorOpts();
  clear(preprocessor.ImplicitPCHInclude, preprocessor.ChainedIncludes,
        preprocessor.PCHThroughHeader);
  preprocessor.clearRemappedFiles();
  invocation.getDiagnosticOpts().DiagnosticSuppressionMappingsFile.clear();
  invocation.getAPINotesOpts() = {};
  clang::LangOptions &language = invocation.getLangOpts();
  clear(language.NoSanitizeFiles, language.XRayAlwaysInstrumentFiles,
        language.XRayNeverInstrumentFiles, language.XRayAttrListFiles, language.ProfileListFiles,
        language.OMPHostIRFile);
  language.APINotes = language.APINotesModules = false;
}

/// Has code be a system's only by the way in which its file was included, or by a pragma.
class LineMarkers : public clang::PPCallbacks {
public:
  explicit LineMarkers(clang::SourceManager &sources) : sources(sources) {}

  void FileChanged(clang::SourceLocation location, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind kind, clang::FileID) override {
    const clang::FileID file = sources.getFileID(location);
    if (reason == SystemHeaderPragma)
      saidSo.insert(file);
    else if (clang::SrcMgr::isSystem(kind) && sources.hasLineTable() && !saidSo.contains(file))
      correct(file);
  }

private:
  void correct(clang::FileID file) {
    const auto kind = sources.getSLocEntry(file).getFile().getFileCharacteristic();
    if (clang::SrcMgr::isSystem(kind))
      return;
    for (auto &[marked, entries] : sources.getLineTable())
      if (marked == file)
        entries.back().FileKind = kind;
  }

  clang::SourceManager &sources;
  llvm::DenseSet<clang::FileID> saidSo;
};

class RegularFiles : public llvm::vfs::ProxyFileSystem {
public:
  using ProxyFileSystem::ProxyFileSystem;

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &path) override {
    const llvm::ErrorOr<llvm::vfs::Status> status = ProxyFileSystem::status(path);
    if (status && !status->isRegularFile() && !status->isDirectory())
      return std::make_error_code(std::errc::not_supported);
    const bool isOwn = llvm::StringRef(path.str()).ends_with(".pch");
    if (status && status->getSize() > limits::source && !isOwn)
      return std::make_error_code(std::errc::file_too_large);
    return ProxyFileSystem::openFileForRead(path);
  }
};

} // namespace

bool secureInvocation(clang::CompilerInvocation &invocation, bool hasOwnFlags) {
  secureFrontend(invocation.getFrontendOpts());
  secureCodeGeneration(invocation.getCodeGenOpts());
  secureDiagnostics(invocation.getDiagnosticOpts());
  secureModules(invocation);
  boundEvaluation(invocation.getLangOpts());
  invocation.getDependencyOutputOpts() = {};
  invocation.getPreprocessorOutputOpts() = {};
  invocation.getMigratorOpts() = {};
  // The bodies of templates would be parsed where they are instantiated, or never.
  invocation.getLangOpts().DelayedTemplateParsing = false;
  clang::AnalyzerOptions &analyzer = invocation.getAnalyzerOpts();
  clear(analyzer.DumpExplodedGraphTo, analyzer.FullCompilerInvocation, analyzer.Config);
  if (!hasOwnFlags)
    clearInputs(invocation);
  return llvm::all_of(invocation.getFrontendOpts().Inputs, [](const auto &input) {
    return input.getKind().getFormat() == clang::InputKind::Source;
  });
}

void securePreprocessor(clang::CompilerInstance &compiler) {
  clang::Preprocessor &preprocessor = compiler.getPreprocessor();
  // Clang's own are found by their names. Those of modules compile texts and files in ways of their
  // own, and write what comes of it.
  for (const char *name : {"__debug", "module"}) {
    clang::EmptyPragmaHandler handler(name);
    preprocessor.RemovePragmaHandler("clang", &handler);
  }
  if (!compiler.getFrontendOpts().Inputs.front().getKind().isPreprocessed())
    preprocessor.addPPCallbacks(std::make_unique<LineMarkers>(compiler.getSourceManager()));
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
regularFilesOf(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> base) {
  return llvm::makeIntrusiveRefCnt<RegularFiles>(std::move(base));
}

} // namespace gradtidy
