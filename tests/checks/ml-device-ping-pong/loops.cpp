// Loops that copy to the GPU what they have copied there before.
#include <torch/torch.h>

#include <vector>

using torch::Tensor;

void samples_bad(torch::nn::Linear net, torch::Device device) {
  auto samples = torch::randn({1000, 10});
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) { // note: the loop is here
    optimizer.zero_grad();
    auto x = samples.to(device); // expect: ml-device-ping-pong: 'samples' is copied
    net(x).mean().backward();
    optimizer.step();
  }
}

void argument_bad(torch::nn::Linear net) {
  auto samples = torch::ones({1000, 10});
  net->to(torch::kCUDA);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) { // note: the loop is here
    optimizer.zero_grad();
    net(samples.cuda()).mean().backward(); // expect: ml-device-ping-pong: 'samples'
    optimizer.step();
  }
}

void labels_bad(torch::nn::Linear net, const std::vector<int64_t> &classes) {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  auto x = torch::randn({64, 10}, device);
  auto labels = torch::tensor(classes);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) { // note: the loop is here
    optimizer.zero_grad();
    auto loss = torch::cross_entropy_loss(net(x), labels.to(device)); // expect: ml-device-ping-pong
    loss.backward();
    optimizer.step();
  }
}

// Values that are written out are few.
void weights_ok(torch::nn::Linear net, const std::vector<torch::data::Example<>> &batches,
                 torch::Device device) {
  const auto weights = torch::tensor({1.0, 2.0, 4.0});
  net->to(device);
  torch::optim::Adam optimizer(net->parameters());
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto error = net(batch.data.to(device)) - batch.target.to(device);
    (error * weights.to(device)).mean().backward();
    optimizer.step();
  }
}

void evaluation_bad(torch::nn::Linear net, torch::Device device) {
  torch::NoGradGuard guard;
  net->to(device);
  net->eval();
  auto samples = torch::linspace(-1, 1, 100).view({10, 10});
  int rounds = 0;
  while (rounds++ < 10) // note: the loop is here
    net->forward(samples.to(device)); // expect: ml-device-ping-pong: 'samples'
}

void inner_loop_bad(torch::nn::Linear net, torch::Device device) {
  auto mask = torch::ones({64, 10});
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 10; ++epoch)
    for (int i = 0; i < 100; ++i) { // note: the loop is here
      optimizer.zero_grad();
      auto x = torch::randn({64, 10}, device) * mask.to(device); // expect: ml-device-ping-pong
      net(x).mean().backward();
      optimizer.step();
    }
}

// Who owns the memory writes to it.
void over_memory_ok(torch::nn::Linear net, float *values, torch::Device device) {
  auto samples = torch::from_blob(values, {10, 10});
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    values[i] = i;
    optimizer.zero_grad();
    net(samples.to(device)).mean().backward();
    optimizer.step();
  }
}

void of_memory_bad(torch::nn::Linear net, std::vector<float> &values, torch::Device device) {
  auto samples = torch::from_blob(values.data(), {10, 10}).clone();
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) { // note: the loop is here
    optimizer.zero_grad();
    net(samples.to(device)).mean().backward(); // expect: ml-device-ping-pong: 'samples'
    optimizer.step();
  }
}

void computed_bad(torch::nn::Linear net, torch::Device device) {
  auto x = torch::arange(100).view({10, 10});
  auto scaled = x.mul(0.1).add(1);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) { // note: the loop is here
    optimizer.zero_grad();
    auto output = net(scaled.to(device)); // expect: ml-device-ping-pong: 'scaled'
    output.mean().backward();
    optimizer.step();
  }
}

void read_by_the_host_bad(torch::nn::Linear net, torch::Device device) {
  auto samples = torch::randn({64, 10});
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int64_t i = 0; i < samples.size(0); ++i) { // note: the loop is here
    optimizer.zero_grad();
    auto x = samples.to(device); // expect: ml-device-ping-pong: 'samples'
    (net(x).mean() * samples.mean().item<float>()).backward();
    optimizer.step();
  }
}

// Changed for the last time before the loop.
void changed_before_bad(torch::nn::Linear net, torch::Device device) {
  auto samples = torch::zeros({64, 10});
  samples.uniform_(-1, 1);
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) { // note: the loop is here
    optimizer.zero_grad();
    net(samples.to(device)).mean().backward(); // expect: ml-device-ping-pong: 'samples'
    optimizer.step();
  }
}
