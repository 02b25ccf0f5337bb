// linePlot: lines over two axes as SVG, the same bytes for the same numbers. Colours and greys are
// of middle lightness, so that they are seen on light and on dark ground; each line is dashed in a
// way of its own, so that two in one place are told apart.
#pragma once

#include "Text.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace gradtidy {

struct PlotLine {
  std::string name;
  std::vector<std::pair<double, double>> points; ///< those that an axis cannot show are left out
};

struct PlotOptions {
  std::string title, x, y; ///< y is written above the axis
  bool logarithmicX = false, logarithmicY = false;
};

namespace detail {

/// Positions on an axis of `length` pixels.
class Axis {
public:
  Axis(bool logarithmic, double length) : logarithmic(logarithmic), length(length) {}

  bool shows(double value) const { return std::isfinite(value) && (!logarithmic || value > 0); }
  void include(double value) {
    low = std::min(low, scaled(value));
    high = std::max(high, scaled(value));
  }
  /// Widens the axis to whole steps.
  void finish() {
    if (low > high)
      low = high = 0;
    const double step = stepSize();
    low = step * std::floor(low / step + 1e-9);
    high = std::max(step * std::ceil(high / step - 1e-9), low + step);
  }
  double at(double value) const { return length * (scaled(value) - low) / (high - low); }

  std::vector<double> ticks() const {
    std::vector<double> values;
    const double step = stepSize();
    for (double k = std::round(low / step); k <= std::round(high / step); ++k)
      values.push_back(logarithmic ? std::pow(10, k * step) : k * step);
    return values;
  }

private:
  double scaled(double value) const { return logarithmic ? std::log10(value) : value; }
  /// 1, 2 or 5 times a power of ten; decades on a logarithmic axis.
  double stepSize() const {
    if (logarithmic)
      return std::max(1.0, std::ceil((high - low) / 6));
    const double rough = high > low ? (high - low) / 5 : 1;
    const double power = std::pow(10, std::floor(std::log10(rough) + 1e-9));
    return power * (rough / power > 5.01   ? 10
                    : rough / power > 2.01 ? 5
                    : rough / power > 1.01 ? 2
                                           : 1);
  }

  bool logarithmic;
  double length;
  double low = INFINITY, high = -INFINITY;
};

inline std::string escaped(const std::string &text) {
  std::string result;
  for (const char c : text)
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return result;
}

} // namespace detail

inline std::string linePlot(const PlotOptions &options, const std::vector<PlotLine> &lines) {
  constexpr double left = 60, top = 70, width = 520, height = 250;
  const char *const colours[] = {"#0f84c9", "#d9660b", "#12946b", "#b5609a", "#8a7a00"};
  const char *const dashes[] = {"none", "7 4", "2 4", "12 4", "4 8"};
  detail::Axis x(options.logarithmicX, width), y(options.logarithmicY, height);
  for (const PlotLine &line : lines)
    for (const auto &point : line.points)
      if (x.shows(point.first) && y.shows(point.second)) {
        x.include(point.first);
        y.include(point.second);
      }
  if (!options.logarithmicY)
    y.include(0);
  x.finish();
  y.finish();
  auto text = [](double x, double y, const char *attributes, const std::string &content) {
    return detail::formatted("<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, attributes) +
           detail::escaped(content) + "</text>\n";
  };
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 620 380\" "
                    "width=\"620\" height=\"380\" font-family=\"sans-serif\" font-size=\"13\" "
                    "fill=\"#7b8490\">\n";
  svg += text(left, 22, " font-size=\"16\"", options.title);
  auto path = [&](std::size_t line, const std::string &points) {
    return detail::formatted("<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2.5\" "
                             "stroke-dasharray=\"%s\"/>\n",
                             points.c_str(), colours[line % 5], dashes[line % 5]);
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double at = left + static_cast<double>(i) * std::min(144.0, 576.0 / double(lines.size()));
    svg += path(i, detail::formatted("M%.1f 39.0h18", at));
    svg += text(at + 22, 43, " font-size=\"11\"", lines[i].name);
  }
  svg += text(left, 62, " font-size=\"12\"", options.y);
  for (double value : y.ticks()) {
    const double at = top + height - y.at(value);
    svg += detail::formatted("<path d=\"M%.1f %.1fh%.1f\" stroke=\"#7b8490\" "
                             "stroke-opacity=\"0.3\"/>\n",
                             left, at, width);
    svg += text(left - 8, at + 4, " text-anchor=\"end\"", detail::formatted("%g", value));
  }
  for (double value : x.ticks())
    svg += text(left + x.at(value), top + height + 20, " text-anchor=\"middle\"",
                detail::formatted("%g", value));
  svg += text(left + width / 2, top + height + 45, " text-anchor=\"middle\"", options.x);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string points;
    for (const auto &point : lines[i].points)
      if (x.shows(point.first) && y.shows(point.second))
        points += detail::formatted("%c%.1f %.1f", points.empty() ? 'M' : 'L',
                                    left + x.at(point.first), top + height - y.at(point.second));
    svg += path(i, points);
  }
  return svg + "</svg>\n";
}

/// Writes `text` to a file; throws where that fails.
inline void writeFile(const std::string &path, const std::string &text) {
  std::ofstream file(path);
  file << text << std::flush;
  TORCH_CHECK(file.good(), "cannot write to ", path);
}

} // namespace gradtidy
