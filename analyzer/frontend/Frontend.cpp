#include "Frontend.h"
#include "HeaderCache.h"
#include "MissingNames.h"
#include "OwnHeader.h"
#include "PartnerPragma.h"
#include "Paths.h"
#include "PhaseTimer.h"
#include "UserCode.h"
#include "UserCodeConsumer.h"

#include "clang-tidy/ClangTidy.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang/AST/ASTContext.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/LexDiagnostic.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/Sema.h"
#include "clang/Serialization/ASTReader.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace gradtidy {

namespace tidy = clang::tidy;
namespace tooling = clang::tooling;

struct Frontend::Request {
  const Job &job;
  const std::vector<std::string> &frameworkHeaders;
  PartnerFinder *findPartners; ///< Or null.
  bool standIns;               ///< For names of missing headers.
};

namespace {

/// Enough for clang's recursion over deeply nested code, as in clang itself.
constexpr unsigned stackSize = 8u << 20;

/// Over which precompiled header a unit was parsed, and what came of that.
struct HeaderUse {
  HeaderCache::Header found;
  std::optional<OwnHeader> own; ///< Of the unit, over the framework's.
  bool isOwn = false;           ///< The one found.
  Foreword foreword;
  bool failed = false;   ///< It cannot be read.
  bool doubted = false;  ///< There are errors that may come of what it has first.
  bool outdated = false; ///< It has other partners than the unit.
};

/// Whether nothing that is first in an own header can have changed what the unit means.
bool isReliable(const HeaderUse &own) {
  return !own.failed && !own.doubted && !own.outdated && !own.foreword.seesPartner;
}

/// Hands the user's declarations to the checks.
class UnitConsumer : public UserCodeConsumer {
public:
  /// \param partners those parsed so far. All must outlive this object.
  UnitConsumer(const UserCode &userCode, clang::CompilerInstance &compiler, bool standIns,
               const HeaderUse &header, const std::vector<Partner> &partners, Unit &unit)
      : UserCodeConsumer(userCode, compiler.getSourceManager()), compiler(compiler),
        standIns(standIns), header(header), partners(partners), unit(unit) {
    parsing.emplace("parsing");
  }

  /// What is parsed so far, and what of the unit's own header belongs to that, becomes the
  /// traversal scope. Enumerating all declarations instead would also deserialise the whole of a
  /// header.
  clang::ASTContext &contextSoFar() {
    std::vector<clang::Decl *> scope;
    std::map<std::string, std::vector<clang::Decl *>> ofPartners;
    if (header.isOwn)
      for (clang::Decl *declaration : header.own->declarations(*compiler.getASTReader())) {
        const std::string partner =
            partnerAt(declaration->getLocation(), compiler.getSourceManager());
        (partner.empty() ? scope : ofPartners[partner]).push_back(declaration);
      }
    llvm::append_range(scope, declarations());
    for (const Partner &partner : partners)
      llvm::append_range(scope, ofPartners[partner.file]);
    compiler.getASTContext().setTraversalScope(scope);
    return compiler.getASTContext();
  }

  void InitializeSema(clang::Sema &sema) override {
    UserCodeConsumer::InitializeSema(sema);
    if (standIns)
      sema.addExternalSource(llvm::makeIntrusiveRefCnt<MissingNames>(sema, unit.headerIsMissing));
  }

