// A sorted map whose copies share what they have in common: a state is copied at every block and at
// every event that a check wants to see, and differs little from the one before.
#pragma once

#include "llvm/ADT/IntrusiveRefCntPtr.h"

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace gradtidy {

template <typename Key, typename Value> class SharedMap {
public:
  using Entry = std::pair<const Key &, const Value &>;

  /// The keys from the first of a range up to the second, which is not in it.
  using Range = std::pair<Key, Key>;

private:
  /// What is small lies beside its key; what is large is shared, so that a change copies no other.
  struct Inline {
    Value value = {};
    const Value &get() const { return value; }
    Value &own() { return value; }
    bool isSame(const Inline &) const { return false; } ///< Each is one of its own.
    bool operator==(const Inline &) const = default;
  };
  class Shared {
  public:
    const Value &get() const { return box->value; }
    Value &own() {
      if (box->UseCount() > 1)
        box = llvm::makeIntrusiveRefCnt<Box>(*box);
      return box->value;
    }
    bool isSame(const Shared &other) const { return box == other.box; }
    bool operator==(const Shared &other) const {
      return box == other.box || box->value == other.box->value;
    }

  private:
    struct Box : llvm::RefCountedBase<Box> {
      Value value = {};
    };
    llvm::IntrusiveRefCntPtr<Box> box = llvm::makeIntrusiveRefCnt<Box>();
  };
  static constexpr size_t large = 32;
  using Held = std::conditional_t<(sizeof(Value) > large), Shared, Inline>;

  struct Slot {
    Key key;
    Held held;
    Entry entry() const { return {key, held.get()}; }
    bool operator==(const Slot &) const = default;
  };
  /// A part of the entries, in order; never empty, and changed only by a map that alone has it.
  struct Chunk : llvm::RefCountedBase<Chunk> {
    std::vector<Slot> slots;
  };
  struct Chunks : llvm::RefCountedBase<Chunks> {
    std::vector<llvm::IntrusiveRefCntPtr<Chunk>> list;
  };
  static constexpr size_t most = 32; ///< Entries of a chunk.

public:
  class Iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::pair<Key, Value>; ///< What copies of entries are.
    using difference_type = std::ptrdiff_t;
    using reference = Entry;
    /// What a pointer to an entry is followed by.
    struct pointer {
      Entry entry;
      const Entry *operator->() const { return &entry; }
    };

    Iterator() = default;
    Iterator(const Chunks *chunks, size_t chunk, size_t slot)
        : chunks(chunks), chunk(chunk), slot(slot) {}

    reference operator*() const { return chunks->list[chunk]->slots[slot].entry(); }
    pointer operator->() const { return {**this}; }
    Iterator &operator++() {
      if (++slot == chunks->list[chunk]->slots.size()) {
        ++chunk;
        slot = 0;
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
    size_t chunk = 0, slot = 0;
  };

  Iterator begin() const { return {chunks.get(), 0, 0}; }
  Iterator end() const { return {chunks.get(), size(), 0}; }
  bool empty() const { return size() == 0; }
  size_t parts() const { return size(); } ///< What a copy shares, of some dozen entries each.

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
    return isAt(place, key) ? &slotAt(place).held.get() : nullptr;
  }

  /// The same, to be changed.
  Value *edit(Key key) {
    const Iterator place = lower(key);
    return isAt(place, key) ? &own(place.chunk).slots[place.slot].held.own() : nullptr;
  }

  /// Makes one if there is none.
  Value &operator[](Key key) { return heldAt(key).own(); }

  void erase(Key key) {
    const Iterator place = lower(key);
    if (!isAt(place, key))
      return;
    std::vector<Slot> &slots = own(place.chunk).slots;
    slots.erase(slots.begin() + place.slot);
    if (slots.empty())
      ownList().erase(chunks->list.begin() + place.chunk);
  }

  template <typename Predicate> void eraseIf(Predicate predicate) { eraseIf(0, size(), predicate); }
  template <typename Predicate> void eraseIf(Range range, Predicate predicate) {
    const Iterator last = lower(range.second);
    eraseIf(lower(range.first).chunk, last.slot ? last.chunk + 1 : last.chunk,
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

  /// Takes the entries of \p other for all keys that it has.
  void take(const SharedMap &other) {
    if (empty()) {
      *this = other;
      return;
    }
    for (Key key : differences(other))
      if (const Iterator place = other.lower(key); other.isAt(place, key))
        heldAt(key) = slotAt(place).held; // Shared, if it is large.
  }

  /// The keys that only one of the maps has, or that have values of their own in both, in order:
  /// what copies have in common is passed over, a part at a time.
  std::vector<Key> differences(const SharedMap &other) const {
    std::vector<Key> keys;
    if (chunks == other.chunks)
      return keys;
    Iterator a = begin(), b = other.begin();
    while (a != end() || b != other.end()) {
      const bool isLeft = a != end(), isRight = b != other.end();
      if (isLeft && isRight && skipShared(a, b, other))
        continue;
      if (!isRight || (isLeft && slotAt(a).key < slotAt(b).key)) {
        keys.push_back(slotAt(a++).key);
      } else if (!isLeft || slotAt(b).key < slotAt(a).key) {
        keys.push_back(slotAt(b++).key);
      } else {
        if (!slotAt(a).held.isSame(slotAt(b).held))
          keys.push_back(slotAt(a).key);
        ++a;
        ++b;
      }
    }
    return keys;
  }

  bool operator==(const SharedMap &other) const {
    if (chunks == other.chunks)
      return true;
    Iterator a = begin(), b = other.begin();
    while (a != end() && b != other.end()) {
      if (skipShared(a, b, other))
        continue;
      if (!(slotAt(a) == slotAt(b)))
        return false;
      ++a;
      ++b;
    }
    return a == end() && b == other.end();
  }

private:
  /// Whether both are at the begin of one part, behind which they are then.
  bool skipShared(Iterator &a, Iterator &b, const SharedMap &other) const {
    if (a.slot || b.slot || chunks->list[a.chunk] != other.chunks->list[b.chunk])
      return false;
    ++a.chunk;
    ++b.chunk;
    return true;
  }

  size_t size() const { return chunks ? chunks->list.size() : 0; }
  static const Slot &slotAt(Iterator place) {
    return place.chunks->list[place.chunk]->slots[place.slot];
  }
  bool isAt(Iterator place, Key key) const { return place != end() && slotAt(place).key == key; }

  /// The first entry whose key is not less.
  Iterator lower(Key key) const {
    if (!chunks)
      return end();
    const auto isBefore = [](const Slot &slot, Key wanted) { return slot.key < wanted; };
    const auto chunk = std::lower_bound(
        chunks->list.begin(), chunks->list.end(), key,
        [&](const auto &each, Key wanted) { return isBefore(each->slots.back(), wanted); });
    if (chunk == chunks->list.end())
      return end();
    const std::vector<Slot> &slots = (*chunk)->slots;
    const auto slot = std::lower_bound(slots.begin(), slots.end(), key, isBefore);
    return {chunks.get(), static_cast<size_t>(chunk - chunks->list.begin()),
            static_cast<size_t>(slot - slots.begin())};
  }

  /// What is held for \p key, to be changed; made if there is none.
  Held &heldAt(Key key) {
    Iterator place = lower(key);
    if (isAt(place, key))
      return own(place.chunk).slots[place.slot].held;
    if (place.slot == 0 && place.chunk > 0) { // Behind the last of the chunk before.
      --place.chunk;
      place.slot = chunks->list[place.chunk]->slots.size();
    }
    if (empty() || (place.slot == most && place.chunk + 1 == size())) {
      place = {nullptr, size(), 0}; // What grows at its end fills its chunks.
      ownList().push_back(llvm::makeIntrusiveRefCnt<Chunk>());
    } else if (chunks->list[place.chunk]->slots.size() == most) {
      split(place.chunk);
      if (const size_t half = chunks->list[place.chunk]->slots.size(); place.slot > half) {
        ++place.chunk;
        place.slot -= half;
      }
    }
    std::vector<Slot> &slots = own(place.chunk).slots;
    return slots.insert(slots.begin() + place.slot, Slot{key, {}})->held;
  }

  /// The chunks, to be changed.
  auto &ownList() {
    if (!chunks)
      chunks = llvm::makeIntrusiveRefCnt<Chunks>();
    else if (chunks->UseCount() > 1)
      chunks = llvm::makeIntrusiveRefCnt<Chunks>(*chunks);
    return chunks->list;
  }

  /// The chunk, to be changed.
  Chunk &own(size_t index) {
    llvm::IntrusiveRefCntPtr<Chunk> &chunk = ownList()[index];
    if (chunk->UseCount() > 1)
      chunk = llvm::makeIntrusiveRefCnt<Chunk>(*chunk);
    return *chunk;
  }

  void split(size_t index) {
    std::vector<Slot> &slots = own(index).slots;
    auto upper = llvm::makeIntrusiveRefCnt<Chunk>();
    const auto half = slots.begin() + slots.size() / 2;
    upper->slots.assign(std::move_iterator(half), std::move_iterator(slots.end()));
    slots.erase(half, slots.end());
    ownList().insert(chunks->list.begin() + index + 1, std::move(upper));
  }

  template <typename Predicate> void eraseIf(size_t first, size_t last, Predicate predicate) {
    const auto isErased = [&](const Slot &slot) { return predicate(slot.entry()); };
    bool anyEmpty = false;
    for (size_t index = first; index < last; ++index) {
      const std::vector<Slot> &slots = chunks->list[index]->slots;
      if (std::any_of(slots.begin(), slots.end(), isErased)) {
        std::erase_if(own(index).slots, isErased);
        anyEmpty |= chunks->list[index]->slots.empty();
      }
    }
    if (anyEmpty)
      std::erase_if(ownList(), [](const auto &chunk) { return chunk->slots.empty(); });
  }

  template <typename Predicate, typename Change>
  void changeIf(Iterator first, Iterator last, Predicate predicate, Change change) {
    for (; first.chunk != last.chunk || first.slot != last.slot; ++first) {
      first.chunks = chunks.get(); // A change may have made them this map's own.
      if (const Entry entry = *first; predicate(entry))
        change(entry.first, own(first.chunk).slots[first.slot].held.own());
    }
  }

  llvm::IntrusiveRefCntPtr<Chunks> chunks; ///< Null if there was never any.
};

} // namespace gradtidy
