// Step time and memory of training loops, for bench/training-step: one source for the runtime and
// for LibTorch.
//
//   training-step MODEL STEPS [DEVICE TYPES BATCHES MODES]
//
// MODEL is mlp, cnn, resnet, transformer or gpt; TYPES are f32 and bf16, BATCHES sizes, MODES eager
// and captured, each one of them or several with commas between: all combinations are run.
//
// Prints for each its name (TYPE-BATCH-MODE), the median time of a step in milliseconds, the largest
// amount of memory that tensors took during a step in MiB, and the loss at the end. On the CPU the
// time is the processor's, which other programs disturb little, on a CUDA device that of the clock,
// of ten steps at a time.
#include <gradtidy/MemoryTracker.h>
#include <torch/torch.h>

#if defined(CUDA_STEPS)
#include <gradtidy/CapturedStep.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nn = torch::nn;
using torch::Tensor;

namespace {

/// Where a model is and what its numbers are.
struct Setting {
  torch::Device device = torch::kCPU;
  torch::Dtype type = torch::kFloat;
  int64_t batch = 0; ///< 0 for that of the model

  int64_t batchOr(int64_t usual) const { return batch == 0 ? usual : batch; }
  Tensor numbers(torch::IntArrayRef shape) const { return torch::rand(shape).to(device, type); }
  Tensor classes(int64_t count, torch::IntArrayRef shape) const {
    return torch::randint(count, shape, torch::kLong).to(device);
  }
  /// Moves `module` here. Returns its parameters.
  template <class Module> std::vector<Tensor> parametersOf(Module &module) const {
    module->to(device, type);
    return module->parameters();
  }
};

/// A model's parameters and the loss of one batch.
struct Task {
  std::vector<Tensor> parameters;
  std::function<Tensor()> loss;
};

template <class Net> Task classifier(Net net, const Setting &setting, Tensor x) {
  Tensor y = setting.classes(10, {x.size(0)});
  std::vector<Tensor> parameters = setting.parametersOf(net);
  return {parameters, [=]() mutable { return nn::functional::cross_entropy(net->forward(x), y); }};
}

/// Three layers of 1024.
Task mlp(const Setting &setting) {
  nn::Sequential net(nn::Linear(1024, 1024), nn::ReLU(), nn::Linear(1024, 1024), nn::ReLU(),
                     nn::Linear(1024, 10));
  return classifier(net, setting, setting.numbers({setting.batchOr(128), 1024}));
}

/// LeNet-5 with rectifiers, on images of MNIST's shape.
Task cnn(const Setting &setting) {
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(1, 6, 5).padding(2)), nn::ReLU(),
                     nn::MaxPool2d(2), nn::Conv2d(nn::Conv2dOptions(6, 16, 5)), nn::ReLU(),
                     nn::MaxPool2d(2), nn::Flatten(), nn::Linear(400, 120), nn::ReLU(),
                     nn::Linear(120, 84), nn::ReLU(), nn::Linear(84, 10));
  return classifier(net, setting, setting.numbers({setting.batchOr(64), 1, 28, 28}));
}

/// A residual block of 64 channels, and a classifier behind it.
struct ResidualImpl : nn::Module {
  nn::Conv2d first{nullptr}, second{nullptr};
  nn::BatchNorm2d firstNorm{nullptr}, secondNorm{nullptr};
  nn::Linear head{nullptr};

  ResidualImpl() {
    const auto options = nn::Conv2dOptions(64, 64, 3).padding(1).bias(false);
    first = register_module("first", nn::Conv2d(options));
    second = register_module("second", nn::Conv2d(options));
    firstNorm = register_module("firstNorm", nn::BatchNorm2d(64));
    secondNorm = register_module("secondNorm", nn::BatchNorm2d(64));
    head = register_module("head", nn::Linear(64, 10));
  }
  Tensor forward(Tensor x) {
    Tensor y = torch::relu(firstNorm(first(x)));
    y = torch::relu(secondNorm(second(y)) + x);
    return head(y.mean({2, 3}));
  }
};
TORCH_MODULE(Residual);

Task resnet(const Setting &setting) {
  return classifier(Residual(), setting, setting.numbers({setting.batchOr(8), 64, 32, 32}));
}

/// The loss of the next token among 100.
template <class Model>
Task languageModel(Model model, const Setting &setting, torch::IntArrayRef tokens) {
  Tensor x = setting.classes(100, tokens), y = setting.classes(100, {x.numel()});
  std::vector<Tensor> parameters = setting.parametersOf(model);
  return {parameters, [=]() mutable {
            return nn::functional::cross_entropy(model->forward(x).view({-1, 100}), y);
          }};
}

/// Two encoder layers of width 128 with four heads.
struct EncoderModelImpl : nn::Module {
  nn::Embedding embedding{nullptr};
  nn::TransformerEncoder encoder{nullptr};
  nn::Linear head{nullptr};

  EncoderModelImpl() {
    embedding = register_module("embedding", nn::Embedding(100, 128));
    const auto layer = nn::TransformerEncoderLayerOptions(128, 4).dim_feedforward(512).dropout(0);
    encoder =
        register_module("encoder", nn::TransformerEncoder(nn::TransformerEncoderOptions(layer, 2)));
    head = register_module("head", nn::Linear(128, 100));
  }
  Tensor forward(Tensor x) { return head(encoder(embedding(x))); }
};
TORCH_MODULE(EncoderModel);

