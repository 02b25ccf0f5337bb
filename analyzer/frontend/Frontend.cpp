#include "Frontend.h"
#include "Bodies.h"
#include "DepthGuard.h"
#include "FileCollector.h"
#include "HeaderCache.h"
#include "MissingMacros.h"
#include "MissingNames.h"
#include "Overlay.h"
#include "OwnHeader.h"
#include "Paths.h"
#include "PhaseTimer.h"
#include "ResourceFolder.h"
#include "SecureInvocation.h"
#include "Survival.h"
#include "SystemIncludes.h"
#include "TextRepair.h"
#include "Trace.h"
#include "UnitDiagnostics.h"
#include "Unreachable.h"
#include "UserCode.h"
#include "UserCodeConsumer.h"
#include "analyzer/source/BoundedFile.h"
#include "analyzer/source/Paths.h"

#include "clang-tidy/GlobList.h"
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
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <memory>
#include <optional>

namespace gradtidy {

namespace tidy = clang::tidy;
namespace tooling = clang::tooling;

struct Frontend::Request {
  const Job &job;
  const std::vector<std::string> &frameworkHeaders;
  const llvm::StringMap<std::string> &renamed;
  const Look &look; ///< Or null.
  bool standIns;    ///< For names of missing headers.
  const LeftOut &leftOut;
};

namespace {

/// How many functions of a unit may crash, one after the other, before the unit is lost.
constexpr size_t maxCrashes = 4;
/// How many files of a unit may nest too deeply.
constexpr size_t maxDeepFiles = 64;

/// Over which precompiled header a unit was parsed, and what came of that.
struct HeaderUse : HeaderDoubts {
  HeaderCache::Header found;
  std::optional<OwnHeader> own; ///< Of the unit, over the framework's.
  bool isOwn = false;           ///< The one found.
  Foreword foreword;
};

/// Whether nothing that is first in an own header can have changed what the unit means.
bool isReliable(const HeaderUse &own) { return !own.failed && !own.doubted; }

/// Whether the compiler's own words are shown, which what comes first can change: what is similar
/// to a misspelled name, what was declared before.
bool isSaidByCompiler(const Unit &unit) {
  return llvm::any_of(unit.diagnostics, [](const tidy::ClangTidyError &diagnostic) {
    return llvm::StringRef(diagnostic.DiagnosticName).starts_with("clang-diagnostic");
  });
}

bool enablesCompilerWarnings(const tidy::ClangTidyOptions &options) {
  const tidy::GlobList checks(options.Checks.value_or(""));
  return llvm::any_of(clang::DiagnosticIDs::getDiagnosticFlags(), [&](const std::string &flag) {
    return checks.contains("clang-diagnostic-" + flag.substr(flag.starts_with("-Wno-") ? 5 : 2));
  });
}

/// What takes part in the parse of a unit.
struct UnitParse {
  const Frontend::Request &request;
  tidy::ClangTidyContext &context;
  UnitDiagnostics &diagnostics;
  UserCode &userCode;
  HeaderCache *headers; ///< Or null.
  Unit &unit;
  HeaderUse &header;
  ParseDepth &depth;

  SystemIncludes::Scope scope() const {
    return {userCode, diagnostics.projectRoot(), request.frameworkHeaders};
  }
};

/// Hands the user's declarations to who looks at them.
class UnitConsumer : public UserCodeConsumer {
public:
  /// Both must outlive this object.
  UnitConsumer(UnitParse &parse, clang::CompilerInstance &compiler)
      : UserCodeConsumer(parse.userCode, compiler.getSourceManager(), parse.request.leftOut),
        compiler(compiler), parse(parse) {
    parsing.emplace("parsing");
  }

  /// The user's declarations, and those of the unit's own header. Enumerating all declarations
  /// instead would also deserialise the whole of a header.
  std::vector<clang::Decl *> scope() {
    std::vector<clang::Decl *> scope;
    if (parse.header.isOwn)
      scope = parse.header.own->declarations(*compiler.getASTReader());
    llvm::append_range(scope, declarations());
    return scope;
  }

  void InitializeSema(clang::Sema &sema) override {
    UserCodeConsumer::InitializeSema(sema);
    if (parse.request.standIns)
      sema.addExternalSource(llvm::makeIntrusiveRefCnt<MissingNames>(sema, parse.request.renamed,
                                                                     parse.unit.headerIsMissing));
  }

