// gradtidy: finds mistakes in the training loops of C++ programs.
#include "CheckModels.h"
#include "CommandLine.h"
#include "Completion.h"
#include "Explain.h"
#include "LanguageServer.h"
#include "Lint.h"
#include "Manual.h"
#include "OwnWork.h"
#include "Prove.h"
#include "Watch.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

int main(int argc, const char **argv) {
  // What crashes is said in a line. Who looks for the reason wants to see more.
  if (std::getenv("GRADTIDY_BACKTRACE"))
    llvm::sys::PrintStackTraceOnErrorSignal(argv[0]);
  // Inline assembly in a header is parsed by the target.
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmParsers();

  const gradtidy::CommandLine commandLine = gradtidy::parseCommandLine(argc, argv);
  static int inThisProgram;
  const std::string executable = llvm::sys::fs::getMainExecutable(argv[0], &inThisProgram);
  if (commandLine.completion)
    return gradtidy::printCompletion(commandLine);
  if (commandLine.man) {
    gradtidy::printManual(llvm::outs());
    return 0;
  }
  if (commandLine.prove)
    return gradtidy::prove(commandLine, executable);
  if (commandLine.watch)
    return gradtidy::watch(commandLine, executable);
  // The programs that prove runs have limits of their own.
  gradtidy::limitOwnWork(uint64_t(commandLine.memoryLimit) << 20, commandLine.timeout,
                         commandLine.statusOfFailure());
  if (commandLine.checkModels)
    return gradtidy::checkModels(commandLine);
  if (commandLine.explain)
    return gradtidy::explain(commandLine, executable);
  if (commandLine.lsp)
    return gradtidy::serveEditor(commandLine, executable);
  return gradtidy::lint(commandLine, executable);
}
