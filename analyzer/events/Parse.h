// Reads the IR back from the text that Print.h writes.
#pragma once

#include "Event.h"
#include "analyzer/ir/Places.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace gradtidy {

class Model;

/// Functions that were read, with all that they lead to.
class ParsedFunctions {
public:
  virtual ~ParsedFunctions();

  /// In the order of the text.
  virtual llvm::ArrayRef<const FunctionBody *> functions() const = 0;
  virtual const PathTable &paths() const = 0;

  /// Locations in these functions mean nothing to others. They have no order.
  virtual const ir::Places &places() const = 0;
};

/// Reads \p text; operators are those of \p model, which must outlive the result. An error names
/// the line. Time and memory are linear in the size of the text.
llvm::Expected<std::unique_ptr<ParsedFunctions>> parseIr(llvm::StringRef text, const Model &model);

} // namespace gradtidy
