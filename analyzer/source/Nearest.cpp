#include "Nearest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace gradtidy {
namespace {

/// The words of a name, without what the names of all checks begin with.
std::vector<llvm::StringRef> wordsOf(llvm::StringRef name) {
  std::vector<llvm::StringRef> words;
  while (!name.empty()) {
    name = name.drop_until(llvm::isAlnum);
    const llvm::StringRef word = name.take_while(llvm::isAlnum);
    if (!word.empty() && word != "ml")
      words.push_back(word);
    name = name.drop_front(word.size());
  }
  return words;
}

/// Whether one of these words is the other, misspelt or cut short: "batch" and "batches".
bool isLike(llvm::StringRef left, llvm::StringRef right) {
  constexpr size_t shortest = 3;
  const size_t length = std::min(left.size(), right.size());
  if (length >= shortest && (left.starts_with(right) || right.starts_with(left)))
    return true;
  return left.edit_distance_insensitive(right) <= length / shortest;
}

} // namespace

std::optional<llvm::StringRef> nearestName(llvm::StringRef name,
                                           llvm::ArrayRef<llvm::StringRef> candidates) {
  if (candidates.empty())
    return std::nullopt;
  const std::vector<llvm::StringRef> words = wordsOf(name);
  // Words in common, then few others, then letters: "ml-zero-grads" is ml-missing-zero-grad.
  const auto difference = [&](llvm::StringRef other) {
    const std::vector<llvm::StringRef> others = wordsOf(other);
    const auto common = llvm::count_if(words, [&](llvm::StringRef word) {
      return llvm::any_of(others, [&](llvm::StringRef each) { return isLike(word, each); });
    });
    return std::tuple(-common, others.size(), name.edit_distance(other));
  };
  const auto best = llvm::min_element(
      candidates, [&](auto left, auto right) { return difference(left) < difference(right); });
  const auto byLetters = llvm::min_element(candidates, [&](auto left, auto right) {
    return name.edit_distance(left) < name.edit_distance(right);
  });
  // Words that are run together are told by their letters; so is what has a letter wrong.
  constexpr unsigned fewLetters = 2;
  if (name.edit_distance(*byLetters) <= fewLetters)
    return *byLetters;
  if (std::get<0>(difference(*best)) < 0)
    return *best;
  return std::nullopt;
}

} // namespace gradtidy
