// Elements that are read from the GPU one by one.
#include <torch/torch.h>

#include <iostream>
#include <vector>

using Net = torch::nn::Linear;
using torch::Tensor;

static const torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);

// ---- inference, batch by batch

void detections_bad(Net net, std::vector<Tensor> images) {
  torch::NoGradGuard guard;
  net->to(device);
  for (auto &image : images) {
    auto scores = net(image.to(device)), labels = scores.argmax(1);
    for (int64_t i = 0; i < scores.size(0); ++i)
      std::cout << scores[i][1].item<float>() // expect: ml-sync-in-loop: one by one
                << labels[i].item<int64_t>();
  }
}

void corners_bad(Net net, std::vector<Tensor> images) {
  torch::NoGradGuard guard;
  net->to(device);
  for (auto &image : images) {
    auto boxes = net(image.to(device));
    for (int64_t i = 0; i < boxes.size(0); ++i) {
      auto box = boxes[i];
      for (int corner = 0; corner < 4; ++corner)
        std::cout << box[corner].item<float>(); // expect: ml-sync-in-loop: one by one
    }
  }
}

/// Once, and nobody waits for it.
void written_once(Net net, Tensor image) {
  torch::NoGradGuard guard;
  net->to(device);
  auto scores = net(image.to(device));
  for (int64_t i = 0; i < scores.size(0); ++i)
    std::cout << scores.index({i, 0}).item<float>(); // expect: ml-sync-in-loop (level 2): one by one
}

// ---- a loss

struct Targets : torch::nn::Module {
  std::vector<Tensor> forward(Tensor boxes) {
    boxes = boxes.to(device);
    std::vector<Tensor> result;
    for (int64_t i = 0; i < boxes.size(0); ++i)
      if (boxes.select(0, i).item<float>() > 0.5) // expect: ml-sync-in-loop: one by one
        result.push_back(boxes[i]);
    return result;
  }
};

// ---- on the host

void copied_before_ok(Net net, std::vector<Tensor> images) {
  torch::NoGradGuard guard;
  net->to(device);
  for (auto &image : images) {
    auto scores = net(image.to(device)).cpu();
    for (int64_t i = 0; i < scores.size(0); ++i)
      std::cout << scores[i].item<float>();
  }
}

void unknown_ok(std::vector<Tensor> images) {
  for (auto &scores : images)
    for (int64_t i = 0; i < scores.size(0); ++i)
      std::cout << scores[i].item<float>();
}

// ---- few, or only some

void best_five_ok(Net net, std::vector<Tensor> images) {
  torch::NoGradGuard guard;
  net->to(device);
  for (auto &image : images) {
    auto best = net(image.to(device)).argmax(1);
    for (int i = 0; i < 5; ++i)
      std::cout << best[i].item<int64_t>();
  }
}

void sometimes_ok(Net net, std::vector<Tensor> images, bool isVerbose) {
  torch::NoGradGuard guard;
  net->to(device);
  for (auto &image : images) {
    auto scores = net(image.to(device));
    for (int64_t i = 0; i < scores.size(0); ++i)
      if (isVerbose && i % 100 == 0)
        std::cout << scores[i].item<float>();
  }
}

// ---- each needs the one before

void of_each_batch_ok(Net net, std::vector<Tensor> images) {
  torch::NoGradGuard guard;
  net->to(device);
  for (int epoch = 0; epoch < 10; ++epoch)
    for (size_t i = 0; i < images.size(); ++i) {
      auto scores = net(images[i].to(device));
      std::cout << scores[0].item<float>() << scores[static_cast<int64_t>(i)].item<float>();
    }
}

int64_t generated_ok(Net net, Tensor state) {
  torch::NoGradGuard guard;
  net->to(device);
  int64_t sum = 0;
  for (int game = 0; game < 100; ++game)
    for (int64_t i = 0; i < 100; ++i) {
      state = net(state.to(device));
      sum += state[i].item<int64_t>();
    }
  return sum;
}

int64_t changed_ok(Tensor steps) {
  steps = steps.to(device);
  int64_t sum = 0;
  for (int game = 0; game < 100; ++game)
    for (int64_t i = 1; i < steps.size(0); ++i) {
      steps[i] = steps[i - 1] * 2;
      sum += steps[i].item<int64_t>();
    }
  return sum;
}
