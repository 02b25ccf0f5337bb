// The table of operations that programs are made of: the only place that names them.
//
// Each row has, for the generator, the kinds of its arguments:
//   x f s i m u   a tensor: of any type, floating, of the first one's type, of positions, of truth
//                 values, of probabilities. `?` behind it: perhaps none. `:N,2C,3,*`: its shape,
//                 equal letters for equal sizes, * for what is left, ~ for what is broadcast to the
//                 first tensor. `<C`: positions below C.
//   other words   see Generator.h: numbers, dimensions, shapes, ...
//   =WORD         that word
#pragma once

#include "Program.h"

namespace oracle {

/// Numbers that depend on `seed` alone, the same in both libraries: eighths (with ties), numbers
/// without pattern, or, rarely, some that are not finite.
inline Tensor numbers(torch::Dtype type, const Ints &sizes, int64_t seed, double low, double high) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = static_cast<uint64_t>(seed * 1000 + i + 1) * 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9u;
    bits ^= bits >> 32;
    double unit = static_cast<double>(bits % 1000003) / 1000003;
    double value = low + unit * (high - low);
    if (seed % 3 == 0)
      value = std::round(value * 8) / 8;
    if (seed % 29 == 28 && bits % 5 == 0)
      value = bits % 3 == 0 ? HUGE_VAL : bits % 3 == 1 ? -HUGE_VAL : std::nan("");
    if (!torch::isFloatingType(type))
      value = std::isfinite(value) ? std::floor(value) : 0;
    values.push_back(value);
  }
  return torch::tensor(values, torch::kDouble).view(sizes).to(type);
}

/// The same in other memory: order 1 has the last dimension first, order 2 gaps.
inline Tensor arranged(const Tensor &x, int64_t order) {
  if (order == 1 && x.dim() > 1)
    return x.transpose(0, -1).contiguous().transpose(0, -1);
  if (order == 2 && x.dim() > 0)
    return x.repeat_interleave(2, -1).slice(-1, 0, std::nullopt, 2);
  return x;
}

/// Numbers in [low, high) as a leaf.
inline Tensor make(torch::Dtype type, const Ints &sizes, int64_t seed, int64_t order, double low,
                   double high, bool grad) {
  Tensor x = arranged(numbers(type, sizes, seed, low, high).to(device), order);
  return grad ? x.set_requires_grad(true) : x;
}

inline torch::TensorOptions here(torch::Dtype type) {
  return torch::TensorOptions(type).device(device);
}

/// A sum of all elements, each with a weight of its own.
inline Tensor marked(const Tensor &x) {
  Tensor weights = torch::cos(torch::arange(x.numel(), torch::kDouble) + 1);
  return (x * weights.to(x.device(), x.scalar_type()).view(x.sizes())).sum();
}

inline void backward(const Tensor &x, const Tensor &gradient, bool retain, bool create) {
  x.backward(gradient, retain, create);
}

/// The loss of labels (N, S) for logits (T, N, C), where every second sequence is shorter.
inline Tensor ctcLoss(const Tensor &x, const Tensor &labels, int64_t reduction, bool zero) {
  Ints times, lengths;
  for (int64_t n = 0; n < x.size(1); ++n) {
    times.push_back(x.size(0) - n % 2);
    lengths.push_back(labels.size(1) - n % 2);
  }
  return torch::ctc_loss(torch::log_softmax(x, -1), labels, times, lengths, 0, reduction, zero);
}

/// `mode` 0: sum, 1: mean, 2: maximum.
inline Tensor embeddingBag(const Tensor &weight, const Tensor &indices, int64_t mode,
                           const Tensor &offsets, const Tensor &weights,
                           std::optional<int64_t> padding) {
  torch::nn::functional::EmbeddingBagFuncOptions options;
  options.offsets(offsets).per_sample_weights(weights).padding_idx(padding);
  if (mode == 0)
    options.mode(torch::kSum);
  if (mode == 2)
    options.mode(torch::kMax);
  return torch::nn::functional::embedding_bag(indices, weight, options);
}

/// A matrix that neither library can find singular.
inline Tensor diagonallyDominant(const Tensor &a) {
  return a + 20 * torch::eye(a.size(-1), a.options().requires_grad(false));
}

inline Tensor attention(const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &mask,
                        double dropout, bool causal, const std::optional<torch::Scalar> &scale) {
  std::optional<Tensor> looks;
  if (mask.defined())
    looks = mask;
  return torch::scaled_dot_product_attention(
      q, k, v, looks, dropout, causal, scale ? std::optional(scale->toDouble()) : std::nullopt);
}

template <class Mode>
Tensor resized(const Tensor &x, const Ints &size, Mode mode, std::optional<bool> alignCorners) {
  torch::nn::functional::InterpolateFuncOptions options;
  options.size(Ints{2 * size.front() + 1, size.back() + 2});
  return torch::nn::functional::interpolate(x, options.mode(mode).align_corners(alignCorners));
}

#define OP(name, kinds, parameters, ...)                                                           \
  Operation {                                                                                      \
    name, kinds, handlerOf(+[] parameters { return __VA_ARGS__; }), #parameters, #__VA_ARGS__,     \
        resultOf(+[] parameters { return __VA_ARGS__; })                                           \
  }
