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

void named_bad(Net net, std::vector<Tensor> images,
               std::vector<std::pair<int64_t, const char *>> names) {
  torch::NoGradGuard guard;
  net->to(device);
  for (auto &image : images) {
    auto scores = net(image.to(device));
    for (const auto &[label, name] : names)
      std::cout << name << scores[label].item<float>(); // expect: ml-sync-in-loop: one by one
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

/// For each level, all elements are asked.
struct Levels : torch::nn::Module {
  Tensor forward(Tensor boxes, int64_t count) {
    boxes = boxes.to(device);
    Tensor levels = boxes.argmax(1), result = torch::zeros_like(boxes);
    for (int64_t level = 0; level < count; ++level) {
      Tensor mask = levels == level;
      if (mask.any().item<bool>()) // expect: ml-sync-in-loop: computed from each element
        result += boxes;
    }
    return result;
  }
};

/// The best one is kept as long as there are others.
std::vector<int64_t> keptOf(Tensor boxes, Tensor order) {
  Tensor left = boxes.select(1, 0);
  std::vector<int64_t> kept;
  while (order.numel() > 0) {
    if (order.numel() == 1) {
      kept.push_back(0);
      break;
    }
    kept.push_back(1);
    float edge = left[kept.back()].item<float>(); // expect: ml-sync-in-loop: one by one
    order = order.index({left > edge});
  }
  return kept;
}
void suppressed(Net net, std::vector<Tensor> images) {
  torch::NoGradGuard guard;
  net->to(device);
  for (auto &image : images) {
    auto boxes = net(image.to(device));
    keptOf(boxes, boxes.argmax(1));
  }
}

// ---- a step of a training

struct Agent {
  Net net{nullptr};
  std::unique_ptr<torch::optim::Adam> optimizer;

  void learn_bad(Tensor states, Tensor actions, int64_t count) {
    states = states.to(device);
    const Tensor choices = actions.to(device);
    Tensor values = net(states), targets = values.detach().clone();
    for (int64_t i = 0; i < count; ++i) {
      const int64_t choice = torch::argmax(choices[i]).item<int64_t>(); // expect: ml-sync-in-loop: computed from each element
      targets[i] = choice;
    }
    optimizer->zero_grad();
    torch::mse_loss(values, targets).backward();
    optimizer->step();
  }
};

// ---- pixel by pixel

void write(const Tensor image) {
  const auto host = torch::TensorOptions().device(torch::kCPU);
  for (int64_t row = 0; row < image.size(0); ++row)
    for (int64_t column = 0; column < image.size(1); ++column) {
      auto pixel = image[row][column].to(host); // expect: ml-sync-in-loop: one by one
      std::cout << pixel.item<float>();
    }
}
void written(Net net, std::vector<Tensor> images) {
  torch::NoGradGuard guard;
  net->to(device);
  for (auto &image : images)
    write(net(image.to(device)));
}

void rows_ok(Net net, std::vector<Tensor> images) {
  torch::NoGradGuard guard;
  net->to(device);
  std::vector<Tensor> rows;
  for (auto &image : images) {
    auto scores = net(image.to(device));
    for (int64_t i = 0; i < scores.size(0); ++i)
      rows.push_back(scores[i].cpu());
  }
}

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

void first_ones_ok(Net net, std::vector<Tensor> images, int count) {
  torch::NoGradGuard guard;
  net->to(device);
  for (auto &image : images) {
    auto scores = net(image.to(device));
    for (int64_t i = 0; i < scores.size(0); ++i) {
      if (i == count)
        break;
      std::cout << scores[i].item<float>();
    }
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

// ---- one of several results

struct ActorImpl : torch::nn::Module {
  std::tuple<Tensor, Tensor> act(Tensor x) {
    auto scores = linear(x);
    return {scores.argmax(1), scores};
  }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 2));
};
TORCH_MODULE(Actor);

void actions_bad(Actor actor, Tensor states, std::vector<int> &chosen) {
  torch::NoGradGuard guard;
  actor->to(device);
  for (int step = 0; step < 100; ++step) {
    auto [actions, scores] = actor->act(states.to(device));
    for (int i = 0; i < 64; ++i)
      chosen[i] = actions[i].item<int>(); // expect: ml-sync-in-loop: one by one
  }
}

void changed_actions_ok(Actor actor, Tensor states, std::vector<int> &chosen) {
  torch::NoGradGuard guard;
  actor->to(device);
  for (int step = 0; step < 100; ++step) {
    auto [actions, scores] = actor->act(states.to(device));
    for (int i = 0; i < 64; ++i) {
      actions = actor->linear(actions);
      chosen[i] = actions[i].item<int>();
    }
  }
}
