// A sorted map whose copies share what they have in common: a state is copied at every block and at
// every event that a check wants to see, and differs little from the one before.
#pragma once

#include "llvm/ADT/IntrusiveRefCntPtr.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace gradtidy {

template <typename Key, typename Value> class SharedMap {
public:
  using Entry = std::pair<Key, Value>;

  /// The keys from the first of a range up to the second, which is not in it.
  using Range = std::pair<Key, Key>;

private:
  /// A part of the entries, in order; never empty, and changed only by a map that alone has it.
  struct Chunk : llvm::RefCountedBase<Chunk> {
    std::vector<Entry> entries;
  };
  using Chunks = std::vector<llvm::IntrusiveRefCntPtr<Chunk>>;
  static constexpr size_t most = 32; ///< Entries of a chunk.

public:
  class Iterator {
  public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using pointer = const Entry *;
    using reference = const Entry &;

    Iterator() = default;
    Iterator(const Chunks *chunks, size_t chunk, size_t entry)
        : chunks(chunks), chunk(chunk), entry(entry) {}

    reference operator*() const { return (*chunks)[chunk]->entries[entry]; }
    pointer operator->() const { return &**this; }
    Iterator &operator++() {
      if (++entry == (*chunks)[chunk]->entries.size()) {
        ++chunk;
        entry = 0;
      }
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator &) const = default;

  private:
    friend class SharedMap;
    const Chunks *chunks = nullptr;
    size_t chunk = 0, entry = 0;
  };

  Iterator begin() const { return {&chunks, 0, 0}; }
  Iterator end() const { return {&chunks, chunks.size(), 0}; }
  bool empty() const { return chunks.empty(); }

  /// The entries with keys of the range, to be gone through.
  struct Entries {
    Iterator first, last;
    Iterator begin() const { return first; }
    Iterator end() const { return last; }
  };
  Entries within(Range range) const { return {lower(range.first), lower(range.second)}; }

  /// Null if there is none. It stays where it is until the map changes.
  const Value *find(Key key) const {
    const Iterator place = lower(key);
    return place != end() && place->first == key ? &place->second : nullptr;
  }

  /// The same, to be changed.
  Value *edit(Key key) {
    const Iterator place = lower(key);
    return place != end() && place->first == key ? &own(place.chunk).entries[place.entry].second
                                                 : nullptr;
  }

  /// Makes one if there is none.
  Value &operator[](Key key) {
    Iterator place = lower(key);
    if (place != end() && place->first == key)
      return own(place.chunk).entries[place.entry].second;
    if (place.entry == 0 && place.chunk > 0) { // Behind the last of the chunk before.
      --place.chunk;
      place.entry = chunks[place.chunk]->entries.size();
    } else if (chunks.empty()) {
      chunks.push_back(llvm::makeIntrusiveRefCnt<Chunk>());
    }
    if (chunks[place.chunk]->entries.size() == most) {
      split(place.chunk);
      if (const size_t half = chunks[place.chunk]->entries.size(); place.entry > half) {
        ++place.chunk;
        place.entry -= half;
      }
    }
    std::vector<Entry> &entries = own(place.chunk).entries;
    return entries.insert(entries.begin() + place.entry, {key, Value{}})->second;
  }

  void erase(Key key) {
    const Iterator place = lower(key);
    if (place == end() || place->first != key)
      return;
    std::vector<Entry> &entries = own(place.chunk).entries;
    entries.erase(entries.begin() + place.entry);
    if (entries.empty())
      chunks.erase(chunks.begin() + place.chunk);
  }

  template <typename Predicate> void eraseIf(Predicate predicate) {
    eraseIf(0, chunks.size(), predicate);
  }
  template <typename Predicate> void eraseIf(Range range, Predicate predicate) {
    const Iterator last = lower(range.second);
    eraseIf(lower(range.first).chunk, last.entry ? last.chunk + 1 : last.chunk,
            [&](const Entry &entry) {
              return !(entry.first < range.first) && entry.first < range.second && predicate(entry);
            });
  }

  /// Changes the values of the entries that \p predicate holds for: \p change gets the key, too.
  template <typename Predicate, typename Change> void changeIf(Predicate predicate, Change change) {
    changeIf(begin(), end(), predicate, change);
  }
  template <typename Predicate, typename Change>
  void changeIf(Range range, Predicate predicate, Change change) {
    changeIf(lower(range.first), lower(range.second), predicate, change);
  }

  /// Changes all values.
  template <typename Change> void change(Change change) {
    changeIf([](const Entry &) { return true; }, change);
  }

  bool operator==(const SharedMap &other) const {
    Iterator a = begin(), b = other.begin();
    while (a != end() && b != other.end()) {
      if (a.entry == 0 && b.entry == 0 && chunks[a.chunk] == other.chunks[b.chunk]) {
        ++a.chunk;
        ++b.chunk;
      } else if (!(*a == *b)) {
        return false;
      } else {
        ++a;
        ++b;
      }
    }
    return a == end() && b == other.end();
  }

private:
  /// The first entry whose key is not less.
  Iterator lower(Key key) const {
    const auto isBefore = [](const Entry &entry, Key wanted) { return entry.first < wanted; };
    const auto chunk =
        std::lower_bound(chunks.begin(), chunks.end(), key, [&](const auto &each, Key wanted) {
          return isBefore(each->entries.back(), wanted);
        });
    if (chunk == chunks.end())
      return end();
    const std::vector<Entry> &entries = (*chunk)->entries;
    const auto entry = std::lower_bound(entries.begin(), entries.end(), key, isBefore);
    return {&chunks, static_cast<size_t>(chunk - chunks.begin()),
            static_cast<size_t>(entry - entries.begin())};
  }

  /// The chunk, to be changed.
  Chunk &own(size_t index) {
    if (chunks[index].useCount() > 1)
      chunks[index] = llvm::makeIntrusiveRefCnt<Chunk>(*chunks[index]);
    return *chunks[index];
  }

  void split(size_t index) {
    std::vector<Entry> &entries = own(index).entries;
    auto upper = llvm::makeIntrusiveRefCnt<Chunk>();
    const auto half = entries.begin() + entries.size() / 2;
    upper->entries.assign(std::move_iterator(half), std::move_iterator(entries.end()));
    entries.erase(half, entries.end());
    chunks.insert(chunks.begin() + index + 1, std::move(upper));
  }

  template <typename Predicate> void eraseIf(size_t first, size_t last, Predicate predicate) {
    for (size_t index = first; index < last; ++index)
      if (std::any_of(chunks[index]->entries.begin(), chunks[index]->entries.end(), predicate))
        std::erase_if(own(index).entries, predicate);
    chunks.erase(std::remove_if(chunks.begin() + first, chunks.begin() + last,
                                [](const auto &chunk) { return chunk->entries.empty(); }),
                 chunks.begin() + last);
  }

  template <typename Predicate, typename Change>
  void changeIf(Iterator first, Iterator last, Predicate predicate, Change change) {
    for (; first != last; ++first)
      if (predicate(*first)) {
        Entry &entry = own(first.chunk).entries[first.entry];
        change(std::as_const(entry.first), entry.second);
      }
  }

  Chunks chunks;
};

} // namespace gradtidy
