// The symbols that texts of the IR name: those of several texts are one where they stand for the
// same function, class, member or global.
#pragma once

#include "Symbol.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"

#include <optional>
#include <string>

namespace gradtidy {

namespace text {
class Cursor;
}

/// What is the same in two texts is what its USR says, or what its owner and its name, or place
/// among the parameters, say. Two that are defined in two places are not the same, though their
/// names may be: those that the first text names stay.
class SymbolTable {
public:
  /// Symbols are made in \p allocator, which must outlive them.
  explicit SymbolTable(llvm::BumpPtrAllocator &allocator) : allocator(allocator) {}

  /// Begins with another text. \p placeOf gives the words for a place that are the same in all
  /// texts.
  using PlaceOf = llvm::function_ref<std::string(llvm::StringRef)>;
  void begin(llvm::StringRef text, PlaceOf placeOf);

  using Functions = llvm::SmallPtrSetImpl<const ir::Symbol *>;

  /// What the text calls \p label.
  ir::Symbol &named(llvm::StringRef label);

  /// Whether the line of \p label tells nothing that is not known: of what an earlier text has
  /// told, or of a local name of the functions \p passedOver. It need not be described then.
  bool isTold(llvm::StringRef label, const Functions &passedOver);

  /// Whether one of \p functions, or something in it, owns what the text calls \p label.
  bool isWithin(llvm::StringRef label, const Functions &functions);

  /// Notes what the text says of it. False if it has said something before.
  bool describe(llvm::StringRef label, ir::Symbol said);

  /// A name of the text of which it says nothing, or an empty string.
  llvm::StringRef undescribed() const;

  /// Ends the last text: what one text declares again is defined where another defines it.
  void end();

private:
  /// What has to be known of a name before what uses it is read. Fields as they are written.
  struct Line {
    llvm::StringRef label, kind, usr, name, first, owner, definition, at, index = "0";
    ir::Symbol *symbol = nullptr; ///< What the label stands for, once that is asked.
    std::optional<std::string> key;
    std::optional<std::string> place; ///< The words for `at` that are the same in all texts.
    bool hasCode = false, hasInit = false, hasInitializers = false, hasRecord = false;
    bool namesDevice = false, hasDefault = false, isExtern = false;
    bool isOfOthers = false;  ///< Another text defines something else of that name.
    bool isDescribed = false; ///< The line has been read.

    bool isFirst() const { return first.empty() || first == label; }
    bool isClass() const { return kind == "class"; }
    /// What its owner tells.
    bool isPart() const { return kind == "member" || kind == "parameter"; }
    /// Whether it is a function's definition, or a class of which all is known.
    bool isWhole() const { return definition == label || (isClass() && hasRecord); }
  };
  /// What is known in all texts by one name.
  struct Identity {
    ir::Symbol *symbol = nullptr;
    std::string definedAt; ///< Where its code, or the whole class, stands; empty where none does.
    bool isWhole = false;  ///< The symbol is that of the definition.
  };

  static void readFields(text::Cursor &line, Line &said);
  Line *find(llvm::StringRef label);
  static llvm::StringRef placeOfLine(Line &line, PlaceOf placeOf);
  std::string keyOf(Line &line, PlaceOf placeOf, unsigned depth = 0);
  /// Gives the name of \p line its symbol.
  void unite(Line &line, PlaceOf placeOf);
  ir::Symbol &symbolOf(Line &line);
  void fillIn(ir::Symbol &known, const ir::Symbol &said);
  const ir::Class *joined(const ir::Class &known, const ir::Class &said);

  llvm::BumpPtrAllocator &allocator;
  llvm::StringMap<Identity> identities;
  llvm::DenseSet<const ir::Symbol *> described;
  bool isFirst = true; ///< The text is the first.
  unsigned number = 0; ///< Of the text, from 1.

  // Of the text that is read.
  llvm::StringMap<Line> lines;               ///< Of all names, also those without a line.
  llvm::DenseSet<const ir::Symbol *> taken;  ///< Those that a name of the text has.
  llvm::DenseSet<const ir::Symbol *> better; ///< Those of which it says more than those before.
};

} // namespace gradtidy
