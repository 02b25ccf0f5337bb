// How libraries for products of matrices see ours.
#pragma once

#include "../core/Backend.h"

#include <algorithm>
#include <optional>

namespace gradtidy::runtime {

/// Rows (or, transposed, columns) of consecutive elements, which begin `leading` elements apart.
struct BlasLayout {
  int64_t leading;
  bool transposed;
};

/// The layout of rows x columns elements; none where neither rows nor columns are consecutive.
inline std::optional<BlasLayout> blasLayout(const Matrix &x, int64_t rows, int64_t columns) {
  auto consecutive = [](int64_t within, int64_t length, int64_t between, int64_t count) {
    return (within == 1 || length <= 1) && (between >= length || count <= 1);
  };
  // The stride of a single row means nothing, and may be one that no library takes.
  if (consecutive(x.columnStride, columns, x.rowStride, rows))
    return BlasLayout{std::max<int64_t>({rows > 1 ? x.rowStride : 0, columns, 1}), false};
  if (consecutive(x.rowStride, rows, x.columnStride, columns))
    return BlasLayout{std::max<int64_t>({columns > 1 ? x.columnStride : 0, rows, 1}), true};
  return std::nullopt;
}

/// An operand for a library that keeps columns, not rows, at a stretch.
struct ColumnMajor {
  const void *data;
  int64_t rows, columns, leading, batchStride;
  /// Whether the product takes its transpose.
  bool transposed;
};

/// To such a library our matrices are their transposes, and the product is c' = b' a'.
struct ColumnMajorProduct {
  ColumnMajor first, second; ///< b and a
};

/// Throws where an operand has no layout: operations copy such operands before.
inline ColumnMajorProduct columnMajor(const MatrixProduct &p) {
  auto operand = [](const Matrix &x, int64_t rows, int64_t columns) -> ColumnMajor {
    auto layout = blasLayout(x, rows, columns);
    TORCH_CHECK(layout, "a product of matrices without consecutive elements");
    if (layout->transposed)
      std::swap(rows, columns);
    return {x.data, columns, rows, layout->leading, x.batchStride, layout->transposed};
  };
  return {operand(p.b, p.k, p.n), operand(p.a, p.m, p.k)};
}

} // namespace gradtidy::runtime
