#include "Plot.h"

#include "Symptom.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace gradtidy {

using llvm::formatv;

namespace {

constexpr double width = 640, height = 260, left = 64, right = 596, top = 40, bottom = 220;
/// As many points as one can tell apart.
constexpr size_t maxPoints = 150;

std::string escape(llvm::StringRef text) {
  std::string result;
  for (const char letter : text)
    result += letter == '<'   ? "&lt;"
              : letter == '>' ? "&gt;"
              : letter == '&' ? "&amp;"
                              : std::string(1, letter);
  return result;
}

/// The range of all values, and where each lies in it: 0 at the lower end, 1 at the upper.
class Scale {
public:
  explicit Scale(const Plot &plot) {
    for (const llvm::ArrayRef<double> values : {plot.bug, plot.fix})
      for (const double value : values)
        if (std::isfinite(value)) {
          low = std::min(low, value);
          high = std::max(high, value);
        }
    if (low > high)
      low = high = 0;
    logarithmic = plot.logarithmic && low > 0;
    if (logarithmic) {
      const double first = std::floor(std::log10(low));
      const double decades = std::max(1.0, std::ceil(std::log10(high)) - first);
      low = std::pow(10, first);
      high = std::pow(10, first + decades);
      for (double power = 0; power <= decades; power += std::ceil(decades / 5))
        ticks.push_back(low * std::pow(10, power));
      return;
    }
    // From zero, unless the values have nothing to do with it.
    if (low > 0 && low < 0.7 * high)
      low = 0;
    if (low == high)
      high = low + (low == 0 ? 1 : std::abs(low));
    const double rough = (high - low) / 4;
    const double power = std::pow(10, std::floor(std::log10(rough) + 1e-9));
    const double ratio = rough / power;
    const double step = power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
    low = std::floor(low / step + 1e-9) * step;
    high = std::ceil(high / step - 1e-9) * step;
    for (int i = 0; low + i * step < high + step / 2; ++i)
      ticks.push_back(std::round(low / step + i) * step);
  }

  double operator()(double value) const {
    if (!std::isfinite(value))
      return 1;
    return logarithmic ? std::log(value / low) / std::log(high / low)
                       : (value - low) / (high - low);
  }

  std::vector<double> ticks;

private:
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool logarithmic = false;
};

/// The index of the i-th of \p count points that stand for \p size values.
size_t pick(size_t i, size_t count, size_t size) {
  return count < 2 ? 0 : i * (size - 1) / (count - 1);
}

} // namespace

std::string sparkline(const Plot &plot, llvm::ArrayRef<double> values, size_t width) {
  static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const Scale scale(plot);
  std::string line;
  const size_t count = std::min(width, values.size());
  for (size_t i = 0; i < count; ++i) {
    const double share = scale(values[pick(i, count, values.size())]);
    line += blocks[size_t(std::clamp(share * 8, 0.0, 7.0))];
  }
  return line;
}

std::string svg(const Plot &plot) {
  const Scale scale(plot);
  const size_t length = std::max(plot.bug.size(), plot.fix.size());
  const auto x = [&](size_t index) {
    return length < 2 ? left : left + (right - left) * double(index) / double(length - 1);
  };
  const auto y = [&](double value) { return bottom - (bottom - top) * scale(value); };

  std::string text = formatv(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" )"
                             R"(width="{0}" height="{1}" role="img">
<style>
text {{ font: 13px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #59636e }
.title {{ font-weight: 600; fill: #1f2328 }
.grid {{ stroke: #d1d9e0 }
.line {{ fill: none; stroke-width: 2; stroke-linejoin: round }
.bug {{ stroke: #cf222e } .fix {{ stroke: #0969da }
text.bug {{ fill: #cf222e; stroke: none } text.fix {{ fill: #0969da; stroke: none }
@media (prefers-color-scheme: dark) {{
text {{ fill: #9198a1 } .title {{ fill: #f0f6fc } .grid {{ stroke: #3d444d }
.bug {{ stroke: #ff7b72 } .fix {{ stroke: #58a6ff }
text.bug {{ fill: #ff7b72 } text.fix {{ fill: #58a6ff }
}
</style>
<text class="title" x="{2}" y="20">{3}</text>
)",
                             width, height, left, escape(plot.metric));
  for (const double tick : scale.ticks)
    text += formatv(R"(<path class="grid" d="M{0} {1:F1}H{2}"/><text x="{3}" y="{4:F1}" )"
                    R"(text-anchor="end">{5}</text>)"
                    "\n",
                    left, y(tick), right, left - 8, y(tick) + 4, numberText(tick));
  text += formatv(
      R"(<text x="{0}" y="{1}">1</text><text x="{2}" y="{1}" text-anchor="end">{3} {4}</text>)"
      "\n",
      left, bottom + 20, right, plot.over, length);

  struct Series {
    const char *name;
    llvm::ArrayRef<double> values;
    double labelY = 0;
  };
  Series series[] = {{"fix", plot.fix}, {"bug", plot.bug}};
  for (Series &one : series)
    if (!one.values.empty())
      one.labelY = y(one.values.back()) + 4;
  // Labels that would lie upon each other.
  if (!plot.bug.empty() && std::abs(series[0].labelY - series[1].labelY) < 14) {
    const bool bugAbove = series[1].labelY <= series[0].labelY;
    series[bugAbove ? 1 : 0].labelY -= 7;
    series[bugAbove ? 0 : 1].labelY += 7;
  }
  for (const Series &one : series) {
    const size_t count = std::min(maxPoints, one.values.size());
    if (count == 0)
      continue;
    text += formatv(R"(<path class="line {0}" d=")", one.name);
    for (size_t i = 0; i < count; ++i) {
      const size_t index = pick(i, count, one.values.size());
      text += formatv("{0}{1:F1} {2:F1}",
                      i == 0   ? "M"
                      : i == 1 ? "L"
                               : " ",
                      x(index), y(one.values[index]));
    }
    text += "\"/>\n";
    if (!plot.isAlone)
      text += formatv("<text class=\"{0}\" x=\"{1:F1}\" y=\"{2:F1}\">{0}</text>\n", one.name,
                      x(one.values.size() - 1) + 8, one.labelY);
  }
  if (!plot.bugEnd.empty()) {
    const double end = plot.bug.empty() ? left : x(plot.bug.size() - 1);
    // Between two lines of the grid.
    const size_t middle = scale.ticks.size() / 2;
    const double at = (y(scale.ticks[middle - 1]) + y(scale.ticks[middle])) / 2;
    text += formatv(
        R"(<path class="line bug" d="M{0:F1} {2:F1}l10 10m0 -10l-10 10"/><text class="bug" )"
        R"(x="{1:F1}" y="{3:F1}">bug: {4}</text>)"
        "\n",
        end - 5, end + 12, at - 5, at + 4, escape(plot.bugEnd));
  }
  return text + "</svg>\n";
}

} // namespace gradtidy
