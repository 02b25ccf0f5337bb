// Modules of which the unit does not show whether they have layers that depend on the mode.
#include <torch/torch.h>

struct HiddenImpl : torch::nn::Module {
  HiddenImpl();
  void init();
  torch::Tensor forward(torch::Tensor x);
  torch::Tensor decode(torch::Tensor x);

private:
  torch::nn::Sequential layers;
};
TORCH_MODULE(Hidden);

struct PlainImpl : torch::nn::Module {
  PlainImpl();
  torch::Tensor forward(torch::Tensor x);

private:
  torch::nn::Flatten flatten;
  torch::nn::Conv2d conv{nullptr};
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Plain);

void test_bad(Hidden &net, torch::Tensor x) {
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  auto right = net(x).argmax(1).item<int64_t>(); // expect: ml-missing-eval-mode (level 2)
}

// Its members tell that there is nothing of the kind.
void test_plain(Plain &net, torch::Tensor x) {
  torch::NoGradGuard noGrad;
  auto right = net(x).argmax(1).item<int64_t>(); // expect: ml-missing-eval-mode (level 2)
}

// Nor is there in the modules among them; no dropout is seen to be asked of the recurrent layer.
struct EncoderImpl : torch::nn::Module {
  EncoderImpl();
  torch::Tensor forward(torch::Tensor x);

private:
  torch::nn::LSTM recurrent{nullptr};
};
TORCH_MODULE(Encoder);
struct NestedImpl : torch::nn::Module {
  explicit NestedImpl(Encoder encoder) : encoder(register_module("encoder", encoder)) {}
  torch::Tensor forward(torch::Tensor x) { return fc(encoder(x)); }

private:
  Encoder encoder;
  torch::nn::Linear fc = register_module("fc", torch::nn::Linear(4, 2));
};
TORCH_MODULE(Nested);
void test_nested(Nested &net, torch::Tensor x) {
  torch::NoGradGuard noGrad;
  auto right = net(x).argmax(1).item<int64_t>(); // expect: ml-missing-eval-mode (level 2)
}
struct RecurrentImpl : torch::nn::Module {
  explicit RecurrentImpl(double p) : recurrent(torch::nn::LSTMOptions(4, 4).dropout(p)) {
    register_module("recurrent", recurrent);
  }
  torch::Tensor forward(torch::Tensor x) { return std::get<0>(recurrent(x)); }

private:
  torch::nn::LSTM recurrent;
};
TORCH_MODULE(Recurrent);
void test_recurrent_bad(Recurrent &net, torch::Tensor x) {
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  auto right = net(x).argmax(1).item<int64_t>(); // expect: ml-missing-eval-mode (level 2)
}

// Those of a base class are no members of its own.
struct StackImpl : torch::nn::SequentialImpl {
  StackImpl();
};
TORCH_MODULE(Stack);

void test_stack_bad(Stack &net, torch::Tensor x) {
  torch::load(net, "net.pt");
  torch::NoGradGuard noGrad;
  auto right = net->forward(x).argmax(1).item<int64_t>(); // expect: ml-missing-eval-mode (level 2)
}

// Who calls eval() for one of two may know that the other one stays in evaluation mode.
double perceptual_loss(Hidden &generator, Hidden &teacher, torch::Tensor x) {
  torch::NoGradGuard noGrad;
  generator->eval();
  auto fake = generator(x);
  auto wanted = teacher(x);   // expect: ml-missing-eval-mode (level 2)
  auto found = teacher(fake); // expect: ml-missing-eval-mode (level 2)
  return torch::mse_loss(found, wanted).item<double>();
}

// Other ways through a module leave its mode alone.
void reconstruct_bad(Hidden &net, std::vector<torch::Tensor> &batches) {
  torch::NoGradGuard noGrad;
  for (auto &x : batches) {
    auto code = net(x);             // expect: ml-missing-eval-mode (level 2)
    auto image = net->decode(code); // expect: ml-missing-eval-mode (level 2)
    auto loss = torch::mse_loss(image, x).item<double>();
  }
}

// Asked for in so many words.
void diverse_samples(torch::Tensor x) {
  torch::nn::Sequential net(torch::nn::Linear(4, 4), torch::nn::Dropout());
  torch::NoGradGuard noGrad;
  net->train();
  auto sample = net->forward(x).argmax().item<int64_t>(); // expect: ml-missing-eval-mode (level 2)
}

// The caller of a helper may have set the mode.
torch::Tensor sampled(Hidden &net, torch::Tensor x) {
  torch::NoGradGuard noGrad;
  return net(x).argmax(1); // expect: ml-missing-eval-mode (level 2)
}

// A class template, of which this compiler has seen no constructor yet.
template <typename Block> struct TowerImpl : torch::nn::Module {
  explicit TowerImpl(int64_t size) : layers(makeLayers(size)) {
    register_module("layers", layers);
    register_module("norm", norm);
  }
  torch::Tensor forward(torch::Tensor x) { return norm->forward(layers->forward(x)); }

private:
  torch::nn::Sequential makeLayers(int64_t size) {
    torch::nn::Sequential made;
    made->push_back(Block(size));
    return made;
  }
  torch::nn::Sequential layers;
  torch::nn::BatchNorm1d norm{4};
};
template <typename Block = HiddenImpl>
class Tower : public torch::nn::ModuleHolder<TowerImpl<Block>> {
public:
  using torch::nn::ModuleHolder<TowerImpl<Block>>::ModuleHolder;
};
void test_tower_bad(torch::Tensor x) {
  Tower<> tower(4);
  torch::load(tower, "tower.pt");
  torch::NoGradGuard noGrad;
  auto right =
      tower->forward(x).argmax(1).item<int64_t>(); // expect: ml-missing-eval-mode (level 0)
}

// A policy that explores while it trains: its author knows of the mode.
struct PolicyImpl : torch::nn::Module {
  PolicyImpl() { register_module("layer", layer); }
  torch::Tensor forward(torch::Tensor x) {
    auto action = layer(x);
    return is_training() ? action + torch::randn_like(action) : action;
  }
  torch::nn::Linear layer{4, 4};
};
TORCH_MODULE(Policy);
void explore(torch::Tensor state) {
  Policy policy;
  torch::NoGradGuard noGrad;
  auto action = policy(state).argmax(1).item<int64_t>(); // expect: ml-missing-eval-mode (level 2)
}
