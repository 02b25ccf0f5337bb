// Who keeps the pointer, and how long the tensor lives.
#include <torch/torch.h>

#include <cstring>
#include <string>
#include <vector>

using torch::Tensor;

void use(const float *values);

void copy_bad(Tensor x) {
  float *p = x.clone().data_ptr<float>(); // expect: ml-dangling-data-ptr (level 0): 'p' keeps
  use(p);
}

void sum_bad(Tensor a, Tensor b) {
  float *p = (a + b).data_ptr<float>(); // expect: ml-dangling-data-ptr (level 0)
  p[0] = 1;
}

void cast_bad(Tensor a) {
  auto *p = (float *)torch::exp(a).data_ptr() + 3; // expect: ml-dangling-data-ptr (level 0)
  use(p);
}

void view_bad(Tensor a) {
  auto p = a.mul(a).view({-1}).data_ptr<float>(); // expect: ml-dangling-data-ptr (level 0)
  use(p);
}

void in_place_bad(Tensor a) {
  auto p = a.clone().mul_(2).data_ptr<float>(); // expect: ml-dangling-data-ptr (level 0)
  use(p);
}

void factory_bad() {
  float *p = torch::zeros({3}).data_ptr<float>(); // expect: ml-dangling-data-ptr (level 0)
  p[0] = 1;
}

void list_bad(Tensor a, Tensor b) {
  const auto *p = torch::cat({a, b}).data_ptr<float>(); // expect: ml-dangling-data-ptr (level 0)
  use(p);
}

void part_bad(Tensor a) {
  const auto *p = std::get<0>(a.max(1)).data_ptr<float>(); // expect: ml-dangling-data-ptr (level 0)
  use(p);
}

const float *returned_bad(Tensor a) {
  return a.exp().data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix) (level 0): this
}

void assigned_bad(Tensor a) {
  const float *p = nullptr;
  p = a.exp().data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix) (level 0): 'p' keeps
  use(p);
}

struct Engine {
  void bind_bad(Tensor a) {
    input = a.exp().data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix) (level 0)
  }
  void collect_bad(Tensor a) {
    buffers.push_back(a.exp().data_ptr<float>()); // expect: ml-dangling-data-ptr (no fix)
  }
  float *input = nullptr;
  std::vector<float *> buffers;
};

struct Inputs {
  float *means, *scales;
};

Inputs of_a_struct_bad(Tensor means) {
  Inputs inputs;
  inputs.means = means.exp().data_ptr<float>();  // expect: ml-dangling-data-ptr (no fix)
  inputs.scales = means.cpu().data_ptr<float>(); // expect: ml-dangling-data-ptr (no fix) (level 1)
  return inputs;
}

void wrapped_bad(Tensor a) {
  auto b = a.exp();
  auto t = torch::from_blob(b.exp().data_ptr(), {3}); // expect: ml-dangling-data-ptr (level 0)
  t.sum();
}

// --- what may be the same tensor

void to_the_host_bad(Tensor x) {
  const float *p = x.cpu().data_ptr<float>(); // expect: ml-dangling-data-ptr (level 1)
  use(p);
}

void from_the_gpu_bad(Tensor x) {
  Tensor y = x.to(torch::Device(torch::kCUDA, 0));
  auto *p = y.to(torch::kCPU).data_ptr<float>(); // expect: ml-dangling-data-ptr (level 0)
  use(p);
}

void of_another_type_bad(Tensor x) {
  float *p = x.to(torch::kFloat).data_ptr<float>(); // expect: ml-dangling-data-ptr (level 1)
  use(p);
}

void packed_bad(Tensor x) {
  auto p = x.contiguous().data_ptr<float>(); // expect: ml-dangling-data-ptr (level 2)
  use(p);
}

void permuted_bad(Tensor x) {
  auto y = x.permute({1, 0});
  auto p = y.contiguous().data_ptr<float>(); // expect: ml-dangling-data-ptr (level 0)
  use(p);
}

