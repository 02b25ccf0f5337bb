// Closures that an object makes of itself and keeps.
#include <torch/torch.h>

#include <functional>

class Fitter {
public:
  Fitter(torch::nn::Linear &model, torch::Tensor x, torch::Tensor y)
      : model(model), x(x), y(y), solver(model->parameters(), torch::optim::LBFGSOptions(1)),
        closure([this] {
          solver.zero_grad();
          auto loss = torch::mse_loss(this->model->forward(this->x), this->y);
          loss.backward();
          return loss;
        }) {}
  void fit() { solver.step(closure); }

private:
  torch::nn::Linear &model;
  torch::Tensor x, y;
  torch::optim::LBFGS solver;
  std::function<torch::Tensor()> closure;
};

class Forgetful {
public:
  Forgetful(torch::nn::Linear &model, torch::Tensor x)
      : model(model), x(x), solver(model->parameters(), torch::optim::LBFGSOptions(1)),
        closure([this] { // expect: ml-lbfgs-closure: does not clear the gradients
          auto loss = this->model->forward(this->x).square().sum();
          loss.backward();
          return loss;
        }) {}
  void fit() { solver.step(closure); }

private:
  torch::nn::Linear &model;
  torch::Tensor x;
  torch::optim::LBFGS solver;
  std::function<torch::Tensor()> closure;
};

void fit() {
  torch::nn::Linear first(4, 3), second(4, 3);
  Fitter fitter(first, torch::ones({2, 4}), torch::ones({2, 3}));
  fitter.fit();
  Forgetful forgetful(second, torch::ones({2, 4}));
  forgetful.fit();
}

// Of two, each is about its own.
void fit_two() {
  torch::nn::Linear first(4, 3), second(4, 3);
  Fitter one(first, torch::ones({2, 4}), torch::ones({2, 3}));
  Fitter other(second, torch::ones({2, 4}), torch::ones({2, 3}));
  one.fit();
  other.fit();
}
