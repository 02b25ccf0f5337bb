#include "Linear.h"
#include "../autograd/Casting.h"
#include "../autograd/Record.h"
#include "../backends/BlasLayout.h"
#include "Arithmetic.h"
#include "Copies.h"
#include "Factories.h"
#include "Pointwise.h"
#include "Reductions.h"
#include "Views.h"
#include "kernels/Elementwise.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace gradtidy::runtime {
namespace {

using C = const GradientContext &;
using G = const Tensor &;

void checkTypes(const Tensor &a, const Tensor &b) {
  TORCH_CHECK(a.scalar_type() == b.scalar_type(),
              "expected m1 and m2 to have the same dtype, but "
              "got: ",
              cppName(a.scalar_type()), " != ", cppName(b.scalar_type()));
}

void checkProduct(const char *name, const Tensor &a, const Tensor &b) {
  TORCH_CHECK(a.size(1) == b.size(0), name, ": mat1 and mat2 shapes cannot be multiplied (",
              a.size(0), "x", a.size(1), " and ", b.size(0), "x", b.size(1), ")");
}

/// A matrix, or a batch of them.
Matrix matrix(const Tensor &x) {
  return {implOf(x).bytes(), x.stride(-2), x.stride(-1), x.dim() == 3 ? x.stride(0) : 0};
}

/// A factor for tensors like `x`: an integer where they hold integers.
Scalar inType(const Scalar &factor, const Tensor &x) {
  return x.is_floating_point() ? Scalar(factor.toDouble()) : Scalar(factor.toLong());
}

/// x as libraries can read it.
Tensor forBlas(const Tensor &x) {
  return blasLayout(matrix(x), x.size(-2), x.size(-1)) ? x : x.contiguous();
}

/// out = a b for matrices or batches of them. False, with nothing done, where the backend cannot do
/// the epilogue.
bool multiply(const Tensor &out, const Tensor &a, const Tensor &b, const Epilogue &epilogue = {}) {
  NoGradGuard guard;
  Tensor left = forBlas(a), right = forBlas(b);
  return backendOf(out.device())
      .multiply({a.scalar_type(), a.dim() == 3 ? a.size(0) : 1, a.size(-2), b.size(-1), a.size(-1),
                 matrix(left), matrix(right), out.data_ptr(), epilogue});
}

bool hasEpilogues(const Tensor &x) { return backendOf(x.device()).hasEpilogues(); }

Tensor product(const Tensor &a, const Tensor &b) {
  Tensor out = makeEmpty({a.size(0), b.size(1)}, a.scalar_type(), a.device());
  if (out.numel() == 0 || a.size(1) == 0)
    return out.zero_();
  multiply(out, a, b);
  return out;
}

/// A function of a b + self in one kernel; undefined where self is not a row or the backend has no
/// such kernel. What there was before the function goes to `before`, unless it is null.
Tensor productWithBias(const Tensor &self, const Tensor &a, const Tensor &b,
                       Epilogue::Function function = Epilogue::Identity, Tensor *before = nullptr) {
  if (!hasEpilogues(a) || a.numel() == 0 || b.numel() == 0 || self.dim() != 1 ||
      self.size(0) != b.size(1) || !self.is_contiguous())
    return {};
  Tensor out = makeEmpty({a.size(0), b.size(1)}, a.scalar_type(), a.device());
  Tensor kept = before ? makeEmpty(out.sizes(), a.scalar_type(), a.device()) : Tensor();
  if (!multiply(out, a, b, {self.data_ptr(), function, before ? kept.data_ptr() : nullptr}))
    return {};
  if (before)
    *before = kept;
  return out;
}

/// Whether columns, not rows, lie at a stretch, as in the transpose of a weight.
bool isColumnMajor(const Tensor &x) { return x.stride(0) == 1 && x.stride(1) == x.size(0); }

// The gradients of a product of matrices, in the memory order of the matrix they belong to, so that
// nobody needs to copy them.
Tensor gradientOfFirst(G gradient, const Tensor &a, const Tensor &b) {
  return isColumnMajor(a) ? mm(b, gradient.t()).t() : mm(gradient, b.t());
}
Tensor gradientOfSecond(G gradient, const Tensor &a, const Tensor &b) {
  return isColumnMajor(b) ? mm(gradient.t(), a).t() : mm(a.t(), gradient);
}

/// gradientOfSecond(), and the gradient of a row that was added to the product, from one kernel
/// where there is one; else the second is the gradient as it is, which autograd sums. For results
/// that nobody asks a gradient of.
std::pair<Tensor, Tensor> gradientsOfSecondAndRow(G gradient, const Tensor &a, const Tensor &b) {
  OperationScope scope("mm");
  const bool transposed = isColumnMajor(b);
  const int64_t rows = a.size(1), columns = gradient.size(1);
  Tensor sums = makeEmpty({columns}, gradient.scalar_type(), gradient.device());
  Tensor out = makeEmpty(transposed ? DimVector{columns, rows} : DimVector{rows, columns},
                         gradient.scalar_type(), gradient.device());
  NoGradGuard guard;
  const Tensor first = transposed ? gradient.t() : a.t(), second = transposed ? a : gradient;
  Epilogue epilogue;
  (transposed ? epilogue.sumsOfFirst : epilogue.sumsOfSecond) = sums.data_ptr();
  const bool summed = multiply(out, first, second, epilogue);
  if (!summed)
    multiply(out, first, second);
  return {transposed ? out.t() : out, summed ? sums : gradient};
}

/// Whether gradientsOfSecondAndRow() may be what AddmmBackward0 computes. Observers of results see
/// the sum by itself.
bool sumsWithProduct(G gradient, const Tensor &a) {
  return hasEpilogues(a) && gradient.numel() != 0 && a.numel() != 0 &&
         !RecordFunction::showsResults() && !mustRecord({gradient, a});
}

/// addmm(), and in *activated its GELU by tanh, if it is not null and the backend computes both in
/// one kernel. Where no gradient is recorded, they are the same tensor then.
Tensor addmmWith(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &beta,
                 const Scalar &alpha, Tensor *activated);

} // namespace

