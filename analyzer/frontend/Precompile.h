// Making precompiled headers.
#pragma once

#include "HeaderEntry.h"
#include "clang/Frontend/FrontendActions.h"

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

/// Parses a header's source and writes it, precompiled.
class PrecompileAction : public clang::GeneratePCHAction {
public:
  /// \p record gets the files, and the facts of kinds include, unguarded and word.
  explicit PrecompileAction(HeaderRecord &record) : record(record) {}

protected:
  bool BeginSourceFileAction(clang::CompilerInstance &compiler) override;
  void EndSourceFileAction() override;

  HeaderRecord &record;

private:
  std::string absolute(clang::FileEntryRef file);
  const std::chrono::system_clock::time_point begin = std::chrono::system_clock::now();
};

/// Makes \p target of the file \p source; false if that has errors.
bool precompile(const clang::CompilerInvocation &precompiler, clang::FileManager &files,
                PrecompileAction &action, llvm::StringRef source, llvm::StringRef target);

/// Those of \p headers of which there is anything left if they are included behind \p target, in
/// which they are already.
std::vector<std::string> findRepeating(const clang::CompilerInvocation &precompiler,
                                       clang::FileManager &files,
                                       const std::vector<std::string> &headers,
                                       llvm::StringRef target);

} // namespace gradtidy
