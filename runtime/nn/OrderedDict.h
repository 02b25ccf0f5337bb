// OrderedDict: named values in the order of their insertion, as modules keep their members.
#pragma once

#include "../core/Error.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace gradtidy::runtime {

template <class Key, class Value> class OrderedDict {
public:
  class Item {
  public:
    Item(Key key, Value value) : pairValue(std::move(key), std::move(value)) {}
    const Key &key() const { return pairValue.first; }
    Value &value() { return pairValue.second; }
    const Value &value() const { return pairValue.second; }
    Value &operator*() { return value(); }
    const Value &operator*() const { return value(); }
    Value *operator->() { return &value(); }
    const Value *operator->() const { return &value(); }
    const std::pair<Key, Value> &pair() const { return pairValue; }

  private:
    std::pair<Key, Value> pairValue;
  };
  using Iterator = typename std::vector<Item>::iterator;
  using ConstIterator = typename std::vector<Item>::const_iterator;

  /// `keyDescription` names a key in messages.
  explicit OrderedDict(std::string keyDescription = "Key")
      : description(std::move(keyDescription)) {}
  OrderedDict(std::initializer_list<Item> list) : OrderedDict() {
    for (const Item &item : list)
      insert(item.key(), item.value());
  }

  Value &insert(Key key, Value value) {
    TORCH_CHECK(!contains(key), description, " '", key, "' already defined");
    entries.emplace_back(std::move(key), std::move(value));
    return entries.back().value();
  }
  void update(const OrderedDict &other) {
    for (const Item &item : other)
      insert(item.key(), item.value());
  }
  bool contains(const Key &key) const { return find(key) != nullptr; }
  /// Null where there is no such key.
  Value *find(const Key &key) {
    for (Item &item : entries)
      if (item.key() == key)
        return &item.value();
    return nullptr;
  }
  const Value *find(const Key &key) const { return const_cast<OrderedDict *>(this)->find(key); }
  Value &operator[](const Key &key) {
    Value *value = find(key);
    TORCH_CHECK(value, description, " '", key, "' is not defined");
    return *value;
  }
  const Value &operator[](const Key &key) const { return (*const_cast<OrderedDict *>(this))[key]; }
  Item &operator[](std::size_t index) { return entries.at(index); }
  const Item &operator[](std::size_t index) const { return entries.at(index); }
  void erase(const Key &key) {
    for (auto i = entries.begin(); i != entries.end(); ++i)
      if (i->key() == key) {
        entries.erase(i);
        return;
      }
    fail(description, " '", key, "' doesn't exist");
  }
  void clear() { entries.clear(); }
  std::size_t size() const { return entries.size(); }
  bool is_empty() const { return entries.empty(); }
  Item &front() { return entries.front(); }
  Item &back() { return entries.back(); }
  const std::vector<Item> &items() const { return entries; }
  std::vector<Key> keys() const {
    std::vector<Key> result;
    for (const Item &item : entries)
      result.push_back(item.key());
    return result;
  }
  std::vector<Value> values() const {
    std::vector<Value> result;
    for (const Item &item : entries)
      result.push_back(item.value());
    return result;
  }
  Iterator begin() { return entries.begin(); }
  Iterator end() { return entries.end(); }
  ConstIterator begin() const { return entries.begin(); }
  ConstIterator end() const { return entries.end(); }

private:
  std::string description;
  std::vector<Item> entries;
};

} // namespace gradtidy::runtime