Tensor mm(const Tensor &a, const Tensor &b) {
  if (Casting cast = autocast::lower(a))
    return mm(cast(a), cast(b));
  OperationScope scope("mm");
  TORCH_CHECK(a.dim() == 2, "mm: self must be a matrix, got ", a.dim(), "-D tensor");
  TORCH_CHECK(b.dim() == 2, "mm: mat2 must be a matrix, got ", b.dim(), "-D tensor");
  commonDevice("mm", {{"self", &a}, {"mat2", &b}});
  checkProduct("mm", a, b);
  checkTypes(a, b);
  return record(product(a, b), "MmBackward0", {a, b}, {a, b}, [](G g, C c) -> Gradients {
    return {c.needs(0) ? gradientOfFirst(g, c.saved(0), c.saved(1)) : Tensor(),
            c.needs(1) ? gradientOfSecond(g, c.saved(0), c.saved(1)) : Tensor()};
  });
}

Tensor addmm(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &beta,
             const Scalar &alpha) {
  return addmmWith(self, a, b, beta, alpha, nullptr);
}

namespace {

Tensor addmmWith(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &beta,
                 const Scalar &alpha, Tensor *activated) {
  if (Casting cast = autocast::lower(a))
    return addmmWith(cast(self), cast(a), cast(b), beta, alpha, activated);
  OperationScope scope("addmm");
  TORCH_CHECK(a.dim() == 2, "mat1 must be a matrix, got ", a.dim(), "-D tensor");
  TORCH_CHECK(b.dim() == 2, "mat2 must be a matrix, got ", b.dim(), "-D tensor");
  commonDevice("addmm", {{"self", &self}, {"mat1", &a}, {"mat2", &b}});
  checkProduct("addmm", a, b);
  TORCH_CHECK(a.scalar_type() == b.scalar_type(),
              "mat1 and mat2 must have the same dtype, but got ", a.scalar_type(), " and ",
              b.scalar_type());
  TORCH_CHECK(self.scalar_type() == a.scalar_type(),
              "self and mat2 must have the same dtype, but got ", self.scalar_type(), " and ",
              b.scalar_type());
  DimVector shape{a.size(0), b.size(1)};
  TORCH_CHECK(isExpandableTo(self.sizes(), shape), "The expanded size of the tensor (",
              shape.back(), ") must match the existing size (", self.dim() == 0 ? 1 : self.size(-1),
              ") at non-singleton dimension 1.  Target sizes: ", toText(shape),
              ".  Tensor sizes: ", toText(self.sizes()));
  double scaleSelf = inType(beta, a).toDouble(), scale = inType(alpha, a).toDouble();
  Tensor out;
  {
    const bool recorded = mustRecord({self, a, b});
    NoGradGuard guard;
    if (activated && !RecordFunction::showsResults()) {
      *activated = productWithBias(self, a, b, Epilogue::TanhGelu, recorded ? &out : nullptr);
      if (!recorded)
        out = *activated;
    }
    if (!out.defined() && scale == 1 && scaleSelf == 1)
      out = productWithBias(self, a, b);
    if (!out.defined()) {
      out = product(a, b);
      if (scale != 1)
        out.mul_(inType(alpha, out));
      out.add_(self, inType(beta, out));
    }
  }
  return record(out, "AddmmBackward0", {self, a, b}, {a, b},
                [scaleSelf, scale,
                 isRow = self.dim() == 1 && self.size(0) == b.size(1)](G g, C c) -> Gradients {
                  if (isRow && scaleSelf == 1 && scale == 1 && c.needs(0) && c.needs(2) &&
                      sumsWithProduct(g, c.saved(0))) {
                    Tensor first =
                        c.needs(1) ? gradientOfFirst(g, c.saved(0), c.saved(1)) : Tensor();
                    auto [second, row] = gradientsOfSecondAndRow(g, c.saved(0), c.saved(1));
                    return {row, first, second};
                  }
                  Tensor scaled = scale == 1 ? g : g * scale;
                  return {scaleSelf == 1 ? g : g * scaleSelf,
                          c.needs(1) ? gradientOfFirst(scaled, c.saved(0), c.saved(1)) : Tensor(),
                          c.needs(2) ? gradientOfSecond(scaled, c.saved(0), c.saved(1)) : Tensor()};
                });
}

} // namespace

