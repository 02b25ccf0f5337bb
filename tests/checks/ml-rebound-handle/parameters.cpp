// Parameters by value are copies of the caller's handles.
#include <torch/torch.h>

void move_bad(torch::Tensor t, torch::Device device) {
  t = t.to(device); // expect: ml-rebound-handle (no fix): 't' is a copy of the caller's handle
}

void normalise_bad(torch::Tensor x) {
  x = x / x.norm(); // expect: ml-rebound-handle (no fix): the caller's tensor stays as it is
}

void move_both_bad(torch::Tensor data, torch::Tensor target, torch::Device device) {
  data = data.to(device);     // expect: ml-rebound-handle (no fix): 'data' is a copy
  target = target.to(device); // expect: ml-rebound-handle (no fix): 'target' is a copy
}

void clip_bad(torch::Tensor x, double bound) {
  const double norm = x.norm().item<double>();
  if (norm > bound)
    x = x * (bound / norm); // expect: ml-rebound-handle (no fix): 'x' is a copy
}

void activate_bad(torch::Tensor x) {
  x = torch::relu(x); // expect: ml-rebound-handle (no fix): 'x' is a copy
}

void freeze_bad(torch::Tensor w) {
  w = w.detach(); // expect: ml-rebound-handle (no fix): 'w' is a copy
}

void flatten_bad(torch::Tensor x) {
  x = x.view({-1}); // expect: ml-rebound-handle (no fix): 'x' is a copy
}

void of_a_lambda_bad(torch::Tensor x, torch::Device device) {
  auto move = [&](torch::Tensor t) {
    t = t.to(device); // expect: ml-rebound-handle (no fix): 't' is a copy
  };
  move(x);
  x.print();
}

// The parameter hides the member.
struct Layer {
  void set_bad(torch::Tensor weight, torch::Device device) {
    weight = weight.to(device); // expect: ml-rebound-handle (no fix): 'weight' is a copy
  }
  torch::Tensor weight;
};

// ---- the new value is read

torch::Tensor returned_ok(torch::Tensor x, torch::Device device) {
  x = x.to(device);
  return x;
}

torch::Tensor forward_ok(torch::nn::Linear first, torch::nn::Linear second, torch::Tensor x) {
  x = torch::relu(first(x));
  x = x.view({x.size(0), -1});
  x = second(x);
  return torch::log_softmax(x, 1);
}

torch::Tensor assigned_in_the_return_ok(torch::Tensor x) { return x = x.cpu(); }

void used_ok(torch::nn::Linear net, torch::Tensor x, torch::Device device) {
  x = x.to(device);
  net(x).mean().backward();
}

struct Model : torch::nn::Module {
  explicit Model(torch::Tensor w) {
    w = w.clone();
    weight = register_parameter("weight", w);
  }
  void set_ok(torch::Tensor w, torch::Device device) {
    w = w.to(device);
    weight.set_data(w);
  }
  void keep_ok(torch::Tensor w) {
    w = w.detach();
    this->weight = w;
  }
  torch::Tensor weight;
};

void on_a_path_ok(torch::Tensor x, bool verbose) {
  x = x.cpu();
  if (verbose)
    x.print();
}

void by_a_condition_ok(torch::Tensor x) {
  while (x.norm().item<double>() > 1)
    x = x * 0.5;
}

void in_the_next_round_ok(torch::Tensor x) {
  for (int i = 0; i < 10; ++i) {
    x.print();
    x = x * 0.5;
  }
}

void out_ok(torch::Tensor x, torch::Tensor &result) {
  x = x.cpu();
  result = x;
}

void into_a_list_ok(torch::Tensor x, std::vector<torch::Tensor> &results) {
  x = x.cpu();
  results.push_back(std::move(x));
}

std::function<torch::Tensor()> captured_ok(torch::Tensor x) {
  x = x.cpu();
  return [x] { return x; };
}

void captured_by_reference_ok(torch::Tensor x) {
  auto print = [&x] { x.print(); };
  x = x.cpu();
  print();
}

void assigned_in_a_lambda_ok(torch::Tensor x) {
  auto halve = [&] { x = x * 0.5; };
  halve();
  x.print();
}

void address_taken_ok(torch::Tensor x) {
  torch::Tensor *pointer = &x;
  x = x.cpu();
  pointer->print();
}

void alias_ok(torch::Tensor x) {
  torch::Tensor &alias = x;
  x = x.cpu();
  alias.print();
}

void printed_when_it_throws_ok(torch::Tensor x, torch::nn::Linear net) {
  try {
    x = x.cuda();
    net(torch::ones({1, 4}));
  } catch (const std::exception &) {
    x.print();
  }
}

// ---- references, and in place

void reference_ok(torch::Tensor &x, torch::Device device) { x = x.to(device); }

void moved_in_ok(torch::Tensor &&x) { x = x.cpu(); }

void list_ok(std::vector<torch::Tensor> &tensors) { tensors[0] = tensors[0].cpu(); }

void pointer_ok(torch::Tensor *x) { *x = x->cpu(); }

void in_place_ok(torch::Tensor x, torch::Tensor v) {
  x += 1;
  x.copy_(v);
  x[0] = v;
  x.data() = v;
  x.set_data(v);
  x.mutable_grad() = v;
}

void released_ok(torch::Tensor x) {
  x.sum().backward();
  x = torch::Tensor();
}

void released_again_ok(torch::Tensor x) {
  x.sum().backward();
  x.reset();
}

struct Meter {
  void update_ok(torch::Tensor value) {
    last = value.detach();
    total = total + last;
  }
  torch::Tensor last, total;
};

void numbers_ok(double x, std::string name) {
  x = x * 2;
  name = name + ".pt";
}

void module_ok(torch::nn::Linear net) { net = torch::nn::Linear(4, 1); }
