// Attention in one kernel: a block has some queries and sees the keys tile by tile, so no score is
// ever written to the device's memory. Its gradient takes two kernels, which compute the scores
// anew.
//
// The softmax scales what it has whenever a larger score comes (M. Milakov, N. Gimelshein: Online
// normalizer calculation for softmax, 2018); who computes what is as in T. Dao: FlashAttention-2
// (2023). All sums are of float (double for double) and have one order, so equal arguments give
// equal bits. Tensor cores are not used.
#pragma once

#include "../../core/Philox.h"
#include "Elementwise.h"

#include <limits>

namespace gradtidy::runtime {

/// The rows of a tensor (batch, heads, rows, columns) whose columns are neighbours; steps are in
/// elements.
template <class T> struct HeadRows {
  T *data = nullptr;
  int64_t batchStep = 0, headStep = 0, rowStep = 0;
};

/// What dropout makes of the weight of a key: nothing, or so much more that means stay.
template <class Math> struct AttentionDropout {
  Math kept = 1; ///< the probability
  ReplayedSeed seed{};

  /// For score number i of all batches, heads, queries and keys.
  GRADTIDY_HOST_DEVICE Math operator()(int64_t i) const {
    return kept == 1 ? 1 : seed.sequence(i).uniformFloat() < kept ? 1 / kept : 0;
  }
};

/// What fusedAttention() computes with.
template <class T> struct Attention {
  using Math = MathType<T>;

  int64_t batches, heads, queries, keys;
  int64_t width;      ///< of queries and keys
  int64_t valueWidth; ///< of values and results
  Math scale;
  Math nothing; ///< the result of queries for which all scores are negative infinity
  bool causal;  ///< no query looks at keys behind it
  HeadRows<const T> query, key, value;
  AttentionDropout<Math> dropout;
  /// What is added to scores, or true where a query looks at a key; null where there is no mask.
  const T *summands = nullptr;
  const bool *looks = nullptr;
  std::array<int64_t, 4> maskSteps{}; ///< by batch, head, query, key
};

/// Its results.
template <class T> struct AttentionResult {
  HeadRows<T> out;
  MathType<T> *logSumExp; ///< of the scores of each query
};

/// The gradient of `out`, and those that follow from it.
template <class T> struct AttentionGradient {
  HeadRows<const T> out;
  HeadRows<T> query, key, value;
  MathType<T> *products; ///< of each row of the result by its gradient, for the second kernel
};

/// The widest heads whose tiles fit into the 48 KiB of a block.
template <class Math> constexpr int widestHead = 512 / sizeof(Math);

namespace detail {

#if defined(GRADTIDY_KERNELS)
// The threads of a block are a square. Thread (x, y) has the rows y, y + side, ... of its block,
// and the columns x, x + side, ... of scores or packs of columns of results.
constexpr int side = 16, ownRows = 32, rowsOfThread = ownRows / side;
static_assert(side * side == cudaThreads);

__device__ inline int squareX() { return static_cast<int>(threadIdx.x) % side; }
__device__ inline int squareY() { return static_cast<int>(threadIdx.x) / side; }

/// Rows in the memory of a block. With four columns more than needed, neighbouring rows lie in
/// different banks.
template <class Math, int rows, int columns> struct Tile {
  alignas(16) Math elements[rows][columns + 4];

  __device__ const Pack<Math> &pack(int row, int p) const {
    return reinterpret_cast<const Pack<Math> *>(elements[row])[p];
  }
};
template <class Math, int rows> using HeadTile = Tile<Math, rows, widestHead<Math>>;
/// What a thread has of a result.
template <class Math> constexpr int packsOfThread = widestHead<Math> / Pack<Math>::size / side;
template <class Math> using PartOfThread = Pack<Math>[rowsOfThread][packsOfThread<Math>];

__device__ inline int packsOf(int64_t width) { return static_cast<int>(width + 3) / 4; }

/// The batch and head a block belongs to, and the first of its own rows.
struct BlockPlace {
  int64_t batch, head, from;