Tensor _addmm_activation(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &beta,
                         const Scalar &alpha, bool useGelu) {
  OperationScope scope("_addmm_activation");
  Tensor out;
  {
    NoGradGuard guard;
    if (self.dim() == 1 && a.dim() == 2 && b.dim() == 2 && a.size(1) == b.size(0) &&
        self.scalar_type() == a.scalar_type() && a.scalar_type() == b.scalar_type() &&
        self.device() == a.device() && a.device() == b.device() && beta.toDouble() == 1 &&
        alpha.toDouble() == 1)
      out = productWithBias(self, a, b, useGelu ? Epilogue::TanhGelu : Epilogue::Relu);
    if (!out.defined()) {
      out = addmm(self, a, b, beta, alpha);
      out = !useGelu ? relu(out) : gelu(out, hasEpilogues(out) ? "tanh" : "none");
    }
  }
  return record(out, "torch::autograd::NotImplemented", {self, a, b}, {}, [](G, C) -> Gradients {
    fail("derivative for aten::_addmm_activation is not implemented");
  });
}

Tensor bmm(const Tensor &a, const Tensor &b) {
  if (Casting cast = autocast::lower(a))
    return bmm(cast(a), cast(b));
  OperationScope scope("bmm");
  TORCH_CHECK(a.dim() == 3, "batch1 must be a 3D tensor");
  TORCH_CHECK(b.dim() == 3, "batch2 must be a 3D tensor");
  TORCH_CHECK(a.size(0) == b.size(0) && a.size(2) == b.size(1),
              "Expected size for first two dimensions of batch2 tensor to be: [", a.size(0), ", ",
              a.size(2), "] but got: [", b.size(0), ", ", b.size(1), "].");
  commonDevice("bmm", {{"self", &a}, {"mat2", &b}});
  Tensor out = makeEmpty({a.size(0), a.size(1), b.size(2)}, b.scalar_type(), a.device());
  if (out.numel() == 0 || a.size(2) == 0) { // of any types
    out.zero_();
  } else {
    TORCH_CHECK(a.scalar_type() == b.scalar_type(), "expected scalar type ", a.scalar_type(),
                " but found ", b.scalar_type());
    dispatchNumbers(a.scalar_type(), "bmm", []<class T>() {});
    multiply(out, a, b);
  }
  return record(out, "BmmBackward0", {a, b}, {a, b}, [](G g, C c) -> Gradients {
    return {c.needs(0) ? bmm(g, c.saved(1).transpose(1, 2)) : Tensor(),
            c.needs(1) ? bmm(c.saved(0).transpose(1, 2), g) : Tensor()};
  });
}

