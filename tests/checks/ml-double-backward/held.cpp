// A forward pass that gives what the module holds, or what it is given, records no graph: what is
// computed of it in each iteration does.
#include <torch/torch.h>

struct Canvas : torch::nn::Module {
  Canvas() { pixels = register_parameter("pixels", torch::rand({1, 3, 16, 16})); }
  torch::Tensor forward() { return pixels; }
  torch::Tensor pixels;
};

struct Blurred : torch::nn::Module {
  Blurred() { pixels = register_parameter("pixels", torch::rand({1, 3, 16, 16})); }
  torch::Tensor forward() { return torch::sigmoid(pixels); }
  torch::Tensor pixels;
};

struct Identity : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return x; }
};

void parameter_ok(Canvas &canvas, torch::optim::Optimizer &optimizer, torch::Tensor target) {
  auto image = canvas.forward();
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(torch::relu(image), target);
    loss.backward();
    optimizer.step();
  }
}

void input_ok(Identity &same, torch::nn::Linear &layer, torch::Tensor x) {
  auto given = same.forward(x);
  for (int i = 0; i < 100; ++i)
    layer(given).sum().backward();
}

void computed_bad(Blurred &canvas, torch::optim::Optimizer &optimizer, torch::Tensor target) {
  auto image = canvas.forward();
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto loss = torch::mse_loss(torch::relu(image), target);
    loss.backward(); // expect: ml-double-backward: has freed
    optimizer.step();
  }
}
