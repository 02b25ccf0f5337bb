// Functions and methods outside of modules that make tensors of tensors, on the device of these.
#include <torch/torch.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

using torch::Tensor;

Tensor with_grid_bad(Tensor input, Tensor anchors) {
  auto x = input.sigmoid();
  auto options = x.options();
  auto grid = torch::linspace(0, 9, 10).repeat({10, 1}).view(x.sizes()).to(options); // expect: ml-create-then-move (no fix)
  return x + grid * anchors;
}

std::tuple<Tensor, Tensor> suppressed_bad(Tensor boxes, Tensor scores, float threshold) {
  int64_t classes = scores.size(1);
  scores = scores.reshape({-1});
  auto labels = torch::arange(classes).to(scores).view({1, -1}).repeat({boxes.size(0), 1}); // expect: ml-create-then-move (no fix)
  return std::make_tuple(boxes, labels);
}

// What is an exception leaves early.
Tensor drop_path_bad(Tensor inputs, double p, bool training) {
  if (!training)
    return inputs;
  auto random = torch::rand({inputs.size(0), 1}); // expect: ml-create-then-move (no fix)
  random = random.to(inputs.device());
  return inputs * random;
}

Tensor checked_bad(Tensor inputs, const std::vector<Tensor> &targets) {
  if (targets.empty())
    throw std::runtime_error("nothing to do");
  Tensor sum = inputs;
  for (const Tensor &target : targets) {
    if (target.numel() == 0)
      continue;
    sum = sum + torch::zeros({9, 2}).to(target.device()); // expect: ml-create-then-move
  }
  return sum;
}

// A method of an object that holds the device.
class Masks {
public:
  explicit Masks(const std::string &name)
      : device(name == "cuda" ? torch::kCUDA : torch::kCPU) {}
  Tensor causal_bad(const Tensor &sequence) {
    int64_t length = sequence.size(1);
    Tensor mask = torch::triu(torch::ones({length, length}, torch::kLong), 1); // expect: ml-create-then-move (no fix)
    mask = mask.unsqueeze(0);
    return mask.to(torch::kFloat).to(device);
  }

private:
  torch::Device device;
};

// What it is told by numbers alone can be made once.
class Tables {
public:
  Tables(torch::Device device) : device(device) {}
  Tensor positions_ok(int64_t length) { return torch::arange(length).to(device); }
  torch::Device device;
};

// Constants of an object, for a module in training.
class Coder {
public:
  explicit Coder(std::vector<float> means, std::vector<float> scales)
      : means(means), scales(scales) {}
  void set(std::vector<float> values) { scales = values; }
  Tensor encode_bad(Tensor base, Tensor boxes) {
    base = base.to(torch::kFloat);
    auto delta = boxes - base;
    return delta - torch::tensor(means).to(base).view({1, 4}); // expect: ml-create-then-move (no fix): these constants
  }
  Tensor scaled_ok(Tensor base) { return base * torch::tensor(scales).to(base); }

private:
  std::vector<float> means;
  std::vector<float> scales;
};

struct HeadImpl : torch::nn::Module {
  HeadImpl() { register_module("fc", fc); }
  std::vector<Tensor> forward(const std::vector<Tensor> &levels) {
    std::vector<Tensor> results;
    for (size_t i = 0; i < levels.size(); ++i) {
      auto result = fc(levels[i]);
      auto level = torch::full({result.size(0)}, 1.0, torch::kLong).to(result.device()); // expect: ml-create-then-move (no fix)
      results.push_back(result + level);
    }
    return results;
  }
  Tensor target(const std::vector<Tensor> &levels) {
    return coder.encode_bad(levels[0], levels[1]) + coder.scaled_ok(levels[0]);
  }
  torch::nn::Linear fc{10, 10};
  Coder coder{{0, 0, 0, 0}, {1, 1, 1, 1}};
};
TORCH_MODULE(Head);
void uses_head(Head head) { head->to(torch::kCUDA); }