Tensor mv(const Tensor &a, const Tensor &b) {
  if (Casting cast = autocast::lower(a, autocast::onCuda))
    return mv(cast(a), cast(b));
  TORCH_CHECK(a.dim() == 2 && b.dim() == 1, "vector + matrix @ vector expected, got ", b.dim(),
              ", ", a.dim(), ", ", b.dim());
  TORCH_CHECK(a.size(1) == b.size(0), "size mismatch, got input (", a.size(0), "), mat (",
              a.size(0), "x", a.size(1), "), vec (", b.size(0), ")");
  TORCH_CHECK(a.scalar_type() == b.scalar_type(),
              "addmv input tensors must have the same dtype, but got ", b.scalar_type(), ", ",
              a.scalar_type(), ", and ", b.scalar_type());
  return mm(a, b.unsqueeze(1)).squeeze(1);
}

Tensor dot(const Tensor &a, const Tensor &b) {
  TORCH_CHECK(a.dim() == 1 && b.dim() == 1, "1D tensors expected, but got ", a.dim(), "D and ",
              b.dim(), "D tensors");
  TORCH_CHECK(a.size(0) == b.size(0), "inconsistent tensor size, expected tensor [", a.size(0),
              "] and src [", b.size(0), "] to have the same number of elements, but got ",
              a.size(0), " and ", b.size(0), " elements respectively");
  TORCH_CHECK(a.scalar_type() == b.scalar_type(),
              "dot : expected both vectors to have same dtype, but found ", a.scalar_type(),
              " and ", b.scalar_type());
  TORCH_CHECK_NOT_IMPLEMENTED(a.scalar_type() != ScalarType::Bool,
                              "\"dot\" not implemented for 'Bool'");
  return (a * b).sum(a.scalar_type());
}

Tensor outer(const Tensor &a, const Tensor &b) {
  TORCH_CHECK(a.dim() == 1, "outer: Expected 1-D argument self, but got ", a.dim(), "-D");
  TORCH_CHECK(b.dim() == 1, "outer: Expected 1-D argument vec2, but got ", b.dim(), "-D");
  return a.unsqueeze(1) * b.unsqueeze(0);
}

Tensor addmv(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &beta,
             const Scalar &alpha) {
  if (Casting cast = autocast::lower(a, autocast::onCuda))
    return addmv(cast(self), cast(a), cast(b), beta, alpha);
  OperationScope scope("addmv");
  TORCH_CHECK(self.scalar_type() == a.scalar_type() && a.scalar_type() == b.scalar_type(),
              "addmv input tensors must have the same dtype, but got ", self.scalar_type(), ", ",
              a.scalar_type(), ", and ", b.scalar_type());
  Tensor product = mv(a, b);
  TORCH_CHECK(self.dim() <= 1 && isExpandableTo(self.sizes(), product.sizes()), "size mismatch, ",
              "got input (", toText(self.sizes()), "), mat (", a.size(0), "x", a.size(1),
              "), vec (", b.size(0), ")");
  Scalar scale = inType(alpha, product), scaleSelf = inType(beta, product);
  if (scale.toDouble() != 1)
    product = product * scale;
  return scaleSelf.toDouble() == 0 ? product : product.add(self, scaleSelf);
}

Tensor linalg_cross(const Tensor &a, const Tensor &b, int64_t dim) {
  OperationScope scope("linalg_cross");
  TORCH_CHECK(a.dim() == b.dim(), "linalg.cross: inputs must have the same number of dimensions.");
  TORCH_CHECK(a.size(dim) == 3 && b.size(dim) == 3, "linalg.cross: inputs dimension ", dim,
              " must have length 3. Got ", a.size(dim), " and ", b.size(dim));
  TORCH_CHECK(a.scalar_type() == b.scalar_type(), "expected scalar type ", a.scalar_type(),
              " but found ", b.scalar_type());
  DimVector shape = broadcastShapes(a.sizes(), b.sizes());
  Tensor x = a.expand(shape), y = b.expand(shape);
  return roll(x, -1, dim) * roll(y, 1, dim) - roll(x, 1, dim) * roll(y, -1, dim);
}

