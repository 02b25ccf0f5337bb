// The operations that tests run on the host and on a device.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <vector>

/// One operation of two 3 x 4 matrices of floating point numbers in (0.2, 1).
struct DeviceOperation {
  const char *name;
  std::function<torch::Tensor(const torch::Tensor &, const torch::Tensor &)> operation;
};

/// Most operations, which give on a device what they give on the host.
inline const std::vector<DeviceOperation> &deviceOperations() {
  using torch::Tensor;
  static const std::vector<DeviceOperation> table = {
    {"add", [](auto &a, auto &b) { return a.add(b, 2); }},
    {"sub number", [](auto &a, auto &b) { return 1 - a - b[0]; }},
    {"mul", [](auto &a, auto &b) { return a * b.t().contiguous().t(); }},
    {"div", [](auto &a, auto &b) { return a / b; }},
    {"pow", [](auto &a, auto &b) { return a.pow(b) + a.pow(3); }},
    {"remainder", [](auto &a, auto &b) { return (a * 5).remainder(0.7) + b; }},
    {"maximum", [](auto &a, auto &b) { return torch::maximum(a, b) * torch::minimum(a, b); }},
    {"addcmul", [](auto &a, auto &b) { return a.addcmul(a, b, 3).addcdiv(a, b, 2); }},
    {"lerp", [](auto &a, auto &b) { return a.lerp(b, 0.3); }},
    {"exp", [](auto &a, auto &b) { return a.exp() + b.log() + a.log1p() + b.expm1(); }},
    {"sqrt", [](auto &a, auto &b) { return a.sqrt() + b.rsqrt() + a.reciprocal() + b.square(); }},
    {"sin", [](auto &a, auto &b) { return a.sin() * b.cos() + a.erf(); }},
    {"trigonometry", [](auto &a, auto &b) { return a.tan() + b.asinh() * a.acos() - b.atanh(); }},
    {"logarithms", [](auto &a, auto &b) { return a.log2() + b.exp2() - (a - b).erfinv(); }},
    {"nan_to_num", [](auto &a, auto &b) { return (a / (b - b[0])).detach().nan_to_num(1, 2, 3) + a; }},
    {"bits", [](auto &a, auto &b) { return ((a > 0.5) ^ (b > 0.5)) & ~(a > b); }},
    {"diag", [](auto &a, auto &b) { return torch::diag(a[0]) * b.rot90().trace() + b.diag().sum(); }},
    {"cdist", [](auto &a, auto &b) { return torch::cdist(a, b) + torch::cdist(a, b, 1); }},
    {"cross", [](auto &a, auto &b) { return torch::cross(a, b, 0); }},
    {"attention", [](auto &a, auto &b) {
       return torch::scaled_dot_product_attention(a, b, b, {}, 0, true);
     }},
    {"index_fill", [](auto &a, auto &b) { return a.index_fill(1, b.argmax(1), 2) * b; }},
    {"masked_scatter", [](auto &a, auto &b) { return a.masked_scatter(a > b, b * 2); }},
    {"tanh", [](auto &a, auto &b) { return a.tanh() * b.sigmoid(); }},
    {"relu", [](auto &a, auto &b) { return (a - b).relu() + torch::leaky_relu(a - 0.5); }},
    {"gelu", [](auto &a, auto &b) { return torch::gelu(a) + torch::elu(b - 0.5); }},
    {"abs", [](auto &a, auto &b) { return (a - b).abs() + (a - b).sign() - (a * 4).floor(); }},
    {"clamp", [](auto &a, auto &b) { return a.clamp(0.3, 0.6) + b.clamp_min(0.5); }},
    {"where", [](auto &a, auto &b) { return torch::where(a > b, a, b * 2); }},
    {"compare", [](auto &a, auto &b) { return a.lt(b).logical_and(a.ge(0.4)).to(a.dtype()); }},
    {"masked_fill", [](auto &a, auto &b) { return a.masked_fill(b > 0.5, -1); }},
    {"sum", [](auto &a, auto &b) { return a.sum(0) * b.sum() + a.sum({0, 1}); }},
    {"mean", [](auto &a, auto &b) { return a.mean(1, true) * b.mean(); }},
    {"var", [](auto &a, auto &b) { return a.var(1) + b.std(1); }},
    {"prod", [](auto &a, auto &b) { return a.prod() + b.prod(); }},
    {"max", [](auto &a, auto &b) { return std::get<0>(a.max(1)) + b.max() - b.min(); }},
    {"argmax", [](auto &a, auto &b) { return a.argmax(1) + b.argmin(); }},
    {"norm", [](auto &a, auto &b) { return a.norm() + b.norm(1, {0}); }},
    {"cumsum", [](auto &a, auto &b) { return a.cumsum(1) * b; }},
    {"cumprod", [](auto &a, auto &b) { return a.cumprod(0) + (b - b[0][0]).cumprod(1); }},
    {"cummax", [](auto &a, auto &b) { return std::get<0>(a.cummax(1)) - std::get<0>(b.cummin(0)); }},
    {"prod over", [](auto &a, auto &b) { return a.prod(1) + b.prod(1, true).sum(); }},
    {"median", [](auto &a, auto &b) { return std::get<0>(a.median(1)) + b.median(); }},
    {"unique", [](auto &a, auto &b) {
       auto [values, inverse, counts] = torch::_unique2((a * 4).round(), true, true, true);
       return values.detach().sum() + (inverse * b).sum() + counts.max();
     }},
    {"logsumexp", [](auto &a, auto &b) { return a.logsumexp({1}) + b.logsumexp({0, 1}); }},
    {"sort", [](auto &a, auto &b) { return std::get<0>(a.sort(1, true)) * b.argsort(0, false); }},
    {"topk", [](auto &a, auto &b) { return std::get<0>(a.topk(2, 1)) + b.slice(1, 0, 2); }},
    {"softmax", [](auto &a, auto &b) { return a.softmax(1) * b.log_softmax(0); }},
    {"matmul", [](auto &a, auto &b) { return a.matmul(b.t()).mm(a); }},
    {"bmm", [](auto &a, auto &b) { return a.expand({2, 3, 4}).bmm(b.t().expand({2, 4, 3})); }},
    {"addmm", [](auto &a, auto &b) { return torch::addmm(a[0][0], a, b.t(), 2, 3); }},
    {"mv", [](auto &a, auto &b) { return a.mv(b[0]) + torch::dot(a[1], b[1]); }},
    {"linear", [](auto &a, auto &b) { return torch::linear(a, b, b.sum(1)); }},
    {"views", [](auto &a, auto &b) { return a.view({4, 3}).t().flip(0) * b.diagonal().sum(); }},
    {"unfold", [](auto &a, auto &b) { return a.unfold(1, 2, 1) * b.repeat({2, 1})[0][0]; }},
    {"cat", [](auto &a, auto &b) { return torch::cat({a, b}, 1) * torch::stack({a, b}).sum(); }},
    {"tril", [](auto &a, auto &b) { return a.tril() + b.triu(1); }},
    {"index", [](auto &a, auto &b) { return a.index({torch::tensor({2, 0, 2})}) + b[1]; }},
    {"index_put", [](auto &a, auto &b) {
       return (a * 1).index_put_({torch::tensor({0, 1})}, b.slice(0, 1));
     }},
    {"index_select", [](auto &a, auto &b) { return a.index_select(1, b.argmax(1)); }},
    {"gather", [](auto &a, auto &b) { return a.gather(1, b.argsort(1, false)); }},
    {"scatter", [](auto &a, auto &b) { return a.scatter(1, a.argsort(1, false), b * 2); }},
    {"scatter_add", [](auto &a, auto &b) {
       return (a * 1).scatter_add_(0, b.argsort(0, false).slice(0, 0, 2), b.slice(0, 1));
     }},
    {"embedding", [](auto &a, auto &b) { return torch::embedding(a, b.argmax(0)); }},
    {"one_hot", [](auto &a, auto &b) { return torch::one_hot(a.argmax(1), 4) * b; }},
    {"nll_loss", [](auto &a, auto &b) { return torch::nll_loss(a, b.argmax(1), b[0].detach()); }},
    {"cross_entropy", [](auto &a, auto &b) {
       return torch::cross_entropy_loss(a, b.argmax(1), {}, 1, 2, 0.1);
     }},
    {"bce", [](auto &a, auto &b) {
       return torch::binary_cross_entropy(a, b) + torch::binary_cross_entropy_with_logits(b, a);
     }},
    {"smooth_l1", [](auto &a, auto &b) { return torch::smooth_l1_loss(a * 3, b); }},
    {"batch_norm", [](auto &a, auto &b) {
       return torch::batch_norm(a, b[0], b[1], b[2].detach(), b[2].detach() + 1, true, 0.1, 1e-5,
                                false);
     }},
    {"layer_norm", [](auto &a, auto &b) { return torch::layer_norm(a, {4}, b[0], b[1]); }},
    {"group_norm", [](auto &a, auto &b) {
       return torch::group_norm(a.view({1, 4, 3}), 2, b[0], b[1]) +
              torch::instance_norm(a.view({1, 4, 3}), b[0], b[1], {}, {}, true, 0.1, 1e-5, false);
     }},
    {"conv", [](auto &a, auto &b) {
       return torch::conv1d(a.unsqueeze(0), b.view({2, 3, 2}), a[0].slice(0, 0, 2), 1, 1);
     }},
    {"conv_transpose", [](auto &a, auto &b) {
       return torch::conv_transpose2d(a.view({1, 2, 2, 3}), b.view({2, 1, 2, 3}), {}, 2, 1);
     }},
    {"max_pool", [](auto &a, auto &b) {
       auto [values, indices] = torch::max_pool2d_with_indices(a.view({1, 3, 4}), 2, 1, 1);
       return values * indices + torch::max_pool1d(b.t(), 3, 2).sum();
     }},
    {"avg_pool", [](auto &a, auto &b) {
       return torch::avg_pool1d(a, 2, 1, 1, true, false) + torch::adaptive_avg_pool1d(b, 3)[0][0];
     }},
    {"adaptive_max_pool", [](auto &a, auto &b) {
       return std::get<0>(torch::adaptive_max_pool2d((a * b).unsqueeze(0), {2, 3}));
     }},
    {"pad", [](auto &a, auto &b) {
       namespace F = torch::nn::functional;
       return F::pad(a, F::PadFuncOptions({1, 2}).mode(torch::kReflect)) *
              F::pad(b, F::PadFuncOptions({2, 1}).value(3));
     }},
    {"interpolate", [](auto &a, auto &b) {
       namespace F = torch::nn::functional;
       auto options = F::InterpolateFuncOptions().size(std::vector<int64_t>{5, 6});
       return F::interpolate(a.view({1, 1, 3, 4}), options.mode(torch::kBilinear)) *
              F::interpolate(b.view({1, 1, 3, 4}), options.mode(torch::kNearest));
     }},
    {"einsum", [](auto &a, auto &b) { return torch::einsum("ij,kj->ik", {a, b}); }},
    {"amax", [](auto &a, auto &b) { return a.amax({1}) - b.amin({0, 1}); }},
    {"any", [](auto &a, auto &b) { return (a > b).any(1).logical_and((a < 2 * b).all(1)); }},
    {"repeat_interleave", [](auto &a, auto &b) { return a.repeat_interleave(2, 0) * b[0]; }},
    {"activations", [](auto &a, auto &b) {
       return torch::selu(a - b) + torch::celu(b - a) + torch::hardshrink(a) +
              torch::softshrink(b) + torch::threshold(a, 0.5, 2) + torch::hardtanh(a, 0.3, 0.7);
     }},
    {"in place", [](auto &a, auto &b) {
       Tensor c = a * 1;
       c.slice(1, 1, 3).mul_(b.slice(1, 0, 2)).add_(1);
       return c.clamp_(0.1, 1.5).exp_();
     }},
    {"integers", [](auto &a, auto &b) {
       return (a * 100).to(torch::kLong) / 7 + (b * 9).to(torch::kInt).sum(1, true);
     }},
};
  return table;
}