  template <class T>
  __device__ BlockPlace(const Attention<T> &a, int64_t rows) : batch(0), head(0), from(0) {
    int64_t block = blockIdx.x;
    from = splitOff(block, (rows + ownRows - 1) / ownRows) * ownRows;
    head = splitOff(block, a.heads);
    batch = block;
  }

  template <class T> __device__ T *in(const HeadRows<T> &x) const {
    return x.data + batch * x.batchStep + head * x.headStep;
  }
  /// The first of the numbers of each query.
  template <class T> __device__ int64_t firstQuery(const Attention<T> &a) const {
    return (batch * a.heads + head) * a.queries;
  }
};

/// Rows from `from` on; zeros behind the last one of `count`.
template <class T, class Math, int rows>
__device__ void load(HeadTile<Math, rows> &tile, const T *source, int64_t rowStep, int64_t from,
                     int64_t count, int64_t width) {
  for (int row = squareY(); row < rows; row += side)
    for (int column = squareX(); column < packsOf(width) * 4; column += side)
      tile.elements[row][column] = from + row < count && column < width
                                       ? Math(source[(from + row) * rowStep + column])
                                       : Math(0);
}

/// The products of own rows of `own` and the rows x, x + side, ... of `others`.
template <class Math, int n>
__device__ void multiplyRows(Math (&products)[rowsOfThread][n], const HeadTile<Math, ownRows> &own,
                             const HeadTile<Math, n * side> &others, int64_t width) {
  for (auto &row : products)
    for (Math &product : row)
      product = 0;
  for (int p = 0; p < packsOf(width); ++p)
    for (int j = 0; j < n; ++j) {
      const Pack<Math> other = others.pack(squareX() + j * side, p);
      for (int i = 0; i < rowsOfThread; ++i) {
        const Pack<Math> &row = own.pack(squareY() + i * side, p);
        for (int k = 0; k < row.size; ++k)
          products[i][j] += row.values[k] * other.values[k];
      }
    }
}

/// Adds the rows of `tile`, weighted for each own row.
template <class Math, int rows>
__device__ void addWeighted(PartOfThread<Math> &sums, const Tile<Math, ownRows, rows> &weights,
                            const HeadTile<Math, rows> &tile, int64_t width) {
  constexpr int size = Pack<Math>::size;
  for (int first = 0; first < rows; first += size) {
    Pack<Math> weight[rowsOfThread];
    for (int i = 0; i < rowsOfThread; ++i)
      weight[i] = weights.pack(squareY() + i * side, first / size);
    for (int j = 0; j < packsOfThread<Math>; ++j) {
      const int p = squareX() + j * side;
      for (int k = 0; k < size && p < packsOf(width); ++k) {
        const Pack<Math> row = tile.pack(first + k, p);
        for (int i = 0; i < rowsOfThread; ++i)
          for (int column = 0; column < size; ++column)
            sums[i][j].values[column] += weight[i].values[k] * row.values[column];
      }
    }
  }
}

/// Writes own rows, each element times `factors` of its row.
template <class T, class Math>
__device__ void store(const PartOfThread<Math> &sums, const Math (&factors)[rowsOfThread],
                      T *target, int64_t rowStep, int64_t from, int64_t count, int64_t width) {
  constexpr int size = Pack<Math>::size;
  for (int i = 0; i < rowsOfThread; ++i) {
    const int64_t row = from + squareY() + i * side;
    for (int j = 0; j < packsOfThread<Math>; ++j)
      for (int k = 0; k < size; ++k)
        if (const int column = (squareX() + j * side) * size + k; column < width && row < count)
          target[row * rowStep + column] = static_cast<T>(sums[i][j].values[k] * factors[i]);
  }
}

/// How well a key fits a query, from the product of both; negative infinity where it does not look.
template <class T>
__device__ MathType<T> scoreOf(const Attention<T> &a, const BlockPlace &place, MathType<T> product,
                               int64_t query, int64_t key) {
  constexpr auto never = -std::numeric_limits<MathType<T>>::infinity();
  if (query >= a.queries || key >= a.keys || (a.causal && key > query))
    return never;
  const int64_t at = place.batch * a.maskSteps[0] + place.head * a.maskSteps[1] +
                     query * a.maskSteps[2] + key * a.maskSteps[3];
  if (a.looks && !a.looks[at])
    return never;
  const MathType<T> score = product * a.scale;
  return a.summands ? score + MathType<T>(a.summands[at]) : score;
}

template <class T>
__device__ MathType<T> dropoutOf(const Attention<T> &a, const BlockPlace &place, int64_t query,
                                 int64_t key) {
  return a.dropout((place.firstQuery(a) + query) * a.keys + key);
}

/// exp(score - peak), also where there was no score yet.
template <class Math> __device__ Math weightOf(Math score, Math peak) {
  return score == -std::numeric_limits<Math>::infinity() ? 0 : std::exp(score - peak);
}

/// Adds up what the threads of each own row have, for all of them, by way of `memory`.
template <class Math, int columns>
__device__ void sumOfRows(Math (&parts)[rowsOfThread], Tile<Math, ownRows, columns> &memory) {
  for (int i = 0; i < rowsOfThread; ++i)
    memory.elements[squareY() + i * side][squareX()] = parts[i];
  __syncthreads();
  for (int i = 0; i < rowsOfThread; ++i) {
    parts[i] = 0;
    for (int column = 0; column < side; ++column)
      parts[i] += memory.elements[squareY() + i * side][column];
  }
}

template <class T> __global__ void attentionKernel(Attention<T> a, AttentionResult<T> result) {
  using Math = MathType<T>;
  constexpr int keysOfTile = 32, n = keysOfTile / side;
  __shared__ HeadTile<Math, ownRows> queries;
  __shared__ HeadTile<Math, keysOfTile> tile;
  __shared__ Tile<Math, ownRows, keysOfTile> weights;
  const BlockPlace place(a, a.queries);
  const T *key = place.in(a.key), *value = place.in(a.value);
  const int64_t most = a.causal ? place.from + ownRows : a.keys;
  const int64_t end = most < a.keys ? most : a.keys;

  load(queries, place.in(a.query), a.query.rowStep, place.from, a.queries, a.width);
  PartOfThread<Math> out{};
  Math peak[rowsOfThread], sum[rowsOfThread];
  for (int i = 0; i < rowsOfThread; ++i) {
    peak[i] = -std::numeric_limits<Math>::infinity();
    sum[i] = 0;
  }
  for (int64_t from = 0; from < end; from += keysOfTile) {
    load(tile, key, a.key.rowStep, from, a.keys, a.width);
    __syncthreads();
    Math scores[rowsOfThread][n];
    multiplyRows(scores, queries, tile, a.width);
    for (int i = 0; i < rowsOfThread; ++i)
      for (int j = 0; j < n; ++j) {
        const int row = squareY() + i * side, column = squareX() + j * side;
        scores[i][j] = scoreOf(a, place, scores[i][j], place.from + row, from + column);
        weights.elements[row][column] = scores[i][j];
      }
    __syncthreads();
    load(tile, value, a.value.rowStep, from, a.keys, a.valueWidth);
    for (int i = 0; i < rowsOfThread; ++i) {
      const Math before = peak[i];
      const Math *row = weights.elements[squareY() + i * side];
      for (int column = 0; column < keysOfTile; ++column)
        peak[i] = row[column] > peak[i] ? row[column] : peak[i];
      const Math share = weightOf(before, peak[i]);
      sum[i] *= share;
      for (auto &pack : out[i])
        for (Math &x : pack.values)
          x *= share;
    }
    __syncthreads(); // all have seen the scores
    for (int i = 0; i < rowsOfThread; ++i)
      for (int j = 0; j < n; ++j) {
        const int row = squareY() + i * side, column = squareX() + j * side;
        const Math weight = weightOf(scores[i][j], peak[i]);
        sum[i] += weight;
        weights.elements[row][column] =
            weight * dropoutOf(a, place, place.from + row, from + column);
      }
    __syncthreads();
    addWeighted(out, weights, tile, a.valueWidth);
    __syncthreads(); // before the tiles are written again
  }

  sumOfRows(sum, weights);
  Math factors[rowsOfThread];
  for (int i = 0; i < rowsOfThread; ++i) {
    const int64_t query = place.from + squareY() + i * side;
    if (sum[i] == 0)
      for (auto &pack : out[i])
        for (Math &x : pack.values)
          x = a.nothing;
    factors[i] = sum[i] == 0 ? 1 : 1 / sum[i];
    if (squareX() == 0 && query < a.queries)
      result.logSumExp[place.firstQuery(a) + query] = peak[i] + std::log(sum[i]);
  }
  store(out, factors, place.in(result.out), result.out.rowStep, place.from, a.queries,
        a.valueWidth);
}

constexpr int rowsOfStep = side; // of the tile that walks past the own rows in backward

/// The gradient of queries. Leaves `products` for the other kernel.
template <class T>
__global__ void queryGradientKernel(Attention<T> a, AttentionResult<T> result,
                                    AttentionGradient<T> gradient) {
  using Math = MathType<T>;
  __shared__ HeadTile<Math, ownRows> queries, gradients;
  __shared__ HeadTile<Math, rowsOfStep> tile;
  __shared__ Tile<Math, ownRows, rowsOfStep> weights;
  const BlockPlace place(a, a.queries);
  const T *key = place.in(a.key), *value = place.in(a.value), *out = place.in(result.out);
  const int64_t most = a.causal ? place.from + ownRows : a.keys;
  const int64_t end = most < a.keys ? most : a.keys;

  load(queries, place.in(a.query), a.query.rowStep, place.from, a.queries, a.width);
  load(gradients, place.in(gradient.out), gradient.out.rowStep, place.from, a.queries,
       a.valueWidth);
  __syncthreads();
  Math logSumExp[rowsOfThread], products[rowsOfThread], factors[rowsOfThread];
  for (int i = 0; i < rowsOfThread; ++i) {
    const int row = squareY() + i * side;
    const int64_t query = place.from + row;
    logSumExp[i] = query < a.queries ? result.logSumExp[place.firstQuery(a) + query] : Math(0);
    products[i] = 0;
    for (int column = squareX(); column < a.valueWidth && query < a.queries; column += side)
      products[i] +=
          gradients.elements[row][column] * Math(out[query * result.out.rowStep + column]);
    factors[i] = a.scale;
  }
  sumOfRows(products, weights);
  for (int i = 0; i < rowsOfThread; ++i)
    if (const int64_t query = place.from + squareY() + i * side;
        squareX() == 0 && query < a.queries)
      gradient.products[place.firstQuery(a) + query] = products[i];

  PartOfThread<Math> sums{};
  for (int64_t from = 0; from < end; from += rowsOfStep) {
    load(tile, value, a.value.rowStep, from, a.keys, a.valueWidth);
    __syncthreads();
    Math byWeights[rowsOfThread][1], scores[rowsOfThread][1];
    multiplyRows(byWeights, gradients, tile, a.valueWidth);
    __syncthreads();
    load(tile, key, a.key.rowStep, from, a.keys, a.width);
    __syncthreads();
    multiplyRows(scores, queries, tile, a.width);
    for (int i = 0; i < rowsOfThread; ++i) {
      const int row = squareY() + i * side;
      const int64_t query = place.from + row, key = from + squareX();
      const Math score = scoreOf(a, place, scores[i][0], query, key),
                 dropout = dropoutOf(a, place, query, key);
      weights.elements[row][squareX()] =
          weightOf(score, logSumExp[i]) * (dropout * byWeights[i][0] - products[i]);
    }
    __syncthreads();
    addWeighted(sums, weights, tile, a.width);
    __syncthreads();
  }
  store(sums, factors, place.in(gradient.query), gradient.query.rowStep, place.from, a.queries,
        a.width);
}

/// The gradients of keys and values: here keys are the own rows, and queries walk past them.
template <class T>
__global__ void keyGradientKernel(Attention<T> a, AttentionResult<T> result,
                                  AttentionGradient<T> gradient) {
  using Math = MathType<T>;
  __shared__ HeadTile<Math, ownRows> keys, values;
  __shared__ HeadTile<Math, rowsOfStep> tile;
  __shared__ Tile<Math, ownRows, rowsOfStep> weights;
  const BlockPlace place(a, a.keys);
  const T *queries = place.in(a.query), *gradients = place.in(gradient.out);

  load(keys, place.in(a.key), a.key.rowStep, place.from, a.keys, a.width);
  load(values, place.in(a.value), a.value.rowStep, place.from, a.keys, a.valueWidth);
  PartOfThread<Math> ofKeys{}, ofValues{};
  // Queries before the first own key do not look at any.
  for (int64_t from = a.causal ? place.from : 0; from < a.queries; from += rowsOfStep) {
    const int64_t query = from + squareX();
    load(tile, queries, a.query.rowStep, from, a.queries, a.width);
    __syncthreads();
    Math weight[rowsOfThread][1], byWeights[rowsOfThread][1], dropout[rowsOfThread];
    multiplyRows(weight, keys, tile, a.width);
    for (int i = 0; i < rowsOfThread; ++i) {
      const int row = squareY() + i * side;
      const Math score = scoreOf(a, place, weight[i][0], query, place.from + row);
      weight[i][0] =
          query < a.queries ? weightOf(score, result.logSumExp[place.firstQuery(a) + query]) : 0;
      dropout[i] = dropoutOf(a, place, query, place.from + row);
      weights.elements[row][squareX()] = weight[i][0] * dropout[i];
    }
    __syncthreads();
    load(tile, gradients, gradient.out.rowStep, from, a.queries, a.valueWidth);
    __syncthreads();
    addWeighted(ofValues, weights, tile, a.valueWidth);
    multiplyRows(byWeights, values, tile, a.valueWidth);
    __syncthreads();
    const Math product =
        query < a.queries ? gradient.products[place.firstQuery(a) + query] : Math(0);
    for (int i = 0; i < rowsOfThread; ++i)
      weights.elements[squareY() + i * side][squareX()] =
          weight[i][0] * (dropout[i] * byWeights[i][0] - product);
    load(tile, queries, a.query.rowStep, from, a.queries, a.width);
    __syncthreads();
    addWeighted(ofKeys, weights, tile, a.width);
    __syncthreads();
  }
  Math factors[rowsOfThread], ones[rowsOfThread];
  for (int i = 0; i < rowsOfThread; ++i) {
    factors[i] = a.scale;
    ones[i] = 1;
  }
  store(ofKeys, factors, place.in(gradient.key), gradient.key.rowStep, place.from, a.keys, a.width);
  store(ofValues, ones, place.in(gradient.value), gradient.value.rowStep, place.from, a.keys,
        a.valueWidth);
}

/// A block for every `ownRows` of `rows`.
template <class T> unsigned blocksOf(const Attention<T> &a, int64_t rows) {
  return static_cast<unsigned>(a.batches * a.heads * ((rows + ownRows - 1) / ownRows));
}
#endif

} // namespace detail

inline namespace GRADTIDY_LAUNCHERS {

/// Whether `device` has these kernels for heads of this width.
inline bool hasAttentionKernels(Device device, ScalarType type, int64_t width) {
  return cudaStreamOf(device) && isFloatingType(type) &&
         width <= (type == ScalarType::Double ? widestHead<double> : widestHead<float>);
}

/// Computes `result` on a CUDA device that hasAttentionKernels(); nothing is empty.
template <class T>
void attend(Device device, const Attention<T> &a, const AttentionResult<T> &result) {
#if defined(GRADTIDY_KERNELS)
  launchKernel(detail::attentionKernel<T>, detail::blocksOf(a, a.queries), *cudaStreamOf(device), a,
               result);
#endif
}

/// Computes the gradients of query, key and value.
template <class T>
void attendBackward(Device device, const Attention<T> &a, const AttentionResult<T> &result,
                    const AttentionGradient<T> &gradient) {
#if defined(GRADTIDY_KERNELS)
  void *stream = *cudaStreamOf(device);
  launchKernel(detail::queryGradientKernel<T>, detail::blocksOf(a, a.queries), stream, a, result,
               gradient);
  launchKernel(detail::keyGradientKernel<T>, detail::blocksOf(a, a.keys), stream, a, result,
               gradient);
#endif
}

} // namespace GRADTIDY_LAUNCHERS
} // namespace gradtidy::runtime