Tensor cross(const Tensor &a, const Tensor &b, optional<int64_t> dim) {
  if (dim)
    return linalg_cross(a, b, *dim);
  auto three = std::find(a.sizes().begin(), a.sizes().end(), 3);
  TORCH_CHECK(three != a.sizes().end(), "no dimension of size 3 in input");
  return linalg_cross(a, b, three - a.sizes().begin());
}

Tensor cdist(const Tensor &a, const Tensor &b, double p) {
  if (Casting cast = autocast::widen(a))
    return cdist(cast(a), cast(b), p);
  OperationScope scope("cdist");
  for (const auto &[x, name] : {std::pair{&a, "X1"}, std::pair{&b, "X2"}})
    TORCH_CHECK(x->dim() >= 2, "cdist only supports at least 2D tensors, ", name,
                " got: ", x->dim(), "D");
  TORCH_CHECK(a.size(-1) == b.size(-1),
              "X1 and X2 must have the same number of columns. X1: ", a.size(-1),
              " X2: ", b.size(-1));
  TORCH_CHECK(a.is_floating_point() && b.is_floating_point(),
              "cdist only supports floating-point dtypes, X1 got: ", a.scalar_type());
  TORCH_CHECK(p >= 0, "cdist only supports non-negative p values");
  Tensor difference = a.unsqueeze(-2) - b.unsqueeze(-3);
  TORCH_CHECK_NOT_IMPLEMENTED(difference.numel() == 0 ||
                                  !isReducedFloatingType(difference.scalar_type()),
                              "\"cdist\" not implemented for '", difference.scalar_type(), "'");
  if (p != 0)
    return norm(difference, p, -1);
  return record(count_nonzero(difference.detach(), IntArrayRef(-1)).to(difference.scalar_type()),
                "CdistBackward0", {a, b}, {a, b}, [](G, C c) -> Gradients {
                  return {zeros_like(c.saved(0)), zeros_like(c.saved(1))};
                });
}

Tensor matmul(const Tensor &a, const Tensor &b) {
  if (Casting cast = autocast::lower(a))
    return matmul(cast(a), cast(b));
  OperationScope scope("matmul");
  TORCH_CHECK(a.dim() > 0 && b.dim() > 0,
              "both arguments to matmul need to be at least 1D, but they are ", a.dim(), "D and ",
              b.dim(), "D");
  if (a.dim() == 1 && b.dim() == 1)
    return dot(a, b);
  if (a.dim() == 2 && b.dim() == 1)
    return mv(a, b);
  if (a.dim() == 1)
    return matmul(a.unsqueeze(0), b).squeeze(-2);
  if (b.dim() == 1)
    return matmul(a, b.unsqueeze(1)).squeeze(-1);
  if (a.dim() == 2 && b.dim() == 2)
    return mm(a, b);
  if (b.dim() == 2) { // all rows of the batch at once
    DimVector shape = a.sizes().vec();
    shape.back() = b.size(1);
    int64_t rows = elementCount(a.sizes().slice(0, static_cast<std::size_t>(a.dim() - 1)));
    return unsafe_view(mm(a.reshape({rows, a.size(-1)}), b), shape);
  }
  DimVector batch = broadcastShapes(a.sizes().slice(0, static_cast<std::size_t>(a.dim() - 2)),
                                    b.sizes().slice(0, static_cast<std::size_t>(b.dim() - 2)));
  auto batched = [&](const Tensor &x) {
    DimVector shape = batch;
    shape.insert(shape.end(), {x.size(-2), x.size(-1)});
    return x.expand(shape).reshape({elementCount(batch), x.size(-2), x.size(-1)});
  };
  DimVector shape = batch;
  shape.insert(shape.end(), {a.size(-2), b.size(-1)});
  return unsafe_view(bmm(batched(a), batched(b)), shape);
}

namespace {

/// linear(), and its GELU as addmmWith() gives it.
Tensor linearWith(const Tensor &x, const Tensor &weight, const Tensor &bias, Tensor *activated) {
  if (Casting cast = autocast::lower(x))
    return linearWith(cast(x), cast(weight), cast(bias), activated);
  OperationScope scope("linear");
  if (!bias.defined())
    return matmul(x, weight.t());
  if (x.dim() == 2)
    return addmmWith(bias, x, weight.t(), 1, 1, activated);
  if (x.dim() > 2 && x.is_contiguous() && weight.dim() == 2) {
    DimVector shape = x.sizes().vec();
    shape.back() = weight.size(0);
    int64_t rows = elementCount(x.sizes().slice(0, static_cast<std::size_t>(x.dim() - 1)));
    Tensor out = addmmWith(bias, x.reshape({rows, x.size(-1)}), weight.t(), 1, 1, activated);
    if (activated && activated->defined())
      *activated = unsafe_view(activated->detach(), shape);
    return unsafe_view(out, shape);
  }
  return matmul(x, weight.t()) + bias;
}

} // namespace

