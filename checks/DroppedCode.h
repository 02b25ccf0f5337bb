// Statements of which the compiler keeps nothing, as they do not compile, and which may change what
// is known of tensors.
#pragma once

#include "Source.h"

#include "analyzer/ir/LoweredUnit.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"

namespace gradtidy {

class DroppedCode {
public:
  /// Both must outlive this object.
  DroppedCode(const LoweredUnit &unit, const Source &source) : unit(unit), source(source) {}

  /// Whether a statement that was dropped stands before \p location, in the function around it:
  /// what holds there may be what it has changed.
  bool precedes(clang::SourceLocation location);

private:
  using Places = llvm::SmallVector<clang::SourceLocation, 4>;

  const Places &droppedIn(const FunctionBody &function);
  /// Whether a statement stands from \p begin to \p end which names one of \p names.
  bool hasStatement(clang::SourceLocation begin, clang::SourceLocation end,
                    const llvm::StringSet<> &names) const;
  /// The namespaces of the framework, and what in \p function has to do with tensors or training.
  llvm::StringSet<> namesThatMatter(const FunctionBody &function) const;

  const LoweredUnit &unit;
  const Source &source;
  llvm::DenseMap<const FunctionBody *, Places> dropped;
};

} // namespace gradtidy