  /// Comes before the consumer that runs the checks.
  void HandleTranslationUnit(clang::ASTContext &) override {
    contextSoFar();
    parsing.reset();
    unit.outcome = Unit::Outcome::Analysed;
  }

private:
  clang::CompilerInstance &compiler;
  const bool standIns;
  const HeaderUse &header;
  const std::vector<Partner> &partners;
  Unit &unit;
  std::optional<PhaseTimer> parsing; ///< From here to the checks.
};

/// Leaves out compiler warnings that nobody asked for, before NOLINT comments are looked for in all
/// headers, and compiler errors that are none of the user's business.
class UnitDiagnostics : public tidy::ClangTidyDiagnosticConsumer {
public:
  UnitDiagnostics(tidy::ClangTidyContext &context, const UserCode &userCode, Unit &unit,
                  HeaderUse &header)
      : ClangTidyDiagnosticConsumer(context), context(context), userCode(userCode), unit(unit),
        header(header) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override {
    const bool isError = level >= clang::DiagnosticsEngine::Error;
    header.failed |= isError && isAboutHeader(info.getID());
    header.doubted |= isError && !unit.headerIsMissing && isDoubtful(info);
    if (level != clang::DiagnosticsEngine::Note) {
      const std::string partner = partnerOf(info);
      if (isError && !partner.empty())
        judge(partner, info.getID());
      shown = partner.empty() && (isError ? isUsersBusiness(info) : isEnabled(info));
    }
    if (shown)
      ClangTidyDiagnosticConsumer::HandleDiagnostic(level, info);
  }

private:
  static std::string partnerOf(const clang::Diagnostic &diagnostic) {
    return diagnostic.hasSourceManager()
               ? partnerAt(diagnostic.getLocation(), diagnostic.getSourceManager())
               : std::string();
  }

  /// What is wrong with a partner may follow from a header that is missing, unless it can only come
  /// from the unit's own declarations.
  void judge(const std::string &partner, unsigned error) {
    if (isMissingHeader(error))
      unit.headerIsMissing = true;
    else if (!unit.headerIsMissing || isConflict(error))
      unit.misfits.insert(partner);
  }

  /// Whether an error may come of declarations that the code does not expect.
  static bool isConflict(unsigned error) {
    static const std::set<unsigned> conflicts = {
        clang::diag::err_redefinition,
        clang::diag::err_redefinition_different_kind,
        clang::diag::err_redefinition_different_type,
        clang::diag::err_redefinition_different_typedef,
        clang::diag::err_redefinition_of_enumerator,
        clang::diag::err_param_default_argument_redefinition,
        clang::diag::err_ovl_diff_return_type,
        clang::diag::err_ambiguous_reference,
        clang::diag::err_ovl_ambiguous_call,
    };
    return conflicts.contains(error);
  }

  bool isDoubtful(const clang::Diagnostic &error) const {
    return isConflict(error.getID()) ||
           (!isMissingHeader(error.getID()) && isOutsideUserCode(error));
  }

  static bool isMissingHeader(unsigned id) {
    return id == clang::diag::err_pp_file_not_found ||
           id == clang::diag::err_pp_file_not_found_angled_include_not_fatal;
  }

  static bool isAboutHeader(unsigned id) {
    return (id >= clang::diag::DIAG_START_SERIALIZATION && id < clang::diag::DIAG_START_LEX) ||
           id == clang::diag::err_file_modified;
  }

  bool isEnabled(const clang::Diagnostic &warning) const {
    const std::string name = context.getCheckName(warning.getID());
    const bool isCompilers = name.empty() || llvm::StringRef(name).starts_with("clang-diagnostic");
    return !isCompilers || (context.isCheckEnabled(name) && !isOutsideUserCode(warning));
  }

  bool isOutsideUserCode(const clang::Diagnostic &diagnostic) const {
    return diagnostic.hasSourceManager() && diagnostic.getLocation().isValid() &&
           !userCode.contains(diagnostic.getLocation(), diagnostic.getSourceManager());
  }

  bool isUsersBusiness(const clang::Diagnostic &error) {
    const unsigned id = error.getID();
    if (isMissingHeader(id)) {
      unit.headerIsMissing = true;
      return true;
    }
    // An #error of the framework ("C++20 required"), like all the preprocessor says, concerns
    // flags.
    const bool isPreprocessing =
        id >= clang::diag::DIAG_START_LEX && id < clang::diag::DIAG_START_PARSE;
    if (isPreprocessing || !error.hasSourceManager())
      return true;
    if (unit.headerIsMissing) {
      ++unit.errorsAfterMissingHeader;
      return false;
    }
    if (isOutsideUserCode(error)) {
      ++unit.errorsOutsideUserCode;
      return false;
    }
    return true;
  }

