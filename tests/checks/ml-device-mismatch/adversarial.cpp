// Noise, labels, states and observations are made on the CPU unless somebody says otherwise.
#include <torch/torch.h>

using Net = torch::nn::Linear;

void noise_bad(Net generator, torch::Device device) {
  generator->to(device);
  auto noise = torch::randn({64, 100});
  auto fake = generator(noise); // expect: ml-device-mismatch
}

void noise_ok(Net generator, torch::Device device) {
  generator->to(device);
  auto fake = generator(torch::randn({64, 100}, device));
}

void labels_bad(Net discriminator, torch::Tensor images, torch::Device device) {
  discriminator->to(device);
  auto real = torch::ones({64, 1});
  auto output = torch::sigmoid(discriminator(images.to(device)));
  auto loss = torch::binary_cross_entropy(output, real); // expect: ml-device-mismatch
  loss.backward();
}

void labels_ok(Net discriminator, torch::Tensor images, torch::Device device) {
  discriminator->to(device);
  auto output = torch::sigmoid(discriminator(images.to(device)));
  auto real = torch::ones_like(output), fake = torch::full_like(output, 0.1);
  auto smooth = torch::empty({64, 1}, device).uniform_(0.8, 1.0);
  auto loss = torch::binary_cross_entropy(output, real) +
              torch::binary_cross_entropy(output, fake) +
              torch::binary_cross_entropy(output, smooth);
  loss.backward();
}

void initial_state_bad(torch::nn::LSTM lstm, torch::Tensor x, torch::Device device) {
  lstm->to(device);
  auto h = torch::zeros({1, 8, 16}), c = torch::zeros({1, 8, 16});
  auto result = lstm->forward(x.to(device), std::make_tuple(h, c)); // expect: ml-device-mismatch (no fix)
}

void initial_state_ok(torch::nn::LSTM lstm, torch::Tensor x, torch::Device device) {
  lstm->to(device);
  auto h = torch::zeros({1, 8, 16}, device), c = torch::zeros({1, 8, 16}).to(device);
  auto [output, state] = lstm->forward(x.to(device), std::make_tuple(h, c));
  auto next = lstm->forward(output, state);
}

std::vector<float> observe();

void observations_bad(Net policy, torch::Device device) {
  policy->to(device);
  for (int t = 0; t < 100; ++t) {
    auto state = torch::tensor(observe());
    auto action = policy(state).argmax(0); // expect: ml-device-mismatch
  }
}

void observations_ok(Net policy, torch::Device device) {
  policy->to(device);
  for (int t = 0; t < 100; ++t) {
    auto state = torch::tensor(observe()).to(device);
    auto action = policy(state).argmax(0).cpu();
    auto direct = policy(torch::tensor(observe(), device));
  }
}

void pixels_bad(Net net, std::vector<float> &pixels) {
  net->to(torch::kCUDA);
  auto image = torch::from_blob(pixels.data(), {1, 784}).clone();
  auto output = net(image); // expect: ml-device-mismatch
}

void scripted_ok(torch::jit::Module &module) {
  module.to(torch::kCUDA);
  auto output = module.forward({torch::rand({1, 4}).to(torch::kCUDA)}).toTensor().cpu();
  auto sum = output + torch::rand({1, 4});
}
