// Loop variables that are copies of the handles in a list.
#include <torch/torch.h>

#include <array>
#include <map>
#include <string>

void moved_bad(std::vector<torch::Tensor> &tensors, torch::Device device) {
  for (auto t : tensors)
    t = t.to(device); // expect: ml-rebound-handle: 't' is a copy of the handle: the list keeps
}

void typed_bad(std::vector<torch::Tensor> &tensors) {
  for (torch::Tensor t : tensors)
    t = t / 255; // expect: ml-rebound-handle: the list keeps the tensor that it has
}

void own_list_bad(torch::Tensor x) {
  std::vector<torch::Tensor> parts = {x[0], x[1]};
  for (auto part : parts)
    part = (part - part.mean()) / part.norm(); // expect: ml-rebound-handle: 'part' is a copy
  torch::stack(parts).print();
}

void block_bad(std::vector<torch::Tensor> &tensors, torch::Device device) {
  for (auto t : tensors) {
    t = t.to(device); // expect: ml-rebound-handle
  }
}

void function_bad(std::vector<torch::Tensor> &tensors) {
  for (auto t : tensors)
    t = torch::relu(t); // expect: ml-rebound-handle
}

void condition_bad(std::vector<torch::Tensor> &tensors) {
  for (auto t : tensors)
    if (t.requires_grad())
      t = t.detach(); // expect: ml-rebound-handle
}

void read_before_bad(std::vector<torch::Tensor> &tensors, double bound) {
  for (auto t : tensors) {
    auto norm = t.norm().item<double>();
    if (norm > bound)
      t = t * (bound / norm); // expect: ml-rebound-handle
  }
}

void other_tensor_bad(std::vector<torch::Tensor> &tensors) {
  for (auto t : tensors)
    t = torch::zeros_like(t); // expect: ml-rebound-handle
}

void nested_bad(std::vector<std::vector<torch::Tensor>> &lists) {
  for (auto &list : lists)
    for (auto t : list)
      t = t.cpu(); // expect: ml-rebound-handle
}

void twice_bad(std::vector<torch::Tensor> &tensors, torch::Device device) {
  for (auto t : tensors) {
    t = t / 255;
    t = t.to(device); // expect: ml-rebound-handle
  }
}

struct Batch {
  void move_bad(torch::Device device) {
    for (auto part : parts)
      part = part.to(device); // expect: ml-rebound-handle
  }
  std::vector<torch::Tensor> parts;
  std::array<torch::Tensor, 2> pair;
};

void of_a_member_bad(Batch &batch) {
  for (auto part : batch.pair)
    part = part.contiguous(); // expect: ml-rebound-handle
}

// Elements that cannot be changed.
void constant_bad(const std::vector<torch::Tensor> &tensors) {
  for (auto t : tensors)
    t = t.cuda(); // expect: ml-rebound-handle (no fix)
}

void listed_bad(torch::Tensor x, torch::Tensor y, torch::Device device) {
  for (auto t : {x, y})
    t = t.to(device); // expect: ml-rebound-handle (no fix)
  (x + y).print();
}

void buffers_bad(torch::nn::Linear net, torch::Device device) {
  for (auto buffer : net->buffers())
    buffer = buffer.to(device); // expect: ml-rebound-handle (no fix)
}

void binding_bad(std::map<std::string, torch::Tensor> &tensors) {
  for (auto [name, t] : tensors)
    t = t.cpu(); // miss: ml-rebound-handle: what a binding names is no variable
}

// ---- references

void reference_ok(std::vector<torch::Tensor> &tensors, torch::Device device) {
  for (auto &t : tensors)
    t = t.to(device);
  for (torch::Tensor &t : tensors)
    t = t.cpu();
  for (auto &&t : tensors)
    t = t / 2;
}

void bindings_ok(std::map<std::string, torch::Tensor> &tensors, torch::Device device) {
  for (auto &[name, t] : tensors)
    t = t.to(device);
  for (auto &entry : tensors)
    entry.second = entry.second / 2;
}

void indices_ok(std::vector<torch::Tensor> &tensors, torch::Device device) {
  for (size_t i = 0; i < tensors.size(); ++i)
    tensors[i] = tensors[i].to(device);
  for (auto next = tensors.begin(); next != tensors.end(); ++next)
    *next = next->cpu();
}

