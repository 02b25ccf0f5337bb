// ExpandingArray: one number for each of D dimensions, or one number for all of them.
#pragma once

#include "ArrayRef.h"

#include <algorithm>
#include <array>
#include <ostream>

namespace gradtidy::runtime {

template <std::size_t D, class T = int64_t> class ExpandingArray {
public:
  ExpandingArray(std::initializer_list<T> list) : ExpandingArray(ArrayRef<T>(list)) {}
  ExpandingArray(std::vector<T> values) : ExpandingArray(ArrayRef<T>(values)) {}
  ExpandingArray(ArrayRef<T> values) {
    TORCH_CHECK(values.size() == D, "Expected ", D, " values, but instead got ", values.size());
    std::copy(values.begin(), values.end(), entries.begin());
  }
  ExpandingArray(T value) { entries.fill(value); }
  ExpandingArray(const std::array<T, D> &values) : entries(values) {}

  std::array<T, D> &operator*() { return entries; }
  const std::array<T, D> &operator*() const { return entries; }
  std::array<T, D> *operator->() { return &entries; }
  const std::array<T, D> *operator->() const { return &entries; }
  operator ArrayRef<T>() const { return entries; }
  std::size_t size() const noexcept { return D; }

protected:
  std::array<T, D> entries;
};

/// "3" for one dimension, "[3, 3]" for more.
template <std::size_t D, class T>
std::ostream &operator<<(std::ostream &stream, const ExpandingArray<D, T> &array) {
  if constexpr (D == 1)
    return stream << array->at(0);
  for (std::size_t d = 0; d < D; ++d)
    stream << (d == 0 ? "[" : ", ") << array->at(d);
  return stream << "]";
}

/// Entries may be missing: nullopt keeps what an input has.
template <std::size_t D, class T = int64_t>
class ExpandingArrayWithOptionalElem : public ExpandingArray<D, std::optional<T>> {
public:
  using ExpandingArray<D, std::optional<T>>::ExpandingArray;
  ExpandingArrayWithOptionalElem(std::initializer_list<T> list)
      : ExpandingArrayWithOptionalElem(std::vector<T>(list)) {}
  ExpandingArrayWithOptionalElem(const std::vector<T> &values)
      : ExpandingArray<D, std::optional<T>>(
            std::vector<std::optional<T>>(values.begin(), values.end())) {}
  ExpandingArrayWithOptionalElem(T value) : ExpandingArray<D, std::optional<T>>(value) {}
};

template <std::size_t D, class T>
std::ostream &operator<<(std::ostream &stream, const ExpandingArrayWithOptionalElem<D, T> &array) {
  if (D > 1)
    stream << "[";
  for (std::size_t d = 0; d < D; ++d) {
    stream << (d == 0 ? "" : ", ");
    if (array->at(d))
      stream << *array->at(d);
    else
      stream << "None";
  }
  return D > 1 ? stream << "]" : stream;
}

} // namespace gradtidy::runtime
