#include "Preamble.h"
#include "PhaseTimer.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Tooling/Inclusions/StandardLibrary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MemoryBuffer.h"

namespace gradtidy {

using llvm::StringRef;

namespace {

/// Whether a header may be included in any order with others: those of the C++ and C libraries and
/// of POSIX.
bool isStandardHeader(StringRef name, bool angled) {
  const auto isNamed = [](const llvm::Twine &header) {
    return clang::tooling::stdlib::Header::named(("<" + header + ">").str()).has_value();
  };
  static const StringRef posix[] = {"dirent.h", "fcntl.h",   "getopt.h", "glob.h",
                                    "libgen.h", "pthread.h", "unistd.h"};
  return angled && (isNamed(name) || (name.ends_with(".h") && isNamed("c" + name.drop_back(2))) ||
                    name.starts_with("sys/") || llvm::is_contained(posix, name));
}

/// Follows the directives until something else comes.
class Scan : public clang::PPCallbacks {
public:
  Scan(clang::SourceManager &sources, UserCode &userCode, Preamble &preamble)
      : sources(sources), userCode(userCode), preamble(preamble) {}

  bool ended = false;

  void LexedFileChanged(clang::FileID, LexedFileChangeReason reason,
                        clang::SrcMgr::CharacteristicKind, clang::FileID,
                        clang::SourceLocation) override {
    atStart = reason == LexedFileChangeReason::EnterFile;
  }

  void InclusionDirective(clang::SourceLocation, const clang::Token &directive, StringRef name,
                          bool angled, clang::CharSourceRange, clang::OptionalFileEntryRef file,
                          StringRef, StringRef, const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind kind) override {
    atStart = false;
    if (directive.getIdentifierInfo()->getPPKeywordID() != clang::tok::pp_include)
      ended = true; // #include_next, -imacros.
    // A missing header is as missing later.
    if (!file || (!ended && userCode.containsFile(*file, kind, sources.getFileManager())))
      return;
    // Not to be read: nothing of it is needed here.
    if (!sources.isFileOverridden(*file))
      sources.overrideFileContents(*file, llvm::MemoryBuffer::getMemBuffer(""));
    hidden = true;
    if (ended || (clang::SrcMgr::isSystem(kind) && isStandardHeader(name, angled)))
      return;
    llvm::SmallString<256> absolute = file->getName();
    sources.getFileManager().makeAbsolutePath(absolute);
    const std::string path(absolute);
    if (llvm::none_of(seen.includes, [&](const auto &known) { return known.path == path; }))
      seen.includes.push_back({(angled ? "<" + name + ">" : "\"" + name + "\"").str(), path});
    if (userCode.isFrameworkFile(*file, sources.getFileManager()))
      preamble = seen;
    else if (!preamble.includes.empty())
      ended = true; // Another library's headers are left to the unit, if the order allows that.
  }

  void MacroDefined(const clang::Token &name, const clang::MacroDirective *) override {
    if (!isPredefined(name.getLocation()))
      record(name, seen.defined);
  }
  void MacroUndefined(const clang::Token &name, const clang::MacroDefinition &,
                      const clang::MacroDirective *change) override {
    // To undefine what is not defined (a header of another library may have done it) does nothing.
    if (!isPredefined(name.getLocation()))
      record(name, change || !seen.includes.empty() ? seen.defined : seen.tested);
  }

