// The IR as text, for people, tests and reports of bugs: docs/ir.md describes it. Parse.h reads it.
//
// The text is all there is to the IR: two functions with the same text are the same to the
// analysis. It depends on the IR alone, and not on the order in which clang or the analysis came
// across it.
#pragma once

#include "LoweredUnit.h"
#include "Places.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace gradtidy {

llvm::StringRef name(EventKind kind);

/// The first line of a text. The number changes with what texts mean.
inline constexpr llvm::StringLiteral irVersion = "gradtidy-ir 2";

/// What code, names and paths are called in a text.
class Labels {
public:
  virtual ~Labels();
  virtual std::string of(const ir::Node *node) const = 0;
  virtual std::string of(const ir::Symbol *symbol) const = 0;
  virtual std::string of(PathId path) const = 0;

  /// Where something stands, as in `12:5`.
  virtual std::string of(clang::SourceLocation location) const = 0;
};

/// Lines for people, which are no part of the IR.
class Remarks {
public:
  virtual ~Remarks();
  /// What is said before the blocks of a function, and behind one of its events.
  virtual std::vector<std::string> about(const FunctionBody &function, const Labels &labels) = 0;
  virtual std::vector<std::string> about(const Event &event, const Labels &labels) = 0;
};

/// Writes \p functions of \p unit with all the classes, code, names and types that they lead to.
/// \p remarks may be null.
void print(llvm::raw_ostream &out, const LoweredUnit &unit,
           llvm::ArrayRef<const FunctionBody *> functions, const ir::Places &places,
           Remarks *remarks = nullptr);

/// Writes all of \p unit.
void print(llvm::raw_ostream &out, const LoweredUnit &unit, const ir::Places &places,
           Remarks *remarks = nullptr);

} // namespace gradtidy
