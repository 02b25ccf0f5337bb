#include "Linear.h"
#include "../autograd/Record.h"
#include "Arithmetic.h"
#include "Copies.h"
#include "Reductions.h"
#include "Views.h"
#include "kernels/Elementwise.h"

#include <algorithm>
#include <map>
#include <string>

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

Matrix matrix(const Tensor &x, int64_t batch = -1) {
  const TensorImpl &impl = implOf(x);
  if (batch < 0)
    return {impl.bytes(), impl.strides[0], impl.strides[1]};
  return {impl.bytes() + static_cast<std::size_t>(batch * impl.strides[0]) * elementSize(impl.type),
          impl.strides[1], impl.strides[2]};
}

/// A factor for tensors like `x`: an integer where they hold integers.
Scalar inType(const Scalar &factor, const Tensor &x) {
  return x.is_floating_point() ? Scalar(factor.toDouble()) : Scalar(factor.toLong());
}

Tensor product(const Tensor &a, const Tensor &b) {
  Tensor out = makeEmpty({a.size(0), b.size(1)}, a.scalar_type(), a.device());
  if (out.numel() == 0 || a.size(1) == 0)
    return out.zero_();
  backendOf(out.device())
      .gemm(a.scalar_type(), a.size(0), b.size(1), a.size(1), matrix(a), matrix(b), out.data_ptr());
  return out;
}

} // namespace

Tensor mm(const Tensor &a, const Tensor &b) {
  TORCH_CHECK(a.dim() == 2, "mm: self must be a matrix, got ", a.dim(), "-D tensor");
  TORCH_CHECK(b.dim() == 2, "mm: mat2 must be a matrix, got ", b.dim(), "-D tensor");
  commonDevice("mm", {{"self", &a}, {"mat2", &b}});
  checkProduct("mm", a, b);
  checkTypes(a, b);
  return record(product(a, b), "MmBackward0", {a, b}, {a, b}, [](G g, C c) -> Gradients {
    return {c.needs(0) ? mm(g, c.saved(1).t()) : Tensor(),
            c.needs(1) ? mm(c.saved(0).t(), g) : Tensor()};
  });
}

Tensor addmm(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &beta,
             const Scalar &alpha) {
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
    NoGradGuard guard;
    out = product(a, b);
    if (scale != 1)
      out.mul_(inType(alpha, out));
    out.add_(self, inType(beta, out));
  }
  return record(out, "AddmmBackward0", {self, a, b}, {a, b},
                [scaleSelf, scale](G g, C c) -> Gradients {
                  Tensor scaled = scale == 1 ? g : g * scale;
                  return {scaleSelf == 1 ? g : g * scaleSelf,
                          c.needs(1) ? mm(scaled, c.saved(1).t()) : Tensor(),
                          c.needs(2) ? mm(c.saved(0).t(), scaled) : Tensor()};
                });
}

Tensor bmm(const Tensor &a, const Tensor &b) {
  TORCH_CHECK(a.dim() == 3, "batch1 must be a 3D tensor");
  TORCH_CHECK(b.dim() == 3, "batch2 must be a 3D tensor");
  TORCH_CHECK(a.size(0) == b.size(0) && a.size(2) == b.size(1),
              "Expected size for first two dimensions of batch2 tensor to be: [", a.size(0), ", ",
              a.size(2), "] but got: [", b.size(0), ", ", b.size(1), "].");
  commonDevice("bmm", {{"self", &a}, {"mat2", &b}});
  checkTypes(a, b);
  Tensor out = makeEmpty({a.size(0), a.size(1), b.size(2)}, a.scalar_type(), a.device());
  Backend &backend = backendOf(out.device());
  for (int64_t i = 0; i < a.size(0); ++i)
    backend.gemm(a.scalar_type(), a.size(1), b.size(2), a.size(2), matrix(a, i), matrix(b, i),
                 const_cast<void *>(matrix(out, i).data));
  return record(out, "BmmBackward0", {a, b}, {a, b}, [](G g, C c) -> Gradients {
    return {c.needs(0) ? bmm(g, c.saved(1).transpose(1, 2)) : Tensor(),
            c.needs(1) ? bmm(c.saved(0).transpose(1, 2), g) : Tensor()};
  });
}

Tensor mv(const Tensor &a, const Tensor &b) {
  TORCH_CHECK(a.dim() == 2 && b.dim() == 1, "vector + matrix @ vector expected, got ", b.dim(),
              ", ", a.dim(), ", ", b.dim());
  TORCH_CHECK(a.size(1) == b.size(0), "size mismatch, got input (", a.size(0), "), mat (",
              a.size(0), "x", a.size(1), "), vec (", b.size(0), ")");
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

Tensor matmul(const Tensor &a, const Tensor &b) {
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

Tensor linear(const Tensor &x, const Tensor &weight, const Tensor &bias) {
  if (!bias.defined())
    return matmul(x, weight.t());
  if (x.dim() == 2)
    return addmm(bias, x, weight.t());
  return matmul(x, weight.t()) + bias;
}

Tensor baddbmm(const Tensor &self, const Tensor &a, const Tensor &b, const Scalar &beta,
               const Scalar &alpha) {
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
      a = a.sum(d, true);
      b = b.sum(d, true);
    }
    (d >= outer ? inner : inA && inB ? batch : inA ? onlyA : onlyB).push_back(d);
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
      shape.push_back(std::max(a.size(d), b.size(d)));
    }
  return product.reshape(shape).permute(back);
}

} // namespace

Tensor einsum(std::string_view equation, TensorList operands) {
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
  TORCH_CHECK(text.find('.') == std::string::npos, "einsum(): ellipses are not supported");
  std::string output;
  std::map<char, int> uses;
  for (const std::string &input : inputs)
    for (char c : input)
      ++uses[c];
  if (arrow != std::string::npos)
    output = text.substr(arrow + 2);
  else
    for (auto [letter, count] : uses)
      if (count == 1)
        output.push_back(letter);
  std::string all = output;
  for (auto [letter, count] : uses)
    if (output.find(letter) == std::string::npos)
      all.push_back(letter);
  for (char c : output)
    TORCH_CHECK(uses.contains(c), "einsum(): output subscript ", c,
                " does not appear in the equation for any input operand");
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    TORCH_CHECK(static_cast<int64_t>(inputs[i].size()) == operands[i].dim(),
                "einsum(): the number of subscripts in the equation (", inputs[i].size(),
                ") does not match the number of dimensions (", operands[i].dim(), ") for operand ",
                i, " and no ellipsis was given");
    parts.push_back(aligned(operands[i], inputs[i], all));
  }
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
Tensor Tensor::matmul(const Tensor &other) const { return runtime::matmul(*this, other); }
Tensor Tensor::mm(const Tensor &other) const { return runtime::mm(*this, other); }
Tensor Tensor::bmm(const Tensor &other) const { return runtime::bmm(*this, other); }
Tensor Tensor::mv(const Tensor &other) const { return runtime::mv(*this, other); }
Tensor Tensor::dot(const Tensor &other) const { return runtime::dot(*this, other); }

} // namespace gradtidy::runtime