  // Which way a condition goes is not known if a header that was not read may have defined the
  // macro; no such header defines the guard of a user's header.
  void Ifdef(clang::SourceLocation, const clang::Token &name,
             const clang::MacroDefinition &macro) override {
    ended |= hidden && !isPredefined(macro);
    record(name, seen.tested);
  }
  void Ifndef(clang::SourceLocation, const clang::Token &name,
              const clang::MacroDefinition &macro) override {
    ended |= hidden && !atStart && !isPredefined(macro);
    record(name, seen.tested);
  }
  // What else can be asked depends on more than names.
  void If(clang::SourceLocation, clang::SourceRange, ConditionValueKind) override { ended = true; }
  void Elif(clang::SourceLocation, clang::SourceRange, ConditionValueKind,
            clang::SourceLocation) override {
    ended = true;
  }
  using PPCallbacks::Elifdef;
  using PPCallbacks::Elifndef;
  void Elifdef(clang::SourceLocation, const clang::Token &,
               const clang::MacroDefinition &) override {
    ended = true;
  }
  void Elifndef(clang::SourceLocation, const clang::Token &,
                const clang::MacroDefinition &) override {
    ended = true;
  }
  void PragmaDirective(clang::SourceLocation location, clang::PragmaIntroducerKind) override {
    if (isPredefined(location))
      return;
    StringRef text = sources.getCharacterData(location);
    text = text.take_until([](char c) { return c == '\n'; }).ltrim("# \t");
    text.consume_front("pragma");
    if (!text.trim().starts_with("once") && !text.contains("system_header"))
      ended = true;
  }
  void EmbedDirective(clang::SourceLocation, StringRef, bool, clang::OptionalFileEntryRef,
                      const clang::LexEmbedParametersResult &) override {
    ended = true;
  }

private:
  /// By the compiler or its command line, which count as flags.
  bool isPredefined(clang::SourceLocation location) const {
    return sources.isWrittenInBuiltinFile(location) || sources.isWrittenInCommandLineFile(location);
  }
  bool isPredefined(const clang::MacroDefinition &macro) const {
    const clang::MacroInfo *definition = macro.getMacroInfo();
    return definition && isPredefined(definition->getDefinitionLoc());
  }
  void record(const clang::Token &name, std::vector<std::string> &names) {
    atStart = false;
    if (!ended)
      names.push_back(name.getIdentifierInfo()->getName().str());
  }

  clang::SourceManager &sources;
  UserCode &userCode;
  Preamble &preamble;   ///< Up to the last include of a framework.
  Preamble seen;        ///< Up to here.
  bool hidden = false;  ///< A header was not read.
  bool atStart = false; ///< Of a file.
};

class ScanAction : public clang::PreprocessorFrontendAction {
public:
  ScanAction(const std::vector<std::string> &headers, UserCode &userCode, Preamble &preamble)
      : headers(headers), userCode(userCode), preamble(preamble) {}

protected:
  void ExecuteAction() override {
    clang::Preprocessor &preprocessor = getCompilerInstance().getPreprocessor();
    findFrameworkFolders(preprocessor, headers, userCode);
    auto callbacks =
        std::make_unique<Scan>(getCompilerInstance().getSourceManager(), userCode, preamble);
    Scan &scan = *callbacks;
    preprocessor.addPPCallbacks(std::move(callbacks));
    preprocessor.IgnorePragmas();
    preprocessor.EnterMainSourceFile();
    // The first token is the first thing that is no directive.
    clang::Token token;
    preprocessor.Lex(token);
    scan.ended = true;
  }

private:
  const std::vector<std::string> &headers;
  UserCode &userCode;
  Preamble &preamble;
};

} // namespace

Preamble scanPreamble(const clang::CompilerInvocation &invocation, clang::FileManager &files,
                      const std::vector<std::string> &headers, UserCode &userCode) {
  const PhaseTimer timer("scanning");
  Preamble preamble;
  auto own = std::make_shared<clang::CompilerInvocation>(invocation);
  own->getDependencyOutputOpts() = {};
  clang::CompilerInstance compiler(std::move(own));
  compiler.setVirtualFileSystem(files.getVirtualFileSystemPtr());
  compiler.setFileManager(llvm::IntrusiveRefCntPtr<clang::FileManager>(&files));
  clang::IgnoringDiagConsumer silent;
  compiler.createDiagnostics(&silent, /*ShouldOwnClient=*/false);
  compiler.createSourceManager();
  ScanAction action(headers, userCode, preamble);
  compiler.ExecuteAction(action);
  return preamble;
}

} // namespace gradtidy
