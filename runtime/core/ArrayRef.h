// ArrayRef: a read-only view of consecutive values that somebody else owns.
//
// It owns nothing and keeps nothing alive: an ArrayRef made from a braced list or a temporary
// vector is good as an argument and dangles when kept, exactly like LibTorch's.
#pragma once

#include "Error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <vector>

namespace gradtidy::runtime {

template <class T> class ArrayRef {
public:
  using value_type = T;
  using iterator = const T *;
  using const_iterator = const T *;

  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T &one) : first(&one), count(1) {}
  constexpr ArrayRef(const T *data, std::size_t size) : first(data), count(size) {}
  constexpr ArrayRef(const T *begin, const T *end) : first(begin), count(end - begin) {}
  template <class A> ArrayRef(const std::vector<T, A> &v) : first(v.data()), count(v.size()) {}
  template <std::size_t N>
  constexpr ArrayRef(const std::array<T, N> &a) : first(a.data()), count(N) {}
  template <std::size_t N> constexpr ArrayRef(const T (&a)[N]) : first(a), count(N) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  constexpr ArrayRef(const std::initializer_list<T> &list)
      : first(list.begin() == list.end() ? nullptr : list.begin()), count(list.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

  constexpr const T *data() const { return first; }
  constexpr const T *begin() const { return first; }
  constexpr const T *end() const { return first + count; }
  constexpr std::size_t size() const { return count; }
  constexpr bool empty() const { return count == 0; }
  constexpr const T &operator[](std::size_t i) const { return first[i]; }
  const T &at(std::size_t i) const {
    TORCH_CHECK(i < count, "ArrayRef: invalid index Index = ", i, "; Length = ", count);
    return first[i];
  }
  constexpr const T &front() const { return first[0]; }
  constexpr const T &back() const { return first[count - 1]; }
  constexpr ArrayRef slice(std::size_t start, std::size_t n) const { return {first + start, n}; }
  constexpr ArrayRef slice(std::size_t start) const { return {first + start, count - start}; }
  std::vector<T> vec() const { return {begin(), end()}; }
  bool equals(ArrayRef other) const {
    if (count != other.count)
      return false;
    for (std::size_t i = 0; i < count; ++i)
      if (!(first[i] == other.first[i]))
        return false;
    return true;
  }

private:
  const T *first = nullptr;
  std::size_t count = 0;
};

template <class T> bool operator==(ArrayRef<T> a, ArrayRef<T> b) { return a.equals(b); }
template <class T> bool operator==(const std::vector<T> &a, ArrayRef<T> b) { return b.equals(a); }
template <class T> bool operator==(ArrayRef<T> a, const std::vector<T> &b) { return a.equals(b); }

using IntArrayRef = ArrayRef<int64_t>;
using OptionalIntArrayRef = std::optional<IntArrayRef>;

/// "[2, 3]", as LibTorch prints sizes.
std::string toText(IntArrayRef values);

template <class T> std::ostream &operator<<(std::ostream &out, ArrayRef<T> values) {
  const char *separator = "[";
  for (const T &value : values) {
    out << separator << value;
    separator = ", ";
  }
  return out << (values.empty() ? "[]" : "]");
}

} // namespace gradtidy::runtime
