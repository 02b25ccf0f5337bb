// The symbols that texts of the IR name: those of several texts are one where they stand for the
// same function, class, member or global.
#pragma once

#include "Symbol.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"

#include <string>

namespace gradtidy {

/// What is the same in two texts is what its USR says, or what its owner and its name, or place
/// among the parameters, say. Two that are defined in two places are not the same, though their
/// names may be: those that the first text names stay.
class SymbolTable {
public:
  /// Symbols are made in \p allocator, which must outlive them.
  explicit SymbolTable(llvm::BumpPtrAllocator &allocator) : allocator(allocator) {}

  /// Begins with another text. \p placeOf gives the words for a place that are the same in all
  /// texts.
  void begin(llvm::StringRef text, llvm::function_ref<std::string(llvm::StringRef)> placeOf);

  /// What the text calls \p label.
  ir::Symbol &named(llvm::StringRef label);

  /// Notes what the text says of it. False if it has said something before.
  bool describe(llvm::StringRef label, ir::Symbol said);

  /// A name of the text of which it says nothing, or an empty string.
  llvm::StringRef undescribed() const;

private:
  struct Line;
  using Lines = llvm::StringMap<Line>;
  /// What is known in all texts by one name.
  struct Identity {
    ir::Symbol *symbol = nullptr;
    std::string definedAt; ///< Where its code, or the whole class, stands; empty where none does.
    bool isWhole = false;  ///< The symbol is that of the definition.
  };

  std::string keyOf(const Lines &lines, llvm::StringRef label, unsigned depth = 0) const;
  /// Gives the name of \p line its symbol.
  void unite(const Lines &lines, Line &line);
  void fillIn(ir::Symbol &known, const ir::Symbol &said);
  const ir::Class *joined(const ir::Class &known, const ir::Class &said);

  llvm::BumpPtrAllocator &allocator;
  llvm::StringMap<Identity> identities;
  llvm::DenseSet<const ir::Symbol *> described;
  bool isFirst = true; ///< The text is the first.
  unsigned number = 0; ///< Of the text, from 1.

  // Of the text that is read.
  llvm::StringMap<ir::Symbol *> symbols;
  llvm::StringMap<bool> hasLine;
  llvm::DenseSet<const ir::Symbol *> taken;  ///< Those that a name of the text has.
  llvm::DenseSet<const ir::Symbol *> better; ///< Those of which it says more than those before.
};

} // namespace gradtidy