  clang::ASTMutationListener *GetASTMutationListener() override {
    return parse.request.standIns ? &layouts : nullptr;
  }

  void HandleTranslationUnit(clang::ASTContext &context) override {
    UnderWay::parse(nullptr);
    context.setTraversalScope(scope());
    logUnfollowed(
        dropBodies(context.getTraversalScope(), parse.request.leftOut, compiler.getSourceManager())
            .places());
    logUnfollowed(parse.request.leftOut.places());
    parse.unit.unreachable = unreachableCode(context.getTraversalScope(), parse.userCode, context);
    parsing.reset();
    if (parse.request.look)
      parse.request.look(context, parse.userCode, parse.unit);
    parse.unit.outcome = Unit::Outcome::Analysed;
  }

private:
  clang::CompilerInstance &compiler;
  UnitParse &parse;
  UnknownLayouts layouts;
  std::optional<PhaseTimer> parsing; ///< Up to who looks at it.
};

class UnitAction : public clang::ASTFrontendAction {
public:
  /// \param mainFile as for FileCollector.
  UnitAction(UnitParse &parse, llvm::StringRef mainFile) : parse(parse), mainFile(mainFile) {}

protected:
  bool BeginInvocation(clang::CompilerInstance &compiler) override {
    // After a fatal error clang says nothing more and a missing header would blind the rest.
    compiler.getDiagnostics().setFatalsAsError(true);
    return true;
  }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef) override {
    const Frontend::Request &request = parse.request;
    // The consumer of diagnostics asks for them.
    parse.context.setSourceManager(&compiler.getSourceManager());
    parse.context.setASTContext(&compiler.getASTContext());
    clang::Preprocessor &preprocessor = compiler.getPreprocessor();
    auto depth = std::make_unique<DepthGuard>(preprocessor, parse.userCode, parse.depth);
    securePreprocessor(compiler,
                       [&depth = *depth](clang::SourceLocation place) { depth.endAtEmbed(place); });
    preprocessor.addPPCallbacks(std::move(depth));
    findFrameworkFolders(preprocessor, request.frameworkHeaders, parse.userCode);
    auto callbacks = std::make_unique<FileCollector>(compiler, mainFile);
    collector = callbacks.get();
    preprocessor.addPPCallbacks(std::move(callbacks));
    auto includes = std::make_unique<SystemIncludes>(preprocessor, parse.scope());
    systemIncludes = includes.get();
    if (parse.header.isOwn)
      includes->addTellingMacros(parse.header.own->tellingMacros());
    preprocessor.addPPCallbacks(std::move(includes));
    preprocessor.addPPCallbacks(
        std::make_unique<ForewordRecorder>(preprocessor, parse.userCode, parse.header.foreword));
    if (request.standIns)
      preprocessor.addPPCallbacks(std::make_unique<MissingMacros>(preprocessor, parse.userCode,
                                                                  parse.unit.headerIsMissing));
    return std::make_unique<UnitConsumer>(parse, compiler);
  }

  void EndSourceFileAction() override {
    parse.unit.files = collector->files();
    parse.unit.lookups = collector->lookups(parse.request.frameworkHeaders);
    const clang::SourceManager &sources = getCompilerInstance().getSourceManager();
    if (const auto *main = sources.getFileEntryForID(sources.getMainFileID())) {
      parse.unit.systemHeaders = systemIncludes->of(*main);
      parse.unit.outerHeaders = systemIncludes->outer(*main);
      parse.unit.forOtherCompilers = systemIncludes->forOtherCompilers(*main);
    }
    if (parse.header.isOwn) {
      parse.unit.systemHeaders.merge(parse.header.own->systemHeaders());
      parse.unit.outerHeaders.merge(parse.header.own->outerHeaders());
      parse.unit.forOtherCompilers.merge(parse.header.own->forOtherCompilers());
    }
    const std::vector<std::string> ofFramework = parse.userCode.frameworkHeadersWithin();
    parse.unit.systemHeaders.insert(ofFramework.begin(), ofFramework.end());
    parse.unit.frameworkFolders = parse.userCode.folders();
  }

private:
  UnitParse &parse;
  const llvm::StringRef mainFile;
  FileCollector *collector = nullptr;
  const SystemIncludes *systemIncludes = nullptr;
};

class UnitActionFactory : public tooling::FrontendActionFactory {
public:
  UnitActionFactory(UnitParse &parse, Frontend::Over over, bool makesOwnHeaders)
      : parse(parse), over(over), makesOwnHeaders(makesOwnHeaders) {}

