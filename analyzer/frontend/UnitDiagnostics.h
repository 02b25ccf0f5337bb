// What the compiler and the checks say of one unit.
#pragma once

#include "Bodies.h"
#include "Frontend.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"

#include <string>
#include <vector>

namespace gradtidy {

class UserCode;

/// What diagnostics say about the precompiled header that a unit is parsed over.
struct HeaderDoubts {
  bool failed = false;  ///< It cannot be read.
  bool doubted = false; ///< There are errors that may come of what it has first.
};

/// Leaves out compiler warnings that nobody asked for, before NOLINT comments are looked for in all
/// headers, and compiler errors that are none of the user's business.
class UnitDiagnostics : public clang::tidy::ClangTidyDiagnosticConsumer {
public:
  /// All but \p projectRoot must outlive this object. Fixes change files below that folder alone.
  UnitDiagnostics(clang::tidy::ClangTidyContext &context, const UserCode &userCode,
                  llvm::StringRef projectRoot, Unit &unit, HeaderDoubts &header);

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override;

  /// The function behind which clang reads nothing, as its brackets nest too deeply; if there is
  /// one.
  const std::optional<FunctionPlace> &lastRead() const { return last; }
  /// Whether something in the main file may have swallowed definitions behind it: a body that lacks
  /// a brace, or a line that is part of no declaration.
  bool mayBeRepaired() const { return isRepairable; }

  /// Without symbolic links.
  const std::string &projectRoot() const { return realProjectRoot; }

  /// All that was said, with clean paths; of a compilation in \p folder. Completes the unit's
  /// fixedFiles.
  std::vector<clang::tidy::ClangTidyError> takeClean(llvm::StringRef folder);

private:
  void rememberFixed(const clang::Diagnostic &info);
  void rememberSilenced(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info);
  void completeFixed(const std::vector<clang::tidy::ClangTidyError> &all, llvm::StringRef folder);
  bool isDoubtful(const clang::Diagnostic &error) const;
  bool isCompilers(const clang::Diagnostic &warning) const;
  bool isEnabled(const clang::Diagnostic &warning) const;
  bool isOutsideUserCode(const clang::Diagnostic &diagnostic) const;
  bool mayChange(llvm::StringRef file) const;
  void cleanPaths(clang::tooling::DiagnosticMessage &message, llvm::StringRef folder) const;
  bool isUsersBusiness(const clang::Diagnostic &error);

  clang::tidy::ClangTidyContext &context;
  const UserCode &userCode;
  const std::string realProjectRoot;
  Unit &unit;
  HeaderDoubts &header;
  bool shown = true;
  std::optional<FunctionPlace> last;
  bool isRepairable = false;
  std::map<std::string, FileIdentity> fixed; ///< By clang's name of the file; but the main file.
};

/// What was counted since it was \p before.
clang::tidy::ClangTidyStats since(const clang::tidy::ClangTidyStats &before,
                                  clang::tidy::ClangTidyStats stats);

} // namespace gradtidy
