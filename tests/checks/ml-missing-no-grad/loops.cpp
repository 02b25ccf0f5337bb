// Evaluation beside training: what is recorded there is never differentiated.
#include <torch/torch.h>

using Net = torch::nn::Linear;
struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;
using Optimizer = torch::optim::Optimizer;

void test_bad(Net net, const Batches &batches) {
  net->eval();
  int64_t correct = 0;
  for (const auto &batch : batches) {
    auto output = net(batch.data); // expect: ml-missing-no-grad
    correct += output.argmax(1).eq(batch.target).sum().item<int64_t>();
  }
}

void test_ok(Net net, const Batches &batches) {
  net->eval();
  torch::NoGradGuard noGrad;
  int64_t correct = 0;
  for (const auto &batch : batches) {
    auto output = net(batch.data);
    correct += output.argmax(1).eq(batch.target).sum().item<int64_t>();
  }
}

void other_guards_ok(Net net, torch::Tensor x) {
  net->eval();
  {
    c10::InferenceMode guard;
    auto a = net(x).argmax(1).sum().item<int64_t>();
  }
  {
    torch::AutoGradMode guard(false);
    auto b = net(x).argmax(1).sum().item<int64_t>();
  }
  torch::GradMode::set_enabled(false);
  auto c = net(x).argmax(1).sum().item<int64_t>();
  torch::GradMode::set_enabled(true);
}

void enabled_again_bad(Net net, torch::Tensor x) {
  net->eval();
  torch::GradMode::set_enabled(false);
  auto before = net(x).argmax(1).sum().item<int64_t>();
  torch::GradMode::set_enabled(true);
  auto after = net(x).argmax(1).sum().item<int64_t>(); // expect: ml-missing-no-grad
}

void guard_that_records_bad(Net net, torch::Tensor x) {
  net->eval();
  torch::AutoGradMode guard(true);
  auto prediction = net(x).argmax(1).sum().item<int64_t>(); // expect: ml-missing-no-grad
}

// Of these, ml-guard-temporary speaks.
void temporary_guard_ok(Net net, torch::Tensor x) {
  net->eval();
  torch::NoGradGuard();
  auto first = net(x).argmax(1).sum().item<int64_t>();
}

void braced_temporary_guard_ok(Net net, torch::Tensor x) {
  net->eval();
  torch::NoGradGuard{};
  auto second = net(x).argmax(1).sum().item<int64_t>();
}

void scope_has_ended_bad(Net net, torch::Tensor x) {
  net->eval();
  {
    torch::NoGradGuard noGrad;
    auto first = net(x).argmax(1).sum().item<int64_t>();
  }
  auto second = net(x).argmax(1).sum().item<int64_t>(); // expect: ml-missing-no-grad
}

void validation_in_every_epoch_bad(Net net, Optimizer &optimizer, const Batches &training,
                                   const Batches &validation) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    net->train();
    for (const auto &batch : training) {
      optimizer.zero_grad();
      torch::mse_loss(net(batch.data), batch.target).backward();
      optimizer.step();
    }
    net->eval();
    double loss = 0;
    for (size_t i = 0; i < validation.size(); ++i) {
      auto output = net->forward(validation[i].data); // expect: ml-missing-no-grad
      loss += torch::mse_loss(output, validation[i].target).item<double>();
    }
  }
}

void validation_in_every_epoch_ok(Net net, Optimizer &optimizer, const Batches &training,
                                  const Batches &validation) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    net->train();
    for (const auto &batch : training) {
      optimizer.zero_grad();
      torch::mse_loss(net(batch.data), batch.target).backward();
      optimizer.step();
    }
    net->eval();
    torch::NoGradGuard noGrad;
    double loss = 0;
    for (size_t i = 0; i < validation.size(); ++i) {
      auto output = net->forward(validation[i].data);
      loss += torch::mse_loss(output, validation[i].target).item<double>();
    }
  }
}

// The forward of training serves the metrics, too.
void metrics_of_training_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  int64_t correct = 0;
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto output = net(batch.data);
    correct += output.argmax(1).eq(batch.target).sum().item<int64_t>();
    torch::mse_loss(output, batch.target).backward();
    optimizer.step();
  }
}

void easy_batches_are_skipped_ok(Net net, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    auto loss = torch::mse_loss(net(batch.data), batch.target);
    if (loss.item<double>() < 0.1)
      continue;
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

void loader_bad() {
  auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      torch::data::datasets::MNIST("data", torch::data::datasets::MNIST::Mode::kTest)
          .map(torch::data::transforms::Stack<>()),
      64);
  torch::nn::Sequential net(torch::nn::Flatten(), torch::nn::Linear(784, 10));
  torch::load(net, "net.pt");
  net->eval();
  for (auto &batch : *loader) {
    auto predicted = net->forward(batch.data).argmax(1); // expect: ml-missing-no-grad
    auto correct = predicted.eq(batch.target).sum().item<int64_t>();
  }
}

void scripted_bad(torch::jit::Module &module, torch::Tensor x) {
  module.eval();
  auto output = module.forward({x}).toTensor(); // expect: ml-missing-no-grad
  auto prediction = output.argmax(1).item<int64_t>();
}

void scripted_ok(torch::jit::Module &module, torch::Tensor x) {
  module.eval();
  torch::NoGradGuard noGrad;
  auto output = module.forward({x}).toTensor();
  auto prediction = output.argmax(1).item<int64_t>();
}
