// Files that are saved several times.
#include <torch/torch.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

using Net = torch::nn::Linear;
using Adam = torch::optim::Adam;

// --- right ---------------------------------------------------------------------------------------

void two_names_ok(Net net, Adam &optimizer) {
  torch::save(net, "model.pt");
  torch::save(optimizer, "optimizer.pt");
}

void two_endings_ok(Net net, Adam &optimizer, const std::string &name) {
  torch::save(net, name + ".pt");
  torch::save(optimizer, name + "-optimizer.pt");
}

void by_number_ok(const std::vector<torch::Tensor> &tensors) {
  for (size_t i = 0; i < tensors.size(); ++i)
    torch::save(tensors[i], "tensor-" + std::to_string(i) + ".pt");
}

void counted_ok(const torch::Tensor &a, const torch::Tensor &b) {
  int number = 0;
  torch::save(a, "tensor-" + std::to_string(number) + ".pt");
  ++number;
  torch::save(b, "tensor-" + std::to_string(number) + ".pt");
}

void one_archive_ok(Net net, Adam &optimizer) {
  torch::serialize::OutputArchive archive, others;
  net->save(archive);
  optimizer.save(others);
  archive.write("optimizer", others);
  archive.save_to("checkpoint.pt");
}

void same_again_ok(Net net) {
  torch::save(net, "model.pt");
  torch::save(net, "model.pt");
}

void periodic_ok(Net net, int epochs) {
  for (int epoch = 0; epoch < epochs; ++epoch)
    if (epoch % 10 == 0)
      torch::save(net, "model.pt");
  torch::save(net, "model.pt");
}

void loaded_between_ok(Net net, Net copy, torch::Tensor x) {
  torch::save(net, "exchange.pt");
  torch::load(copy, "exchange.pt");
  torch::save(x, "exchange.pt");
  torch::load(x, "exchange.pt");
}

void renamed_ok(Net net, Adam &optimizer) {
  torch::save(net, "new.pt");
  std::rename("new.pt", "model.pt");
  torch::save(optimizer, "new.pt");
  std::rename("new.pt", "optimizer.pt");
}

void moved_ok(Net net, Adam &optimizer, const std::string &name) {
  torch::save(net, name);
  std::filesystem::rename(name, name + ".model");
  torch::save(optimizer, name);
}

void moved_by_command_ok(Net net, Adam &optimizer) {
  torch::save(net, "new.pt");
  std::system("mv new.pt model.pt");
  torch::save(optimizer, "new.pt");
}

void upload(const std::string &name);

void handed_on_ok(Net net, Adam &optimizer) {
  torch::save(net, "new.pt");
  upload("new.pt");
  torch::save(optimizer, "new.pt");
}

void either_ok(Net net, Net average, bool averaged) {
  if (averaged)
    torch::save(average, "model.pt");
  else
    torch::save(net, "model.pt");
}

void by_two_questions_ok(Net net, Net average, bool averaged) {
  if (averaged)
    torch::save(average, "model.pt");
  if (!averaged)
    torch::save(net, "model.pt");
}

void another_name_ok(Net net, Adam &optimizer) {
  std::string name = "model.pt";
  torch::save(net, name);
  name = "optimizer.pt";
  torch::save(optimizer, name);
}

void longer_name_ok(Net net, Adam &optimizer, std::string name) {
  torch::save(net, name);
  name += ".optimizer";
  torch::save(optimizer, name);
}

std::string next_name();

void unknown_names_ok(Net net, Adam &optimizer) {
  torch::save(net, next_name());
  torch::save(optimizer, next_name());
}

void by_index_ok(Net net, Adam &optimizer, const std::vector<std::string> &names) {
  torch::save(net, names[0]);
  torch::save(optimizer, names[1]);
  for (size_t i = 0; i + 1 < names.size(); i += 2) {
    torch::save(net, names[i]);
    torch::save(optimizer, names[i + 1]);
  }
}

void per_epoch_ok(Net net, Adam &optimizer, int epochs) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    torch::save(net, "model-" + std::to_string(epoch) + ".pt");
    torch::save(optimizer, "optimizer-" + std::to_string(epoch) + ".pt");
  }
}

