// Values as text, in LibTorch's format.
#include "../ops/Copies.h"
#include "../ops/Pointwise.h"
#include "../ops/Reductions.h"
#include "../ops/Views.h"
#include "Tensor.h"
#include "TensorImpl.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace gradtidy::runtime {
namespace {

/// How all numbers of a tensor are printed.
struct Format {
  double scale = 1;
  int width = 0;
  bool scientific = false;
  int precision = 0;
};

Format formatFor(const Tensor &values) {
  Format format;
  if (values.numel() == 0)
    return format;
  Tensor sizes = values.abs().reshape({-1});
  sizes = sizes.masked_select(sizes.isfinite());
  double low = sizes.numel() ? sizes.min().item<double>() : 0;
  double high = sizes.numel() ? sizes.max().item<double>() : 0;
  bool integers = sizes.eq(sizes.ceil()).all().item<bool>();
  int lowDigits = low != 0 ? static_cast<int>(std::floor(std::log10(low))) + 1 : 1;
  int highDigits = high != 0 ? static_cast<int>(std::floor(std::log10(high))) + 1 : 1;
  if (integers) {
    format.width = highDigits > 9 ? 11 : highDigits + 1;
    format.scientific = highDigits > 9;
    format.precision = highDigits > 9 ? 4 : 0;
    return format;
  }
  format.precision = 4;
  if (highDigits - lowDigits > 4) {
    format.width = std::abs(highDigits) >= 100 || std::abs(lowDigits) >= 100 ? 12 : 11;
    format.scientific = true;
  } else if (highDigits > 5 || highDigits < 0) {
    format.width = 7;
    format.scale = std::pow(10, highDigits - 1);
  } else {
    format.width = highDigits == 0 ? 7 : highDigits + 6;
  }
  return format;
}

void printNumber(std::ostream &out, double value, const Format &format) {
  if (format.scientific)
    out << std::scientific;
  else if (format.precision > 0)
    out << std::fixed;
  else
    out << std::defaultfloat;
  out << std::setprecision(format.precision > 0 ? format.precision : 6) << std::setw(format.width)
      << value / format.scale;
}

void printScale(std::ostream &out, const Format &format) {
  if (format.scale != 1)
    out << std::defaultfloat << std::setprecision(6) << format.scale << " *\n";
}

void printMatrix(std::ostream &out, const Tensor &matrix) {
  Format format = formatFor(matrix);
  printScale(out, format);
  constexpr int64_t lineSize = 80;
  int64_t perLine = std::max<int64_t>(lineSize / (format.width + 1), 1);
  for (int64_t first = 0; first < matrix.size(1); first += perLine) {
    int64_t last = std::min(first + perLine, matrix.size(1)) - 1;
    if (perLine < matrix.size(1))
      out << (first ? "\n" : "") << "Columns " << first + 1 << " to " << last + 1;
    if (perLine < matrix.size(1))
      out << (format.scale != 1 ? "\n" : "");
    for (int64_t row = 0; row < matrix.size(0); ++row) {
      for (int64_t column = first; column <= last; ++column) {
        printNumber(out, matrix[row][column].item<double>(), format);
        out << (column == last ? "\n" : " ");
      }
    }
  }
}

/// The fewest digits that mean this number and no other, as LibTorch prints a tensor of no
/// dimension.
std::string shortest(double value) {
  char text[64];
  auto print = [&](std::chars_format format) {
    return std::string(text, std::to_chars(text, text + sizeof text, value, format).ptr);
  };
  double size = std::abs(value);
  bool fixed = size == 0 || !std::isfinite(size) || (size >= 1e-4 && size < 1e16);
  return print(fixed ? std::chars_format::fixed : std::chars_format::scientific);
}

} // namespace

std::string detail::toText(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

std::ostream &operator<<(std::ostream &out, const Device &device) { return out << device.str(); }
std::ostream &operator<<(std::ostream &out, ScalarType type) { return out << toString(type); }
std::ostream &operator<<(std::ostream &out, TypeMeta type) { return out << type.name(); }
std::ostream &operator<<(std::ostream &out, const Scalar &value) {
  if (value.isFloatingPoint())
    return out << value.toDouble();
  return value.isBoolean() ? out << (value.toBool() ? "true" : "false") : out << value.toLong();
}

std::ostream &operator<<(std::ostream &stream, const Tensor &tensor) {
  if (!tensor.defined())
    return stream << "[ Tensor (undefined) ]";
  NoGradGuard guard;
  std::ostringstream out;
  Tensor values = tensor.detach().to(kCPU).to(kDouble).contiguous();
  if (tensor.dim() == 0) {
    out << shortest(values.item<double>()) << '\n';
  } else if (tensor.dim() == 1) {
    Format format = formatFor(values);
    printScale(out, format);
    for (int64_t i = 0; i < values.size(0); ++i) {
      printNumber(out, values[i].item<double>(), format);
      out << '\n';
    }
  } else if (values.numel() > 0) {
    Tensor matrices = values.reshape({-1, values.size(-2), values.size(-1)});
    DimVector lead(tensor.sizes().begin(), tensor.sizes().end() - 2);
    DimVector strides = contiguousStrides(lead);
    for (int64_t i = 0; i < matrices.size(0); ++i) {
      if (!lead.empty()) {
        out << (i ? "\n" : "") << "(";
        for (std::size_t d = 0; d < lead.size(); ++d)
          out << i / strides[d] % lead[d] + 1 << ",";
        out << ".,.) = \n";
      }
      printMatrix(out, matrices[i]);
    }
  }
  out << "[ " << tensor.toString() << "{";
  for (int64_t d = 0; d < tensor.dim(); ++d)
    out << (d ? "," : "") << tensor.size(d);
  return stream << out.str() << "} ]";
}

void Tensor::print() const {
  if (defined())
    std::cerr << "[" << toString() << " " << toText(sizes()) << "]\n";
  else
    std::cerr << "[UndefinedTensor]\n";
}

} // namespace gradtidy::runtime