  const tidy::ClangTidyContext &context;
  const UserCode &userCode;
  Unit &unit;
  HeaderUse &header;
  bool shown = true;
};

/// Collects the files that a unit reads.
class FileCollector : public clang::PPCallbacks {
public:
  /// \param mainFile its text as it is on the disk, if what is parsed differs; else empty.
  FileCollector(clang::SourceManager &sources, llvm::StringRef mainFile)
      : sources(sources), mainFile(mainFile) {}

  void LexedFileChanged(clang::FileID file, LexedFileChangeReason reason,
                        clang::SrcMgr::CharacteristicKind, clang::FileID,
                        clang::SourceLocation) override {
    if (reason == LexedFileChangeReason::EnterFile)
      if (const clang::OptionalFileEntryRef entry = sources.getFileEntryRefForID(file))
        entries.insert(*entry);
  }

  std::vector<ReadFile> files() const {
    std::vector<ReadFile> files;
    for (const clang::FileEntryRef entry : entries) {
      llvm::SmallString<256> path = entry.getName();
      sources.getFileManager().makeAbsolutePath(path);
      if (const auto buffer = sources.getMemoryBufferForFileOrNone(entry)) {
        const bool isMain = entry == sources.getFileEntryRefForID(sources.getMainFileID());
        const llvm::StringRef text = isMain && !mainFile.empty() ? mainFile : buffer->getBuffer();
        files.push_back({std::string(path), FileIdentity::of(text, std::string(path), begin)});
      }
    }
    return files;
  }

private:
  clang::SourceManager &sources;
  const llvm::StringRef mainFile;
  const std::chrono::system_clock::time_point begin = std::chrono::system_clock::now();
  llvm::SmallSetVector<clang::FileEntryRef, 32> entries;
};

class UnitAction : public clang::ASTFrontendAction {
public:
  /// \param mainFile as for FileCollector.
  UnitAction(tidy::ClangTidyASTConsumerFactory &consumers, const Frontend::Request &request,
             UserCode &userCode, llvm::StringRef mainFile, std::vector<Partner> &partners,
             Unit &unit, HeaderUse &header)
      : consumers(consumers), request(request), userCode(userCode), mainFile(mainFile),
        partners(partners), unit(unit), header(header) {}

protected:
  bool BeginInvocation(clang::CompilerInstance &compiler) override {
    // After a fatal error clang says nothing more and a missing header would blind the rest.
    compiler.getDiagnostics().setFatalsAsError(true);
    return true;
  }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef file) override {
    findFrameworkFolders(compiler.getPreprocessor(), request.frameworkHeaders, userCode);
    auto callbacks = std::make_unique<FileCollector>(compiler.getSourceManager(), mainFile);
    collector = callbacks.get();
    compiler.getPreprocessor().addPPCallbacks(std::move(callbacks));
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<ForewordRecorder>(compiler.getPreprocessor(), userCode, header.foreword));
    std::vector<std::unique_ptr<clang::ASTConsumer>> all;
    auto narrowing = std::make_unique<UnitConsumer>(userCode, compiler, request.standIns, header,
                                                    partners, unit);
    if (request.findPartners) {
      if (header.isOwn)
        request.findPartners->misfits().merge(header.own->misfits());
      request.findPartners->begin();
      compiler.getPreprocessor().AddPragmaHandler(new PartnerPragma(
          *request.findPartners, userCode, partners,
          [&unit = *narrowing]() -> clang::ASTContext & { return unit.contextSoFar(); },
          header.isOwn));
    }
    all.push_back(std::move(narrowing));
    all.push_back(consumers.createASTConsumer(compiler, file));
    return std::make_unique<clang::MultiplexConsumer>(std::move(all));
  }

  void EndSourceFileAction() override {
    unit.files = collector->files();
    header.outdated = header.isOwn && !header.own->has(partners);
  }

private:
  tidy::ClangTidyASTConsumerFactory &consumers;
  const Frontend::Request &request;
  UserCode &userCode;
  const llvm::StringRef mainFile;
  std::vector<Partner> &partners;
  Unit &unit;
  HeaderUse &header;
  FileCollector *collector = nullptr;
};