Tensor linear(const Tensor &x, const Tensor &weight, const Tensor &bias) {
  return linearWith(x, weight, bias, nullptr);
}

Tensor linearTanhGelu(const Tensor &x, const Tensor &weight, const Tensor &bias) {
  Tensor activated, before = linearWith(x, weight, bias, &activated);
  if (!activated.defined())
    return gelu(before, "tanh");
  OperationScope scope("gelu");
  return recordTanhGelu(before, activated);
}

Tensor bilinear(const Tensor &x1, const Tensor &x2, const Tensor &weight, const Tensor &bias) {
  OperationScope scope("bilinear");
  TORCH_CHECK(x1.dim() == x2.dim(), "bilinear(): input dimensions do not match: got ", x1.dim(),
              " and ", x2.dim());
  for (int64_t d = 0; d + 1 < x1.dim(); ++d)
    TORCH_CHECK(x1.size(d) == x2.size(d), "bilinear(): input batch dimensions do not match at dim ",
                d, ": got ", x1.size(d), " and ", x2.size(d));
  TORCH_CHECK(x1.size(-1) == weight.size(1),
              "bilinear(): input1 size does not match weight size: got ", x1.size(-1),
              " but expected ", weight.size(1));
  TORCH_CHECK(x2.size(-1) == weight.size(2),
              "bilinear(): input2 size does not match weight size: got ", x2.size(-1),
              " but expected ", weight.size(2));
  TORCH_CHECK(!bias.defined() || bias.size(0) == weight.size(0),
              "bilinear(): bias size does not match weight size: got ", bias.size(0),
              " but expected ", weight.size(0));
  Tensor result = einsum("...i,kij,...j->...k", {{x1, weight, x2}});
  return bias.defined() ? result + bias : result;
}

Tensor baddbmm(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &beta,
               const Scalar &alpha) {
  if (Casting cast = autocast::lower(a))
    return baddbmm(cast(self), cast(a), cast(b), beta, alpha);
  OperationScope scope("baddbmm");
  TORCH_CHECK(self.scalar_type() == a.scalar_type(), "Input dtypes must be the same, got: input ",
              cppName(self.scalar_type()), ", batch1: ", cppName(a.scalar_type()),
              ", batch2: ", cppName(b.scalar_type()));
  Tensor product = bmm(a, b);
  Scalar scale = inType(alpha, product), scaleSelf = inType(beta, product);
  if (scale.toDouble() != 1)
    product = product * scale;
  return scaleSelf.toDouble() == 0 ? product : product.add(self, scaleSelf);
}