Task transformer(const Setting &setting) {
  return languageModel(EncoderModel(), setting, {64, setting.batchOr(16)});
}

/// A block of GPT-2's shape, of width 256 with eight heads, over sequences of 128.
struct GptImpl : nn::Module {
  nn::Embedding embedding{nullptr};
  nn::LayerNorm before{nullptr}, between{nullptr}, behind{nullptr};
  nn::Linear attention{nullptr}, projection{nullptr}, wide{nullptr}, narrow{nullptr}, head{nullptr};

  GptImpl() {
    embedding = register_module("embedding", nn::Embedding(100, 256));
    before = register_module("before", nn::LayerNorm(nn::LayerNormOptions({256})));
    between = register_module("between", nn::LayerNorm(nn::LayerNormOptions({256})));
    behind = register_module("behind", nn::LayerNorm(nn::LayerNormOptions({256})));
    attention = register_module("attention", nn::Linear(256, 768));
    projection = register_module("projection", nn::Linear(256, 256));
    wide = register_module("wide", nn::Linear(256, 1024));
    narrow = register_module("narrow", nn::Linear(1024, 256));
    head = register_module("head", nn::Linear(256, 100));
  }
  Tensor forward(Tensor tokens) {
    Tensor x = embedding(tokens);
    auto heads = attention(before(x)).view({x.size(0), x.size(1), 3, 8, 32}).unbind(2);
    Tensor mixed = torch::scaled_dot_product_attention(
        heads[0].transpose(1, 2), heads[1].transpose(1, 2), heads[2].transpose(1, 2), {}, 0.0,
        /*is_causal=*/true);
    x = x + projection(mixed.transpose(1, 2).reshape(x.sizes()));
    x = x + narrow(torch::gelu(wide(between(x))));
    return head(behind(x));
  }
};
TORCH_MODULE(Gpt);

Task gpt(const Setting &setting) {
  return languageModel(Gpt(), setting, {setting.batchOr(4), 128});
}

Task taskOf(const std::string &model, const Setting &setting) {
  const std::pair<const char *, Task (*)(const Setting &)> tasks[] = {
      {"mlp", mlp}, {"cnn", cnn}, {"resnet", resnet}, {"transformer", transformer}, {"gpt", gpt}};
  for (const auto &[name, make] : tasks)
    if (model == name)
      return make(setting);
  std::fprintf(stderr, "training-step: there is no model '%s'\n", model.c_str());
  std::exit(2);
}

double clockInMilliseconds() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
double processorInMilliseconds() {
  return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Runs `step` until the device is done with it; the median time of `count` times `each` steps.
template <class Step>
double medianTime(const torch::Device &device, int count, int each, Step step) {
  auto now = device.is_cuda() ? clockInMilliseconds : processorInMilliseconds;
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    const double start = now();
    for (int k = 0; k < each; ++k)
      step();
    if (device.is_cuda())
      torch::cuda::synchronize();
    times.push_back((now() - start) / each);
  }
  std::nth_element(times.begin(), times.begin() + count / 2, times.end());
  return times[static_cast<std::size_t>(count / 2)];
}

/// The parts of `text` between commas.
std::vector<std::string> listOf(const std::string &text) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

void measure(const std::string &name, const std::string &model, int steps, const Setting &setting,
             [[maybe_unused]] bool inGraph) {
  torch::manual_seed(1);
  const bool onCuda = setting.device.is_cuda();
  Task task = taskOf(model, setting);
  torch::optim::Adam optimizer(task.parameters, torch::optim::AdamOptions(1e-4));
  Tensor loss;
  std::function<void()> step = [&] {
    optimizer.zero_grad();
    loss = task.loss();
    loss.backward();
    optimizer.step();
    if (!onCuda)
      (void)loss.item<double>();
  };
#if defined(CUDA_STEPS)
  gradtidy::CapturedStep captured(optimizer, task.loss);
  if (inGraph)
    step = [&] { loss = captured(); };
#endif
  for (int i = 0; i < 5; ++i)
    step();
  const double time = medianTime(setting.device, steps, onCuda ? 10 : 1, step);
  optimizer.zero_grad(); // LibTorch does not report what was there before
  gradtidy::MemoryTracker memory;
  step();
  const auto peak = static_cast<double>(
      memory.peak(onCuda ? torch::Device(torch::kCUDA, 0) : setting.device));
  std::printf("%s %.4f %.2f %.4f\n", name.c_str(), time, peak / (1 << 20), loss.item<double>());
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  auto word = [&](std::size_t i, const char *usual) { return i < words.size() ? words[i] : usual; };
  const int steps = std::stoi(word(1, "20"));
  for (const std::string &type : listOf(word(3, "f32")))
    for (const std::string &batch : listOf(word(4, "0")))
      for (const std::string &mode : listOf(word(5, "eager")))
        measure(type + "-" + batch + "-" + mode, word(0, "mlp"), steps,
                {torch::Device(word(2, "cpu")), type == "bf16" ? torch::kBFloat16 : torch::kFloat,
                 std::stoll(batch)},
                mode == "captured");
}
