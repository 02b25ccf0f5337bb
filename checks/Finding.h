// What a check says: a finding with its level, the notes that tell the path, and the repair.
#pragma once

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace gradtidy {

struct Event;

namespace ir {
struct Node;
struct Symbol;
} // namespace ir

/// How sure a finding is. A level belongs to the finding, not to the check.
enum class Level : unsigned char {
  Certain = 0, ///< Wrong for certain.
  Likely = 1,  ///< Very likely wrong or wasteful.
  Advice = 2,  ///< Depends on the intent.
};

/// What a finding or note points at: code with its caret and its range.
struct Place {
  Place(clang::SourceLocation location) : location(location) {}
  Place(clang::SourceRange range) : location(range.getBegin()), range(range) {}
  Place(clang::SourceLocation location, clang::SourceRange range)
      : location(location), range(range) {}
  Place(const ir::Node &code);
  Place(const ir::Symbol &symbol); ///< The caret is at the name.
  Place(const Event &event);

  clang::SourceLocation location;
  clang::SourceRange range;
};

/// One step of the path that leads to the finding.
struct Note {
  Note(const Place &place, std::string text) : location(place.location), text(std::move(text)) {}

  clang::SourceLocation location;
  std::string text;
};

struct Finding {
  Finding(Level level, const Place &place, std::string message = "")
      : level(level), location(place.location), range(place.range), message(std::move(message)) {}

  /// Says that the same holds of \p more others in the function, the last of which is \p last.
  void noteOthers(const Place &last, size_t more);

  Level level = Level::Certain;
  clang::SourceLocation location;
  clang::SourceRange range;
  std::string message;
  llvm::SmallVector<Note, 4> notes;
  llvm::SmallVector<clang::FixItHint, 2> fixes;
};

/// Receives the findings of one check in one translation unit.
class Reporter {
public:
  virtual ~Reporter() = default;
  virtual void report(Finding finding) = 0;
};

} // namespace gradtidy