  bool runInvocation(std::shared_ptr<clang::CompilerInvocation> invocation,
                     clang::FileManager *files,
                     std::shared_ptr<clang::PCHContainerOperations> containers,
                     clang::DiagnosticConsumer *diagnostics) override {
    if (!secureInvocation(*invocation, parse.request.job.flags.hasOwnFlags()))
      return false;
    invocation->getFrontendOpts().SkipFunctionBodies = true;
    clang::LangOptions &language = invocation->getLangOpts();
    language.BracketDepth = maxNesting;
    invocation->getDiagnosticOpts().ErrorLimit = 0;     // Its fatal error would not be one here.
    invocation->getDiagnosticOpts().ShowCarets = false; // No "1 warning generated."
    const Job &job = parse.request.job;
    if (job.text)
      mainFile = llvm::MemoryBuffer::getMemBuffer(*job.text, job.file);
    else if (over == Frontend::Over::Own)
      mainFile = bufferOf(job.file, *files);
    if (job.others)
      for (const auto &[file, text] : *job.others)
        others.emplace_back(file, llvm::MemoryBuffer::getMemBuffer(text, file));
    if (job.text)
      parseText(*job.text, *invocation);
    else
      addOthers(invocation->getPreprocessorOpts());
    if (over != Frontend::Over::Nothing)
      findHeader(*invocation, *files);
    const bool done = FrontendActionFactory::runInvocation(std::move(invocation), files,
                                                           std::move(containers), diagnostics);
    const HeaderUse &header = parse.header;
    if (makesOwnHeaders && header.own && !header.isOwn && isSound() && parse.unit.files.size() > 1)
      parse.header.own->make(*files, parse.userCode, parse.scope());
    return done;
  }

  std::unique_ptr<clang::FrontendAction> create() override {
    return std::make_unique<UnitAction>(parse, parsed ? mainFile->getBuffer() : llvm::StringRef());
  }

private:
  /// Null for a file that cannot be read.
  static std::unique_ptr<llvm::MemoryBuffer> bufferOf(const std::string &file,
                                                      clang::FileManager &files) {
    auto buffer = files.getBufferForFile(file, /*isVolatile=*/true);
    return buffer ? std::move(*buffer) : nullptr;
  }

  /// Has this text of the main file parsed.
  void parseText(llvm::StringRef text, clang::CompilerInvocation &invocation) {
    parsed = llvm::MemoryBuffer::getMemBufferCopy(text, parse.request.job.file);
    clang::PreprocessorOptions &options = invocation.getPreprocessorOpts();
    options.clearRemappedFiles();
    options.addRemappedFile(invocation.getFrontendOpts().Inputs.front().getFile(), parsed.get());
    options.RetainRemappedFileBuffers = true; // The preamble is scanned first.
    addOthers(options);
  }

  void addOthers(clang::PreprocessorOptions &options) const {
    for (const auto &[file, buffer] : others)
      options.addRemappedFile(file, buffer.get());
    options.RetainRemappedFileBuffers |= !others.empty();
  }

  void findHeader(clang::CompilerInvocation &invocation, clang::FileManager &files) {
    HeaderUse &header = parse.header;
    header.found =
        parse.headers->find(invocation, files, parse.request.frameworkHeaders, parse.userCode);
    if (!header.found.file.empty() && mainFile && over == Frontend::Over::Own) {
      header.own.emplace(*parse.headers, invocation, mainFile->getBuffer(), header.found);
      header.isOwn = header.own->exists();
      if (header.isOwn) {
        header.found = header.own->header();
        parseText(header.own->rest(), invocation);
      }
    }
    if (!header.found.file.empty()) // Else it is the user's own, if there is one.
      invocation.getPreprocessorOpts().ImplicitPCHInclude = header.found.file;
  }

  /// Whether nothing went wrong that an own header could have to do with. What #embed takes counts
  /// for the unit as a whole; without lookups there is some.
  bool isSound() const {
    const Unit &unit = parse.unit;
    const HeaderUse &header = parse.header;
    return unit.outcome == Unit::Outcome::Analysed && !unit.headerIsMissing && unit.lookups &&
           !parse.depth.isTooDeep && !header.failed && !header.doubted &&
           parse.headers->commutes(header.found, header.foreword);
  }

