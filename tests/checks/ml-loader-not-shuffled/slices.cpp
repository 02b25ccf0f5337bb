// Batches that are sliced by hand.
#include <torch/torch.h>

#include <algorithm>
#include <vector>

using Net = torch::nn::Linear;
using torch::Tensor;
using torch::indexing::Slice;

static void step(Net net, torch::optim::Optimizer &optimizer, Tensor x, Tensor y) {
  optimizer.zero_grad();
  torch::mse_loss(net(x), y).backward();
  optimizer.step();
}

void sliced_bad(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  const int size = 4, batches = x.size(0) / size;
  for (int epoch = 0; epoch < 30; ++epoch) { // note: each round of this loop is an epoch
    for (int i = 0; i < batches; ++i) {
      int begin = size * i, end = size * (i + 1);
      end = static_cast<int>(end > x.size(0) ? x.size(0) : end);
      auto input = x.slice(0, begin, end); // expect: ml-loader-not-shuffled (no fix): sliced in the same order in every epoch
      auto target = y.slice(0, begin, end);
      optimizer.zero_grad();
      torch::mse_loss(net(input), target).backward();
      optimizer.step();
    }
  }
}

void narrowed_bad(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 30; ++epoch) // note: each round of this loop is an epoch
    for (int64_t i = 0; i < x.size(0); i += 32) {
      const int64_t count = std::min<int64_t>(32, x.size(0) - i);
      step(net, optimizer, x.narrow(0, i, count), y.narrow(0, i, count)); // expect: ml-loader-not-shuffled (no fix)
    }
}

/// The numbers from 0 on, as c10::irange gives them.
struct Numbers {
  struct Iterator {
    int64_t number;
    int64_t operator*() const { return number; }
    Iterator &operator++() { return ++number, *this; }
    bool operator!=(const Iterator &other) const { return number != other.number; }
  };
  int64_t count;
  Iterator begin() const { return {0}; }
  Iterator end() const { return {count}; }
};
Numbers irange(int64_t count) { return {count}; }

void over_numbers_bad(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 30; ++epoch) // note: each round of this loop is an epoch
    for (const int64_t i : irange(x.size(0) / 32))
      step(net, optimizer, x.narrow(0, i * 32, 32), y.narrow(0, i * 32, 32)); // expect: ml-loader-not-shuffled (no fix)
}

struct Trainer {
  Tensor x, y;
  Net net{nullptr};
  int64_t batch = 16;
  void fit(int epochs) {
    torch::optim::SGD optimizer(net->parameters(), 0.1);
    for (int epoch = 0; epoch < epochs; ++epoch) // note: each round of this loop is an epoch
      for (int64_t i = 0; i < x.size(0) / batch; ++i)
        step(net, optimizer, x.index({Slice(i * batch, (i + 1) * batch)}), // expect: ml-loader-not-shuffled (no fix)
             y.index({Slice(i * batch, (i + 1) * batch)}));
  }
};

/// All that belongs to the samples of a batch.
struct Samples {
  Tensor x, y;
  Samples slice(int64_t begin, int64_t end) const {
    return {x.slice(0, begin, end), y.slice(0, begin, end)};
  }
  Samples ordered(const Tensor &order) const {
    return {x.index_select(0, order), y.index_select(0, order)};
  }
};

/// The permutation that is drawn is used for nothing.
void drawn_in_vain_bad(Net net, torch::optim::Optimizer &optimizer, Samples &samples, Tensor &order,
                       int64_t size) {
  for (int epoch = 0; epoch < 30; ++epoch) { // note: each round of this loop is an epoch
    torch::randperm_out(order, samples.x.size(0));
    for (int64_t i = 0; i < samples.x.size(0) / size; ++i) {
      auto begin = i * size, end = begin + size;
      Samples batch = samples.slice(begin, end); // expect: ml-loader-not-shuffled (no fix): sliced in the same order
      step(net, optimizer, batch.x, batch.y);
    }
  }
}

void never_used_bad(Net net, torch::optim::Optimizer &optimizer, Tensor x, Tensor y) {
  for (int epoch = 0; epoch < 30; ++epoch) { // note: each round of this loop is an epoch
    auto order = torch::randperm(x.size(0));
    for (int64_t i = 0; i < x.size(0); i += 32)
      step(net, optimizer, x.slice(0, i, i + 32), y.slice(0, i, i + 32)); // expect: ml-loader-not-shuffled (no fix)
  }
}

// ---- in another order each time

void drawn_and_used_ok(Net net, torch::optim::Optimizer &optimizer, Samples &samples, Tensor &order,
                       int64_t size) {
  for (int epoch = 0; epoch < 30; ++epoch) {
    torch::randperm_out(order, samples.x.size(0));
    Samples ordered = samples.ordered(order);
    for (int64_t i = 0; i < samples.x.size(0) / size; ++i) {
      Samples batch = ordered.slice(i * size, (i + 1) * size);
      step(net, optimizer, batch.x, batch.y);
    }
  }
}

void indices_sliced_ok(Net net, torch::optim::Optimizer &optimizer, Samples &samples, int64_t size) {
  Tensor order;
  for (int epoch = 0; epoch < 30; ++epoch) {
    order = torch::randperm(samples.x.size(0));
    for (int64_t i = 0; i < samples.x.size(0) / size; ++i) {
      Samples batch = samples.ordered(order.slice(0, i * size, (i + 1) * size));
      step(net, optimizer, batch.x, batch.y);
    }
  }
}

