// What a check says: a finding with its level, the notes that tell the path, and the repair.
#pragma once

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace gradtidy {

/// How sure a finding is. A level belongs to the finding, not to the check.
enum class Level : unsigned char {
  Certain = 0, ///< Wrong for certain.
  Likely = 1,  ///< Very likely wrong or wasteful.
  Advice = 2,  ///< Depends on the intent.
};

/// One step of the path that leads to the finding.
struct Note {
  clang::SourceLocation location;
  std::string text;
};

struct Finding {
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
