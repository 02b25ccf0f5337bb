// Copies to the host that nobody waits for.
#include <torch/torch.h>

#include <cstring>
#include <iostream>

using torch::Tensor;

float loss_bad(Tensor x) {
  auto loss = x.to(torch::kCUDA).mean();
  auto host = loss.to(torch::kCPU, /*non_blocking=*/true);
  return host.item<float>(); // expect: ml-pinned-non-blocking: may not be here yet
}

void memory_bad(torch::nn::Linear model, Tensor x, float *target) {
  model->to(torch::kCUDA);
  auto output = model(x.to(torch::kCUDA));
  auto host = output.to(torch::kCPU, true);
  std::memcpy(target, host.data_ptr<float>(), 40); // expect: ml-pinned-non-blocking
}

void elements_bad(Tensor x, torch::Device device) {
  auto y = x.to(device) * 2;
  auto host = y.to(torch::Device(torch::kCPU), torch::kFloat, /*non_blocking=*/true);
  auto values = host.accessor<float, 2>(); // expect: ml-pinned-non-blocking
  std::cout << values[0][0];
}

int64_t computed_bad(Tensor scores, Tensor labels) {
  scores = scores.to(torch::kCUDA);
  auto guess = scores.argmax(1).to(torch::kCPU, /*non_blocking=*/true);
  return guess.eq(labels).sum().item<int64_t>(); // expect: ml-pinned-non-blocking
}

void part_bad(Tensor x, std::vector<float> &out) {
  auto host = x.cuda().to(torch::kCPU, true);
  for (int i = 0; i < 10; ++i)
    out.push_back(host[i].item<float>()); // expect: ml-pinned-non-blocking (no fix)
}

// Who asks for that has a GPU in mind.
float given_bad(Tensor loss) {
  auto host = loss.to(torch::kCPU, /*non_blocking=*/true);
  return host.item<float>(); // expect: ml-pinned-non-blocking
}

struct Log {
  void write(Tensor loss) {
    last = loss.to(torch::kCPU, true);
    sum += last.item<double>(); // expect: ml-pinned-non-blocking
  }
  Tensor last;
  double sum = 0;
};
void log(Log &log, Tensor x) { log.write(x.to(torch::kCUDA)); }

void staged_bad(Tensor x, float *out) {
  auto y = x.to(torch::kCUDA);
  auto staging = torch::empty({64}, torch::TensorOptions().pinned_memory(true));
  staging.copy_(y, /*non_blocking=*/true);
  std::memcpy(out, staging.data_ptr<float>(), 256); // expect: ml-pinned-non-blocking (level 1)
}

void staged_ok(Tensor x, float *out) {
  auto y = x.to(torch::kCUDA);
  auto staging = torch::empty({64}, torch::TensorOptions().pinned_memory(true));
  staging.copy_(y, /*non_blocking=*/true);
  torch::cuda::synchronize();
  std::memcpy(out, staging.data_ptr<float>(), 256);
}

// Of memory that can be swapped out there is no such copy.
void pageable_ok(Tensor x, float *out) {
  auto y = x.to(torch::kCUDA);
  auto staging = torch::empty({64});
  staging.copy_(y, /*non_blocking=*/true);
  std::memcpy(out, staging.data_ptr<float>(), 256);
}
