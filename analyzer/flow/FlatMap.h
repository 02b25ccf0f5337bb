// A map in one sorted vector: states are copied at every block, and small.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace gradtidy {

template <typename Key, typename Value> class FlatMap {
public:
  using Entry = std::pair<Key, Value>;

  const Value *find(Key key) const {
    auto place = lower(key);
    return place != entries.end() && place->first == key ? &place->second : nullptr;
  }
  Value *find(Key key) { return const_cast<Value *>(std::as_const(*this).find(key)); }

  Value &operator[](Key key) {
    auto place = entries.begin() + (lower(key) - entries.cbegin());
    if (place == entries.end() || place->first != key)
      place = entries.insert(place, {key, Value{}});
    return place->second;
  }

  template <typename Predicate> void eraseIf(Predicate predicate) {
    std::erase_if(entries, predicate);
  }

  auto begin() { return entries.begin(); }
  auto end() { return entries.end(); }
  auto begin() const { return entries.begin(); }
  auto end() const { return entries.end(); }
  bool empty() const { return entries.empty(); }

  bool operator==(const FlatMap &) const = default;

private:
  auto lower(Key key) const {
    return std::lower_bound(entries.begin(), entries.end(), key,
                            [](const Entry &entry, Key wanted) { return entry.first < wanted; });
  }
  std::vector<Entry> entries;
};

} // namespace gradtidy