namespace {

/// One operand of einsum with its letters in the order of `all`, missing ones with size one.
Tensor aligned(Tensor operand, std::string letters, const std::string &all) {
  // A letter that an operand has twice means its diagonal.
  for (std::size_t i = 0; i < letters.size(); ++i)
    for (std::size_t j = letters.find(letters[i], i + 1); j != std::string::npos;
         j = letters.find(letters[i], i + 1)) {
      operand = operand.diagonal(0, static_cast<int64_t>(i), static_cast<int64_t>(j));
      letters.push_back(letters[i]);
      letters.erase(j, 1);
      letters.erase(i, 1);
    }
  DimVector order;
  for (char letter : all)
    if (auto at = letters.find(letter); at != std::string::npos)
      order.push_back(static_cast<int64_t>(at));
  operand = operand.permute(order);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (letters.find(all[i]) == std::string::npos)
      operand = operand.unsqueeze(static_cast<int64_t>(i));
  return operand;
}

/// The sum over the last `summed` dimensions of the product of two aligned operands.
Tensor contracted(Tensor a, Tensor b, int64_t summed) {
  // Sorted into batch, only in a, only in b, and summed: then it is a product of matrices.
  DimVector batch, onlyA, onlyB, inner, order;
  int64_t outer = a.dim() - summed;
  for (int64_t d = 0; d < a.dim(); ++d) {
    bool inA = a.size(d) != 1, inB = b.size(d) != 1;
    if (d >= outer && !(inA && inB)) { // a sum over one operand alone
      if (inA)
        a = a.sum(d, true);
      if (inB)
        b = b.sum(d, true);
    } else {
      (d >= outer ? inner : inA && inB ? batch : inA ? onlyA : onlyB).push_back(d);
    }
  }
  if (inner.empty()) { // LibTorch multiplies element by element, too, with promotion
    Tensor product = a * b;
    return product.view(product.sizes().slice(0, static_cast<std::size_t>(outer)));
  }
  auto arranged = [&](const Tensor &x, const DimVector &rows, const DimVector &columns) {
    DimVector dims = batch;
    dims.insert(dims.end(), rows.begin(), rows.end());
    dims.insert(dims.end(), columns.begin(), columns.end());
    auto rest = [&](const DimVector &group) {
      int64_t count = 1;
      for (int64_t d : group)
        count *= x.size(d);
      return count;
    };
    DimVector all = dims;
    for (int64_t d = 0; d < x.dim(); ++d) // those of size one
      if (std::find(dims.begin(), dims.end(), d) == dims.end())
        all.push_back(d);
    return x.permute(all).reshape({rest(batch), rest(rows), rest(columns)});
  };
  Tensor product = bmm(arranged(a, onlyA, inner), arranged(b, inner, onlyB));
  DimVector shape, back(static_cast<std::size_t>(outer));
  for (const DimVector *group : {&batch, &onlyA, &onlyB})
    for (int64_t d : *group) {
      back[d] = static_cast<int64_t>(shape.size());
      shape.push_back(a.size(d) == 1 ? b.size(d) : a.size(d));
    }
  return product.reshape(shape).permute(back);
}

/// The letters of an ellipsis over `count` dimensions. They stand before all others, the last one
/// always for the last dimension.
std::string ellipsisLetters(int64_t count) {
  std::string letters;
  for (int64_t back = count; back > 0; --back)
    letters.push_back(static_cast<char>('A' - back));
  return letters;
}
bool isOfEllipsis(char letter) { return letter < 'A'; }

/// Takes the ellipsis out of `text` and returns where it was, npos where there is none.
std::size_t takeEllipsis(std::string &text, const std::string &already,
                         const std::string &notPart) {
  std::size_t at = text.find('.');
  if (at == std::string::npos)
    return at;
  TORCH_CHECK(text.compare(at, 3, "...") == 0, notPart);
  text.erase(at, 3);
  TORCH_CHECK(text.find('.') == std::string::npos, already);
  return at;
}

} // namespace

