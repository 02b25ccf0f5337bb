// Records in a list, as of a replay buffer, that are put together to batches.
#include <torch/torch.h>

namespace nn = torch::nn;

struct Sample {
  torch::Tensor x, y;
};

void collated_bad(nn::Linear net) {
  torch::Device device(torch::kCUDA);
  net->to(device);
  std::vector<Sample> memory;
  for (int i = 0; i < 4; ++i)
    memory.push_back({torch::rand({4}), torch::rand({2})});
  std::vector<torch::Tensor> xs, ys;
  for (auto &sample : memory) {
    xs.push_back(sample.x);
    ys.push_back(sample.y);
  }
  auto x = torch::stack(xs).to(device), y = torch::stack(ys);
  torch::mse_loss(net(x), y).backward(); // expect: ml-device-mismatch
}

void collated_ok(nn::Linear net) {
  torch::Device device(torch::kCUDA);
  net->to(device);
  std::vector<Sample> memory;
  for (int i = 0; i < 4; ++i)
    memory.push_back({torch::rand({4}), torch::rand({2}, device)});
  std::vector<torch::Tensor> xs, ys;
  for (auto &sample : memory) {
    xs.push_back(sample.x);
    ys.push_back(sample.y);
  }
  torch::mse_loss(net(torch::stack(xs).to(device)), torch::stack(ys)).backward();
}

// Some records are on the device.
void both_ok(nn::Linear net, std::vector<Sample> &memory) {
  torch::Device device(torch::kCUDA);
  net->to(device);
  memory.push_back({torch::rand({4}), torch::rand({2})});
  torch::mse_loss(net(torch::rand({4}, device)), memory.front().y).backward();
}

struct Settings {
  torch::Tensor background, view;
};

torch::Tensor rendered_ok(torch::Tensor x, Settings settings) {
  torch::Device device(torch::kCUDA);
  if (!settings.background.is_cuda())
    settings.background = settings.background.to(device);
  if (!settings.view.is_cuda())
    settings.view = settings.view.to(device);
  return x.to(device) * settings.view + settings.background;
}

// What lies side by side in a list does not meet.
struct Share {
  torch::Tensor weights;
};
std::vector<Share> listed_ok() {
  torch::Tensor weights = torch::ones({4}, torch::kCUDA);
  Share first{weights}, second{weights.cpu()};
  return {first, second};
}
std::vector<torch::Tensor> kept_ok() {
  std::vector<torch::Tensor> both = {torch::ones({4}, torch::kCUDA), torch::ones({4})};
  return both;
}
torch::Tensor joined_bad() {
  return torch::cat({torch::ones({4}, torch::kCUDA), torch::ones({4})}); // expect: ml-device-mismatch
}