  UnitParse &parse;
  const Frontend::Over over;
  const bool makesOwnHeaders;
  std::unique_ptr<llvm::MemoryBuffer> mainFile; ///< As it is on the disk, or in an editor.
  std::unique_ptr<llvm::MemoryBuffer> parsed;   ///< What is parsed in its place.
  /// What an editor has of other files, by their paths.
  std::vector<std::pair<std::string, std::unique_ptr<llvm::MemoryBuffer>>> others;
};

/// The command line of \p job with what configuration files say of it; the person's own flags are
/// in the job already.
std::vector<std::string> commandLine(const Job &job, const tidy::ClangTidyOptions &options) {
  std::vector<std::string> arguments = job.command.CommandLine;
  if (options.RemovedArgs || options.ExtraArgs || options.ExtraArgsBefore) {
    FlagsRequest flags = job.flags;
    flags.removed = options.RemovedArgs.value_or(std::vector<std::string>());
    flags.before = options.ExtraArgsBefore.value_or(std::vector<std::string>());
    flags.after = options.ExtraArgs.value_or(std::vector<std::string>());
    arguments = normaliseFlags(flags);
  }
  addResourceFolder(arguments);
  return arguments;
}

/// The job with the text of which repaired has changed something, if it has.
std::optional<Job> withTextRepaired(const Job &job) {
  std::optional<std::string> text = job.text;
  if (!text)
    if (const auto buffer = readFileIfPossible(job.file))
      text = buffer->getBuffer().str();
  if (text)
    text = repaired(*text);
  if (!text)
    return std::nullopt;
  Job closed = job;
  closed.text = std::move(text);
  return closed;
}

/// \p repaired with the compiler's errors of the text as it is, that of \p original.
Unit withErrorsOf(Unit original, Unit repaired) {
  const auto isError = [](const tidy::ClangTidyError &diagnostic) {
    return diagnostic.DiagLevel == tidy::ClangTidyError::Error;
  };
  llvm::erase_if(repaired.diagnostics, isError);
  llvm::copy_if(original.diagnostics, std::back_inserter(repaired.diagnostics), isError);
  for (ReadFile &fixed : repaired.fixedFiles)
    for (const ReadFile &read : original.files)
      if (read.path == fixed.path)
        fixed.identity = read.identity;
  repaired.files = std::move(original.files);
  repaired.lookups = std::move(original.lookups);
  return repaired;
}

/// What is left of the texts of a job.
class Remainder {
public:
  explicit Remainder(const Job &job) : rest(job) {}

  const Job &job() const { return rest; }

  /// Leaves out what is too deep in the main file as it is written.
  void leaveOutOfMain(LeftOut &leftOut) {
    if (const std::optional<std::string> text = textOf(rest.file, /*isMain=*/true))
      if (const std::vector<DeepCode> code = findDeepCode(*text); !code.empty())
        leaveOut(rest.file, /*isMain=*/true, code, leftOut);
  }

  /// Leaves out what was too deep in a parse; false if there is nothing to leave out.
  bool leaveOut(const ParseDepth &depth, LeftOut &leftOut) {
    if (!depth.code.empty())
      return llvm::all_of(depth.code, [&](const auto &each) {
        return leaveOut(each.first, /*isMain=*/false, each.second, leftOut);
      });
    const bool isMain = depth.current.file == depth.mainFile;
    const std::optional<std::string> text = textOf(depth.current.file, isMain);
    if (!text)
      return false;
    const size_t offset = depth.current.offset;
    return leaveOut(depth.current.file, isMain,
                    depth.isByEmbed ? findEmbeds(*text, offset) : findDeepCode(*text, offset),
                    leftOut);
  }

  /// Lets the files of \p unit be known by their own texts.
  void identify(Unit &unit) const {
    for (const auto &[path, text] : originals) {
      const FileIdentity identity = FileIdentity::of(text, path, begin);
      const std::string real = realPath(path);
      for (ReadFile &file : unit.files)
        if (file.path == path)
          file.identity = identity;
      for (ReadFile &file : unit.fixedFiles)
        if (file.path == path || file.path == real)
          file.identity = identity;
    }
  }

private:
  std::string pathOf(const std::string &file) const {
    return cleanPath(file, rest.command.Directory);
  }

