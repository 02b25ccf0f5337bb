// Where a unit includes a framework, and what it does before: whether the unit means the same when
// the framework's headers are parsed before all of it.
#pragma once

#include "MacroObserver.h"
#include "UserCode.h"

#include <string>
#include <vector>

namespace clang {
class CompilerInvocation;
class FileManager;
} // namespace clang

namespace gradtidy {

/// What the main file of a unit includes, by itself or through headers of the user.
struct OuterIncludes {
  std::vector<std::string> framework; ///< Headers of a framework. Absolute paths.
  std::vector<std::string> others;    ///< Of other libraries, as written.
};

/// Preprocesses the main file of \p invocation. Headers outside user code are not read.
/// \param headers  a framework's, as Model::headers() has them.
/// \param userCode learns the folders of the framework.
OuterIncludes findOuterIncludes(const clang::CompilerInvocation &invocation,
                                clang::FileManager &files, const std::vector<std::string> &headers,
                                UserCode &userCode);

/// What the user's code of a unit does before its last include of a header of a framework that it
/// has not included yet. Parsed over a precompiled header of the framework, it does that behind the
/// framework.
struct Foreword {
  std::vector<std::string> macros; ///< Defined.
  bool seesHeader = false; ///< A macro of the precompiled header is asked for, or undefined.
};

/// Whether a macro that is defined at \p definition is one of the precompiled header's. The
/// compiler's own macros, and those of its command line, are part of the header's key.
bool isOfHeader(clang::SourceLocation definition, const clang::SourceManager &sources);

/// Observes a unit that is parsed over a precompiled header.
class ForewordRecorder : public MacroObserver {
public:
  ForewordRecorder(const clang::Preprocessor &preprocessor, const UserCode &userCode,
                   Foreword &foreword);

  void InclusionDirective(clang::SourceLocation hash, const clang::Token &, llvm::StringRef, bool,
                          clang::CharSourceRange, clang::OptionalFileEntryRef file, llvm::StringRef,
                          llvm::StringRef, const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind) override;
  void MacroDefined(const clang::Token &name, const clang::MacroDirective *) override;

private:
  bool isUsers(const clang::Token &name) const;
  void ask(const clang::Token &name, const clang::MacroDefinition &macro) override;

  const clang::SourceManager &sources;
  const UserCode &userCode;
  FileSet included;   ///< Of a framework.
  Foreword &foreword; ///< Up to the last include of a framework.
  Foreword since;     ///< From there on.
};

} // namespace gradtidy
