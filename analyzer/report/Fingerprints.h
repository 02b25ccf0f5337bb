// Which findings are the same in two versions of a program.
#pragma once

#include "Formats.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <set>
#include <string>

namespace gradtidy {

/// A fingerprint is made of the check, the path below a folder, and the characters of the statement
/// without blanks and comments; numbered where a file repeats these. It stays what it is while
/// other code changes, and when the code is formatted.
class Fingerprints {
public:
  /// Their name in SARIF's partialFingerprints.
  static constexpr llvm::StringLiteral key = "gradtidy/v2";

  /// \param root with a slash at its end; or empty.
  explicit Fingerprints(std::string root) : root(std::move(root)) {}

  /// To be asked for each finding once, in their order.
  std::string of(const ReportedFinding &finding);

private:
  const std::string root;
  SourceText text;
  std::map<std::string, unsigned> occurrences; ///< By what is numbered.
};

/// The fingerprints in a file that `--format=sarif` wrote.
llvm::Expected<std::set<std::string>> readFingerprints(const std::string &file);

} // namespace gradtidy