// What is in training calls it for some of the layers.
Tensor with_noise_bad(Tensor x) {
  auto noise = torch::rand({x.size(0), 1}) + 0.5; // expect: ml-create-then-move (no fix)
  noise += torch::rand({x.size(0), 1});
  return x * noise.to(x.device());
}
struct BlockImpl : torch::nn::Module {
  explicit BlockImpl(bool skips) : skips(skips) { register_module("fc", fc); }
  Tensor forward(Tensor x) {
    auto y = activation(fc(x));
    if (skips && is_training())
      y = with_noise_bad(y);
    return y;
  }
  torch::nn::Linear fc{10, 10};
  std::function<Tensor(Tensor)> activation = [](Tensor x) { return x.relu(); };
  bool skips;
};
TORCH_MODULE(Block);
struct LazyImpl : torch::nn::Module {
  Tensor forward(Tensor x) {
    if (!noise.defined())
      noise = drawn_ok(x);
    return x * noise;
  }
  Tensor drawn_ok(Tensor x) {
    auto drawn = torch::rand({x.size(0), 1});
    return drawn.to(x.device());
  }
  Tensor noise;
};
TORCH_MODULE(Lazy);

// --- what happens once, or now and then ---------------------------------------------------------

Tensor shifted_ok(Tensor table, torch::Device device) {
  return table + torch::arange(10).to(device);
}
void set_up(torch::Device device) {
  auto table = shifted_ok(torch::ones({10}, device), device);
}

struct CachedImpl : torch::nn::Module {
  Tensor positions_ok(Tensor x) {
    if (positions.defined())
      return positions;
    positions = torch::arange(10).to(x.device());
    return positions;
  }
  Tensor grown_ok(Tensor x) {
    if (!mask.defined() || mask.size(0) < x.size(0))
      mask = torch::ones({x.size(0)}).to(x.device());
    return x * mask;
  }
  Tensor tabulated_ok(Tensor x) {
    if (tables.count(x.size(0)))
      return tables[x.size(0)];
    auto table = torch::ones({x.size(0)}).to(x.device());
    tables[x.size(0)] = table;
    return table;
  }
  Tensor weighted_ok(Tensor x) {
    static Tensor weights = torch::ones({10}).to(torch::kCUDA);
    return x * weights;
  }
  Tensor positions, mask;
  std::map<int64_t, Tensor> tables;
};
TORCH_MODULE(Cached);

Tensor empty_ok(Tensor boxes) {
  if (boxes.size(0) == 0)
    return torch::zeros({0}).to(boxes.device());
  return boxes;
}

// Constants that nobody is seen to train with are few.
Tensor normalized(Tensor image) {
  auto mean = torch::tensor({0.4, 0.5, 0.6}).to(image.device()); // expect: ml-create-then-move (no fix) (level 2)
  return image - mean;
}

// On the CPU, for a data loader.
struct Shift : torch::data::transforms::TensorTransform<> {
  Tensor operator()(Tensor input) override {
    return input + torch::linspace(0, 1, 10).to(input.device());
  }
};
struct Images : torch::data::datasets::Dataset<Images> {
  torch::data::Example<> get(size_t index) override {
    return {jittered_ok(images[index]), labels[index]};
  }
  static Tensor jittered_ok(Tensor image) {
    return image + torch::randn({3, 32, 32}).to(image.device());
  }
  torch::optional<size_t> size() const override { return 10; }
  Tensor images, labels;
};

// Between the two the host needs it.
Tensor looked_at_ok(Tensor x) {
  auto table = torch::zeros({10, 10});
  for (int i = 0; i < 10; ++i)
    table[i] = torch::ones({10});
  auto filled = torch::zeros({10});
  float *values = filled.data_ptr<float>();
  for (int i = 0; i < 10; ++i)
    values[i] = i;
  auto ordered = torch::randperm(10);
  int64_t first = ordered[0].item<int64_t>();
  auto written = torch::zeros({10});
  written[first] = 1;
  return x + table.to(x.device()) + filled.to(x.device()) + ordered.to(x.device()) +
         written.to(x.device());
}