#define UNARY(name) OP(#name, "x", (T x), torch::name(x))
#define IN_PLACE(name) OP(#name "_", "x", (T x), x.name##_())
#define BINARY(name) OP(#name, "x x:~", (T a, T b), torch::name(a, b))
#define COMPARISON(name) BINARY(name), OP(#name ".number", "x n", (T a, N b), a.name(b))
#define CONVOLUTION(D, extents, kernel)                                                            \
  OP("conv" #D "d",                                                                                \
     "f:N,c," extents " s:o,c," kernel " s?:o stride" #D " pad" #D " stride" #D " =1",             \
     (T x, T w, T b, Ints s, Ints p, Ints d, int64_t g), torch::conv##D##d(x, w, b, s, p, d, g)),  \
      OP("conv" #D "d.groups",                                                                     \
         "f:N,2c," extents " s:2o,c," kernel " s?:2o stride" #D " pad" #D " stride" #D " =2",      \
         (T x, T w, T b, Ints s, Ints p, Ints d, int64_t g),                                       \
         torch::conv##D##d(x, w, b, s, p, d, g)),                                                  \
      OP("conv" #D "d.same", "f:N,c," extents " s:o,c," kernel " s?:o =same",                      \
         (T x, T w, T b, std::string p), torch::conv##D##d(x, w, b, Ints{1}, p, Ints{1}, 1)),      \
      OP("conv_transpose" #D "d",                                                                  \
         "f:N,c," extents " s:c,o," kernel " s?:o stride" #D " pad" #D " pad" #D " =1 stride" #D,  \
         (T x, T w, T b, Ints s, Ints p, Ints o, int64_t g, Ints d),                               \
         torch::conv_transpose##D##d(x, w, b, s, p, o, g, d))
#define POOLING(D, extents)                                                                        \
  OP("max_pool" #D "d", "f:N,C," extents " stride" #D " stride" #D " pad" #D " stride" #D " b",    \
     (T x, Ints k, Ints s, Ints p, Ints d, bool c), torch::max_pool##D##d(x, k, s, p, d, c)),      \
      OP("max_pool" #D "d_with_indices",                                                           \
         "f:N,C," extents " stride" #D " stride" #D " pad" #D " stride" #D " b",                   \
         (T x, Ints k, Ints s, Ints p, Ints d, bool c),                                            \
         torch::max_pool##D##d_with_indices(x, k, s, p, d, c)),                                    \
      OP("avg_pool" #D "d", "f:N,C," extents " stride" #D " stride" #D " pad" #D " b b",           \
         (T x, Ints k, Ints s, Ints p, bool c, bool i), torch::avg_pool##D##d(x, k, s, p, c, i)),  \
      OP("adaptive_avg_pool" #D "d", "f:N,C," extents " stride" #D, (T x, Ints s),                 \
         torch::adaptive_avg_pool##D##d(x, s)),                                                    \
      OP("adaptive_max_pool" #D "d", "f:N,C," extents " stride" #D, (T x, Ints s),                 \
         torch::adaptive_max_pool##D##d(x, s))

inline const std::vector<Operation> &operations() {
  using T = const Tensor &;
  using N = torch::Scalar;
  using MaybeN = std::optional<torch::Scalar>;
  using MaybeInt = std::optional<int64_t>;
  using MaybeType = std::optional<torch::Dtype>;
  using I = int64_t;
  using Type = torch::Dtype;
  static const std::vector<Operation> table = {
      OP("make", "", (Type t, Ints s, I seed, I order, double low, double high, bool grad),
         make(t, s, seed, order, low, high, grad)),

      // Factories
      OP("zeros", "shape type", (Ints s, Type t), torch::zeros(s, here(t))),
      OP("ones", "shape type", (Ints s, Type t), torch::ones(s, here(t))),
      OP("full", "shape n", (Ints s, N v), torch::full(s, v, device)),
      OP("full.type", "shape n type", (Ints s, N v, Type t), torch::full(s, v, here(t))),
      OP("eye", "w type", (I n, Type t), torch::eye(n, here(t))),
      OP("arange", "n n n", (N a, N b, N c), torch::arange(a, b, c, device)),
      OP("arange.type", "n n n type", (N a, N b, N c, Type t), torch::arange(a, b, c, here(t))),
      OP("linspace", "n n w type", (N a, N b, I n, Type t), torch::linspace(a, b, n, here(t))),
      OP("scalar_tensor", "n type", (N v, Type t), torch::scalar_tensor(v, here(t))),
      OP("zeros_like", "x", (T x), torch::zeros_like(x)),
      OP("ones_like", "x type", (T x, Type t), torch::ones_like(x, t)),
      OP("full_like", "x n", (T x, N v), torch::full_like(x, v)),
      OP("new_zeros", "x shape", (T x, Ints s), x.new_zeros(s)),
      OP("new_ones", "x shape", (T x, Ints s), x.new_ones(s)),
      OP("new_full", "x shape n", (T x, Ints s, N v), x.new_full(s, v)),

      // Random numbers
      OP("rand", "shape type", (Ints s, Type t), torch::rand(s, here(t))),
      OP("randn", "shape type", (Ints s, Type t), torch::randn(s, here(t))),
      OP("randint", "w w shape type", (I a, I b, Ints s, Type t), torch::randint(a, b, s, here(t))),
      OP("randint_like", "x w w", (T x, I a, I b), torch::randint_like(x, a, b)),
      OP("normal.tensors", "f u:~", (T m, T s), at::normal(m.detach(), s.detach())),
      OP("normal.mean", "f p", (T m, double s), at::normal(m.detach(), s)),
      OP("normal.std", "p u", (double m, T s), at::normal(m, s.detach())),
      OP("exponential_", "x p", (T x, double r), x.exponential_(r)),
      OP("randperm", "w", (I n), torch::randperm(n, device)),
      OP("rand_like", "x", (T x), torch::rand_like(x)),
      OP("randn_like", "x", (T x), torch::randn_like(x)),
      OP("uniform_", "x n n", (T x, double a, double b), x.uniform_(a, b)),
      OP("normal_", "x n n", (T x, double a, double b), x.normal_(a, b)),
      OP("bernoulli_", "x p", (T x, double p), x.bernoulli_(p)),
      OP("random_", "x w w", (T x, I a, I b), x.random_(a, b)),
      OP("bernoulli", "u", (T x), torch::bernoulli(x)),
      OP("multinomial", "u:N,C w b", (T x, I n, bool r), torch::multinomial(x, n, r)),
      OP("dropout", "f p b", (T x, double p, bool t), torch::dropout(x, p, t)),
      OP("feature_dropout", "f:N,C,* p b", (T x, double p, bool t),
         torch::feature_dropout(x, p, t)),
      OP("rrelu", "f b", (T x, bool t), torch::rrelu(x, 0.125, 0.5, t)),
      OP("alpha_dropout", "f p b", (T x, double p, bool t), torch::alpha_dropout(x, p, t)),

      // Copies and types
      OP("clone", "x", (T x), x.clone()),
      OP("contiguous", "x", (T x), x.contiguous()),
      OP("to", "x type", (T x, Type t), x.to(t)),
      OP("to.copy", "x type", (T x, Type t), x.to(t, false, true)),
      OP("type_as", "x x", (T x, T y), x.type_as(y)),
      OP("copy_", "x x:~", (T x, T y), x.copy_(y)),
      OP("fill_", "x n", (T x, N v), x.fill_(v)),
      OP("fill_.tensor", "x x:1", (T x, T v), x.fill_(v)),
      OP("fill_.0d", "x x:", (T x, T v), x.fill_(v)),
      OP("zero_", "x", (T x), x.zero_()),

      // Views and joins
      OP("view", "x view", (T x, Ints s), x.view(s)),
      OP("reshape", "x view", (T x, Ints s), x.reshape(s)),
      OP("flatten", "x dim dim", (T x, I a, I b), x.flatten(a, b)),
      OP("permute", "x perm", (T x, Ints d), x.permute(d)),
      OP("transpose", "x dim dim", (T x, I a, I b), x.transpose(a, b)),
      OP("t", "x:N,C", (T x), x.t()),
      OP("squeeze", "x", (T x), x.squeeze()),
      OP("squeeze.dim", "x dim", (T x, I d), x.squeeze(d)),
      OP("unsqueeze", "x dim", (T x, I d), x.unsqueeze(d)),
      OP("squeeze_", "x dim", (Tensor x, I d), x.squeeze_(d)),
      OP("unsqueeze_", "x dim", (Tensor x, I d), x.unsqueeze_(d)),
      OP("t_", "x:N,C", (Tensor x), x.t_()),
      OP("expand", "x expand", (T x, Ints s), x.expand(s)),
      OP("select", "x dim place", (T x, I d, I i), x.select(d, i)),
      OP("slice", "x dim place place step", (T x, I d, MaybeInt a, MaybeInt b, I s),
         x.slice(d, a, b, s)),
      OP("narrow", "x dim place w", (T x, I d, I a, I n), x.narrow(d, a, n)),
      OP("diagonal", "x:N,C,* offset dim dim", (T x, I o, I a, I b), x.diagonal(o, a, b)),
      OP("as_strided", "x shape shape", (T x, Ints s, Ints d), x.as_strided(s, d)),
      OP("unfold", "x dim w step", (T x, I d, I s, I t), x.unfold(d, s, t)),
      OP("chunk", "x w dim", (T x, I n, I d), x.chunk(n, d)),
      OP("split", "x w dim", (T x, I n, I d), x.split(n, d)),
      OP("split.sizes", "x shape dim", (T x, Ints s, I d), x.split_with_sizes(s, d)),
      OP("unbind", "x dim", (T x, I d), x.unbind(d)),
      OP("repeat", "x shape", (T x, Ints s), x.repeat(s)),
      OP("repeat_interleave", "x w dim?", (T x, I n, MaybeInt d), x.repeat_interleave(n, d)),
      OP("flip", "x dims", (T x, Ints d), x.flip(d)),
      OP("roll", "x offset", (T x, I n), torch::roll(x, n)),
      OP("roll.dim", "x offset dim", (T x, I n, I d), torch::roll(x, n, d)),
      OP("roll.dims", "x shape dims", (T x, Ints s, Ints d), x.roll(s, d)),
      OP("broadcast_tensors", "list", (Tensors list), torch::broadcast_tensors(list)),
      OP("meshgrid", "x:A x:B =ij", (T a, T b, std::string i), torch::meshgrid({a, b}, i)),
      OP("meshgrid.xy", "x:A x:B =xy", (T a, T b, std::string i), torch::meshgrid({a, b}, i)),
      OP("rot90", "x w =[0,1]", (T x, I k, Ints d), torch::rot90(x, k, d)),
      OP("rot90.dims", "x offset dims", (T x, I k, Ints d), x.rot90(k, d)),
      OP("movedim", "x dim dim", (T x, I a, I b), x.movedim(a, b)),
      OP("movedim.dims", "x dims dims", (T x, Ints a, Ints b), torch::movedim(x, a, b)),
      OP("ravel", "x", (T x), torch::ravel(x)),
      OP("unflatten", "x dim view", (T x, I d, Ints s), x.unflatten(d, s)),
      OP("unflatten.vector", "x:6 dim view", (T x, I d, Ints s), x.unflatten(d, s)),
      OP("tile", "x shape", (T x, Ints s), x.tile(s)),
      OP("hstack", "list", (Tensors list), torch::hstack(list)),
      OP("vstack", "list", (Tensors list), torch::vstack(list)),
      OP("transpose_", "x dim dim", (Tensor x, I a, I b), x.transpose_(a, b)),
      OP("numpy_T", "x", (T x), x.numpy_T()),
      OP("sum_to_size", "x shape", (T x, Ints s), x.sum_to_size(s)),
      OP("atleast_3d", "x", (T x), torch::atleast_3d(x)),
      OP("column_stack", "list", (Tensors list), torch::column_stack(list)),
      OP("dstack", "list", (Tensors list), torch::dstack(list)),
      OP("block_diag", "x:A,B x:C,D", (T a, T b), torch::block_diag({a, b})),
      OP("cartesian_prod", "x:A s:B", (T a, T b), torch::cartesian_prod({a, b})),
      OP("combinations", "x:N w b", (T x, I r, bool again), torch::combinations(x, r, again)),
      OP("tensor_split", "x w dim", (T x, I n, I d), torch::tensor_split(x, n, d)),
      OP("hsplit", "x w", (T x, I n), torch::hsplit(x, n)),
      OP("fliplr", "x", (T x), torch::fliplr(x)),
      OP("repeat_interleave.tensor", "x:N,C i:N<3 =0", (T x, T r, I d),
         torch::repeat_interleave(x, r, d)),
      OP("tril_indices", "w w offset", (I r, I c, I o), torch::tril_indices(r, c, o, device)),
      OP("tril_", "x:*,N,C offset", (T x, I k), x.tril_(k)),
      OP("fill_diagonal_", "x:N,C n", (T x, N v), x.fill_diagonal_(v)),
      OP("diag", "x offset", (T x, I o), torch::diag(x, o)),
      OP("diag.vector", "x:N offset", (T x, I o), x.diag(o)),
      OP("diag_embed", "x:*,N offset dim dim", (T x, I o, I a, I b), torch::diag_embed(x, o, a, b)),
      OP("trace", "x:N,C", (T x), torch::trace(x)),
      OP("tril", "x:*,N,C offset", (T x, I k), x.tril(k)),
      OP("triu", "x:*,N,C offset", (T x, I k), x.triu(k)),
      OP("cat", "list dim", (Tensors list, I d), torch::cat(list, d)),
      OP("stack", "list dim", (Tensors list, I d), torch::stack(list, d)),

      // Indexing
      OP("index", "x index", (T x, Indices i), x.index(i)),
      OP("index_put_", "x index x:", (Tensor x, Indices i, T v), x.index_put_(i, v)),
      OP("index_put_.from", "x index x", (Tensor x, Indices i, T v), x.index_put_(i, v)),
      OP("index_put_.accumulate", "x:A,B i:N<A s:N,B", (Tensor x, T i, T v),
         x.index_put_({i}, v, true)),
      OP("index_put", "x:A,B i:N<A i:N<B s:N b", (T x, T i, T j, T v, bool a),
         torch::index_put(x, {i, j}, v, a)),
      OP("index_copy", "x:A,B =1 i:1<B s:A,1", (T x, I d, T i, T s), torch::index_copy(x, d, i, s)),
      OP("take_along_dim", "x:A,1 i:A,C<A =0", (T x, T i, I d), torch::take_along_dim(x, i, d)),
      OP("isin", "x x", (T x, T y), torch::isin(x, y)),
      OP("at", "x place", (T x, I i), x[i]),
      OP("index_select", "x dim i:N<2", (T x, I d, T i), x.index_select(d, i)),
      OP("index_select.first", "x:A,* =0 i:N<A", (T x, I d, T i), x.index_select(d, i)),
      OP("gather", "x:A,B =0 i:A,B<A", (T x, I d, T i), x.gather(d, i)),
      OP("gather.last", "x:A,B,C =-1 i:A,B,D<C", (T x, I d, T i), x.gather(d, i)),
      OP("scatter", "x:A,B =1 i:A,B<B x:A,B", (T x, I d, T i, T s), x.scatter(d, i, s)),
      OP("scatter.number", "x:A,B =0 i:C,B<A n", (T x, I d, T i, N v), x.scatter(d, i, v)),
      OP("scatter_", "x:A,B =1 i:A,B<B s:A,B", (T x, I d, T i, T s), x.scatter_(d, i, s)),
      OP("scatter_.number", "x:A,B dim i:A,B<2 n", (T x, I d, T i, N v), x.scatter_(d, i, v)),
      OP("scatter_reduce.sum", "x:A,B =1 i:A,B<B s:A,B =sum b",
         (T x, I d, T i, T s, std::string r, bool own), torch::scatter_reduce(x, d, i, s, r, own)),
      OP("scatter_reduce.mean", "x:A,B =1 i:A,B<B s:A,B =mean b",
         (T x, I d, T i, T s, std::string r, bool own), torch::scatter_reduce(x, d, i, s, r, own)),
      OP("scatter_reduce.amax", "x:A,B =0 i:A,B<A s:A,B =amax b",
         (T x, I d, T i, T s, std::string r, bool own), torch::scatter_reduce(x, d, i, s, r, own)),
      OP("scatter_reduce.amin", "x:A,B =0 i:A,B<A s:A,B =amin b",
         (T x, I d, T i, T s, std::string r, bool own), torch::scatter_reduce(x, d, i, s, r, own)),
      OP("scatter_.add", "x:A,B =1 i:A,B<B s:A,B =add", (T x, I d, T i, T s, std::string r),
         x.detach().scatter_(d, i, s.detach(), r)),
      OP("scatter_add_", "x:A,B =0 i:A,B<A s:A,B", (T x, I d, T i, T s), x.scatter_add_(d, i, s)),
      OP("index_add", "x:A,B =0 i:C<A s:C,B alpha", (T x, I d, T i, T s, N n),
         torch::index_add(x, d, i, s, n)),
      OP("index_add_", "x:A,B =-1 i:C<B s:A,C alpha", (T x, I d, T i, T s, N n),
         x.index_add_(d, i, s, n)),
      OP("index_add.dim", "x dim i:*<2 s alpha", (T x, I d, T i, T s, N n),
         x.index_add(d, i, s, n)),
      OP("scatter_add", "x:A,B =1 i:A,B<B s:A,B", (T x, I d, T i, T s), x.scatter_add(d, i, s)),
      OP("index_fill", "x dim i:N<2 n", (T x, I d, T i, N v), torch::index_fill(x, d, i, v)),
      OP("index_fill_", "x:A,B =0 i:N<A n", (T x, I d, T i, N v), x.index_fill_(d, i, v)),
      OP("masked_scatter", "x m:~ s", (T x, T m, T s), x.masked_scatter(m, s)),
      OP("masked_scatter_", "x:A,B m:A,B s:A,B", (T x, T m, T s), x.masked_scatter_(m, s.clone())),
      OP("take", "x i:*<3", (T x, T i), torch::take(x, i)),
      OP("masked_select", "x m:~", (T x, T m), x.masked_select(m)),
      OP("masked_fill", "x m:~ n", (T x, T m, N v), x.masked_fill(m, v)),
      OP("masked_fill_", "x m:~ n", (T x, T m, N v), x.masked_fill_(m, v)),
      OP("masked_fill.tensor", "x m:~ s:", (T x, T m, T v), x.masked_fill(m, v)),
      OP("nonzero", "x", (T x), x.nonzero()),
      OP("where.positions", "x", (T x), torch::where(x)),
      OP("embedding", "f:V,D i:*<V", (T w, T i), torch::embedding(w, i)),
      OP("embedding_bag", "f:V,D i:N,A<V reduction place?", (T w, T i, I m, MaybeInt p),
         embeddingBag(w, i, m, {}, {}, p)),
      OP("embedding_bag.offsets", "f:V,D i:5<V reduction s?:5", (T w, T i, I m, T s),
         embeddingBag(w, i, m, torch::tensor({0, 2, 2, 5}, here(torch::kLong)), s, {})),
      OP("one_hot", "i:*<5 classes", (T x, I n), torch::one_hot(x, n)),
      OP("where", "m x:~ x:~", (T c, T a, T b), torch::where(c, a, b)),
      OP("where.number", "m x:~ n", (T c, T a, N b), torch::where(c, a, b)),
      OP("where.numbers", "m n n", (T c, N a, N b), torch::where(c, a, b)),

      // Arithmetic
      OP("add", "x x:~ alpha", (T a, T b, N n), torch::add(a, b, n)),
      OP("add.number", "x n alpha", (T a, N b, N n), a.add(b, n)),
      OP("add_", "x x:~ alpha", (T a, T b, N n), a.add_(b, n)),
      OP("add_.number", "x n alpha", (T a, N b, N n), a.add_(b, n)),
      OP("sub", "x x:~ alpha", (T a, T b, N n), torch::sub(a, b, n)),
      OP("sub.number", "x n alpha", (T a, N b, N n), a.sub(b, n)),
      OP("sub_", "x x:~ alpha", (T a, T b, N n), a.sub_(b, n)),
      OP("number.sub", "n x", (N a, T b), a - b),
      OP("mul", "x x:~", (T a, T b), torch::mul(a, b)),
      OP("mul.number", "x n", (T a, N b), a.mul(b)),
      OP("mul_", "x x:~", (T a, T b), a.mul_(b)),
      OP("mul_.number", "x n", (T a, N b), a.mul_(b)),
      OP("div", "x x:~", (T a, T b), torch::div(a, b)),
      OP("div.number", "x n", (T a, N b), a.div(b)),
      OP("div_", "x x:~", (T a, T b), a.div_(b)),
      OP("div_.number", "x n", (T a, N b), a.div_(b)),
      OP("number.div", "n x", (N a, T b), a / b),
      OP("div.floor", "x x:~ =floor", (T a, T b, std::string m), torch::div(a, b, m)),
      OP("div.trunc", "x x:~ =trunc", (T a, T b, std::string m), torch::div(a, b, m)),
      OP("div_.floor", "x n =floor", (T a, N b, std::string m), a.div_(b, m)),
      BINARY(floor_divide),
      OP("floor_divide_", "x n", (T a, N b), a.floor_divide_(b)),
      OP("remainder", "x n", (T a, N b), a.remainder(b)),
      OP("remainder.tensor", "x x:~", (T a, T b), torch::remainder(a, b)),
      OP("remainder_", "x x:~", (T a, T b), a.remainder_(b)),
      BINARY(fmod),
      OP("fmod.number", "x n", (T a, N b), a.fmod(b)),
      OP("fmod_", "x n", (T a, N b), a.fmod_(b)),
      OP("pow.number", "x n", (T a, N b), a.pow(b)),
      OP("pow", "x x:~", (T a, T b), a.pow(b)),
      OP("pow_", "x n", (T a, N b), a.pow_(b)),
      BINARY(maximum),
      BINARY(minimum),
      OP("addcmul", "x x:~ x:~ alpha", (T s, T a, T b, N n), torch::addcmul(s, a, b, n)),
      OP("addcdiv", "x x:~ x:~ alpha", (T s, T a, T b, N n), torch::addcdiv(s, a, b, n)),
      OP("addcmul_", "x x:~ x:~ alpha", (T s, T a, T b, N n), s.addcmul_(a, b, n)),
      OP("addcdiv_", "x x:~ x:~ alpha", (T s, T a, T b, N n), s.addcdiv_(a, b, n)),
      OP("bitwise_and", "x x:~", (T a, T b), a & b),
      OP("bitwise_or", "x x:~", (T a, T b), a | b),
      OP("bitwise_xor", "x x:~", (T a, T b), a ^ b),
      OP("bitwise_and.number", "x n", (T a, N b), torch::bitwise_and(a, b)),
      OP("bitwise_or_", "x x:~", (Tensor a, T b), a |= b),
      UNARY(bitwise_not),
      OP("lerp.tensor", "x s:~ s:~", (T a, T b, T w), torch::lerp(a, b, w)),
      BINARY(atan2),
      BINARY(hypot),
      BINARY(logaddexp),
      BINARY(logaddexp2),
      BINARY(xlogy),
      BINARY(copysign),
      BINARY(fmax),
      BINARY(fmin),
      OP("float_power", "x x:~", (T a, T b), torch::float_power(a, b)),
      BINARY(bitwise_left_shift),
      OP("lerp", "x s:~ n", (T a, T b, N w), torch::lerp(a, b, w)),
      OP("lerp_", "x s:~ n", (T a, T b, N w), a.lerp_(b, w)),

      // Functions of each element
      UNARY(neg),
      UNARY(abs),
      UNARY(exp),
      UNARY(exp2),
      UNARY(expm1),
      UNARY(log),
      UNARY(log2),
      UNARY(log10),
      UNARY(log1p),
      UNARY(sqrt),
      UNARY(rsqrt),
      UNARY(square),
      UNARY(reciprocal),
      UNARY(sin),
      UNARY(cos),
      UNARY(tan),
      UNARY(asin),
      UNARY(acos),
      UNARY(atan),
      UNARY(sinh),
      UNARY(cosh),
      UNARY(asinh),
      OP("acosh", "u", (T x), torch::acosh(x + 1)),
      UNARY(atanh),
      UNARY(erf),
      UNARY(erfc),
      UNARY(erfinv),
      UNARY(frac),
      OP("nan_to_num", "x", (T x), torch::nan_to_num(x)),
      OP("nan_to_num.given", "x n n n", (T x, N a, N b, N c),
         x.nan_to_num(a.toDouble(), b.toDouble(), c.toDouble())),
      UNARY(tanh),
      UNARY(sigmoid),
      UNARY(relu),
      UNARY(sign),
      UNARY(floor),
      UNARY(trunc),
      UNARY(ceil),
      UNARY(round),
      UNARY(isnan),
      UNARY(isinf),
      UNARY(isfinite),
      UNARY(logical_not),
      UNARY(gelu),
      OP("gelu.tanh", "x =tanh", (T x, std::string way), torch::gelu(x, way)),
      UNARY(sinc),
      UNARY(signbit),
      UNARY(deg2rad),
      UNARY(rad2deg),
      UNARY(isposinf),
      OP("logit", "u", (T x), torch::logit(x)),
      OP("lgamma", "u", (T x), torch::lgamma(x + 0.5)),
      OP("digamma", "u", (T x), torch::digamma(x + 0.5)),
      OP("polygamma", "u w", (T x, I n), torch::polygamma(n, x + 0.5)),
      UNARY(silu),
      UNARY(log_sigmoid),
      UNARY(selu),
      UNARY(relu6),
      UNARY(hardsigmoid),
      UNARY(hardswish),
      UNARY(mish),
      IN_PLACE(neg),
      IN_PLACE(abs),
      IN_PLACE(exp),
      IN_PLACE(log),
      IN_PLACE(sqrt),
      IN_PLACE(tanh),
      IN_PLACE(sigmoid),
      IN_PLACE(relu),
      IN_PLACE(sin),
      IN_PLACE(cos),
      IN_PLACE(square),
      IN_PLACE(reciprocal),
      IN_PLACE(erfinv),
      IN_PLACE(floor),
      IN_PLACE(trunc),
      IN_PLACE(sign),
      IN_PLACE(log1p),
      IN_PLACE(expm1),
      IN_PLACE(rsqrt),
      IN_PLACE(erf),
      IN_PLACE(tan),
      IN_PLACE(atan),
      IN_PLACE(sinh),
      IN_PLACE(logical_not),
      IN_PLACE(nan_to_num),
      IN_PLACE(ceil),
      IN_PLACE(round),
      OP("clamp", "x n? n?", (T x, MaybeN a, MaybeN b), x.clamp(a, b)),
      OP("clamp_", "x n? n?", (T x, MaybeN a, MaybeN b), x.clamp_(a, b)),
      OP("clamp.tensors", "x x:~ x:~", (T x, T a, T b), torch::clamp(x, a, b)),
      OP("clamp.tensor", "x x:~", (T x, T b), x.clamp({}, b)),
      OP("clip", "x n? n?", (T x, MaybeN a, MaybeN b), torch::clip(x, a, b)),
      OP("clamp_max_", "x n", (T x, N a), x.clamp_max_(a)),
      OP("clamp_min", "x n", (T x, N a), x.clamp_min(a)),
      OP("clamp_max", "x n", (T x, N a), x.clamp_max(a)),
      OP("leaky_relu", "x n", (T x, N a), torch::leaky_relu(x, a)),
      OP("elu", "x n", (T x, N a), torch::elu(x, a)),
      OP("celu", "x n", (T x, N a), torch::celu(x, a)),
      OP("softplus", "x n n", (T x, N a, N b), torch::softplus(x, a, b)),
      OP("hardtanh", "x n n", (T x, N a, N b), torch::hardtanh(x, a, b)),
      OP("hardshrink", "x n", (T x, N a), torch::hardshrink(x, a)),
      OP("softshrink", "x n", (T x, N a), torch::softshrink(x, a)),
      OP("threshold", "x n n", (T x, N a, N b), torch::threshold(x, a, b)),
      OP("glu", "f dim", (T x, I d), torch::glu(x, d)),
      OP("prelu", "f:N,C,* s:C", (T x, T w), torch::prelu(x, w)),
      OP("prelu.one", "f s:1", (T x, T w), torch::prelu(x, w)),

      // Comparisons
      COMPARISON(eq),
      COMPARISON(ne),
      COMPARISON(lt),
      COMPARISON(le),
      COMPARISON(gt),
      COMPARISON(ge),
      BINARY(logical_and),
      BINARY(logical_or),
      BINARY(logical_xor),
      OP("lt_", "x x:~", (T a, T b), a.lt_(b)),
      OP("eq_.number", "x n", (T a, N b), a.eq_(b)),
      OP("logical_and_", "x x:~", (T a, T b), a.logical_and_(b)),
      OP("number.lt", "n x", (N a, T b), a < b),
      OP("number.ge", "n x", (N a, T b), a >= b),
      OP("equal", "x x:~", (T a, T b), torch::equal(a, b)),
      OP("isclose", "x s:~", (T a, T b), torch::isclose(a, b)),
      OP("allclose", "x s:~", (T a, T b), torch::allclose(a, b)),
      OP("is_nonzero", "x", (T x), x.is_nonzero()),
      OP("item", "x", (T x), x.item().toDouble()),

      // Reductions
      OP("sum", "x type?", (T x, MaybeType t), torch::sum(x, t)),
      OP("sum.dims", "x dims b", (T x, Ints d, bool k), torch::sum(x, d, k)),
      OP("mean", "x type?", (T x, MaybeType t), torch::mean(x, t)),
      OP("mean.dims", "x dims b", (T x, Ints d, bool k), torch::mean(x, d, k)),
      OP("var", "x b", (T x, bool u), torch::var(x, u)),
      OP("var.dims", "x dims b b", (T x, Ints d, bool u, bool k), torch::var(x, d, u, k)),
      OP("std", "x b", (T x, bool u), torch::std(x, u)),
      OP("std.dims", "x dims b b", (T x, Ints d, bool u, bool k), torch::std(x, d, u, k)),
      OP("var_mean", "x dims b b", (T x, Ints d, bool u, bool k), torch::var_mean(x, d, u, k)),
      OP("std_mean", "x b", (T x, bool u), torch::std_mean(x, u)),
      UNARY(prod),
      OP("prod.dim", "x dim b type?", (T x, I d, bool k, MaybeType t), torch::prod(x, d, k, t)),
      OP("count_nonzero", "x dims", (T x, Ints d), torch::count_nonzero(x, d)),
      OP("count_nonzero.dim", "x dim?", (T x, MaybeInt d), x.count_nonzero(d)),
      UNARY(median),
      OP("median.dim", "x dim b", (T x, I d, bool k), torch::median(x, d, k)),
      UNARY(max),
      UNARY(min),
      UNARY(all),
      UNARY(any),
      OP("max.dim", "x dim b", (T x, I d, bool k), torch::max(x, d, k)),
      OP("min.dim", "x dim b", (T x, I d, bool k), torch::min(x, d, k)),
      OP("amax", "x dims b", (T x, Ints d, bool k), torch::amax(x, d, k)),
      OP("amin", "x dims b", (T x, Ints d, bool k), torch::amin(x, d, k)),
      OP("argmax", "x dim? b", (T x, MaybeInt d, bool k), torch::argmax(x, d, k)),
      OP("argmin", "x dim? b", (T x, MaybeInt d, bool k), torch::argmin(x, d, k)),
      OP("all.dim", "x dim b", (T x, I d, bool k), torch::all(x, d, k)),
      OP("any.dim", "x dim b", (T x, I d, bool k), torch::any(x, d, k)),
      OP("norm", "x n", (T x, N p), torch::norm(x, p)),
      OP("norm.dims", "x n dims b", (T x, N p, Ints d, bool k), torch::norm(x, p, d, k)),
      OP("cumsum", "x dim", (T x, I d), torch::cumsum(x, d)),
      OP("cumsum.type", "x dim type", (T x, I d, Type t), x.cumsum(d, t)),
      OP("cumprod", "x dim type?", (T x, I d, MaybeType t), torch::cumprod(x, d, t)),
      OP("cumsum_", "x dim", (T x, I d), x.cumsum_(d)),
      OP("aminmax", "x", (T x), torch::aminmax(x)),
      OP("kthvalue", "x w dim b", (T x, I k, I d, bool b), torch::kthvalue(x, k, d, b)),
      OP("quantile", "f p dim? b", (T x, double q, MaybeInt d, bool k),
         torch::quantile(x, q, d, k)),
      OP("quantile.tensor", "f:N,C u:3 dim b =nearest", (T x, T q, I d, bool k, std::string way),
         torch::quantile(x, q.to(x.dtype()), d, k, way)),
      OP("nansum", "x dims b", (T x, Ints d, bool k), torch::nansum(x, d, k)),
      OP("nanmean", "x dims b", (T x, Ints d, bool k), torch::nanmean(x, d, k)),
      OP("diff", "x w dim", (T x, I n, I d), torch::diff(x, n, d)),
      OP("bincount", "i:N<5 u?:N", (T x, T w),
         torch::bincount(x, w.defined() ? std::optional<Tensor>(w) : std::nullopt)),
      OP("histc", "x w n n", (T x, I bins, N low, N high), torch::histc(x, bins, low, high)),
      OP("searchsorted", "x:N x b", (T s, T x, bool right),
         torch::searchsorted(std::get<0>(s.sort()), x.to(s.dtype()), false, right)),
      OP("cov", "x:N,C", (T x), torch::cov(x)),
      OP("trapezoid", "x n dim", (T x, N dx, I d), torch::trapezoid(x, dx, d)),
      OP("unique_consecutive", "x", (T x), torch::unique_consecutive(x, true, true)),
      OP("cummax", "x dim", (T x, I d), torch::cummax(x, d)),
      OP("cummin", "x dim", (T x, I d), x.cummin(d)),
      OP("unique", "x", (T x), torch::_unique2(x, true, true, true)),
      OP("unique_dim", "x dim b b", (T x, I d, bool i, bool c),
         torch::unique_dim(x, d, true, i, c)),
      OP("logsumexp", "x dims b", (T x, Ints d, bool k), torch::logsumexp(x, d, k)),
      OP("sort", "x dim b", (T x, I d, bool k), torch::sort(x, d, k)),
      OP("argsort", "x dim b", (T x, I d, bool k), x.argsort(d, k)),
      OP("topk", "x w dim b =true", (T x, I n, I d, bool l, bool s), torch::topk(x, n, d, l, s)),
      OP("softmax", "x dim type?", (T x, I d, MaybeType t), torch::softmax(x, d, t)),
      OP("log_softmax", "x dim type?", (T x, I d, MaybeType t), torch::log_softmax(x, d, t)),

      // Products
      OP("mm", "x:A,B s:B,C", (T a, T b), torch::mm(a, b)),
      OP("bmm", "x:N,A,B s:N,B,C", (T a, T b), torch::bmm(a, b)),
      OP("mv", "x:A,B s:B", (T a, T b), torch::mv(a, b)),
      OP("dot", "x:A s:A", (T a, T b), torch::dot(a, b)),
      OP("addmv", "x:A s:A,B s:B alpha alpha", (T s, T a, T b, N n, N m),
         torch::addmv(s, a, b, n, m)),
      OP("addmm_", "x:A,C s:A,B s:B,C alpha alpha", (T s, T a, T b, N n, N m),
         s.addmm_(a.clone(), b.clone(), n, m)),
      OP("cross", "x:*,3 s:~", (T a, T b), torch::cross(a, b)),
      OP("cross.dim", "x:3,N s:3,N dim", (T a, T b, I d), torch::cross(a, b, d)),
      OP("linalg_cross", "x:N,3 x:3", (T a, T b), torch::linalg_cross(a, b.view({1, 3}))),
      OP("cdist", "f:*,N,D s:*,C,D", (T a, T b), torch::cdist(a, b)),
      OP("cdist.p", "f:N,D s:C,D w", (T a, T b, double p), torch::cdist(a, b, p)),
      OP("attention", "f:N,A,B,D s:N,A,C,D s:N,A,C,E s?:B,C =0 =false n?",
         (T q, T k, T v, T m, double p, bool c, MaybeN s), attention(q, k, v, m, p, c, s)),
      OP("attention.causal", "f:*,B,D s:*,C,D s:*,C,E m?:B,C =0 =true =-",
         (T q, T k, T v, T m, double p, bool c, MaybeN s), attention(q, k, v, m, p, c, s)),
      OP("inner", "x:*,C s:A,C", (T a, T b), torch::inner(a, b)),
      OP("tensordot", "x:A,B,C s:C,D,A =[0,2] =[2,0]", (T a, T b, Ints d, Ints e),
         torch::tensordot(a, b, d, e)),
      OP("kron", "x x", (T a, T b), torch::kron(a, b)),
      OP("matrix_power", "x:*,A,A w", (T a, I n), torch::matrix_power(a, n)),
      OP("addr", "x:A,B s:A s:B alpha alpha", (T s, T a, T b, N n, N m),
         torch::addr(s, a, b, n, m)),
      OP("addbmm", "x:A,C s:N,A,B s:N,B,C alpha alpha", (T s, T a, T b, N n, N m),
         torch::addbmm(s, a, b, n, m)),
      OP("linalg_vector_norm", "f n dims b", (T x, N p, Ints d, bool k),
         torch::linalg_vector_norm(x, p, d, k)),
      OP("linalg_matrix_norm", "f:*,N,C =1 =[-2,-1] b", (T x, N p, Ints d, bool k),
         torch::linalg_matrix_norm(x, p, d, k)),
      OP("dist", "x s:~ n", (T a, T b, N p), torch::dist(a, b, p)),
      OP("outer", "x:A x:B", (T a, T b), torch::outer(a, b)),
      OP("matmul", "x:*,A,B s:B,C", (T a, T b), torch::matmul(a, b)),
      OP("matmul.vector", "x:A s:*,A,B", (T a, T b), torch::matmul(a, b)),
      OP("matmul.batch", "x:N,1,A,B s:K,B,C", (T a, T b), torch::matmul(a, b)),
      OP("addmm", "x:C s:A,B s:B,C alpha alpha", (T s, T a, T b, N n, N m),
         torch::addmm(s, a, b, n, m)),
      OP("baddbmm", "x:N,A,C s:N,A,B s:N,B,C alpha alpha", (T s, T a, T b, N n, N m),
         torch::baddbmm(s, a, b, n, m)),
      OP("linear", "f:*,C s:K,C s?:K", (T x, T w, T b), torch::linear(x, w, b)),
      OP("det", "x:*,A,A", (T a), torch::det(a)),
      OP("slogdet", "x:*,A,A", (T a), torch::slogdet(a)),
      OP("inverse", "x:*,A,A", (T a), torch::inverse(diagonallyDominant(a))),
      OP("linalg_solve", "x:N,A,A s:A,C", (T a, T b),
         torch::linalg_solve(diagonallyDominant(a), b)),
      OP("linalg_solve.vector", "x:A,A s:A", (T a, T b),
         torch::linalg_solve(diagonallyDominant(a), b)),
      OP("cholesky", "f:*,A,A b", (T a, bool upper),
         torch::linalg_cholesky(diagonallyDominant(a + a.mT()), upper)),
      OP("einsum.trace", "x:A,A", (T a), torch::einsum("ii->", {a})),
      OP("einsum.batch", "x:A,B,C s:A,C,D", (T a, T b), torch::einsum("abc,acd->abd", {a, b})),
      OP("einsum.outer", "x:A,B s:B", (T a, T b), torch::einsum("ab,b->ba", {a, b})),

      // Convolution, pooling, padding
      CONVOLUTION(1, "W", "k"),
      CONVOLUTION(2, "H,W", "k,l"),
      CONVOLUTION(3, "D,H,W", "k,l,l"),
      POOLING(1, "W"),
      POOLING(2, "H,W"),
      POOLING(3, "D,H,W"),
      OP("max_unpool2d", "f:N,C,2,2 i:N,C,2,2<16 =[4,4]", (T x, T i, Ints s),
         torch::max_unpool2d(x, i, s)),
      OP("pad", "x pads n", (T x, Ints p, double v), torch::pad(x, p, "constant", v)),
      OP("pad.reflect", "f:N,C,W pad2", (T x, Ints p), torch::pad(x, p, "reflect")),
      OP("pad.replicate", "f:N,C,H,W pad4", (T x, Ints p), torch::pad(x, p, "replicate")),
      OP("pad.circular", "f:N,C,H,W pad4", (T x, Ints p), torch::pad(x, p, "circular")),

      OP("reflection_pad2d", "f:N,C,H,W pad4", (T x, Ints p), torch::reflection_pad2d(x, p)),
      OP("replication_pad1d", "f:N,C,W pad2", (T x, Ints p), torch::replication_pad1d(x, p)),
      OP("upsample_nearest2d", "f:N,C,H,W stride2", (T x, Ints s), torch::upsample_nearest2d(x, s)),
      OP("upsample_linear1d", "f:N,C,W stride1 b", (T x, Ints s, bool a),
         torch::upsample_linear1d(x, s, a)),
      OP("upsample_bilinear2d", "f:N,C,H,W stride2 b", (T x, Ints s, bool a),
         torch::upsample_bilinear2d(x, s, a)),
      OP("upsample_trilinear3d", "f:N,C,D,H,W stride3 b", (T x, Ints s, bool a),
         torch::upsample_trilinear3d(x, s, a)),
      OP("grid_sampler", "f:N,C,H,W s:N,A,B,2 =0 reduction b", (T x, T g, I m, I p, bool a),
         torch::grid_sampler(x, g, m, p, a)),
      OP("grid_sampler.nearest", "f:N,C,H,W s:N,A,B,2 =1 reduction b", (T x, T g, I m, I p, bool a),
         torch::grid_sampler(x, g, m, p, a)),
      OP("grid_sampler.cubic", "f:N,C,H,W s:N,A,B,2 =2 reduction b", (T x, T g, I m, I p, bool a),
         torch::grid_sampler(x, g, m, p, a)),
      OP("grid_sampler.3d", "f:N,C,D,H,W s:N,A,B,1,3 =0 reduction b", (T x, T g, I m, I p, bool a),
         torch::grid_sampler(x, g, m, p, a)),
      OP("affine_grid", "f:N,2,3 b", (T x, bool a),
         torch::affine_grid_generator(x, {x.size(0), 1, 3, 4}, a)),
      OP("affine_grid.3d", "f:N,3,4 b", (T x, bool a),
         torch::affine_grid_generator(x, {x.size(0), 1, 2, 1, 3}, a)),
      OP("nearest", "f:N,C,H,W stride2", (T x, Ints s), resized(x, s, torch::kNearest, {})),
      OP("bilinear", "f:N,C,H,W stride2 b", (T x, Ints s, bool a),
         resized(x, s, torch::kBilinear, a)),
      OP("bicubic", "f:N,C,H,W stride2 b", (T x, Ints s, bool a),
         resized(x, s, torch::kBicubic, a)),

      // Normalisation
      OP("batch_norm", "f:N,C,* s?:C s?:C b p", (T x, T w, T b, bool t, double m),
         torch::batch_norm(x, w, b, {}, {}, t, m, 1e-5, false)),
      OP("batch_norm.running", "f:N,C,* s?:C s?:C s:C u:C b p",
         (T x, T w, T b, T mean, T var, bool t, double m),
         torch::batch_norm(x, w, b, mean, var, t, m, 1e-5, false)),
      OP("instance_norm", "f:N,C,* s?:C s?:C =true p", (T x, T w, T b, bool t, double m),
         torch::instance_norm(x, w, b, {}, {}, t, m, 1e-5, false)),
      OP("layer_norm", "f:*,C =[0] s?:C s?:C", (T x, Ints, T w, T b),
         torch::layer_norm(x, {x.size(-1)}, w, b)),
      OP("layer_norm.shape", "f:*,A,B shape s?:A,B s?:A,B", (T x, Ints s, T w, T b),
         torch::layer_norm(x, s, w, b)),
      OP("group_norm", "f:N,2C,* =2 s?:2C s?:2C", (T x, I g, T w, T b),
         torch::group_norm(x, g, w, b)),

      // Losses
      OP("mse_loss", "f s:~ reduction", (T x, T y, I r), torch::mse_loss(x, y, r)),
      OP("l1_loss", "f s:~ reduction", (T x, T y, I r), torch::l1_loss(x, y, r)),
      OP("smooth_l1_loss", "f s:~ reduction n", (T x, T y, I r, double b),
         torch::smooth_l1_loss(x, y, r, b)),
      OP("huber_loss", "f s:~ reduction n", (T x, T y, I r, double d),
         torch::huber_loss(x, y, r, d)),
      OP("kl_div", "f s:~ reduction b", (T x, T y, I r, bool l), torch::kl_div(x, y, r, l)),
      OP("binary_cross_entropy", "u:* u:* s?:* reduction", (T x, T y, T w, I r),
         torch::binary_cross_entropy(x, y, w, r)),
      OP("binary_cross_entropy_with_logits", "f:* u:* s?:~ s?:~ reduction",
         (T x, T y, T w, T p, I r), torch::binary_cross_entropy_with_logits(x, y, w, p, r)),
      OP("nll_loss", "f:N,C i:N<C s?:C reduction ignored", (T x, T y, T w, I r, I i),
         torch::nll_loss(x, y, w, r, i)),
      OP("cross_entropy", "f:N,C i:N<C s?:C reduction ignored p",
         (T x, T y, T w, I r, I i, double s), torch::cross_entropy_loss(x, y, w, r, i, s)),
      OP("nll_loss2d", "f:N,C,H,W i:N,H,W<C s?:C reduction ignored", (T x, T y, T w, I r, I i),
         torch::nll_loss2d(x, y, w, r, i)),
      OP("cross_entropy.image", "f:N,C,H,W i:N,H,W<C s?:C reduction ignored p",
         (T x, T y, T w, I r, I i, double s), torch::cross_entropy_loss(x, y, w, r, i, s)),
      OP("ctc_loss", "f:T,N,C i:N,S<C reduction b", (T x, T y, I r, bool z), ctcLoss(x, y, r, z)),
      OP("cross_entropy.soft", "f:N,C u:N,C s?:C reduction =-100 p",
         (T x, T y, T w, I r, I i, double s), torch::cross_entropy_loss(x, y, w, r, i, s)),

      // Gradients
      OP("requires_grad_", "f b", (Tensor x, bool on), T(x.set_requires_grad(on))),
      OP("detach", "x", (T x), x.detach()),
      OP("detach_", "x", (Tensor x), x.detach_()),
      OP("retain_grad", "f", (T x), (x.retain_grad(), x)),
      OP("marked", "f", (T x), marked(x)),
      OP("backward", "f: b b", (T x, bool r, bool c), backward(x, {}, r, c)),
      OP("backward.with", "f:* s:* b b", (T x, T g, bool r, bool c), backward(x, g, r, c)),
      OP("grad", "f: f", (T x, T y), torch::autograd::grad({x}, {y}, {}, true, true, true)),
      OP("grad.of", "x", (T x), x.grad()),
      OP("enable_grad", "b", (bool on), c10::GradMode::set_enabled(on)),
      OP("autocast", "b", (bool on), at::autocast::set_autocast_enabled(device.type(), on)),
  };
  return table;
}

#undef OP
#undef UNARY
#undef IN_PLACE
#undef BINARY
#undef COMPARISON
#undef CONVOLUTION
#undef POOLING

} // namespace oracle
