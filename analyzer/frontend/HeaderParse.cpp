#include "HeaderParse.h"
#include "ResourceFolder.h"
#include "SecureInvocation.h"
#include "analyzer/source/Flags.h"
#include "analyzer/source/Paths.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace gradtidy {
namespace {

using Use = llvm::function_ref<void(clang::ASTContext &)>;

/// Keeps the first error.
class FirstError : public clang::DiagnosticConsumer {
public:
  std::string text;

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Error || !text.empty())
      return;
    llvm::SmallString<128> message;
    info.FormatDiagnostic(message);
    if (info.hasSourceManager() && info.getLocation().isValid()) {
      const clang::PresumedLoc place = info.getSourceManager().getPresumedLoc(info.getLocation());
      if (place.isValid() && place.getIncludeLoc().isValid())
        text = std::string(place.getFilename()) + ":" + std::to_string(place.getLine()) + ": ";
    }
    text += message.str();
  }
};

class HeaderAction : public clang::ASTFrontendAction {
public:
  explicit HeaderAction(Use use) : use(use) {}

protected:
  bool BeginSourceFileAction(clang::CompilerInstance &compiler) override {
    securePreprocessor(compiler);
    return true;
  }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef) override {
    compiler.getFrontendOpts().SkipFunctionBodies = true;
    return std::make_unique<Consumer>(use, compiler.getDiagnostics());
  }

private:
  class Consumer : public clang::ASTConsumer {
  public:
    Consumer(Use use, const clang::DiagnosticsEngine &diagnostics)
        : use(use), diagnostics(diagnostics) {}
    bool shouldSkipFunctionBody(clang::Decl *) override { return true; }
    void HandleTranslationUnit(clang::ASTContext &context) override {
      if (!diagnostics.hasErrorOccurred())
        use(context);
    }

  private:
    Use use;
    const clang::DiagnosticsEngine &diagnostics;
  };

  Use use;
};

class HeaderActions : public clang::tooling::FrontendActionFactory {
public:
  explicit HeaderActions(Use use) : use(use) {}

  std::unique_ptr<clang::FrontendAction> create() override {
    return std::make_unique<HeaderAction>(use);
  }

  bool runInvocation(std::shared_ptr<clang::CompilerInvocation> invocation,
                     clang::FileManager *files,
                     std::shared_ptr<clang::PCHContainerOperations> containers,
                     clang::DiagnosticConsumer *diagnostics) override {
    invocation->getDiagnosticOpts().ShowCarets = false; // Nor how many errors there were.
    return secureInvocation(*invocation, /*hasOwnFlags=*/true) &&
           FrontendActionFactory::runInvocation(std::move(invocation), files, std::move(containers),
                                                diagnostics);
  }

private:
  Use use;
};

} // namespace

std::string parseHeaders(const std::vector<std::string> &headers,
                         const std::vector<std::string> &flags, Use use) {
  std::string text;
  for (const std::string &header : headers)
    text += "#include <" + header + ">\n";
  const std::string main = absolutePath("headers.cpp");
  FlagsRequest request;
  request.commandLine = {"c++"};
  request.commandLine.insert(request.commandLine.end(), flags.begin(), flags.end());
  request.origin = FlagOrigin::Person;
  request.file = main;
  std::vector<std::string> arguments = normaliseFlags(request);
  addResourceFolder(arguments);

  auto texts = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  texts->addFile(main, 0, llvm::MemoryBuffer::getMemBuffer(text));
  auto all = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      regularFilesOf(llvm::vfs::createPhysicalFileSystem()));
  all->pushOverlay(texts);
  auto files = llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), all);
  HeaderActions actions(use);
  FirstError errors;
  clang::tooling::ToolInvocation invocation(arguments, &actions, files.get(),
                                            std::make_shared<clang::PCHContainerOperations>());
  invocation.setDiagnosticConsumer(&errors);
  if (!invocation.run() && errors.text.empty())
    return "the flags behind \"--\" are no compiler's";
  return errors.text;
}

} // namespace gradtidy
