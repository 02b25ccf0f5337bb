// Fix-its put into the sources.
#pragma once

#include "analyzer/frontend/FileIdentity.h"
#include "analyzer/report/SourceText.h"
#include "analyzer/report/Text.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace clang::tidy {
class ClangTidyContext;
} // namespace clang::tidy

namespace gradtidy {

/// The files that fixes change, as they were when they were analyzed; nothing for one that units
/// have seen with different contents.
using FixedFiles = std::map<std::string, std::optional<FileIdentity>>;

/// Has the lines that fixes put in end as those of their files do.
void useLineEndsOfFiles(std::vector<clang::tidy::ClangTidyError> &errors, SourceText &text);

/// The fixes of some findings. A fix is made as a whole or not at all, and only in files that are
/// what was analyzed. Of findings that ask for one and the same change the first makes it.
class Fixes {
public:
  /// \param onlyBelow a folder, outside of which nothing is changed; no limit if it is empty.
  Fixes(llvm::ArrayRef<clang::tidy::ClangTidyError> errors, const FixedFiles &analyzed,
        SourceText &text, llvm::StringRef onlyBelow);

  /// What becomes of the fix of each finding.
  llvm::ArrayRef<FixState> states() const { return fixStates; }

  /// Writes the files, and says on standard error which are left alone and why. False if there are
  /// any.
  bool write(clang::tidy::ClangTidyContext &context);

  /// Writes as a patch for git apply, or patch -p1 in \p root, what write() would do, and does not
  /// do it.
  /// \param root ends with a slash; files elsewhere are named by their absolute paths.
  bool show(llvm::raw_ostream &out, clang::tidy::ClangTidyContext &context, llvm::StringRef root);

private:
  struct File {
    llvm::StringRef before;
    std::string objection; ///< Why it is left alone; or empty.
    clang::tooling::Replacements edits;
  };
  std::string objectionTo(const std::string &file, const FixedFiles &analyzed, File &entry) const;
  bool add(const clang::tidy::ClangTidyError &finding);
  /// The edits of one file, as its style has them.
  static llvm::Expected<clang::tooling::Replacements>
  editsOf(const std::string &name, const File &file, clang::tidy::ClangTidyContext &context);
  /// Has \p use make use of the edits of each file; it says why it could not, or nothing. False if
  /// there are files that are left alone, which standard error tells.
  bool forEach(clang::tidy::ClangTidyContext &context,
               llvm::function_ref<std::string(const std::string &name, const File &file,
                                              const clang::tooling::Replacements &edits)>
                   use);

  SourceText &text;
  const std::string onlyBelow;
  std::map<std::string, File> files;
  std::vector<FixState> fixStates;
  unsigned made = 0, asked = 0;
};

} // namespace gradtidy