void mix(Samples &samples);
void handed_out_ok(Net net, torch::optim::Optimizer &optimizer, Samples &samples, int64_t size) {
  for (int epoch = 0; epoch < 30; ++epoch) {
    mix(samples);
    for (int64_t i = 0; i < samples.x.size(0) / size; ++i) {
      Samples batch = samples.slice(i * size, (i + 1) * size);
      step(net, optimizer, batch.x, batch.y);
    }
  }
}

void permuted_ok(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 30; ++epoch) {
    auto order = torch::randperm(x.size(0));
    auto inputs = x.index_select(0, order), targets = y.index_select(0, order);
    for (int64_t i = 0; i < x.size(0); i += 32)
      step(net, optimizer, inputs.slice(0, i, i + 32), targets.slice(0, i, i + 32));
  }
}

void replaced_ok(Net net, Tensor x, Tensor y, Tensor order) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 30; ++epoch) {
    x = x.index_select(0, order);
    y = y.index_select(0, order);
    for (int64_t i = 0; i < x.size(0); i += 32)
      step(net, optimizer, x.slice(0, i, i + 32), y.slice(0, i, i + 32));
  }
}

void shuffle_rows(Tensor x, Tensor y);
void shuffled_ok(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 30; ++epoch) {
    shuffle_rows(x, y);
    for (int64_t i = 0; i < x.size(0); i += 32)
      step(net, optimizer, x.slice(0, i, i + 32), y.slice(0, i, i + 32));
  }
}

int64_t next(int64_t last);
void drawn_ok(Net net, Tensor x, Tensor y, std::vector<int64_t> starts) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 30; ++epoch) {
    for (int64_t start : starts)
      step(net, optimizer, x.slice(0, start, start + 32), y.slice(0, start, start + 32));
    for (int64_t i = 0; i < 100; ++i) {
      const int64_t start = next(i);
      step(net, optimizer, x.slice(0, start, start + 32), y.slice(0, start, start + 32));
    }
  }
}

/// The places may have been shuffled.
void places_ok(Net net, Tensor x, Tensor y, std::vector<std::pair<int64_t, int64_t>> places) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 30; ++epoch)
    for (const auto &[begin, end] : places)
      step(net, optimizer, x.slice(0, begin, end), y.slice(0, begin, end));
}

// ---- order matters, or makes no difference

struct Reader : torch::nn::Module {
  std::tuple<Tensor, Tensor> forward(Tensor x, Tensor state) {
    state = torch::tanh(fc(x) + state);
    return std::make_tuple(state, state);
  }
  torch::nn::Linear fc = register_module("fc", torch::nn::Linear(4, 4));
};
void read_on_ok(Reader &net, Tensor text) {
  torch::optim::SGD optimizer(net.parameters(), 0.1);
  for (int epoch = 0; epoch < 30; ++epoch) {
    auto state = torch::zeros({4});
    for (int64_t i = 0; i < text.size(0); i += 32) {
      Tensor output;
      optimizer.zero_grad();
      std::tie(output, state) = net.forward(text.slice(0, i, i + 32), state.detach());
      output.mean().backward();
      optimizer.step();
    }
  }
}

void one_epoch_ok(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int64_t i = 0; i < x.size(0); i += 32)
    step(net, optimizer, x.slice(0, i, i + 32), y.slice(0, i, i + 32));
}

void evaluated_ok(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 30; ++epoch) {
    step(net, optimizer, x, y);
    torch::NoGradGuard guard;
    Tensor sum;
    for (int64_t i = 0; i < x.size(0); i += 32)
      sum = torch::mse_loss(net(x.slice(0, i, i + 32)), y.slice(0, i, i + 32));
  }
}

void parts_of_a_batch_ok(Net net, std::vector<Tensor> batches, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (auto &x : batches) {
    optimizer.zero_grad();
    for (int64_t i = 0; i < x.size(0); i += 32)
      (torch::mse_loss(net(x.slice(0, i, i + 32)), y) / 4).backward();
    optimizer.step();
  }
}

struct Batch {
  Tensor data, target;
};

void parts_of_samples_ok(Net net, std::vector<Batch> &batches, int64_t steps) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 30; ++epoch)
    for (auto &batch : batches) {
      auto text = batch.data.to(torch::kCPU);
      step(net, optimizer, text.index({Slice(), Slice(0, steps)}),
           batch.target.index({Slice(), Slice(steps, 2 * steps)}));
    }
}

void made_up_ok(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto x = torch::linspace(-1, 1, 512).unsqueeze(1), y = x * x;
  for (int epoch = 0; epoch < 30; ++epoch)
    for (int64_t i = 0; i < x.size(0); i += 32)
      step(net, optimizer, x.slice(0, i, i + 32), y.slice(0, i, i + 32));
}

void made_up_from_noise_ok(Net net, torch::Device device) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto x = torch::randn({512, 6}).mm(torch::randn({6, 4})).to(device);
  auto y = torch::relu(x.mm(torch::randn({4, 4}))).to(device);
  for (int epoch = 0; epoch < 30; ++epoch)
    for (int64_t i = 0; i < x.size(0); i += 32)
      step(net, optimizer, x.narrow(0, i, 32), y.narrow(0, i, 32));
}

void noise_on_data_bad(Net net, const std::vector<float> &list) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto x = torch::tensor(list).view({-1, 4});
  x = x + torch::randn({4});
  for (int epoch = 0; epoch < 30; ++epoch) // note: each round of this loop is an epoch
    for (int64_t i = 0; i < x.size(0); i += 32)
      step(net, optimizer, x.narrow(0, i, 32), x.narrow(0, i, 32)); // expect: ml-loader-not-shuffled (no fix)
}
