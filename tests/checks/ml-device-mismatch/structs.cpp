// Structs of tensors that are moved as a whole.
#include <torch/torch.h>

using torch::Tensor;

struct Graph {
  Tensor features, labels;

  // What goes over pointers to tensors may assign to each of them.
  Graph to(torch::Device device) const {
    Graph moved = *this;
    for (Tensor *each : {&moved.features, &moved.labels})
      *each = each->to(device);
    return moved;
  }

  Graph featuresTo(torch::Device device) const {
    Graph moved = *this;
    moved.features = moved.features.to(device);
    return moved;
  }
};

Graph made() {
  Graph graph;
  graph.features = torch::rand({8, 4});
  graph.labels = torch::rand({8, 4});
  return graph;
}

Tensor all_ok(torch::Device device) {
  const Graph graph = made().to(device);
  const Tensor weights = torch::rand({8, 4}, device);
  return graph.features * weights + graph.labels * weights;
}

Tensor one_bad() {
  const torch::Device device(torch::kCUDA);
  const Graph graph = made().featuresTo(device);
  const Tensor weights = torch::rand({8, 4}, device);
  return graph.features * weights + graph.labels * weights; // expect: ml-device-mismatch
}

// A forward pass of the user's need not use all of what it gets.
struct Padded {
  Tensor words, lengths;
};

struct TaggerImpl : torch::nn::Module {
  torch::nn::Linear out{nullptr};
  TaggerImpl() { out = register_module("out", torch::nn::Linear(3, 4)); }
  Tensor forward(const Padded &batch) { return out(batch.words); }
};
TORCH_MODULE(Tagger);

Padded padded(torch::Device device) {
  return {torch::rand({2, 3}).to(device), torch::tensor({3, 2})};
}

Tensor lengths_on_host_ok(Tagger tagger) {
  const torch::Device device(torch::kCUDA);
  tagger->to(device);
  const Padded batch = padded(device);
  return tagger(batch) + torch::rand({2, 4}, device);
}
