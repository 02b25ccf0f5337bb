// Copies in loops that are new each time, or are made once.
#include <torch/torch.h>

#include <vector>

using torch::Tensor;

void once_ok(torch::nn::Linear net, torch::Device device) {
  auto samples = torch::randn({64, 10});
  net->to(device);
  auto x = samples.to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
}

// There from the second round on, and to() gives back the tensor itself.
void rebound_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::randn({64, 10});
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    x = x.to(device);
    optimizer.zero_grad();
    net(x).mean().backward();
    optimizer.step();
  }
}

void assigned_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::randn({64, 10});
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x.to(device)).mean().backward();
    optimizer.step();
    x = torch::randn({64, 10});
  }
}

void now_and_then_assigned_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::randn({64, 10});
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    if (i % 10 == 0)
      x = torch::randn({64, 10});
    optimizer.zero_grad();
    net(x.to(device)).mean().backward();
    optimizer.step();
  }
}

void in_place_ok(torch::nn::Linear net, torch::Device device) {
  auto noise = torch::empty({64, 10});
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    noise.normal_();
    optimizer.zero_grad();
    net(noise.to(device)).mean().backward();
    optimizer.step();
  }
}

void added_to_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::zeros({64, 10});
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    net(x.to(device)).mean().backward();
    optimizer.step();
    x += 0.01;
  }
}

void element_written_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::zeros({100, 10});
  net->to(device);
  for (int i = 0; i < 100; ++i) {
    x[i] = 1;
    net(x.to(device));
  }
}

void row_written_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::zeros({100, 10});
  auto first = x[0];
  net->to(device);
  for (int i = 0; i < 100; ++i) {
    first.fill_(i);
    net(x.to(device));
  }
}

void reference_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::ones({100, 10});
  auto &same = x;
  net->to(device);
  for (int i = 0; i < 100; ++i) {
    same.mul_(0.9);
    net(x.to(device));
  }
}

void pointer_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::zeros({100, 10});
  float *values = x.data_ptr<float>();
  net->to(device);
  for (int i = 0; i < 100; ++i) {
    values[i] = 1;
    net(x.to(device));
  }
}

void accessor_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::zeros({100, 10});
  auto values = x.accessor<float, 2>();
  net->to(device);
  for (int i = 0; i < 100; ++i) {
    values[i][0] = 1;
    net(x.to(device));
  }
}

// The tensor lies in the buffer.
void buffer_ok(torch::nn::Linear net, torch::Device device) {
  std::vector<float> buffer(10);
  auto x = torch::from_blob(buffer.data(), {1, 10});
  net->to(device);
  for (int i = 0; i < 100; ++i) {
    buffer[3] = static_cast<float>(i);
    net(x.to(device));
  }
}

void read(Tensor &x);
void filled_by_a_function_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::zeros({100, 10});
  net->to(device);
  for (int i = 0; i < 100; ++i) {
    read(x);
    net(x.to(device));
  }
}

void fill(Tensor x) { x.normal_(); }
void filled_by_handle_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::zeros({100, 10});
  net->to(device);
  for (int i = 0; i < 100; ++i) {
    fill(x);
    net(x.to(device));
  }
}

void closure_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::zeros({100, 10});
  auto next = [&] { x = torch::randn({100, 10}); };
  net->to(device);
  for (int i = 0; i < 100; ++i) {
    next();
    net(x.to(device));
  }
}

void parts_ok(torch::nn::Linear net, torch::Device device) {
  auto samples = torch::randn({6400, 10});
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int64_t i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    auto x = samples.slice(0, 64 * i, 64 * i + 64).to(device);
    (net(x) - samples[i].to(device)).mean().backward();
    optimizer.step();
  }
}

void drawn_ok(torch::nn::Linear net, torch::Device device) {
  auto samples = torch::randn({6400, 10});
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int64_t i = 0; i < 100; ++i) {
    auto chosen = torch::randint(6400, {64}, torch::kLong);
    optimizer.zero_grad();
    net(samples.index_select(0, chosen).to(device)).mean().backward();
    optimizer.step();
  }
}

void batches_ok(torch::nn::Linear net, const std::vector<torch::data::Example<>> &batches,
                torch::Device device) {
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (const auto &batch : batches) {
    auto x = batch.data.to(device), y = batch.target.to(device);
    optimizer.zero_grad();
    (net(x) - y).mean().backward();
    optimizer.step();
  }
}

void made_in_the_loop_ok(torch::nn::Linear net, const std::vector<float> &values,
                         torch::Device device) {
  net->to(device);
  for (int i = 0; i < 100; ++i) {
    auto x = torch::tensor(values);
    net(x.to(device));
  }
}

void without_gpu_ok(torch::nn::Linear net) {
  torch::Device device(torch::kCPU);
  auto x = torch::randn({64, 10});
  for (int i = 0; i < 100; ++i)
    net(x.to(device));
}

void there_already_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::randn({64, 10}, device);
  net->to(device);
  for (int i = 0; i < 100; ++i)
    net(x.to(device));
}

void unknown_ok(torch::nn::Linear net, Tensor x, torch::Device device) {
  net->to(device);
  for (int i = 0; i < 100; ++i)
    net(x.to(device));
}

void of_another_type_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::arange(640).view({64, 10});
  for (int i = 0; i < 100; ++i)
    net(x.to(torch::kFloat));
  net->to(device);
}

void first_round_ok(torch::nn::Linear net, torch::Device device) {
  auto samples = torch::randn({64, 10});
  Tensor x;
  net->to(device);
  for (int i = 0; i < 100; ++i) {
    if (i == 0)
      x = samples.to(device);
    net(x);
  }
}

Tensor leaves_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::randn({64, 10});
  net->to(device);
  for (;;) {
    auto y = net(x.to(device));
    return y;
  }
}

void stops_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::randn({64, 10});
  net->to(device);
  while (true) {
    net(x.to(device)).mean().backward();
    break;
  }
}

void runs_once_ok(torch::nn::Linear net, torch::Device device) {
  auto x = torch::randn({64, 10});
  net->to(device);
  do {
    net(x.to(device)).mean().backward();
  } while (false);
}

void for_each_device_ok(torch::nn::Linear net, const std::vector<torch::Device> &devices) {
  auto x = torch::randn({64, 10});
  for (const auto &device : devices) {
    net->to(device);
    net(x.to(device));
  }
}

void list_of_copies_ok(std::vector<torch::nn::Linear> &nets) {
  auto x = torch::randn({64, 10});
  for (int i = 0; i < 4; ++i)
    nets[i]->forward(x.to(torch::Device(torch::kCUDA, i)));
}

// Measures the copy.
void no_model_ok(torch::Device device) {
  auto x = torch::randn({64, 10});
  for (int i = 0; i < 100; ++i)
    x.to(device);
}
