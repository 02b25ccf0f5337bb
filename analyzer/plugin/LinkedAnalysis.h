// Units as texts: written of an AST, and analyzed together without one. See
// docs/decisions/0039-linked-analysis.md.
#pragma once

#include "Plugin.h"
#include "analyzer/flow/IrRequest.h"
#include "analyzer/frontend/Bodies.h"
#include "analyzer/frontend/Frontend.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <string>

namespace gradtidy {

class UnitAnalysis;

/// Writes what is known of the code of a unit into it: its IR, and the functions that it shares
/// with other sources. Nothing for a unit that is not of C++.
/// \param root the project's folder.
void writeText(clang::ASTContext &ast, const Model &model, const UserCode &userCode,
               llvm::StringRef root, Unit &unit);

/// How much of \p analysis was seen.
UnitCoverage coverageOf(const UnitAnalysis &analysis, const clang::SourceManager &sources);

/// A unit with others that it is linked to.
struct LinkedUnit {
  const Job &job;
  const Model &model;
  std::string root;                                      ///< The project's folder.
  std::vector<llvm::StringRef> texts;                    ///< That of the unit first.
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files; ///< With which they were parsed.
  llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs> ids;    ///< Those that the context knows.
  const FunctionPlaces &leftOut;                         ///< Functions whose bodies are left out.
};

/// What the analysis of a unit came to besides its findings.
struct LinkedResult {
  UnitCoverage coverage;
  std::string text;
  std::string error; ///< Why there is no text; a clear text without a full stop. Or empty.
};

/// Analyzes \p linked and adds to \p unit, as it was written, what the enabled checks find in its
/// own files.
/// \param ir asks for a text in place of findings; or null.
LinkedResult analyse(const LinkedUnit &linked, clang::tidy::ClangTidyContext &context,
                     const IrRequest *ir, Unit &unit);

} // namespace gradtidy