  std::optional<std::string> textOf(const std::string &file, bool isMain) const {
    if (isMain && rest.text)
      return rest.text;
    const std::string path = pathOf(file);
    if (!isMain && rest.others)
      if (const auto known = rest.others->find(path); known != rest.others->end())
        return known->second;
    if (const auto buffer = readFileIfPossible(path))
      return buffer->getBuffer().str();
    return std::nullopt;
  }

  bool leaveOut(const std::string &file, bool isMain, const std::vector<DeepCode> &code,
                LeftOut &leftOut) {
    const std::optional<std::string> before = textOf(file, isMain);
    if (!before)
      return false;
    std::string text = without(code, *before);
    if (text == *before)
      return false;
    const std::string path = pathOf(file);
    for (const DeepCode &each : code) {
      const auto line = llvm::StringRef(*before).take_front(each.declaration).count('\n') + 1;
      leftOut.add(path, each, {file, unsigned(line), 0, each.name});
    }
    originals.try_emplace(path, *before);
    if (isMain) {
      rest.text = std::move(text);
    } else {
      UnsavedFiles others = rest.others ? *rest.others : UnsavedFiles();
      others[path] = std::move(text);
      rest.others = std::make_shared<const UnsavedFiles>(std::move(others));
    }
    return true;
  }

  Job rest;
  std::map<std::string, std::string> originals; ///< By path.
  const std::chrono::system_clock::time_point begin = std::chrono::system_clock::now();
};

} // namespace

struct Frontend::Attempt {
  Unit unit;
  HeaderUse header;
  ParseDepth depth;
  /// The function at work when it crashed, or behind which it read no further; if there is one.
  std::optional<FunctionPlace> blamed;
  bool mayBeRepaired = false;
};

Frontend::Frontend(tidy::ClangTidyContext &context, std::string projectFolder, HeaderCache *headers)
    : context(context), projectFolder(std::move(projectFolder)), headers(headers),
      ids(llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>()) {}

