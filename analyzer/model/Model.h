// The vocabulary of a tensor framework: what its types and functions mean, read from JSON.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gradtidy {

class Model {
public:
  /// The models shipped with gradtidy (LibTorch and the bundled runtime), merged.
  static const Model &bundled();

  /// Adds the vocabulary in \p text to this one. The error names \p fileName, the line and the key.
  llvm::Error add(llvm::StringRef text, llvm::StringRef fileName);

  /// Headers as users include them ("torch/torch.h"): a file found under such a name marks the
  /// folder it was found in as the framework's.
  const std::vector<std::string> &headers() const { return frameworkHeaders; }

private:
  std::vector<std::string> frameworkHeaders;
};

} // namespace gradtidy
