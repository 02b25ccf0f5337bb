// In what forward() calls: methods, free functions, lambdas, base classes.
#include <torch/torch.h>

#include <utility>
#include <vector>

struct AutoencoderImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto mean = encoder(x), deviation = torch::exp(encoder(x));
    return decoder(sample_bad(mean, deviation) + sample_ok(mean, deviation));
  }
  torch::Tensor sample_bad(torch::Tensor mean, torch::Tensor deviation) {
    auto noise = torch::randn({mean.size(0), 2}); // expect: ml-forward-tensor-device
    return mean + noise * deviation;
  }
  torch::Tensor sample_ok(torch::Tensor mean, torch::Tensor deviation) {
    auto noise = torch::randn_like(deviation);
    return mean + noise * deviation;
  }
  torch::nn::Linear encoder = register_module("encoder", torch::nn::Linear(4, 2));
  torch::nn::Linear decoder = register_module("decoder", torch::nn::Linear(2, 4));
};
TORCH_MODULE(Autoencoder);

torch::Tensor addPositions(const torch::Tensor &x) {
  auto positions = torch::linspace(0, 1, x.size(1)); // expect: ml-forward-tensor-device
  return x + positions;
}
torch::Tensor addPositionsOf(const torch::Tensor &x) {
  auto positions = torch::linspace(0, 1, x.size(1), x.options());
  return x + positions;
}
torch::Tensor makeMask(int64_t size) {
  return torch::ones({size, size}); // expect: ml-forward-tensor-device (no fix)
}
torch::Tensor makeMaskOn(int64_t size, torch::Device device) {
  return torch::ones({size, size}, device);
}

struct AttentionImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    x = query(addPositions(x));
    auto scores = torch::matmul(x, x.t());
    return torch::softmax(scores + makeMask(x.size(0)), -1);
  }
  torch::nn::Linear query = register_module("query", torch::nn::Linear(4, 4));
};
TORCH_MODULE(Attention);

struct AttentionOkImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    x = query(addPositionsOf(x));
    auto scores = torch::matmul(x, x.t());
    return torch::softmax(scores + makeMaskOn(x.size(0), x.device()), -1);
  }
  torch::nn::Linear query = register_module("query", torch::nn::Linear(4, 4));
};
TORCH_MODULE(AttentionOk);

// The caller moves what the helper makes.
torch::Tensor makeNoise(int64_t size) { return torch::randn({size, 4}); }
struct CallerMovesImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return linear(x + makeNoise(x.size(0)).to(x.device())); }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 1));
};
TORCH_MODULE(CallerMoves);

struct LambdaImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    const auto padded_bad = [](const torch::Tensor &t) {
      return torch::cat({t, torch::zeros({t.size(0), 1})}, 1); // expect: ml-forward-tensor-device
    };
    const auto padded_ok = [](const torch::Tensor &t) {
      return torch::cat({t, t.new_zeros({t.size(0), 1})}, 1);
    };
    return linear(padded_ok(padded_bad(x)));
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(6, 1));
};
TORCH_MODULE(Lambda);

// In a loop, and in one branch only.
struct LoopImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    auto state = torch::zeros({x.size(1), 8}); // expect: ml-forward-tensor-device
    for (int64_t t = 0; t < x.size(0); ++t)
      state = cell(x[t], state);
    if (is_training())
      state = state + torch::rand({8}); // expect: ml-forward-tensor-device
    return state;
  }
  torch::nn::GRUCell cell = register_module("cell", torch::nn::GRUCell(4, 8));
};
TORCH_MODULE(Loop);

struct OptionalStateImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x, torch::Tensor state = {}) {
    if (!state.defined())
      state = torch::zeros({x.size(0), 8}); // expect: ml-forward-tensor-device
    return cell(x, state);
  }
  torch::nn::GRUCell cell = register_module("cell", torch::nn::GRUCell(4, 8));
};
TORCH_MODULE(OptionalState);

// Below no torch::nn::Module, forward is a name like any other.
class Simulator {
public:
  torch::Tensor forward(int steps) { return torch::zeros({4}) + static_cast<double>(steps); }
};

// What the method of a part makes for it, and gives back in a pair.
struct CellImpl : torch::nn::Module {
  using State = std::pair<torch::Tensor, torch::Tensor>;
  State forward(const torch::Tensor &x, const State &state) {
    const auto &[h, c] = state;
    auto next = torch::tanh(gates(torch::cat({x, h}, 1))) + c * x;
    return {next, next};
  }
  State begin(int64_t count) const {
    return {torch::zeros({count, 4}),  // expect: ml-forward-tensor-device
            torch::zeros({count, 4})}; // expect: ml-forward-tensor-device
  }
  State beginWith(const torch::Tensor &x) const {
    return {torch::zeros({x.size(0), 4}, x.options()), torch::zeros({x.size(0), 4}, x.options())};
  }
  torch::nn::Linear gates = register_module("gates", torch::nn::Linear(8, 4));
};
TORCH_MODULE(Cell);

struct CellsImpl : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor &frames) {
    std::vector<CellImpl::State> states;
    states.push_back(cell->begin(frames.size(0)));
    for (int64_t i = 0; i < frames.size(1); ++i)
      for (size_t k = 0; k < states.size(); ++k)
        states[k] = cell(frames.select(1, i), states[k]);
    return states[0].first;
  }
  Cell cell = register_module("cell", Cell());
};
TORCH_MODULE(Cells);

struct CellsOkImpl : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor &frames) {
    std::vector<CellImpl::State> states;
    states.push_back(cell->beginWith(frames.select(1, 0)));
    for (int64_t i = 0; i < frames.size(1); ++i)
      for (size_t k = 0; k < states.size(); ++k)
        states[k] = cell(frames.select(1, i), states[k]);
    return states[0].first;
  }
  Cell cell = register_module("cell", Cell());
};
TORCH_MODULE(CellsOk);
