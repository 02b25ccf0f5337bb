#include "SecureInvocation.h"
#include "Bodies.h"
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

/// What constant expressions and templates may take, whatever the flags allow: minutes, or more
/// stack or memory than there is.
void boundEvaluation(clang::LangOptions &language) {
  constexpr unsigned maxSteps = 1u << 24, maxDepth = 2000, maxInstantiations = 8192,
                     maxArrows = 1024;
  const unsigned steps = language.ConstexprStepLimit; // 0: as many as one likes.
  language.ConstexprStepLimit = steps == 0 ? maxSteps : std::min(steps, maxSteps);
  language.ConstexprCallDepth = std::min<unsigned>(language.ConstexprCallDepth, maxDepth);
  language.InstantiationDepth = std::min<unsigned>(language.InstantiationDepth, maxInstantiations);
  language.ArrowDepth = std::min<unsigned>(language.ArrowDepth, maxArrows);
  language.EnableNewConstInterp = false; // It counts no steps.
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

/// Errors whose text is the reason, which clang shows: "cannot open file 'x': not a regular file".
class Refusals : public std::error_category {
public:
  enum Reason : int { NotRegular = 1, TooLarge };

  const char *name() const noexcept override { return "gradtidy"; }
  std::string message(int reason) const override {
    return reason == TooLarge ? "larger than " + std::to_string(limits::source >> 20) + " MB"
                              : "not a regular file";
  }

  static std::error_code of(Reason reason) {
    static const Refusals category;
    return {reason, category};
  }
};

/// At most the first bytes of a file.
class Beginning : public llvm::vfs::File {
public:
  /// \param file null for one that is not read.
  Beginning(const llvm::vfs::Status &status, std::unique_ptr<llvm::vfs::File> file)
      : file(std::move(file)),
        known(status.getName(), status.getUniqueID(), status.getLastModificationTime(),
              status.getUser(), status.getGroup(),
              this->file ? std::min(status.getSize(), limits::embedded) : 0,
              llvm::sys::fs::file_type::regular_file, status.getPermissions()) {}

  llvm::ErrorOr<llvm::vfs::Status> status() override { return known; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
  getBuffer(const llvm::Twine &name, int64_t, bool requiresNull, bool isVolatile) override {
    if (!file)
      return llvm::MemoryBuffer::getMemBufferCopy("", name);
    auto all = file->getBuffer(name, -1, requiresNull, isVolatile);
    if (!all || (*all)->getBufferSize() <= known.getSize())
      return all;
    return llvm::MemoryBuffer::getMemBufferCopy((*all)->getBuffer().take_front(known.getSize()),
                                                name);
  }
  std::error_code close() override { return file ? file->close() : std::error_code(); }

private:
  const std::unique_ptr<llvm::vfs::File> file;
  const llvm::vfs::Status known;
};

class RegularFiles : public llvm::vfs::ProxyFileSystem {
public:
  using ProxyFileSystem::ProxyFileSystem;

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &path) override {
    const llvm::ErrorOr<llvm::vfs::Status> status = ProxyFileSystem::status(path);
    if (status && !status->isRegularFile() && !status->isDirectory())
      return Refusals::of(Refusals::NotRegular);
    const bool isOwn = llvm::StringRef(path.str()).ends_with(".pch");
    if (status && status->getSize() > limits::source && !isOwn)
      return Refusals::of(Refusals::TooLarge);
    return ProxyFileSystem::openFileForRead(path);
  }

  /// For #embed, which calls a file that is not opened not found: one that is not read looks empty,
  /// and to read it is an error with its reason.
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForReadBinary(const llvm::Twine &path) override {
    const llvm::ErrorOr<llvm::vfs::Status> status = ProxyFileSystem::status(path);
    if (!status || status->isDirectory())
      return ProxyFileSystem::openFileForRead(path);
    std::unique_ptr<llvm::vfs::File> file;
    if (status->isRegularFile()) {
      auto opened = ProxyFileSystem::openFileForRead(path);
      if (!opened)
        return opened;
      file = std::move(*opened);
    }
    return std::make_unique<Beginning>(*status, std::move(file));
  }
};

/// Says which files #embed does not get to their ends, and bounds what all of a unit take.
class EmbeddedFiles : public clang::PPCallbacks {
public:
  EmbeddedFiles(clang::Preprocessor &preprocessor,
                std::function<void(clang::SourceLocation)> tooMuch)
      : files(preprocessor.getFileManager()), sources(preprocessor.getSourceManager()),
        tooMuch(std::move(tooMuch)) {}

  void EmbedDirective(clang::SourceLocation place, llvm::StringRef name, bool,
                      clang::OptionalFileEntryRef file,
                      const clang::LexEmbedParametersResult &parameters) override {
    const auto status = file ? files.getVirtualFileSystem().status(file->getName())
                             : std::make_error_code(std::errc::no_such_file_or_directory);
    if (status && status->getSize() > limits::embedded)
      logUnfollowed({placeOf("#embed of '" + name.str() + "'", place, sources)});
    count(file, parameters);
    if (tooMuch && (bytes > maxBytes || tokens > maxTokens)) {
      tooMuch(place);
      endBefore(const_cast<clang::LexEmbedParametersResult &>(parameters), place);
    }
  }

  /// A file that was asked for is not opened by the name of #embed any more.
  void HasEmbed(clang::SourceLocation place, llvm::StringRef name, bool,
                clang::OptionalFileEntryRef file) override {
    if (!file || static_cast<uint64_t>(file->getSize()) <= limits::embedded)
      return;
    // What is there already may be in use: by a lexer, or by tokens that wait for the parser.
    if (sources.isFileOverridden(&file->getFileEntry()) || sources.translateFile(*file).isValid())
      return;
    auto opened = files.getVirtualFileSystem().openFileForReadBinary(file->getName());
    auto beginning = opened ? (*opened)->getBuffer(file->getName())
                            : llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>(opened.getError());
    if (!beginning)
      return;
    sources.overrideFileContents(*file, std::move(*beginning));
    logUnfollowed({placeOf("#embed of '" + name.str() + "'", place, sources)});
  }

private:
  static constexpr uint64_t maxBytes = uint64_t(4) << 20;
  /// Of prefixes and the like, which may nest: nobody sees them before the parser.
  static constexpr size_t maxTokens = size_t(3) * maxNesting;

  /// A file that was read before, as a source or to ask whether it is there, is as large as it is.
  void count(clang::OptionalFileEntryRef file, const clang::LexEmbedParametersResult &parameters) {
    const auto buffer = file ? sources.getMemoryBufferForFileOrNone(*file) : std::nullopt;
    uint64_t size = buffer ? buffer->getBufferSize() : 0;
    if (parameters.MaybeOffsetParam)
      size -= std::min<uint64_t>(size, parameters.MaybeOffsetParam->Offset);
    if (parameters.MaybeLimitParam)
      size = std::min<uint64_t>(size, parameters.MaybeLimitParam->Limit);
    bytes += size;
    tokens += parameters.PrefixTokenCount() + parameters.SuffixTokenCount();
    if (parameters.MaybeIfEmptyParam)
      tokens += parameters.MaybeIfEmptyParam->Tokens.size();
  }

  /// Nothing keeps clang from handing out the bytes: the end of the text comes before them.
  static void endBefore(clang::LexEmbedParametersResult &parameters, clang::SourceLocation place) {
    clang::Token end;
    end.startToken();
    end.setKind(clang::tok::eof);
    end.setLocation(place);
    llvm::SmallVector<clang::Token, 4> tokens = {end};
    parameters.MaybePrefixParam.emplace(std::move(tokens), clang::SourceRange(place));
    tokens = {end};
    parameters.MaybeIfEmptyParam.emplace(std::move(tokens), clang::SourceRange(place));
  }

  clang::FileManager &files;
  clang::SourceManager &sources;
  const std::function<void(clang::SourceLocation)> tooMuch;
  uint64_t bytes = 0;
  size_t tokens = 0;
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

void securePreprocessor(clang::CompilerInstance &compiler,
                        std::function<void(clang::SourceLocation)> tooMuch) {
  clang::Preprocessor &preprocessor = compiler.getPreprocessor();
  // Clang's own are found by their names. Those of modules compile texts and files in ways of their
  // own, and write what comes of it.
  for (const char *name : {"__debug", "module"}) {
    clang::EmptyPragmaHandler handler(name);
    preprocessor.RemovePragmaHandler("clang", &handler);
  }
  preprocessor.addPPCallbacks(std::make_unique<EmbeddedFiles>(preprocessor, std::move(tooMuch)));
  if (!compiler.getFrontendOpts().Inputs.front().getKind().isPreprocessed())
    preprocessor.addPPCallbacks(std::make_unique<LineMarkers>(compiler.getSourceManager()));
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
regularFilesOf(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> base) {
  return llvm::makeIntrusiveRefCnt<RegularFiles>(std::move(base));
}

} // namespace gradtidy
