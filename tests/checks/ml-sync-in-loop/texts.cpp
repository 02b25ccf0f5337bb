// Devices by a name that others give.
#include <torch/torch.h>

#include <string>

using torch::Tensor;

class Reader {
public:
  explicit Reader(const std::string &name) : device(name) {}
  void read_bad(Tensor x, int count) {
    Tensor y = x.to(device);
    for (int round = 0; round < 10; ++round)
      for (int i = 0; i < count; ++i)
        total += y[i].item<float>(); // expect: ml-sync-in-loop: one by one
  }

private:
  torch::Device device;
  float total = 0;
};

void plain_ok(Tensor x, int count, const std::string &name = "cpu") {
  Tensor y = x.to(torch::Device(name));
  float total = 0;
  for (int round = 0; round < 10; ++round)
    for (int i = 0; i < count; ++i)
      total += y[i].item<float>();
}
