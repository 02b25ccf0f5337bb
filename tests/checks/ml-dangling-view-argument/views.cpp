// Views of shapes and lists, and what they look over.
#include <torch/torch.h>

#include <array>
#include <vector>

using torch::IntArrayRef;
using torch::Tensor;

void braces_bad() {
  IntArrayRef shape = {2, -3}; // expect: ml-dangling-view-argument (level 1): 'shape' refers
  torch::zeros(shape);
}

void braces_of_variables_bad(int64_t n, int64_t m) {
  torch::IntArrayRef shape{n, m}; // expect: ml-dangling-view-argument (level 0): a braced list
  torch::zeros(shape);
  const auto other = torch::IntArrayRef({n, m}); // expect: ml-dangling-view-argument
  torch::zeros(other);
}

std::vector<int64_t> sizesOf(int64_t n);

void vectors_bad(int64_t n) {
  IntArrayRef a = std::vector<int64_t>{n, n}; // expect: ml-dangling-view-argument: a temporary list
  IntArrayRef b = sizesOf(n); // expect: ml-dangling-view-argument: that is returned here
  IntArrayRef c(std::vector<int64_t>(3, n)); // expect: ml-dangling-view-argument
  torch::zeros(a), torch::zeros(b), torch::zeros(c);
}

void number_bad(int n) {
  IntArrayRef shape = n; // expect: ml-dangling-view-argument: a temporary number
  torch::zeros(shape);
}

void tensors_bad(Tensor x, Tensor y) {
  torch::TensorList list = {x, y}; // expect: ml-dangling-view-argument
  torch::cat(list);
}

void assigned_bad(IntArrayRef shape, int64_t n) {
  shape = sizesOf(n); // expect: ml-dangling-view-argument: what is kept
  torch::zeros(shape);
}

void optional_bad(int64_t n) {
  torch::OptionalArrayRef<int64_t> shape = IntArrayRef({n, 3}); // expect: ml-dangling-view-argument
  torch::zeros(*shape);
}

void shape_bad(Tensor a, Tensor b) {
  auto sizes = (a + b).sizes(); // expect: ml-dangling-view-argument (level 0): the shape of a
  torch::zeros(sizes);
  auto viewed = a.view({-1, 2}).sizes(); // expect: ml-dangling-view-argument (level 0)
  torch::zeros(viewed);
  auto rest = a.unsqueeze(0).sizes().slice(1); // expect: ml-dangling-view-argument (level 0)
  torch::zeros(rest);
  auto strides = a.clone().strides(); // expect: ml-dangling-view-argument (level 0)
  torch::zeros(strides);
}

Tensor replaced_bad(Tensor a) {
  auto x = a.square();
  auto shape = x.sizes(); // expect: ml-dangling-view-argument (level 1): the shape of 'x'
  x = x.flatten();
  return x.view(shape);
}

Tensor replaced_ok(Tensor a, Tensor b, bool asks) {
  auto shape = b.sizes();
  b = b.flatten(); // The caller may hold what it was.
  auto x = a.square();
  auto used = x.sizes();
  x = x.view(used).flatten();
  auto y = a.square();
  auto sizes = y.sizes().vec();
  y = y.flatten();
  auto z = a.square();
  auto other = z.sizes();
  if (asks)
    z = z.flatten();
  else
    z.view(other);
  return x.view(shape) + y.view(sizes);
}

void perhaps_bad(Tensor a, torch::nn::Linear net) {
  auto sizes = a.cpu().sizes(); // expect: ml-dangling-view-argument (level 1)
  torch::zeros(sizes);
  auto outputs = net(a).sizes(); // expect: ml-dangling-view-argument (level 1)
  torch::zeros(outputs);
}

IntArrayRef returned_bad(int64_t n) {
  return {n, n}; // expect: ml-dangling-view-argument: the view that is returned is of a braced list
}

IntArrayRef of_a_local_bad(int64_t n) {
  std::vector<int64_t> sizes = {n, n};
  return sizes; // expect: ml-dangling-view-argument: of 'sizes', which ends here
}

struct Reshape {
  Reshape() : shape({1, 3}) {} // expect: ml-dangling-view-argument: what is kept refers to
  Tensor forward(Tensor x) { return x.view(shape); }
  IntArrayRef shape;
};

struct Defaulted {
  Tensor forward(Tensor x) { return x.view(shape); }
  std::vector<int64_t> shape = {1, 3};
};

void loop_bad(Tensor a, Tensor b) {
  for (int64_t size : (a + b).sizes()) // expect: ml-dangling-view-argument: refers to the shape
    torch::zeros({size});
}

// --- silent

void arguments_ok(Tensor x, int64_t n) {
  torch::zeros({n, 3});
  x.view({n, -1});
  x.view(std::vector<int64_t>{n, n});
  x.view((x + x).sizes());
  torch::zeros(x.view({-1}).sizes());
  torch::zeros(sizesOf(n));
}

void shapes_ok(Tensor x, torch::nn::Linear net, const Tensor &y) {
  auto a = x.sizes();
  auto b = net->weight.sizes();
  auto c = net->parameters()[0].sizes();
  auto d = y.sizes().slice(1);
  auto e = (x + y).sizes().vec();
  std::vector<int64_t> f = {1, 2};
  IntArrayRef g = f;
  std::array<int64_t, 2> h{1, 2};
  IntArrayRef i = h;
  int64_t j = 3;
  IntArrayRef k = j;
  IntArrayRef l = {};
  const int64_t m[] = {1, 2};
  IntArrayRef n = m;
  IntArrayRef o(f.data(), 2);
  torch::zeros(a), torch::zeros(b), torch::zeros(c), torch::zeros(d), torch::zeros(e);
  torch::zeros(g), torch::zeros(i), torch::zeros(k), torch::zeros(l), torch::zeros(n);
  torch::zeros(o);
}

IntArrayRef of_an_argument_ok(const Tensor &x) { return x.sizes(); }
IntArrayRef of_the_callers_ok(const std::vector<int64_t> &sizes) { return sizes; }
IntArrayRef of_a_static_ok() {
  static const std::vector<int64_t> sizes = {1, 2};
  return sizes;
}
std::vector<int64_t> copied_ok(Tensor x) { return (x + x).sizes().vec(); }
void number_of_ok(Tensor a, Tensor b) {
  const int64_t size = (a + b).sizes()[0];
  torch::zeros({size});
}

Tensor stored(int index);
void of_the_user_ok() {
  auto sizes = stored(1).sizes();
  torch::zeros(sizes);
}

void unused_ok() { IntArrayRef shape = {2, 3}; }

struct Space {
  const char *kind;
  IntArrayRef shape;
};

void in_an_object_bad(int64_t n) {
  Space space{"discrete", {n}}; // expect: ml-dangling-view-argument (level 0): 'space' refers to a braced list
  torch::zeros(space.shape);
}

void in_an_object_ok(const std::vector<int64_t> &sizes) {
  Space space{"discrete", sizes};
  torch::zeros(space.shape);
  torch::zeros(Space{"discrete", {1, 2}}.shape);
}