class UnitActionFactory : public tooling::FrontendActionFactory {
public:
  UnitActionFactory(tidy::ClangTidyASTConsumerFactory &consumers, const Frontend::Request &request,
                    UserCode &userCode, Unit &unit, Frontend::Over over, HeaderCache *headers,
                    bool makesOwnHeaders, HeaderUse &header)
      : consumers(consumers), request(request), userCode(userCode), unit(unit), over(over),
        headers(headers), makesOwnHeaders(makesOwnHeaders), header(header) {}

  bool runInvocation(std::shared_ptr<clang::CompilerInvocation> invocation,
                     clang::FileManager *files,
                     std::shared_ptr<clang::PCHContainerOperations> containers,
                     clang::DiagnosticConsumer *diagnostics) override {
    invocation->getFrontendOpts().SkipFunctionBodies = true;
    // As in clang-tidy: a file may ask whether it is analysed.
    invocation->getPreprocessorOpts().SetUpStaticAnalyzer = true;
    invocation->getDiagnosticOpts().ErrorLimit = 0;     // Its fatal error would not be one here.
    invocation->getDiagnosticOpts().ShowCarets = false; // No "1 warning generated."
    if (request.findPartners)
      if (auto text = llvm::MemoryBuffer::getFile(request.job.file))
        mainFile = std::move(*text);
    if (mainFile)
      parseText(mainFile->getBuffer(), *invocation);
    if (over != Frontend::Over::Nothing)
      findHeader(*invocation, *files);
    const bool done = FrontendActionFactory::runInvocation(std::move(invocation), files,
                                                           std::move(containers), diagnostics);
    if (makesOwnHeaders && header.own && !header.isOwn && isSound() && unit.files.size() > 1)
      header.own->make(*files, userCode, partners, request.findPartners->misfits());
    return done;
  }

  std::unique_ptr<clang::FrontendAction> create() override {
    return std::make_unique<UnitAction>(consumers, request, userCode,
                                        mainFile ? mainFile->getBuffer() : llvm::StringRef(),
                                        partners, unit, header);
  }

private:
  /// Has this text of the main file parsed, and partners behind it.
  void parseText(llvm::StringRef text, clang::CompilerInvocation &invocation) {
    parsed = llvm::MemoryBuffer::getMemBufferCopy((text + partnersHere).str(), request.job.file);
    clang::PreprocessorOptions &options = invocation.getPreprocessorOpts();
    options.clearRemappedFiles();
    options.addRemappedFile(invocation.getFrontendOpts().Inputs.front().getFile(), parsed.get());
    options.RetainRemappedFileBuffers = true; // The preamble is scanned first.
  }

  void findHeader(clang::CompilerInvocation &invocation, clang::FileManager &files) {
    header.found = headers->find(invocation, files, request.frameworkHeaders, userCode);
    if (!header.found.file.empty() && mainFile && over == Frontend::Over::Own) {
      header.own.emplace(*headers, invocation, mainFile->getBuffer(), header.found);
      header.isOwn = header.own->exists();
      if (header.isOwn) {
        header.found = header.own->header();
        parseText(header.own->rest(), invocation);
      }
    }
    invocation.getPreprocessorOpts().ImplicitPCHInclude = header.found.file;
  }

  /// Whether nothing went wrong that an own header could have to do with.
  bool isSound() const {
    return unit.outcome == Unit::Outcome::Analysed && !unit.headerIsMissing &&
           unit.misfits.empty() && !header.failed && !header.doubted &&
           headers->commutes(header.found, header.foreword);
  }

  tidy::ClangTidyASTConsumerFactory &consumers;
  const Frontend::Request &request;
  UserCode &userCode;
  Unit &unit;
  const Frontend::Over over;
  HeaderCache *headers;
  const bool makesOwnHeaders;
  HeaderUse &header;
  std::vector<Partner> partners;
  std::unique_ptr<llvm::MemoryBuffer> mainFile; ///< Null without partners.
  std::unique_ptr<llvm::MemoryBuffer> parsed;   ///< What is parsed in its place.
};

