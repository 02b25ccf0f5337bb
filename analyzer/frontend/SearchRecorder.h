// Records where a parse looks for headers in vain, before it finds them or gives up.
#pragma once

#include "Lookups.h"
#include "clang/Basic/FileEntry.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace clang {
class CompilerInstance;
} // namespace clang

namespace gradtidy {

/// Is told of every name that the file being read at that moment includes or asks for.
class SearchRecorder {
public:
  /// \p compiler must outlive this object.
  explicit SearchRecorder(clang::CompilerInstance &compiler) : compiler(compiler) {}

  /// \p name is \p file, or is not there. A missing header is looked for in all folders.
  void add(llvm::StringRef name, bool isAngled, clang::OptionalFileEntryRef file);

  /// \p names would change the meaning of the unit in any folder of the include path.
  void addEverywhere(const std::vector<std::string> &names);

  /// By folders.
  std::vector<Lookup> lookups() const;

  std::string absolute(llvm::StringRef path) const;

private:
  std::vector<std::string> searchedFolders(bool isAngled) const;
  std::string includer() const;

  clang::CompilerInstance &compiler;
  std::set<std::tuple<std::string, bool, std::string>> seen; ///< Includer, brackets, name.
  std::map<std::vector<std::string>, std::set<std::string>> names;
};

} // namespace gradtidy
