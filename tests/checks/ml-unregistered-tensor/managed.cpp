// What counts as taking care of a tensor by hand, and what does not.
#include <torch/torch.h>

// Used under a guard, a tensor has to be on the device all the same.
struct ActorImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    mean = torch::relu(layer(x));
    torch::NoGradGuard no_grad;
    return mean + torch::randn_like(mean) * torch::exp(logDeviation);
  }
  torch::Tensor logProbability(torch::Tensor action) {
    return (action - mean) / torch::exp(logDeviation) - logDeviation;
  }
  torch::nn::Linear layer = register_module("layer", torch::nn::Linear(2, 2));
  torch::Tensor mean;
  torch::Tensor logDeviation = torch::full({2}, 0.5); // expect: ml-unregistered-tensor (no fix)
};
TORCH_MODULE(Actor);

// Looked at on the host by others.
struct RegressionImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return x.matmul(w) + b; }
  torch::Tensor w = register_parameter("w", torch::rand({1, 1}));
  torch::Tensor b = torch::zeros({1}); // expect: ml-unregistered-tensor (no fix)
};
TORCH_MODULE(Regression);
void print(Regression &model) { std::cout << model->b.cpu(); }

// Moved by others.
struct MovedOkImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return x.matmul(w) + b; }
  torch::Tensor w = register_parameter("w", torch::rand({1, 1}));
  torch::Tensor b = torch::zeros({1});
};
TORCH_MODULE(MovedOk);
void toHost(MovedOk &model) { model->b = model->b.cpu(); }

// Filled by others like a parameter that is one.
struct AttentionImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return x.matmul(query) + x.matmul(key); }
  torch::Tensor query = torch::rand({2, 2}); // expect: ml-unregistered-tensor (no fix)
  torch::Tensor key = register_parameter("key", torch::rand({2, 2}));
};
TORCH_MODULE(Attention);
void load(Attention &model, torch::Tensor query, torch::Tensor key) {
  model->query = query;
  model->key = key;
}

// Filled by others for itself.
struct PromptOkImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return x.matmul(key) + prompt; }
  torch::Tensor prompt = torch::rand({2, 2});
  torch::Tensor key = register_parameter("key", torch::rand({2, 2}));
};
TORCH_MODULE(PromptOk);
void ask(PromptOk &model, torch::Tensor prompt) { model->prompt = prompt; }

// Made anew by each forward pass, like the state beside it.
struct SamplerOkImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    state = x;
    scale = torch::full({2}, 0.5);
    torch::NoGradGuard no_grad;
    return state + torch::exp(scale);
  }
  torch::Tensor state = register_parameter("state", torch::rand({2}));
  torch::Tensor scale = torch::full({2}, 0.5);
};
TORCH_MODULE(SamplerOk);
