// Names of files that functions make.
#include <torch/torch.h>

#include <filesystem>
#include <string>

using Net = torch::nn::Linear;
using Adam = torch::optim::Adam;

static std::string file(const std::string &run, int epoch) {
  return run + "/epoch" + std::to_string(epoch) + ".pt";
}
static std::string file(const std::string &run, int epoch, size_t part) {
  return run + "/epoch" + std::to_string(epoch) + "-" + std::to_string(part) + ".pt";
}

template <typename... Parts> void store_bad(const std::string &run, int epoch, const Parts &...parts) {
  (torch::save(parts, file(run, epoch)), ...); // expect: ml-overwritten-checkpoint: overwrites the file
}
template <typename... Parts> void store_ok(const std::string &run, int epoch, const Parts &...parts) {
  size_t part = 0;
  (torch::save(parts, file(run, epoch, part++)), ...);
}

void stored(Net generator, Net critic, int epochs) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    store_bad("run", epoch, generator, critic);
    store_ok("run", epoch, generator, critic);
  }
}

// Two calls, with two numbers.
void by_call_ok(Net net, Adam &optimizer, const std::string &run) {
  torch::save(net, file(run, 0));
  torch::save(optimizer, file(run, 1));
}

template <typename T> static void write(const T &value, int number) {
  torch::save(value, file("run", number));
}

void called_twice_ok(Net net, Adam &optimizer, int number) {
  write(net, number);
  ++number;
  write(optimizer, number);
}

class Folder {
public:
  explicit Folder(std::filesystem::path root) : root(std::move(root)) {}
  std::string weights(int epoch) const { return name(epoch, "net"); }
  std::string solver(int epoch) const { return name(epoch, "net"); }
  std::string state(int epoch) const { return name(epoch, "state"); }

private:
  std::string name(int epoch, const std::string &kind) const {
    return (root / (kind + "-" + std::to_string(epoch) + ".pt")).string();
  }
  std::filesystem::path root;
};

struct Trainer {
  Net net{nullptr};
  Adam optimizer;
  Folder folder;
  int epoch = 0;
  int count = 0;

  void writeNet() { torch::save(net, folder.weights(epoch)); }
  void writeState() { torch::save(optimizer, folder.state(epoch)); }
  void writeOptimizer() { torch::save(optimizer, folder.solver(epoch)); } // expect: ml-overwritten-checkpoint

  void run() {
    for (; epoch < 10;) {
      ++epoch;
      writeNet();
      writeState();
      writeOptimizer();
    }
  }

  // Another number each time.
  void numbered_ok(const torch::Tensor &a, const torch::Tensor &b) {
    keep(a);
    keep(b);
  }
  void keep(const torch::Tensor &value) {
    torch::save(value, "sample-" + std::to_string(count) + ".pt");
    ++count;
  }
};