Tensor einsum(std::string_view equation, TensorList operands) {
  OperationScope scope("einsum");
  if (auto odd =
          equation.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ,.->");
      odd != std::string_view::npos)
    fail("einsum(): invalid subscript given at index ", odd,
         " in the equation string, subscripts must be in [a-zA-Z]");
  std::string text(equation);
  std::erase(text, ' ');
  std::size_t arrow = text.find("->");
  std::vector<std::string> inputs{""};
  for (char c : text.substr(0, arrow)) {
    if (c == ',')
      inputs.emplace_back();
    else
      inputs.back().push_back(c);
  }
  TORCH_CHECK(!operands.empty(), "einsum(): must provide at least one operand");
  TORCH_CHECK(inputs.size() == operands.size(),
              inputs.size() > operands.size()
                  ? "einsum(): fewer operands were provided than specified in the equation"
                  : "einsum(): more operands were provided than specified in the equation");
  // With letters for the dimensions of ellipses, they are dimensions like all others.
  int64_t covered = 0;
  std::map<char, int> uses;
  std::map<char, int64_t> sizes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::string &input = inputs[i];
    std::size_t ellipsis = takeEllipsis(
        input,
        concat("einsum(): found '.' for operand ", i, " for which an ellipsis was already found"),
        concat("einsum(): found '.' for operand ", i, " that is not part of any ellipsis"));
    int64_t letters = static_cast<int64_t>(input.size()), dims = operands[i].dim();
    if (ellipsis == std::string::npos) {
      TORCH_CHECK(letters == dims, "einsum(): the number of subscripts in the equation (", letters,
                  letters > dims ? ") is more than the number of dimensions ("
                                 : ") does not match the number of dimensions (",
                  dims, ") for operand ", i, letters > dims ? "" : " and no ellipsis was given");
    } else {
      TORCH_CHECK(letters <= dims, "einsum(): the number of subscripts in the equation (", letters,
                  ") is more than the number of dimensions (", dims, ") for operand ", i);
      input.insert(ellipsis, ellipsisLetters(dims - letters));
      covered = std::max(covered, dims - letters);
    }
    for (std::size_t d = 0; d < input.size(); ++d) {
      char letter = input[d];
      ++uses[letter];
      int64_t size = operands[i].size(static_cast<int64_t>(d));
      int64_t &known = sizes.try_emplace(letter, 1).first->second;
      if (isOfEllipsis(letter))
        TORCH_CHECK(size == 1 || known == 1 || size == known, "einsum(): dimension ", d - ellipsis,
                    " covered by ellipsis in operand ", i, "has size ", size,
                    " which does not broadcast with previously seen ellipsis with size ", known,
                    " for the respective dimension");
      else
        TORCH_CHECK(size == 1 || known == 1 || size == known, "einsum(): subscript ", letter,
                    " has size ", size, " for operand ", i,
                    " which does not broadcast with previously seen size ", known);
      known = std::max(known, size);
    }
  }
  std::string output;
  if (arrow != std::string::npos) {
    output = text.substr(arrow + 2);
    std::size_t ellipsis = takeEllipsis(
        output, "einsum(): found '.' for output but an ellipsis (...) was already found",
        "einsum(): found '.' for output that is not part of any ellipsis (...)");
    if (ellipsis != std::string::npos)
      output.insert(ellipsis, ellipsisLetters(covered));
  } else {
    for (auto [letter, count] : uses)
      if (count == 1 || isOfEllipsis(letter))
        output.push_back(letter);
  }
  std::string all = output;
  for (auto [letter, count] : uses)
    if (output.find(letter) == std::string::npos)
      all.push_back(letter);
  for (char c : output)
    TORCH_CHECK(uses.contains(c), "einsum(): output subscript ", c,
                " does not appear in the equation for any input operand");
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    parts.push_back(aligned(operands[i], inputs[i], all));
  auto summed = static_cast<int64_t>(all.size() - output.size());
  Tensor result = parts[0];
  for (std::size_t i = 1; i + 1 < parts.size(); ++i)
    result = result * parts[i];
  if (parts.size() > 1)
    return contracted(result, parts.back(), summed);
  for (int64_t i = 0; i < summed; ++i)
    result = result.sum(-1);
  return result;
}

Tensor Tensor::addmm(const Tensor &a, const Tensor &b, const Scalar &beta,
                     const Scalar &alpha) const {
  return runtime::addmm(*this, a, b, beta, alpha);
}
Tensor Tensor::baddbmm(const Tensor &a, const Tensor &b, const Scalar &beta,
                       const Scalar &alpha) const {
  return runtime::baddbmm(*this, a, b, beta, alpha);
}
Tensor &Tensor::addmm_(const Tensor &a, const Tensor &b, const Scalar &beta,
                       const Scalar &alpha) const {
  return changeInPlace(*this, {{a, b}},
                       [&](const Tensor &self) { return runtime::addmm(self, a, b, beta, alpha); });
}
Tensor Tensor::addmv(const Tensor &a, const Tensor &b, const Scalar &beta,
                     const Scalar &alpha) const {
  return runtime::addmv(*this, a, b, beta, alpha);
}
Tensor Tensor::cross(const Tensor &other, optional<int64_t> dim) const {
  return runtime::cross(*this, other, dim);
}
Tensor Tensor::outer(const Tensor &other) const { return runtime::outer(*this, other); }
Tensor Tensor::matmul(const Tensor &other) const { return runtime::matmul(*this, other); }
Tensor Tensor::mm(const Tensor &other) const { return runtime::mm(*this, other); }
Tensor Tensor::bmm(const Tensor &other) const { return runtime::bmm(*this, other); }
Tensor Tensor::mv(const Tensor &other) const { return runtime::mv(*this, other); }
Tensor Tensor::dot(const Tensor &other) const { return runtime::dot(*this, other); }

} // namespace gradtidy::runtime