template <typename T> void save_to_ok(const T &value, const std::string &name) {
  torch::save(value, name + ".pt");
}

void helper_ok(Net net, Adam &optimizer) {
  save_to_ok(net, "model");
  save_to_ok(optimizer, "optimizer");
}

void read_between_ok(Net net, Adam &optimizer) {
  torch::save(net, "exchange.pt");
  std::ifstream file("exchange.pt");
  std::string bytes;
  file >> bytes;
  torch::save(optimizer, "exchange.pt");
}

// --- wrong ---------------------------------------------------------------------------------------

void literal_bad(Net net, Adam &optimizer) {
  torch::save(net, "checkpoint.pt"); // note: 'net' is saved here
  torch::save(optimizer, "checkpoint.pt"); // expect: ml-overwritten-checkpoint: only 'optimizer' can be loaded
}

void variable_bad(Net net, Adam &optimizer, const std::string &name) {
  torch::save(net, name); // note: saved here
  torch::save(optimizer, name); // expect: ml-overwritten-checkpoint
}

void named_twice_bad(Net net, Adam &optimizer) {
  const std::string name = "checkpoint.pt";
  torch::save(net, name); // note: saved here
  torch::save(optimizer, "checkpoint.pt"); // expect: ml-overwritten-checkpoint
}

void joined_bad(Net net, Adam &optimizer, const std::string &folder, int epochs) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    torch::save(net, folder + "/epoch-" + std::to_string(epoch) + ".pt"); // note: saved here
    torch::save(optimizer, folder + "/epoch-" + std::to_string(epoch) + ".pt"); // expect: ml-overwritten-checkpoint
  }
}

void paths_bad(Net net, Adam &optimizer, const std::filesystem::path &folder) {
  const auto file = folder / "checkpoint.pt";
  torch::save(net, file.string()); // note: saved here
  torch::save(optimizer, file.string()); // expect: ml-overwritten-checkpoint
}

void two_nets_bad(Net generator, Net discriminator) {
  torch::save(generator, "gan.pt"); // note: saved here
  torch::save(discriminator, "gan.pt"); // expect: ml-overwritten-checkpoint
}

template <typename T> void save_to(const T &value, const std::string &name) {
  torch::save(value, name + ".pt");
}

// The names are given where the helper is called.
void helper_bad(Net net, Adam &optimizer) {
  save_to(net, "checkpoint"); // note: 'net' is saved here
  save_to(optimizer, "checkpoint"); // expect: ml-overwritten-checkpoint: 'optimizer' overwrites the file in which 'net' was just saved
}

void helper_again_bad(Net net, Adam &optimizer) {
  save_to(net, "last"); // note: saved here
  save_to(optimizer, "last"); // expect: ml-overwritten-checkpoint
}

void in_a_branch_bad(Net net, Adam &optimizer, float loss, float &best) {
  if (loss < best) {
    best = loss;
    torch::save(net, "best.pt"); // note: saved here
    torch::save(optimizer, "best.pt"); // expect: ml-overwritten-checkpoint
  }
}

class Trainer {
public:
  Trainer(Net net, std::string file)
      : net(net), optimizer(net->parameters(), 1e-3), file(std::move(file)) {}

  void save() {
    torch::save(net, file); // note: saved here
    torch::save(optimizer, file); // expect: ml-overwritten-checkpoint
  }

private:
  Net net;
  Adam optimizer;
  std::string file;
};

void archives_bad(Net net, Adam &optimizer) {
  torch::serialize::OutputArchive ofNet, ofOptimizer;
  net->save(ofNet);
  ofNet.save_to("checkpoint.pt"); // note: saved here
  optimizer.save(ofOptimizer);
  ofOptimizer.save_to("checkpoint.pt"); // expect: ml-overwritten-checkpoint
}

void in_lambda_bad(Net net, Adam &optimizer) {
  auto save = [&](const std::string &name) {
    torch::save(net, name); // note: saved here
    torch::save(optimizer, name); // expect: ml-overwritten-checkpoint
  };
  save("last.pt");
}
