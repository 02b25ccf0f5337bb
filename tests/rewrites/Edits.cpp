#include "Edits.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

namespace rewrites {

void Place::before(unsigned offset, std::string text) {
  edits.push_back({{offset, offset}, std::move(text)});
}

void Place::after(unsigned offset, std::string text) {
  edits.push_back({{offset, offset}, std::move(text), /*isAfter=*/true});
}

void Place::replace(Range range, std::string text) {
  for (const Edit &edit : edits)
    if (edit.range.begin == range.begin && edit.range.end == range.end && range.begin < range.end)
      return; // An expression that the AST has twice.
  edits.push_back({range, std::move(text)});
}

/// Whether one edit would change what the other replaces.
static bool collide(const Place::Edit &a, const Place::Edit &b) {
  const bool aInserts = a.range.begin == a.range.end, bInserts = b.range.begin == b.range.end;
  if (aInserts && bInserts)
    return false;
  return a.range.begin < b.range.end && b.range.begin < a.range.end;
}

std::vector<size_t> compatible(llvm::ArrayRef<Place> places) {
  std::vector<size_t> chosen;
  std::vector<const Place::Edit *> made;
  for (const auto &[index, place] : llvm::enumerate(places)) {
    const bool collides = llvm::any_of(place.edits, [&](const Place::Edit &edit) {
      return llvm::any_of(made, [&](const Place::Edit *other) { return collide(edit, *other); });
    });
    if (collides)
      continue;
    chosen.push_back(index);
    for (const Place::Edit &edit : place.edits)
      made.push_back(&edit);
  }
  return chosen;
}

namespace {

struct Step {
  const Place::Edit *edit;
  size_t place;

  /// At one offset, what ends there is closed first, from inside to outside; then what begins there
  /// is opened, from outside to inside; a replacement comes last.
  auto order() const {
    const int kind = edit->isAfter ? 0 : edit->range.begin == edit->range.end ? 1 : 2;
    const long nesting = static_cast<long>(place);
    return std::tuple(edit->range.begin, kind, edit->isAfter ? -nesting : nesting);
  }
};

} // namespace

Rewritten apply(llvm::StringRef text, llvm::ArrayRef<Place> places, llvm::ArrayRef<size_t> chosen) {
  std::vector<Step> steps;
  for (size_t index : chosen)
    for (const Place::Edit &edit : places[index].edits)
      steps.push_back({&edit, index});
  llvm::stable_sort(steps, [](const Step &a, const Step &b) { return a.order() < b.order(); });

  Rewritten result;
  unsigned at = 0;
  for (const Step &step : steps) {
    const Range range = step.edit->range;
    result.text += text.slice(at, range.begin);
    const unsigned begin = result.text.size();
    result.text += step.edit->text;
    const size_t lost = text.slice(range.begin, range.end).count('\n');
    result.text.append(lost - std::min(lost, llvm::StringRef(step.edit->text).count('\n')), '\n');
    result.parts.push_back({{begin, static_cast<unsigned>(result.text.size())}, step.place});
    at = range.end;
  }
  result.text += text.substr(at);
  return result;
}

} // namespace rewrites