struct Sample {
  torch::Tensor data, target;
};
void members_ok(std::vector<Sample> &samples) {
  for (auto &sample : samples)
    sample.data = sample.data / 255;
}

void pointers_ok(const std::vector<torch::Tensor *> &tensors) {
  for (auto t : tensors)
    *t = t->cpu();
}

// ---- the new value is read

void used_ok(const std::vector<torch::Tensor> &batches, torch::nn::Linear net,
             torch::Device device) {
  for (auto batch : batches) {
    batch = batch.to(device);
    net(batch).mean().backward();
  }
}

std::vector<torch::Tensor> collected_ok(const std::vector<torch::Tensor> &tensors) {
  std::vector<torch::Tensor> moved;
  for (auto t : tensors) {
    t = t.cuda();
    moved.push_back(t);
  }
  return moved;
}

void moved_into_a_list_ok(const std::vector<torch::Tensor> &tensors,
                          std::vector<torch::Tensor> &scaled) {
  for (auto t : tensors) {
    t = t / 255;
    scaled.emplace_back(std::move(t));
  }
}

torch::Tensor first_ok(const std::vector<torch::Tensor> &tensors) {
  for (auto t : tensors) {
    t = t.detach();
    if (t.norm().item<double>() > 1)
      return t;
  }
  return {};
}

void on_a_path_ok(const std::vector<torch::Tensor> &tensors, bool verbose) {
  for (auto t : tensors) {
    t = t.detach();
    if (verbose)
      t.print();
  }
}

void in_a_sum_ok(const std::vector<torch::Tensor> &tensors) {
  double total = 0;
  for (auto t : tensors)
    total += (t = t.abs()).sum().item<double>();
}

void in_an_inner_loop_ok(const std::vector<torch::Tensor> &tensors) {
  for (auto t : tensors)
    for (int i = 0; i < 3; ++i) {
      t.print();
      t = t * 0.5;
    }
}

void captured_ok(const std::vector<torch::Tensor> &tensors) {
  std::vector<std::function<void()>> prints;
  for (auto t : tensors) {
    t = t.cpu();
    prints.push_back([t] { t.print(); });
  }
}

void show(const torch::Tensor &t);
void captured_before_ok(const std::vector<torch::Tensor> &tensors) {
  for (auto t : tensors) {
    auto print = [&] { show(t); };
    t = t.cpu();
    print();
  }
}

// The value before is what was wanted, and the new one is for the next statement.
void shifted_ok(const std::vector<torch::Tensor> &tensors, torch::Tensor last) {
  for (auto t : tensors) {
    std::swap(t, last);
    last = last + t;
  }
  last.print();
}

// ---- in place

void in_place_ok(std::vector<torch::Tensor> &tensors, torch::Tensor v) {
  for (auto t : tensors)
    t += 1;
  for (auto t : tensors)
    t.mul_(2);
  for (auto t : tensors)
    t.copy_(v);
  for (auto t : tensors)
    t.set_data(t.cpu());
  for (auto t : tensors)
    t[0] = v;
  for (auto t : tensors)
    t.data() = v;
  for (auto t : tensors)
    t.mutable_grad() = torch::Tensor();
}

// ---- memory that is given back

void released_ok(const std::vector<torch::Tensor> &tensors) {
  for (auto t : tensors) {
    t.sum().backward();
    t = torch::Tensor();
  }
  for (auto t : tensors) {
    t.print();
    t.reset();
  }
}

// ---- what is no tensor, or no element

void numbers_ok(std::vector<double> &values, std::vector<std::string> &names) {
  for (auto value : values)
    value = value * 2;
  for (auto name : names)
    name = name + ".pt";
}

void modules_ok(std::vector<torch::nn::Linear> &layers, torch::nn::Linear other) {
  for (auto layer : layers)
    layer = other;
}

void outer_variable_ok(const std::vector<torch::Tensor> &tensors) {
  torch::Tensor last;
  for (auto t : tensors)
    last = t.detach();
  last.print();
}

void largest_ok(const std::vector<torch::Tensor> &tensors) {
  auto best = tensors[0];
  for (auto t : tensors)
    if (t.norm().item<double>() > best.norm().item<double>())
      best = t;
  best.print();
}

// ml-manual-update-graph speaks of these.
void parameters_ok(torch::nn::Linear net, torch::Device device) {
  for (auto p : net->parameters())
    p = p.to(device);
  for (auto p : net->parameters())
    p = p - 0.1 * p.grad();
}
