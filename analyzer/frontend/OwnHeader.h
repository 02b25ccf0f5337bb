// What a unit is parsed behind while only its main file changes.
#pragma once

#include "HeaderCache.h"
#include "SystemIncludes.h"
#include "UserCode.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace clang {
class ASTReader;
class CompilerInvocation;
class Decl;
class FileManager;
} // namespace clang

namespace gradtidy {

/// A unit's own precompiled header, behind that of the framework: what the main file includes
/// before anything else. See docs/decisions/0014-own-headers.md.
class OwnHeader {
public:
  /// That of the unit of \p invocation, if there is one, found by flags, main file and what that
  /// begins with.
  /// \param text      that of the main file.
  /// \param framework the header of the framework.
  OwnHeader(HeaderCache &cache, const clang::CompilerInvocation &invocation, llvm::StringRef text,
            const HeaderCache::Header &framework);

  bool exists() const { return !found.file.empty(); }
  const HeaderCache::Header &header() const { return found; }

  /// The main file without the directives that are in the header: with blanks in their place.
  const std::string &rest() const { return mainFile; }

  /// The user's declarations in it, outermost only.
  std::vector<clang::Decl *> declarations(clang::ASTReader &reader) const;

  /// Of what is in it: see SystemIncludes.
  std::set<std::string> systemHeaders() const;
  std::set<std::string> outerHeaders() const;
  std::set<std::string> forOtherCompilers() const;
  std::vector<std::string> tellingMacros() const;

  /// Makes it, unless there is one or that failed before.
  void make(clang::FileManager &files, UserCode &userCode, const SystemIncludes::Scope &scope);

private:
  HeaderCache *cache;
  std::shared_ptr<clang::CompilerInvocation> precompiler;
  std::string base; ///< The stamp of the framework's header.
  std::string source, key, mainFile;
  HeaderCache::Header found;
};

} // namespace gradtidy
