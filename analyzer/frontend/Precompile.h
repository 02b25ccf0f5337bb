// Making precompiled headers.
#pragma once

#include "HeaderEntry.h"
#include "SearchRecorder.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Serialization/ASTWriter.h"

#include <memory>
#include <string>
#include <vector>

namespace clang {
class CompilerInvocation;
class FileManager;
} // namespace clang

namespace gradtidy {

/// Of --stats; see PhaseTimer.
inline constexpr llvm::StringLiteral makingPhase = "precompiling";

/// The compiler of a unit as it makes a header for it.
std::shared_ptr<clang::CompilerInvocation> precompilerFor(const clang::CompilerInvocation &unit);

/// What tells a header from others: the compiler, its flags, and the source.
std::string keyOf(const clang::CompilerInvocation &precompiler, llvm::StringRef source);

/// The contents of a precompiled header. What to do where a disk is full is no affair of clang's.
using Precompiled = llvm::SmallVector<char, 0>;

/// Parses a header's source and precompiles it.
class PrecompileAction : public clang::GeneratePCHAction {
public:
  /// \p record gets the files, the lookups, and the facts of kinds include, unguarded and word.
  explicit PrecompileAction(HeaderRecord &record) : record(record) {}

  /// What came of it.
  Precompiled take() { return std::move(buffer->Data); }

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                        llvm::StringRef file) override;
  bool BeginSourceFileAction(clang::CompilerInstance &compiler) override;
  void EndSourceFileAction() override;

  HeaderRecord &record;
  const std::shared_ptr<clang::PCHBuffer> buffer = std::make_shared<clang::PCHBuffer>();

private:
  std::unique_ptr<SearchRecorder> search;
  const std::chrono::system_clock::time_point begin = std::chrono::system_clock::now();
};

/// What \p action makes of the file \p source; empty if that has errors.
Precompiled precompile(const clang::CompilerInvocation &precompiler, clang::FileManager &files,
                       PrecompileAction &action, llvm::StringRef source);

/// Those of \p headers of which there is anything left if they are included behind \p target, in
/// which they are already.
std::vector<std::string> findRepeating(const clang::CompilerInvocation &precompiler,
                                       clang::FileManager &files,
                                       const std::vector<std::string> &headers,
                                       llvm::StringRef target);

} // namespace gradtidy