Unit Frontend::run(const Job &job, const std::vector<std::string> &frameworkHeaders,
                   const llvm::StringMap<std::string> &renamed, const Look &look) {
  Remainder remainder(job);
  LeftOut leftOut;
  remainder.leaveOutOfMain(leftOut);
  const auto hasCrashed = [](const Attempt &attempt) {
    return attempt.unit.outcome == Unit::Outcome::Crashed;
  };
  // A header of the unit's own is of saved files.
  const bool mayUseOwn =
      !job.readsAll && !enablesCompilerWarnings(context.getOptionsForFile(job.file));
  const auto mayLeaveOut = [&](const Attempt &attempt) {
    return attempt.blamed && !leftOut.functions.contains(*attempt.blamed);
  };
  const auto attemptWays = [&](const Job &text) {
    const Request request{text, frameworkHeaders, renamed, look, /*standIns=*/true, leftOut};
    // What clang does not survive may be a stand-in.
    const Request plain{text, frameworkHeaders, renamed, look, /*standIns=*/false, leftOut};
    const Over most = mayUseOwn && !text.others ? Over::Own : Over::Framework;
    Attempt first = attempt(request, headers ? most : Over::Nothing);
    if (first.depth.isTooDeep)
      return first;
    if (first.header.isOwn) {
      if (!hasCrashed(first) && isReliable(first.header) && !isSaidByCompiler(first.unit))
        return first;
      first = withoutOwnHeader(request, first);
    }
    const bool crashed = hasCrashed(first);
    if (crashed)
      first = attempt(plain, headers ? Over::Framework : Over::Nothing);
    const HeaderUse &header = first.header;
    if (header.found.file.empty() || first.depth.isTooDeep ||
        (hasCrashed(first) && mayLeaveOut(first)))
      return first;
    // The header may be to blame: a file of the cache can be broken in more ways than can be
    // checked.
    const bool broken = header.failed || hasCrashed(first);
    if (broken)
      headers->discard(header.found.file);
    else if (first.unit.headerIsMissing || // It means less than that may change.
             (!header.doubted && headers->commutes(header.found, header.foreword)))
      return first;
    return attempt(crashed ? plain : request, Over::Nothing);
  };

  size_t deepFiles = 0, crashes = 0;
  const auto leaveOut = [&](const Attempt &attempt) {
    if (attempt.depth.isTooDeep)
      return ++deepFiles <= maxDeepFiles && remainder.leaveOut(attempt.depth, leftOut);
    return attempt.blamed && ++crashes <= maxCrashes &&
           leftOut.functions.insert(*attempt.blamed).second;
  };
  Attempt result = attemptWays(remainder.job());
  while (leaveOut(result))
    result = attemptWays(remainder.job());

  Unit &unit = result.unit;
  if (result.depth.isTooDeep) {
    unit = Unit();
    unit.outcome = Unit::Outcome::Crashed;
  }
  if (unit.outcome == Unit::Outcome::Analysed && result.mayBeRepaired)
    if (const std::optional<Job> closed = withTextRepaired(remainder.job()))
      if (Attempt whole = attemptWays(*closed); whole.unit.outcome == Unit::Outcome::Analysed)
        unit = withErrorsOf(std::move(unit), std::move(whole.unit));
  remainder.identify(unit);
  return std::move(unit);
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Frontend::savedFiles() const {
  return overlaid(regularFilesOf(llvm::vfs::createPhysicalFileSystem()), overlay);
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Frontend::filesOf(const Job &job) const {
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> saved = savedFiles();
  if (!job.text && !job.others)
    return saved;
  auto unsaved = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  const auto add = [&](const std::string &file, llvm::StringRef text) {
    unsaved->addFile(file, 0, llvm::MemoryBuffer::getMemBufferCopy(text, file));
  };
  if (job.text)
    add(job.file, *job.text);
  if (job.others)
    for (const auto &[file, text] : *job.others)
      add(file, text);
  auto all = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(std::move(saved));
  all->pushOverlay(std::move(unsaved));
  return all;
}

Frontend::Attempt Frontend::withoutOwnHeader(const Request &request, const Attempt &rejected) {
  const HeaderUse &header = rejected.header;
  if (header.failed) {
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
  const auto begin = std::chrono::steady_clock::now();
  std::optional<FunctionPlace> underWay;
  // Who has stand-ins gets another try.
  if (!survives(underWay, /*tellsWhy=*/!request.standIns, [&] { parse(request, over, result); })) {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    addPhaseSeconds(inVainPhase, seconds.count());
    result.unit = Unit();
    result.unit.outcome = Unit::Outcome::Crashed;
    result.blamed = std::move(underWay);
  }
  result.unit.stats = since(before, context.getStats());
  return result;
}

void Frontend::parse(const Request &request, Over over, Attempt &attempt) {
  const Job &job = request.job;
  Unit &unit = attempt.unit;
  const Trace trace(traces, unit.traces.emplace_back());
  const tidy::ClangTidyOptions options = context.getOptionsForFile(job.file);
  const std::string projectRoot = findProjectRoot(job.file, projectFolder);
  UserCode userCode(projectRoot);
  if (options.SystemHeaders.value_or(false))
    userCode.includeEverything();

  UnitDiagnostics diagnostics(context, userCode, projectRoot, unit, attempt.header);
  auto diagnosticOptions = std::make_unique<clang::DiagnosticOptions>();
  clang::DiagnosticsEngine engine(ids, *diagnosticOptions, &diagnostics,
                                  /*ShouldOwnClient=*/false);
  context.setDiagnosticsEngine(std::move(diagnosticOptions), &engine);
  context.setCurrentFile(job.file);
  context.setCurrentBuildDirectory(job.command.Directory);

  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystem = savedFiles();
  fileSystem->setCurrentWorkingDirectory(job.command.Directory);
  const auto files = llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(),
                                                                   std::move(fileSystem));
  UnitParse unitParse{request, context, diagnostics,    userCode,
                      headers, unit,    attempt.header, attempt.depth};
  UnitActionFactory action(unitParse, over, makesOwnHeaders);
  tooling::ToolInvocation invocation(commandLine(job, options), &action, files.get(),
                                     std::make_shared<clang::PCHContainerOperations>());
  invocation.setDiagnosticConsumer(&diagnostics);
  invocation.run();

  unit.header = attempt.header.found.stamp;
  unit.headerFolders = attempt.header.found.folders;
  unit.isOverOwnHeader = attempt.header.isOwn;
  attempt.blamed = diagnostics.lastRead();
  attempt.mayBeRepaired = diagnostics.mayBeRepaired();
  unit.diagnostics = diagnostics.takeClean(job.command.Directory);
}

} // namespace gradtidy
