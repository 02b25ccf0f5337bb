// On some paths, of another module, of a part: not enough. Saved and restored: enough.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() {
    input = register_module("input", torch::nn::Linear(4, 8));
    norm = register_module("norm", torch::nn::BatchNorm1d(8));
    output = register_module("output", torch::nn::Linear(8, 3));
  }
  torch::Tensor forward(torch::Tensor x) { return output(norm(input(x))); }
  torch::nn::Linear input{nullptr}, output{nullptr};
  torch::nn::BatchNorm1d norm{nullptr};
};
TORCH_MODULE(Net);

void predict_in_one_branch_bad(torch::Tensor x, bool fast) {
  Net net;
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  if (fast)
    net->eval();
  auto prediction = net(x).argmax(1); // expect: ml-missing-eval-mode
}

void predict_in_both_branches_ok(torch::Tensor x, bool fast) {
  Net net;
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  if (fast)
    net->eval();
  else
    net->train(false);
  auto prediction = net(x).argmax(1);
}

void predict_with_another_in_eval_bad(torch::Tensor x) {
  Net first, second;
  first->eval();
  torch::NoGradGuard noGrad;
  auto a = first(x).argmax(1);
  auto b = second(x).argmax(1); // expect: ml-missing-eval-mode
}

void predict_after_train_bad(torch::Tensor x) {
  Net net;
  net->eval();
  torch::NoGradGuard noGrad;
  auto before = net(x).argmax(1);
  net->train();
  auto after = net(x).argmax(1); // expect: ml-missing-eval-mode
}

double validate_and_restore_ok(torch::Tensor x, torch::Tensor y) {
  Net net;
  torch::NoGradGuard noGrad;
  const bool was = net->is_training();
  net->eval();
  auto loss = torch::nll_loss(net(x), y).item<double>();
  net->train(was);
  return loss;
}

class EvaluationScope {
public:
  explicit EvaluationScope(torch::nn::Module &module) : module(module), was(module.is_training()) {
    module.eval();
  }
  ~EvaluationScope() { module.train(was); }

private:
  torch::nn::Module &module;
  bool was;
};
double validate_in_a_scope_ok(torch::Tensor x, torch::Tensor y) {
  Net net;
  EvaluationScope scope(*net);
  torch::NoGradGuard noGrad;
  return torch::nll_loss(net(x), y).item<double>();
}

void validate_through_a_reference_ok(torch::Tensor x) {
  Net net;
  auto &same = *net;
  same.eval();
  torch::NoGradGuard noGrad;
  auto prediction = net(x).argmax(1);
}

// eval() of the whole reaches the parts.
void predict_with_a_part_ok(torch::Tensor x) {
  Net net;
  net->eval();
  torch::NoGradGuard noGrad;
  auto features = net->norm(net->input(x));
}

void predict_with_all_ok(std::vector<Net> &nets, torch::Tensor x) {
  torch::NoGradGuard noGrad;
  for (auto &net : nets)
    net->eval();
  for (auto &net : nets)
    auto prediction = net(x).argmax(1);
}

// Which mode it was saved in is not known.
void predict_scripted_ok(torch::jit::Module &module, torch::Tensor x) {
  torch::NoGradGuard noGrad;
  auto prediction = module.forward({x}).toTensor().argmax(1);
}

// Wanted: the spread of the predictions.
void monteCarloDropout(torch::Tensor x) {
  Net net;
  torch::NoGradGuard noGrad;
  net->train();
  std::vector<torch::Tensor> samples;
  for (int i = 0; i < 100; ++i)
    samples.push_back(net(x).softmax(1));
}

// Training needs the training mode.
void training_ok(torch::Tensor x, torch::Tensor y) {
  Net net;
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto output = net(x);
    auto loss = torch::nll_loss(output, y);
    auto correct = output.argmax(1).eq(y).sum().item<int64_t>();
    loss.backward();
    optimizer.step();
  }
}