/// --extra-arg and its kin from a configuration file; the command line's are in the job already.
std::vector<std::string> commandLine(const Job &job, const tidy::ClangTidyOptions &options) {
  std::vector<std::string> arguments = job.command.CommandLine;
  if (options.RemovedArgs)
    llvm::erase_if(arguments, [&](const std::string &argument) {
      return llvm::is_contained(*options.RemovedArgs, argument);
    });
  if (options.ExtraArgs)
    arguments.insert(arguments.end(), options.ExtraArgs->begin(), options.ExtraArgs->end());
  std::vector<std::string> before = options.ExtraArgsBefore.value_or(std::vector<std::string>());
  // Clang's own headers (stddef.h) are looked for beside the program otherwise.
  if (llvm::none_of(arguments,
                    [](llvm::StringRef argument) { return argument.starts_with("-resource-dir"); }))
    before.emplace_back("-resource-dir=" GRADTIDY_RESOURCE_DIR);
  arguments.insert(arguments.begin() + 1, before.begin(), before.end());
  return arguments;
}

void cleanPaths(tooling::DiagnosticMessage &message, llvm::StringRef folder) {
  message.FilePath = cleanPath(message.FilePath, folder);
  for (tooling::FileByteRange &range : message.Ranges)
    range.FilePath = cleanPath(range.FilePath, folder);
  llvm::StringMap<tooling::Replacements> fixes;
  for (const auto &entry : message.Fix)
    for (const tooling::Replacement &edit : entry.second) {
      llvm::SmallString<256> path;
      const std::string clean = cleanPath(edit.getFilePath(), folder);
      // A fixed file replaces the old one: not a link to it.
      if (llvm::sys::fs::real_path(clean, path))
        path = clean;
      llvm::cantFail(fixes[path].add(tooling::Replacement(path, edit.getOffset(), edit.getLength(),
                                                          edit.getReplacementText())));
    }
  message.Fix = std::move(fixes);
}

/// Writes what happens on this thread during its life into \p text.
class Trace {
public:
  Trace(bool enabled, std::string &text) : enabled(enabled), text(text) {
    constexpr unsigned microseconds = 500; // What is shorter is left out.
    if (enabled)
      llvm::timeTraceProfilerInitialize(microseconds, "gradtidy");
  }
  ~Trace() {
    if (!enabled)
      return;
    llvm::SmallString<0> json;
    llvm::raw_svector_ostream out(json);
    llvm::timeTraceProfilerWrite(out);
    llvm::timeTraceProfilerCleanup();
    text = std::string(json);
  }
  Trace(const Trace &) = delete;
  Trace &operator=(const Trace &) = delete;

private:
  bool enabled;
  std::string &text;
};

tidy::ClangTidyStats since(const tidy::ClangTidyStats &before, tidy::ClangTidyStats stats) {
  stats.ErrorsDisplayed -= before.ErrorsDisplayed;
  stats.ErrorsIgnoredCheckFilter -= before.ErrorsIgnoredCheckFilter;
  stats.ErrorsIgnoredNOLINT -= before.ErrorsIgnoredNOLINT;
  stats.ErrorsIgnoredNonUserCode -= before.ErrorsIgnoredNonUserCode;
  stats.ErrorsIgnoredLineFilter -= before.ErrorsIgnoredLineFilter;
  return stats;
}

} // namespace

struct Frontend::Attempt {
  Unit unit;
  HeaderUse header;
};

Frontend::Frontend(tidy::ClangTidyContext &context, std::string projectFolder, HeaderCache *headers)
    : context(context), projectFolder(std::move(projectFolder)), headers(headers),
      ids(llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>()),
      consumers(std::make_unique<tidy::ClangTidyASTConsumerFactory>(context)) {
  llvm::CrashRecoveryContext::Enable();
}

Frontend::~Frontend() = default;

