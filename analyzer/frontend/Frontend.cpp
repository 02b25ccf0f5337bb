#include "Frontend.h"
#include "HeaderCache.h"
#include "MissingNames.h"
#include "Paths.h"
#include "PhaseTimer.h"
#include "UserCode.h"

#include "clang-tidy/ClangTidy.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/LexDiagnostic.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaConsumer.h"
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

namespace {

/// Enough for clang's recursion over deeply nested code, as in clang itself.
constexpr unsigned stackSize = 8u << 20;

/// Over which precompiled header a unit was parsed, and what came of that.
struct HeaderUse {
  HeaderCache::Header found;
  bool failed = false;
};

/// Narrows parsing and matching to user code.
class UserCodeConsumer : public clang::SemaConsumer {
public:
  UserCodeConsumer(const UserCode &userCode, const clang::SourceManager &sources, Unit &unit)
      : userCode(userCode), sources(sources), unit(unit) {
    parsing.emplace("parsing");
  }

  void InitializeSema(clang::Sema &sema) override {
    sema.addExternalSource(llvm::makeIntrusiveRefCnt<MissingNames>(sema, unit.headerIsMissing));
  }

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl *decl : group) {
      // Instantiations arrive here too; they are reached through their template.
      const auto *function = llvm::dyn_cast<clang::FunctionDecl>(decl);
      if (decl->getLexicalDeclContext()->isTranslationUnit() &&
          !(function && function->isTemplateInstantiation()) &&
          userCode.contains(decl->getLocation(), sources))
        scope.push_back(decl);
    }
    return true;
  }

  /// Comes before the consumer that runs the checks. Enumerating all declarations instead would
  /// also deserialise the whole of a precompiled header.
  void HandleTranslationUnit(clang::ASTContext &ast) override {
    ast.setTraversalScope(scope);
    parsing.reset();
    unit.outcome = Unit::Outcome::Analysed;
  }

  /// A body is skipped only if all consumers agree; those of the checks agree by default.
  bool shouldSkipFunctionBody(clang::Decl *decl) override {
    return !userCode.contains(decl->getLocation(), sources);
  }

private:
  const UserCode &userCode;
  const clang::SourceManager &sources;
  Unit &unit;
  std::vector<clang::Decl *> scope;
  std::optional<PhaseTimer> parsing; ///< From here to the checks.
};

/// Leaves out compiler warnings that nobody asked for, before NOLINT comments are looked for in all
/// headers, and compiler errors that are none of the user's business.
class UnitDiagnostics : public tidy::ClangTidyDiagnosticConsumer {
public:
  UnitDiagnostics(tidy::ClangTidyContext &context, const Job &job, const UserCode &userCode,
                  Unit &unit, HeaderUse &header)
      : ClangTidyDiagnosticConsumer(context), context(context), job(job), userCode(userCode),
        unit(unit), header(header) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override {
    if (level >= clang::DiagnosticsEngine::Error)
      countError(info);
    if (level != clang::DiagnosticsEngine::Note)
      shown = level < clang::DiagnosticsEngine::Error ? isEnabled(info) : isUsersBusiness(info);
    if (shown)
      ClangTidyDiagnosticConsumer::HandleDiagnostic(level, info);
  }

private:
  void countError(const clang::Diagnostic &error) {
    header.failed |= isAboutHeader(error.getID());
    const std::string partner = partnerOf(error);
    if (partner.empty())
      ++unit.ownErrors;
    else if (isConflict(error.getID()) || (!unit.headerIsMissing && !isMissingHeader(error.getID())))
      unit.misfits.insert(partner);
  }

  /// The partner in which the error is, or which includes the header where it is; or nothing.
  std::string partnerOf(const clang::Diagnostic &error) const {
    if (job.partners.empty() || !error.hasSourceManager())
      return {};
    const clang::SourceManager &sources = error.getSourceManager();
    for (clang::SourceLocation place = error.getLocation(); place.isValid();
         place = sources.getIncludeLoc(sources.getFileID(place))) {
      place = sources.getFileLoc(place);
      if (std::string file = sources.getFilename(place).str();
          llvm::is_contained(job.partners, file))
        return file;
    }
    return {};
  }

  static bool isConflict(unsigned id) {
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
    return conflicts.count(id) != 0;
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
  const Job &job;
  const UserCode &userCode;
  Unit &unit;
  HeaderUse &header;
  bool shown = true;
};

/// Collects the files that a unit reads.
class FileCollector : public clang::PPCallbacks {
public:
  explicit FileCollector(clang::SourceManager &sources) : sources(sources) {}

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
      if (sources.isFileOverridden(entry))
        continue; // The main file of a unit with partners, which is read without them, too.
      llvm::SmallString<256> path = entry.getName();
      sources.getFileManager().makeAbsolutePath(path);
      if (const auto text = sources.getMemoryBufferForFileOrNone(entry))
        files.push_back(
            {std::string(path), FileIdentity::of(text->getBuffer(), std::string(path), begin)});
    }
    return files;
  }

private:
  clang::SourceManager &sources;
  const std::chrono::system_clock::time_point begin = std::chrono::system_clock::now();
  llvm::SmallSetVector<clang::FileEntryRef, 32> entries;
};

