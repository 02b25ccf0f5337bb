// Long texts for tests of bounds.
#pragma once

#include <cstddef>
#include <string>

/// \p part, \p count times.
inline std::string repeated(const std::string &part, std::size_t count) {
  std::string result;
  result.reserve(part.size() * count);
  for (std::size_t i = 0; i < count; ++i)
    result += part;
  return result;
}
