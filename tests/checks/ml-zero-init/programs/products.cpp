// Parameters that are multiplied by each other.
#include <torch/torch.h>

using torch::Tensor;

struct LowRank : torch::nn::Module {
  LowRank() {
    down =
        register_parameter("down", torch::zeros({8, 2})); // expect: ml-zero-init: 'down' and 'up'
    up = register_parameter("up", torch::zeros({2, 8}));  // note: the other one
  }
  Tensor forward(Tensor x) {
    return x + torch::matmul(torch::matmul(x, down), up); // note: product
  }
  Tensor down, up;
};

struct Turned : torch::nn::Module {
  Turned() {
    left = register_parameter("left", torch::zeros({2, 8}));   // expect: ml-zero-init
    right = register_parameter("right", torch::zeros({2, 8})); // note: the other one
  }
  Tensor forward(Tensor x) {
    auto change = left.t().matmul(right); // note: product
    return x + x.matmul(change);
  }
  Tensor left, right;
};

struct OneOk : torch::nn::Module {
  OneOk() {
    down = register_parameter("down", torch::randn({8, 2}));
    up = register_parameter("up", torch::zeros({2, 8}));
  }
  Tensor forward(Tensor x) { return x + x.matmul(down).matmul(up); }
  Tensor down, up;
};

struct FilledOk : torch::nn::Module {
  FilledOk() {
    down = register_parameter("down", torch::zeros({8, 2}));
    up = register_parameter("up", torch::zeros({2, 8}));
    torch::nn::init::normal_(down);
  }
  Tensor forward(Tensor x) { return x + x.matmul(down).matmul(up); }
  Tensor down, up;
};

// Each is a factor of its own term.
struct ApartOk : torch::nn::Module {
  ApartOk() {
    one = register_parameter("one", torch::zeros({8, 8}));
    other = register_parameter("other", torch::zeros({8, 8}));
  }
  Tensor forward(Tensor x) { return x.matmul(one) + x.matmul(other); }
  Tensor one, other;
};

int main() {
  auto x = torch::randn({4, 8});
  (LowRank().forward(x) + Turned().forward(x) + OneOk().forward(x) + FilledOk().forward(x) +
   ApartOk().forward(x))
      .mean()
      .backward();
}
