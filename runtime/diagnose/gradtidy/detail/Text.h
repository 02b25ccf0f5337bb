// How the tools write: amounts of bytes, printf into strings, tables.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace gradtidy {

/// "1.50 MiB"
inline std::string bytesText(int64_t bytes) {
  const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  int unit = 0;
  for (; unit < 4 && std::abs(amount) >= 1024; ++unit)
    amount /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.2f %s", amount, units[unit]);
  return text;
}

namespace detail {

/// What printf would print.
__attribute__((format(printf, 1, 2))) inline std::string formatted(const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  std::string text(static_cast<std::size_t>(std::vsnprintf(nullptr, 0, format, arguments)), ' ');
  std::vsnprintf(&text[0], text.size() + 1, format, again);
  va_end(again);
  va_end(arguments);
  return text;
}

/// "[64, 10]"
template <class Sizes> std::string shapeText(const Sizes &sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

/// "a, b, c and 4 more"
inline std::string listText(const std::vector<std::string> &names, std::size_t most = 5) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > most ? text + formatted(" and %zu more", names.size() - most) : text;
}

/// Rows of cells under a head line: the first column to the left, the others to the right.
class Table {
public:
  explicit Table(std::vector<std::string> head) { add(std::move(head)); }
  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }

  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto &row : rows) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i)
        widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto &row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string space(widths[i] - row[i].size(), ' ');
        text += i == 0 ? row[i] + space : "  " + space + row[i];
      }
      text.erase(text.find_last_not_of(' ') + 1);
      text += '\n';
    }
    return text;
  }

private:
  std::vector<std::vector<std::string>> rows;
};

} // namespace detail
} // namespace gradtidy
