// Modules that are loaded from archives.
#include <torch/torch.h>

using Layer = torch::nn::Linear;
using torch::serialize::InputArchive;
using torch::serialize::OutputArchive;

void moved_before_bad(torch::Tensor x, const std::string &path, torch::Device device) {
  Layer layer(4, 1);
  layer->to(device);
  InputArchive archive;
  archive.load_from(path);
  layer->load(archive); // expect: ml-load-device: on the device that the file says
  layer(x.to(device)).print();
}

void goes_on_bad(torch::Tensor x, torch::Device device, bool resume) {
  Layer layer(4, 1);
  layer->to(device);
  torch::optim::Adam optimizer(layer->parameters());
  if (resume) {
    InputArchive archive;
    archive.load_from("layer.pt");
    layer->load(archive); // expect: ml-load-device
  }
  for (int epoch = 0; epoch < 100; ++epoch) {
    optimizer.zero_grad();
    layer(x.to(device)).mean().backward();
    optimizer.step();
    OutputArchive archive;
    layer->save(archive);
    archive.save_to("layer.pt");
  }
}

void part_bad(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  layer->to(device);
  InputArchive archive, part;
  archive.load_from("checkpoint.pt");
  archive.read("model", part);
  layer->load(part); // expect: ml-load-device
  layer(x.to(device)).print();
}

void device_given_ok(torch::Tensor x, const std::string &path, torch::Device device) {
  Layer layer(4, 1);
  layer->to(device);
  InputArchive archive;
  archive.load_from(path, device);
  layer->load(archive);
  layer(x.to(device)).print();
}

void part_given_ok(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  layer->to(device);
  InputArchive archive, part;
  archive.load_from("checkpoint.pt", device);
  archive.read("model", part);
  layer->load(part);
  layer(x.to(device)).print();
}

// Who has opened it knows the device.
void opened_ok(torch::Tensor x, InputArchive &archive, torch::Device device) {
  Layer layer(4, 1);
  layer->to(device);
  layer->load(archive);
  layer(x.to(device)).print();
}

void moved_behind_ok(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  InputArchive archive;
  archive.load_from("layer.pt");
  layer->load(archive);
  layer->to(device);
  layer(x.to(device)).print();
}

// The best of this very run comes back.
void best_ok(torch::Tensor x, torch::Device device) {
  Layer layer(4, 1);
  layer->to(device);
  {
    OutputArchive archive;
    layer->save(archive);
    archive.save_to("best.pt");
  }
  InputArchive archive;
  archive.load_from("best.pt");
  layer->load(archive);
  layer(x.to(device)).print();
}

class Agent {
public:
  Agent() : device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU) { policy->to(device); }

  torch::Tensor act(torch::Tensor state) {
    torch::NoGradGuard guard;
    return policy->forward(state);
  }
  void save(const std::string &path) const {
    OutputArchive archive;
    policy->save(archive);
    archive.save_to(path);
  }
  void load_bad(const std::string &path) {
    InputArchive archive;
    archive.load_from(path);
    policy->load(archive); // expect: ml-load-device: nothing moves them to where they were before
  }

private:
  Layer policy{4, 2};
  torch::Device device;
};

class Told {
public:
  Told(torch::Device where) : device(where) { policy->to(device); }

  torch::Tensor act(torch::Tensor state) { return policy->forward(state).detach(); }
  void load_ok(const std::string &path) {
    InputArchive archive;
    archive.load_from(path, device);
    policy->load(archive);
  }

private:
  Layer policy{4, 2};
  torch::Device device;
};
