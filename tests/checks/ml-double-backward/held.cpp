// A forward pass that gives what the module holds, or what it is given, records no graph: what is
// computed of it in each iteration does.
#include <torch/torch.h>

struct Canvas : torch::nn::Module {
  Canvas() { pixels = register_parameter("pixels", torch::rand({1, 3, 16, 16})); }
  torch::Tensor forward() { return pixels; }
  torch::Tensor pixels;
};

// The same in other words.
struct Named : Canvas {
  torch::Tensor get() { return pixels; }
  torch::Tensor forward() {
    auto image = get();
    return image;
  }
};

struct Viewed : Canvas {
  torch::Tensor forward() { return pixels.view({-1}); }
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

void in_other_words_ok(Named &named, Viewed &viewed, torch::nn::Linear &layer) {
  auto image = named.forward(), flat = viewed.forward();
  for (int i = 0; i < 100; ++i) {
    torch::relu(image).sum().backward();
    layer(flat).sum().backward();
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
