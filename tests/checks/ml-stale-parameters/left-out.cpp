// Modules that are trained without an optimizer.
#include <torch/torch.h>

#include <memory>
#include <vector>

namespace nn = torch::nn;
using torch::optim::Adam;
using torch::optim::OptimizerParamGroup;

struct BlockImpl : nn::Module {
  BlockImpl() { fc = register_module("fc", nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) { return torch::relu(fc(x)); }
  nn::Linear fc{nullptr};
};
TORCH_MODULE(Block);

struct Loss : nn::Module {
  torch::Tensor forward(torch::Tensor x, torch::Tensor y) { return torch::mse_loss(x, y); }
};

void decoder_only_bad(torch::Tensor x, torch::Tensor y) {
  Block encoder, decoder;
  Adam optimizer(decoder->parameters(), 0.1);
  for (int step = 0; step < 100; ++step) {
    optimizer.zero_grad();
    auto code = encoder(x); // expect: ml-stale-parameters (level 1): 'encoder' is trained with the others, but no optimizer has its parameters
    torch::mse_loss(decoder(code), y).backward();
    optimizer.step();
  }
}

void layer_bad(torch::Tensor x, torch::Tensor y) {
  Block body;
  nn::Linear head(4, 2);
  Adam optimizer(body->parameters(), 0.1);
  optimizer.zero_grad();
  torch::mse_loss(head(body(x)), y).backward(); // expect: ml-stale-parameters (level 1): 'head' is trained
  optimizer.step();
}

// ---- all of them

void both_ok(torch::Tensor x, torch::Tensor y) {
  Block encoder, decoder;
  Adam first(encoder->parameters(), 0.1);
  Adam second(decoder->parameters(), 0.1);
  torch::mse_loss(decoder(encoder(x)), y).backward();
  first.step();
  second.step();
}

void joined_ok(torch::Tensor x, torch::Tensor y) {
  Block encoder, decoder;
  auto parameters = encoder->parameters();
  auto others = decoder->parameters();
  parameters.insert(parameters.end(), others.begin(), others.end());
  Adam optimizer(parameters, 0.1);
  torch::mse_loss(decoder(encoder(x)), y).backward();
  optimizer.step();
}

void collected_ok(torch::Tensor x, torch::Tensor y) {
  Block encoder, decoder;
  std::vector<torch::Tensor> parameters;
  for (const auto &module : {encoder, decoder})
    for (const auto &parameter : module->parameters())
      parameters.push_back(parameter);
  Adam optimizer(parameters, 0.1);
  torch::mse_loss(decoder(encoder(x)), y).backward();
  optimizer.step();
}

void groups_ok(torch::Tensor x, torch::Tensor y) {
  Block encoder, decoder;
  Adam optimizer(std::vector<OptimizerParamGroup>{OptimizerParamGroup(encoder->parameters()),
                                                  OptimizerParamGroup(decoder->parameters())},
                 0.1);
  torch::mse_loss(decoder(encoder(x)), y).backward();
  optimizer.step();
}

void list_ok(torch::Tensor x, torch::Tensor y) {
  Block encoder, decoder;
  std::vector<std::unique_ptr<Adam>> optimizers;
  optimizers.push_back(std::make_unique<Adam>(encoder->parameters(), 0.1));
  Adam optimizer(decoder->parameters(), 0.1);
  torch::mse_loss(decoder(encoder(x)), y).backward();
  for (auto &each : optimizers)
    each->step();
  optimizer.step();
}

struct PairImpl : nn::Module {
  PairImpl(Block encoder, Block decoder)
      : encoder(register_module("encoder", encoder)), decoder(register_module("decoder", decoder)) {
  }
  torch::Tensor forward(torch::Tensor x) { return decoder(encoder(x)); }
  Block encoder, decoder;
};
TORCH_MODULE(Pair);

void parts_ok(torch::Tensor x, torch::Tensor y) {
  Block encoder, decoder, other;
  Pair pair(encoder, decoder);
  Adam optimizer(pair->parameters(), 0.1);
  torch::mse_loss(pair(x) + decoder(encoder(x)), y).backward();
  optimizer.step();
}

void sequence_ok(torch::Tensor x, torch::Tensor y) {
  Block encoder, decoder;
  nn::Sequential all(encoder, decoder);
  Adam optimizer(all->parameters(), 0.1);
  torch::mse_loss(decoder(encoder(x)), y).backward();
  optimizer.step();
}

// ---- not trained on purpose

void frozen_ok(torch::Tensor x, torch::Tensor y) {
  Block encoder, decoder;
  for (auto &parameter : encoder->parameters())
    parameter.set_requires_grad(false);
  Adam optimizer(decoder->parameters(), 0.1);
  torch::mse_loss(decoder(encoder(x)), y).backward();
  optimizer.step();
}

void cut_ok(torch::Tensor x, torch::Tensor y) {
  Block encoder, decoder;
  Adam optimizer(decoder->parameters(), 0.1);
  torch::mse_loss(decoder(encoder(x).detach()), y).backward();
  optimizer.step();
}

void guarded_ok(torch::Tensor x, torch::Tensor y) {
  Block encoder, decoder;
  Adam optimizer(decoder->parameters(), 0.1);
  torch::Tensor code;
  {
    torch::NoGradGuard guard;
    code = encoder(x);
  }
  torch::mse_loss(decoder(code), y).backward();
  optimizer.step();
}

void loaded_ok(torch::Tensor x, torch::Tensor y) {
  Block encoder, decoder;
  torch::load(encoder, "encoder.pt");
  Adam optimizer(decoder->parameters(), 0.1);
  torch::mse_loss(decoder(encoder(x)), y).backward();
  optimizer.step();
}

void given_ok(torch::Tensor x, torch::Tensor y, Block encoder) {
  Block decoder;
  Adam optimizer(decoder->parameters(), 0.1);
  torch::mse_loss(decoder(encoder(x)), y).backward();
  optimizer.step();
}

void losses_ok(torch::Tensor x, torch::Tensor y) {
  Block model;
  Loss loss;
  nn::MSELoss other;
  Adam optimizer(model->parameters(), 0.1);
  auto output = model(x);
  (loss.forward(output, y) + other(output, y)).backward();
  optimizer.step();
}

void part_ok(torch::Tensor x, torch::Tensor y) {
  Block model;
  Adam optimizer(model->fc->parameters(), 0.1);
  torch::mse_loss(model(x), y).backward();
  optimizer.step();
}

void phases_ok(torch::Tensor x, torch::Tensor y) {
  Block encoder, decoder;
  {
    Adam optimizer(decoder->parameters(), 0.1);
    torch::mse_loss(decoder(encoder(x)), y).backward();
    optimizer.step();
  }
  Adam optimizer(encoder->parameters(), 0.1);
  torch::mse_loss(decoder(encoder(x)), y).backward();
  optimizer.step();
}

void adopt(Block module);

void handed_on_ok(torch::Tensor x, torch::Tensor y) {
  Block encoder, decoder;
  adopt(encoder);
  Adam optimizer(decoder->parameters(), 0.1);
  torch::mse_loss(decoder(encoder(x)), y).backward();
  optimizer.step();
}

void by_hand_ok(torch::Tensor x, torch::Tensor y) {
  Block encoder, decoder;
  Adam optimizer(decoder->parameters(), 0.1);
  torch::mse_loss(decoder(encoder(x)), y).backward();
  optimizer.step();
  torch::NoGradGuard guard;
  for (auto &parameter : encoder->parameters())
    parameter -= 0.1 * parameter.grad();
}

void gan_ok(torch::Tensor x, torch::Tensor noise) {
  Block generator, discriminator;
  Adam first(generator->parameters(), 0.1), second(discriminator->parameters(), 0.1);
  discriminator(generator(noise)).sum().backward();
  first.step();
  discriminator(generator(noise).detach()).sum().backward();
  second.step();
}

Adam optimizerOf(const Block &module) { return Adam(module->parameters(), 0.1); }

void made_elsewhere_ok(torch::Tensor x, torch::Tensor y) {
  Block encoder, decoder;
  auto first = optimizerOf(encoder), second = optimizerOf(decoder);
  torch::mse_loss(decoder(encoder(x)), y).backward();
  first.step();
  second.step();
}