class UnitAction : public clang::ASTFrontendAction {
public:
  UnitAction(tidy::ClangTidyASTConsumerFactory &consumers,
             const std::vector<std::string> &frameworkHeaders, UserCode &userCode, Unit &unit)
      : consumers(consumers), frameworkHeaders(frameworkHeaders), userCode(userCode), unit(unit) {}

protected:
  bool BeginInvocation(clang::CompilerInstance &compiler) override {
    // After a fatal error clang says nothing more and a missing header would blind the rest.
    compiler.getDiagnostics().setFatalsAsError(true);
    return true;
  }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef file) override {
    findFrameworkFolders(compiler.getPreprocessor(), frameworkHeaders, userCode);
    auto callbacks = std::make_unique<FileCollector>(compiler.getSourceManager());
    collector = callbacks.get();
    compiler.getPreprocessor().addPPCallbacks(std::move(callbacks));
    std::vector<std::unique_ptr<clang::ASTConsumer>> all;
    all.push_back(std::make_unique<UserCodeConsumer>(userCode, compiler.getSourceManager(), unit));
    all.push_back(consumers.createASTConsumer(compiler, file));
    return std::make_unique<clang::MultiplexConsumer>(std::move(all));
  }

  void EndSourceFileAction() override { unit.files = collector->files(); }

private:
  tidy::ClangTidyASTConsumerFactory &consumers;
  const std::vector<std::string> &frameworkHeaders;
  UserCode &userCode;
  Unit &unit;
  FileCollector *collector = nullptr;
};

class UnitActionFactory : public tooling::FrontendActionFactory {
public:
  UnitActionFactory(const Job &job, tidy::ClangTidyASTConsumerFactory &consumers,
                    const std::vector<std::string> &frameworkHeaders, UserCode &userCode,
                    Unit &unit, HeaderCache *headers, HeaderUse &header)
      : job(job), consumers(consumers), frameworkHeaders(frameworkHeaders), userCode(userCode),
        unit(unit), headers(headers), header(header) {}

  bool runInvocation(std::shared_ptr<clang::CompilerInvocation> invocation,
                     clang::FileManager *files,
                     std::shared_ptr<clang::PCHContainerOperations> containers,
                     clang::DiagnosticConsumer *diagnostics) override {
    invocation->getFrontendOpts().SkipFunctionBodies = true;
    // As in clang-tidy: a file may ask whether it is analysed.
    invocation->getPreprocessorOpts().SetUpStaticAnalyzer = true;
    invocation->getDiagnosticOpts().ErrorLimit = 0;     // Its fatal error would not be one here.
    invocation->getDiagnosticOpts().ShowCarets = false; // No "1 warning generated."
    appendPartners(*invocation);
    if (headers) {
      header.found = headers->find(*invocation, *files, frameworkHeaders, userCode);
      invocation->getPreprocessorOpts().ImplicitPCHInclude = header.found.file;
    }
    return FrontendActionFactory::runInvocation(std::move(invocation), files, std::move(containers),
                                                diagnostics);
  }

  std::unique_ptr<clang::FrontendAction> create() override {
    return std::make_unique<UnitAction>(consumers, frameworkHeaders, userCode, unit);
  }

private:
  /// The partners follow at the end of the main file, each with a main() of its own.
  void appendPartners(clang::CompilerInvocation &invocation) {
    const auto own = llvm::MemoryBuffer::getFile(job.file);
    if (job.partners.empty() || !own)
      return;
    std::string text = (*own)->getBuffer().str();
    for (size_t i = 0; i < job.partners.size(); ++i)
      text += "\n#define main main_of_partner_" + std::to_string(i) + "\n#include \"" +
                job.partners[i] + "\"\n#undef main\n";
    joined = llvm::MemoryBuffer::getMemBufferCopy(text, job.file);
    clang::PreprocessorOptions &options = invocation.getPreprocessorOpts();
    options.addRemappedFile(invocation.getFrontendOpts().Inputs.front().getFile(), joined.get());
    options.RetainRemappedFileBuffers = true; // They are read twice.
  }

  const Job &job;
  tidy::ClangTidyASTConsumerFactory &consumers;
  const std::vector<std::string> &frameworkHeaders;
  UserCode &userCode;
  Unit &unit;
  HeaderCache *headers;
  HeaderUse &header;
  std::unique_ptr<llvm::MemoryBuffer> joined;
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

Unit Frontend::run(const Job &job, const std::vector<std::string> &frameworkHeaders) {
  Attempt first = attempt(job, frameworkHeaders, headers);
  const bool crashed = first.unit.outcome == Unit::Outcome::Crashed;
  if (first.header.found.file.empty() || !(first.header.failed || crashed))
    return std::move(first.unit);
  // The header may be to blame: a file of the cache can be broken in more ways than can be checked.
  headers->discard(first.header.found.file);
  return attempt(job, frameworkHeaders, nullptr).unit;
}

Frontend::Attempt Frontend::attempt(const Job &job,
                                    const std::vector<std::string> &frameworkHeaders,
                                    HeaderCache *headers) {
  Attempt result;
  const tidy::ClangTidyStats before = context.getStats();
  llvm::CrashRecoveryContext guard;
  guard.DumpStackAndCleanupOnFailure = true;
  if (!guard.RunSafelyOnThread([&] { parse(job, frameworkHeaders, headers, result); }, stackSize)) {
    result.unit = Unit();
    result.unit.outcome = Unit::Outcome::Crashed;
  }
  result.unit.stats = since(before, context.getStats());
  return result;
}

void Frontend::parse(const Job &job, const std::vector<std::string> &frameworkHeaders,
                     HeaderCache *headers, Attempt &attempt) {
  Unit &unit = attempt.unit;
  const Trace trace(traces, unit.trace);
  const tidy::ClangTidyOptions options = context.getOptionsForFile(job.file);
  UserCode userCode(findProjectRoot(job.file, projectFolder));
  if (options.SystemHeaders.value_or(false))
    userCode.includeEverything();

  UnitDiagnostics diagnostics(context, job, userCode, unit, attempt.header);
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
  UnitActionFactory action(job, *consumers, frameworkHeaders, userCode, unit, headers, attempt.header);
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