void fill(Tensor table);
void set_first(Tensor table) { table[0] = 1; }
Tensor handed_on_ok(Tensor x) {
  auto table = torch::zeros({10});
  fill(table);
  auto other = torch::zeros({10});
  set_first(other);
  auto mixed = torch::zeros({10}), part = torch::ones({10});
  fill(part);
  mixed = mixed + part;
  return x + table.to(x.device()) + other.to(x.device()) + mixed.to(x.device());
}

struct Pair {
  Tensor first, second;
};
void fill_pair(Pair &pair);
Tensor in_an_object_ok(Tensor x) {
  Pair pair;
  pair.first = torch::zeros({10});
  fill_pair(pair);
  return x + pair.first.to(x.device());
}

// Others read it where it is stored, or wherever it was returned to.
struct Kept {
  Tensor kept_ok(Tensor x) {
    mask = torch::ones({10});
    return x * mask.to(x.device());
  }
  Tensor mask;
};
Tensor returned_ok(Tensor x, Tensor &y) {
  auto mask = torch::ones({10});
  y = x * mask.to(x.device());
  return mask;
}

// Written in the rounds of a loop, or by what a loop calls.
Tensor by_rows_ok(Tensor x, const std::vector<int64_t> &lengths) {
  auto mask = torch::zeros({4, 10});
  for (size_t i = 0; i < lengths.size(); ++i)
    mask.narrow(0, i, 1).fill_(1);
  auto table = torch::zeros({4, 10});
  auto set = [&](int64_t row) { table[row] = 1; };
  for (int64_t length : lengths)
    set(length);
  return x * mask.to(x.device()) + table.to(x.device());
}
Tensor one_hot_ok(Tensor labels, torch::Device device) {
  auto result = torch::zeros({labels.size(0), 10});
  result.scatter_(1, labels, 1);
  return result.to(device);
}

Tensor once_for_all_ok(Tensor x) {
  auto table = torch::ones({10});
  for (int i = 0; i < 10; ++i)
    x = x + table.to(x.device());
  return x;
}

// Drawn on the CPU on purpose, so that each device sees the same.
Tensor reproducible_ok(Tensor x, torch::Generator generator) {
  return x + torch::randn({10}, generator).to(x.device());
}

Tensor of_values_ok(Tensor x, std::vector<float> values, float number) {
  auto listed = torch::tensor(values).to(x.device());
  auto both = torch::tensor({number, number}).to(x.device());
  auto single = torch::tensor(number).to(x.device());
  return x + listed + both + single;
}

// Whatever else it does, it trains.
struct DecoderImpl : torch::nn::Module {
  Tensor forward(Tensor x) {
    Tensor lengths;
    if (is_training())
      lengths = torch::arange(10).to(x.device()); // expect: ml-create-then-move
    if (!is_training())
      lengths = torch::linspace(0, 1, 10).to(x.device());
    return x + lengths;
  }
};
TORCH_MODULE(Decoder);

// A list of samples that is no data set of the framework's gives them to nobody but the program.
class Events {
public:
  explicit Events(torch::Device device) : device(device) {}
  size_t size() const { return 10; }
  Tensor get(size_t index) const { return torch::cat({encoded(index), torch::ones({1, 1}).to(device)}); } // expect: ml-create-then-move

private:
  Tensor encoded(size_t index) const {
    return torch::zeros({1, 4}).to(device); // expect: ml-create-then-move
  }
  torch::Device device;
};

// No samples.
class Settings {
public:
  explicit Settings(torch::Device device) : device(device) {}
  Tensor get(size_t) const { return torch::zeros({1, 4}).to(device); }
  torch::Device device;
};
