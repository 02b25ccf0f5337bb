#include "FrameworkIncludes.h"
#include "DepthGuard.h"
#include "Paths.h"
#include "PhaseTimer.h"
#include "SecureInvocation.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MemoryBuffer.h"

namespace gradtidy {

namespace {

/// Reads the headers of the user only.
class Scan : public clang::PPCallbacks {
public:
  Scan(clang::SourceManager &sources, const UserCode &userCode, OuterIncludes &found)
      : sources(sources), userCode(userCode), found(found) {}

  void InclusionDirective(clang::SourceLocation, const clang::Token &, llvm::StringRef name, bool,
                          clang::CharSourceRange, clang::OptionalFileEntryRef file, llvm::StringRef,
                          llvm::StringRef, const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind kind) override {
    if (!file || userCode.containsFile(*file, kind, sources.getFileManager()))
      return;
    if (!sources.isFileOverridden(*file))
      sources.overrideFileContents(*file, llvm::MemoryBuffer::getMemBuffer(""));
    if (!userCode.isFrameworkFile(*file, sources.getFileManager())) {
      found.others.push_back(name.str());
      return;
    }
    llvm::SmallString<256> absolute = file->getName();
    sources.getFileManager().makeAbsolutePath(absolute);
    found.framework.push_back(cleanPath(absolute, {}));
  }

private:
  clang::SourceManager &sources;
  const UserCode &userCode;
  OuterIncludes &found;
};

class ScanAction : public clang::PreprocessorFrontendAction {
public:
  ScanAction(const std::vector<std::string> &headers, UserCode &userCode, OuterIncludes &found)
      : headers(headers), userCode(userCode), found(found) {}

protected:
  void ExecuteAction() override {
    clang::Preprocessor &preprocessor = getCompilerInstance().getPreprocessor();
    findFrameworkFolders(preprocessor, headers, userCode);
    preprocessor.addPPCallbacks(
        std::make_unique<Scan>(getCompilerInstance().getSourceManager(), userCode, found));
    preprocessor.addPPCallbacks(std::make_unique<ConditionGuard>(preprocessor, nullptr));
    preprocessor.IgnorePragmas(); // But for clang's own.
    securePreprocessor(getCompilerInstance());
    preprocessor.EnterMainSourceFile();
    preprocessor.LexTokensUntilEOF();
  }

private:
  const std::vector<std::string> &headers;
  UserCode &userCode;
  OuterIncludes &found;
};

} // namespace

OuterIncludes findOuterIncludes(const clang::CompilerInvocation &invocation,
                                clang::FileManager &files, const std::vector<std::string> &headers,
                                UserCode &userCode) {
  const PhaseTimer timer("scanning");
  OuterIncludes found;
  auto own = std::make_shared<clang::CompilerInvocation>(invocation);
  own->getDependencyOutputOpts() = {};
  clang::CompilerInstance compiler(std::move(own));
  compiler.setVirtualFileSystem(files.getVirtualFileSystemPtr());
  compiler.setFileManager(llvm::IntrusiveRefCntPtr<clang::FileManager>(&files));
  clang::IgnoringDiagConsumer silent;
  compiler.createDiagnostics(&silent, /*ShouldOwnClient=*/false);
  compiler.createSourceManager();
  ScanAction action(headers, userCode, found);
  compiler.ExecuteAction(action);
  return found;
}

// ---- the foreword ------------------------------------------------------------------------------

bool isOfHeader(clang::SourceLocation definition, const clang::SourceManager &sources) {
  return sources.isLoadedSourceLocation(definition) &&
         !sources.isWrittenInBuiltinFile(definition) &&
         !sources.isWrittenInCommandLineFile(definition);
}

ForewordRecorder::ForewordRecorder(const clang::Preprocessor &preprocessor,
                                   const UserCode &userCode, Foreword &foreword)
    : MacroObserver(preprocessor), sources(preprocessor.getSourceManager()), userCode(userCode),
      foreword(foreword) {}

bool ForewordRecorder::isUsers(const clang::Token &name) const {
  return userCode.contains(name.getLocation(), sources);
}

void ForewordRecorder::InclusionDirective(clang::SourceLocation hash, const clang::Token &,
                                          llvm::StringRef, bool, clang::CharSourceRange,
                                          clang::OptionalFileEntryRef file, llvm::StringRef,
                                          llvm::StringRef, const clang::Module *, bool,
                                          clang::SrcMgr::CharacteristicKind) {
  if (!file || !userCode.contains(hash, sources) ||
      !userCode.isFrameworkFile(*file, sources.getFileManager()) ||
      !included.insert(&file->getFileEntry()).second) // It would say nothing more.
    return;
  llvm::append_range(foreword.macros, since.macros);
  foreword.seesHeader |= since.seesHeader;
  since = {};
}

void ForewordRecorder::MacroDefined(const clang::Token &name, const clang::MacroDirective *) {
  if (isUsers(name))
    since.macros.push_back(name.getIdentifierInfo()->getName().str());
}

void ForewordRecorder::ask(const clang::Token &name, const clang::MacroDefinition &macro) {
  const clang::MacroInfo *info = macro.getMacroInfo();
  if (!info || !isUsers(name))
    return;
  since.seesHeader |= isOfHeader(info->getDefinitionLoc(), sources);
}

} // namespace gradtidy