void several_bad(Tensor x) {
  auto p = x.cpu().contiguous().data_ptr<float>(); // expect: ml-dangling-data-ptr (level 1)
  use(p);
}

void outputs_bad(torch::nn::Linear net, Tensor x) {
  auto p = net(x).data_ptr<float>(); // expect: ml-dangling-data-ptr (level 1)
  use(p);
}

void script_bad(torch::jit::Module module, std::vector<torch::jit::IValue> inputs) {
  auto p = module.forward(inputs).toTensor().data_ptr<float>(); // expect: ml-dangling-data-ptr
  use(p);
}

// --- silent

void at_once_ok(Tensor x, float *values) {
  std::memcpy(values, x.cpu().data_ptr<float>(), 12);
  use(x.exp().data_ptr<float>());
  float first = *x.exp().data_ptr<float>();
  float second = x.exp().data_ptr<float>()[1];
  std::vector<float> list(x.exp().data_ptr<float>(), x.exp().data_ptr<float>() + 0);
  values[0] = first + second + list[0];
}

void named_ok(Tensor x) {
  auto y = x.cpu().contiguous();
  const float *p = y.data_ptr<float>();
  const auto &z = x.exp();
  const float *q = z.data_ptr<float>();
  use(p);
  use(q);
}

void views_ok(Tensor x, torch::nn::Linear net) {
  float *p = x.view({-1}).data_ptr<float>();
  float *q = x[0].data_ptr<float>();
  float *r = x.detach().data_ptr<float>();
  float *s = net->weight.data().data_ptr<float>();
  float *t = net->parameters()[0].data_ptr<float>();
  float *u = net->weight.grad().data_ptr<float>();
  use(p), use(q), use(r), use(s), use(t), use(u);
}

void on_the_host_ok() {
  auto x = torch::rand({3});
  auto p = x.cpu().data_ptr<float>();
  auto q = x.to(torch::kCPU).data_ptr<float>();
  auto r = x.contiguous().data_ptr<float>();
  use(p), use(q), use(r);
}

void asked_ok(Tensor x) {
  if (!x.is_contiguous())
    return;
  auto p = x.contiguous().data_ptr<float>();
  use(p);
}

void packed_before_ok(Tensor x) {
  auto y = x.cpu().contiguous();
  auto p = y.contiguous().data_ptr<float>();
  x = x.contiguous();
  auto q = x.contiguous().data_ptr<float>();
  use(p), use(q);
}

Tensor stored(int index);
void of_the_user_ok() {
  auto p = stored(1).data_ptr<float>();
  use(p);
}

void unused_ok(Tensor x) { auto p = x.exp().data_ptr<float>(); }

void copied_ok(Tensor x) {
  auto t = torch::from_blob(x.exp().data_ptr<float>(), {3}).clone();
  t.sum();
}

void kept_alive_ok(Tensor x) {
  auto held = x.exp();
  auto t = torch::from_blob(held.data_ptr<float>(), {3}, [held](void *) {});
  t.sum();
}

void script_ok(torch::jit::Module module, std::vector<torch::jit::IValue> inputs) {
  auto output = module.forward(inputs);
  auto p = output.toTensor().data_ptr<float>();
  use(p);
}

bool compared_ok(Tensor x) { return x.exp().data_ptr() == x.data_ptr(); }

// Lists of lists and of strings copy what is there.
std::vector<std::vector<float>> copied_ok(const std::vector<Tensor> &maps) {
  std::vector<std::vector<float>> rows;
  std::vector<std::string> names;
  for (const Tensor &map : maps) {
    auto values = map.exp();
    const float *begin = values.data_ptr<float>();
    rows.emplace_back(begin, begin + 4);
    names.emplace_back(static_cast<const char *>(values.data_ptr()));
  }
  return names.empty() ? std::vector<std::vector<float>>() : rows;
}
