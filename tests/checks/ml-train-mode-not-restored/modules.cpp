// Parts and other networks that stay in evaluation mode on purpose.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() {
    hidden = register_module("hidden", torch::nn::Linear(4, 8));
    norm = register_module("norm", torch::nn::BatchNorm1d(8));
  }
  torch::Tensor forward(torch::Tensor x) { return norm(hidden(x)); }
  torch::nn::Linear hidden{nullptr};
  torch::nn::BatchNorm1d norm{nullptr};
};
TORCH_MODULE(Net);
using Optimizer = torch::optim::Optimizer;

// Fine-tuning with the statistics as they are.
void frozen_norm_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    net->train();
    net->norm->eval();
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  }
}

void frozen_teacher_ok(Net net, Net teacher, Optimizer &optimizer, torch::Tensor x) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    teacher->eval();
    torch::Tensor wanted;
    {
      torch::NoGradGuard noGrad;
      wanted = teacher(x);
    }
    net->train();
    optimizer.zero_grad();
    torch::mse_loss(net(x), wanted).backward();
    optimizer.step();
  }
}

// eval() in front of the loop: the whole training is meant to run in it.
void tuned_in_eval_mode_ok(Net net, Optimizer &optimizer, torch::Tensor x, torch::Tensor y) {
  net->eval();
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    torch::mse_loss(net(x), y).backward();
    optimizer.step();
  }
}

void generator_bad(Net generator, Net critic, Optimizer &generatorOptimizer,
                   Optimizer &criticOptimizer, torch::Tensor real) {
  for (int i = 0; i < 1000; ++i) {
    auto fake = generator(torch::randn({8, 4}));
    criticOptimizer.zero_grad();
    (critic(fake.detach()).mean() - critic(real).mean()).backward();
    criticOptimizer.step();
    generatorOptimizer.zero_grad();
    (-critic(fake).mean()).backward();
    generatorOptimizer.step();
    if (i % 100 == 0) {
      torch::NoGradGuard noGrad;
      generator->eval(); // expect: ml-train-mode-not-restored
      torch::save(generator(torch::randn({8, 4})), "samples.pt");
    }
  }
}

void generator_ok(Net generator, Net critic, Optimizer &generatorOptimizer,
                  Optimizer &criticOptimizer, torch::Tensor real) {
  for (int i = 0; i < 1000; ++i) {
    auto fake = generator(torch::randn({8, 4}));
    criticOptimizer.zero_grad();
    (critic(fake.detach()).mean() - critic(real).mean()).backward();
    criticOptimizer.step();
    generatorOptimizer.zero_grad();
    (-critic(fake).mean()).backward();
    generatorOptimizer.step();
    if (i % 100 == 0) {
      torch::NoGradGuard noGrad;
      generator->eval();
      torch::save(generator(torch::randn({8, 4})), "samples.pt");
      generator->train();
    }
  }
}

// A network of its own for every fold.
void new_network_ok(torch::Tensor x, torch::Tensor y) {
  for (int fold = 0; fold < 5; ++fold) {
    Net net;
    torch::optim::SGD optimizer(net->parameters(), 0.1);
    for (int i = 0; i < 100; ++i) {
      optimizer.zero_grad();
      torch::mse_loss(net(x), y).backward();
      optimizer.step();
    }
    net->eval();
    torch::NoGradGuard noGrad;
    torch::mse_loss(net(x), y).item<double>();
  }
}

void all_of_them_ok(std::vector<Net> &nets, std::vector<std::unique_ptr<Optimizer>> &optimizers,
                    torch::Tensor x, torch::Tensor y) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    for (size_t i = 0; i < nets.size(); ++i) {
      nets[i]->train();
      optimizers[i]->zero_grad();
      torch::mse_loss(nets[i](x), y).backward();
      optimizers[i]->step();
    }
    torch::NoGradGuard noGrad;
    for (auto &net : nets) {
      net->eval();
      torch::mse_loss(net(x), y).item<double>();
    }
  }
}

// What is trained with the network is not the network.
void latent_vector_ok(Net net, torch::Tensor y) {
  auto latent = torch::randn({1, 4}).requires_grad_(true);
  torch::optim::Adam optimizer({latent}, 0.1);
  for (int image = 0; image < 10; ++image) {
    net->eval();
    for (int i = 0; i < 100; ++i) {
      optimizer.zero_grad();
      torch::mse_loss(net(latent), y).backward();
      optimizer.step();
    }
  }
}

void head_ok(Net backbone, torch::nn::Linear head, torch::Tensor x, torch::Tensor y) {
  torch::optim::Adam optimizer(head->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    torch::mse_loss(head(backbone(x)), y).backward();
    optimizer.step();
    torch::NoGradGuard noGrad;
    backbone->eval();
    torch::mse_loss(head(backbone(x)), y).item<double>();
  }
}

void head_and_backbone_bad(Net backbone, torch::nn::Linear head, Optimizer &optimizer,
                           torch::Tensor x, torch::Tensor y) {
  torch::optim::Adam headOptimizer(head->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch) {
    optimizer.zero_grad();
    headOptimizer.zero_grad();
    torch::mse_loss(head(backbone(x)), y).backward();
    optimizer.step();
    headOptimizer.step();
    torch::NoGradGuard noGrad;
    backbone->eval(); // expect: ml-train-mode-not-restored
    torch::mse_loss(head(backbone(x)), y).item<double>();
  }
}

// The Fisher information: gradients that no step uses.
void consolidate(Net &net, torch::Tensor x) {
  const bool wasTraining = net->is_training();
  net->eval();
  for (int i = 0; i < 10; ++i) {
    net->zero_grad();
    net(x).sum().backward();
  }
  net->zero_grad();
  net->train(wasTraining);
}
void fisher_ok(Net net, torch::optim::SGD &optimizer, torch::Tensor x) {
  for (int task = 0; task < 3; ++task) {
    for (int i = 0; i < 10; ++i) {
      optimizer.zero_grad();
      net(x).mean().backward();
      optimizer.step();
    }
    consolidate(net, x);
  }
}

void apply_ok(Net net, torch::optim::SGD &optimizer, torch::Tensor x) {
  for (int epoch = 0; epoch < 3; ++epoch) {
    net->apply([](torch::nn::Module &module) { module.train(); });
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
    net->eval();
    torch::NoGradGuard noGrad;
    net(x).mean().item<double>();
  }
}