Unit Frontend::run(const Job &job, const std::vector<std::string> &frameworkHeaders,
                   PartnerFinder *findPartners) {
  const Request request{job, frameworkHeaders, findPartners, /*standIns=*/true};
  // What clang does not survive may be a stand-in, or a partner.
  const Request plain{job, frameworkHeaders, nullptr, /*standIns=*/false};
  const auto hasCrashed = [](const Attempt &attempt) {
    return attempt.unit.outcome == Unit::Outcome::Crashed;
  };
  Attempt first = attempt(request, headers ? Over::Own : Over::Nothing);
  if (first.header.isOwn) {
    if (!hasCrashed(first) && isReliable(first.header))
      return std::move(first.unit);
    first = withoutOwnHeader(request, first);
  }
  const bool crashed = hasCrashed(first);
  if (crashed)
    first = attempt(plain, headers ? Over::Framework : Over::Nothing);
  const HeaderUse &header = first.header;
  if (header.found.file.empty())
    return std::move(first.unit);
  // The header may be to blame: a file of the cache can be broken in more ways than can be checked.
  const bool broken = header.failed || hasCrashed(first);
  if (broken)
    headers->discard(header.found.file);
  else if (!header.doubted && headers->commutes(header.found, header.foreword))
    return std::move(first.unit);
  return attempt(crashed ? plain : request, Over::Nothing).unit;
}

Frontend::Attempt Frontend::withoutOwnHeader(const Request &request, const Attempt &rejected) {
  const HeaderUse &header = rejected.header;
  if (header.failed || header.outdated) {
    headers->discard(header.found.file);
    return attempt(request, Over::Own); // Which is made anew.
  }
  Attempt other = attempt(request, Over::Framework);
  // What is wrong with the unit itself is wrong behind any header.
  if (other.unit.outcome == Unit::Outcome::Analysed && !other.header.doubted)
    headers->refuse(header.found.file);
  return other;
}

Frontend::Attempt Frontend::attempt(const Request &request, Over over) {
  Attempt result;
  const tidy::ClangTidyStats before = context.getStats();
  llvm::CrashRecoveryContext guard;
  guard.DumpStackAndCleanupOnFailure = !request.standIns; // Who has stand-ins gets another try.
  if (!guard.RunSafelyOnThread([&] { parse(request, over, result); }, stackSize)) {
    result.unit = Unit();
    result.unit.outcome = Unit::Outcome::Crashed;
  }
  result.unit.stats = since(before, context.getStats());
  return result;
}

void Frontend::parse(const Request &request, Over over, Attempt &attempt) {
  const Job &job = request.job;
  Unit &unit = attempt.unit;
  const Trace trace(traces, unit.trace);
  const tidy::ClangTidyOptions options = context.getOptionsForFile(job.file);
  UserCode userCode(findProjectRoot(job.file, projectFolder));
  if (options.SystemHeaders.value_or(false))
    userCode.includeEverything();

  UnitDiagnostics diagnostics(context, userCode, unit, attempt.header);
  auto diagnosticOptions = std::make_unique<clang::DiagnosticOptions>();
  clang::DiagnosticsEngine engine(ids, *diagnosticOptions, &diagnostics,
                                  /*ShouldOwnClient=*/false);
  context.setDiagnosticsEngine(std::move(diagnosticOptions), &engine);
  context.setCurrentFile(job.file);
  context.setCurrentBuildDirectory(job.command.Directory);

  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystem =
      llvm::vfs::createPhysicalFileSystem();
  fileSystem->setCurrentWorkingDirectory(job.command.Directory);
  const auto files = llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(),
                                                                   std::move(fileSystem));
  UnitActionFactory action(*consumers, request, userCode, unit, over, headers, makesOwnHeaders,
                           attempt.header);
  tooling::ToolInvocation invocation(commandLine(job, options), &action, files.get(),
                                     std::make_shared<clang::PCHContainerOperations>());
  invocation.setDiagnosticConsumer(&diagnostics);
  invocation.run();

  unit.header = attempt.header.found.stamp;
  unit.diagnostics = diagnostics.take();
  for (tidy::ClangTidyError &diagnostic : unit.diagnostics) {
    cleanPaths(diagnostic.Message, job.command.Directory);
    for (tooling::DiagnosticMessage &note : diagnostic.Notes)
      cleanPaths(note, job.command.Directory);
  }
}

} // namespace gradtidy
