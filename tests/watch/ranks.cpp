// One of two processes that add up their gradients: ranks STORE HOW RANK. HOW is "same", where both
// begin with the same parameters, or "apart".
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/torch.h>

#include <cstdlib>
#include <string>

// ProcessGroupGloo.hpp needs headers of Gloo, which LibTorch does not bring.
using Options = c10::intrusive_ptr<c10::intrusive_ptr_target>;
Options defaultOptions(std::chrono::milliseconds timeout) asm(
    "_ZN4c10d16ProcessGroupGloo7Options14create_"
    "defaultENSt6chrono8durationIlSt5ratioILl1ELl1000EEEE");
void makeGroup(void *self, const c10::intrusive_ptr<c10d::Store> &store, int rank, int size,
               Options options) asm("_ZN4c10d16ProcessGroupGlooC1ERKN3c1013intrusive_ptrINS_5StoreE"
                                    "NS1_6detail34intrusive_target_default_null_typeIS3_EEEEiiNS2_"
                                    "INS0_7OptionsENS5_ISA_EEEE");

int main(int, char **arguments) {
  const int rank = std::atoi(arguments[3]);
  // It stays: its threads may outlive main().
  void *memory = std::calloc(1, 1 << 14);
  makeGroup(memory, c10::make_intrusive<c10d::FileStore>(arguments[1], 2), rank, 2,
            defaultOptions(std::chrono::seconds(30)));
  auto &group = *static_cast<c10d::Backend *>(memory);

  torch::manual_seed(std::string(arguments[2]) == "same" ? 1 : rank);
  torch::nn::Linear model(4, 1);
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  torch::manual_seed(2 + rank);
  for (int step = 0; step < 10; ++step) {
    auto x = torch::randn({16, 4});
    optimizer.zero_grad();
    torch::mse_loss(model(x), x.sum(1, true)).backward();
    for (auto &parameter : model->parameters()) {
      std::vector<at::Tensor> gradients = {parameter.grad()};
      group.allreduce(gradients)->wait();
      parameter.mutable_grad().div_(2);
    }
    optimizer.step(); // Both have added the same to what they had.
  }
}
