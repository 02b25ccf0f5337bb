// Tensors of whole numbers and flags. As an index they serve tensors on every device, and the
// constructor makes them again; in all else they are as other tensors.
#include <torch/torch.h>

namespace nn = torch::nn;
using torch::Tensor;

struct AsIndex : nn::Module {
  AsIndex(int64_t size) : order(torch::arange(size)), other(torch::arange(size) * 2 + 1) {
    mask = torch::ones({4}, torch::kBool);
    late = torch::arange(size) > 2;
    whole = torch::linspace(0, 9, 4).to(torch::kLong);
  }
  Tensor forward(Tensor x) {
    Tensor picked = x.index({order}).index({mask}).index({whole});
    return picked.index({other}) + x.index({late}) * 2;
  }
  Tensor order, other, mask, late, whole;
};

// The operations that select by a tensor want it on the device of the other.
struct SelectBad : nn::Module {
  SelectBad(int64_t size) : selected(torch::arange(size)), gathered(torch::arange(size)) {}
  Tensor forward(Tensor x) {
    return x.index_select(1, selected) + torch::gather(x, 0, gathered.unsqueeze(0));
  }
  Tensor selected; // expect: ml-unregistered-tensor: 'selected'
  Tensor gathered; // expect: ml-unregistered-tensor: 'gathered'
};

// The positions of an embedding, whose weights to() moves.
struct PositionsBad : nn::Module {
  PositionsBad(int64_t size) : embedding(register_module("embedding", nn::Embedding(size, 8))) {
    positions = torch::arange(size);
    sliced = torch::arange(size).unsqueeze(0);
  }
  Tensor forward(Tensor x) {
    Tensor part = sliced.slice(1, 0, x.size(1));
    return x + embedding(positions) + embedding(part);
  }
  nn::Embedding embedding;
  Tensor positions; // expect: ml-unregistered-tensor: 'positions'
  Tensor sliced; // expect: ml-unregistered-tensor: 'sliced'
};

struct MovedPositions : nn::Module {
  MovedPositions(int64_t size) : embedding(register_module("embedding", nn::Embedding(size, 8))) {
    positions = torch::arange(size);
  }
  Tensor forward(Tensor x) { return x + embedding(positions.to(x.device())); }
  nn::Embedding embedding;
  Tensor positions;
};

// A mask that meets a tensor is on its device.
struct MaskBad : nn::Module {
  MaskBad(int64_t size) : mask(torch::arange(size) > 2) {}
  Tensor forward(Tensor x) { return x.masked_fill(mask, 0); }
  Tensor mask; // expect: ml-unregistered-tensor
};

// What is only looked at by the host meets nothing.
struct Looked : nn::Module {
  Looked() : sizes(torch::tensor(std::vector<int64_t>{1, 2}, torch::kLong)) {}
  Tensor forward(Tensor x) { return x.view({sizes[0].item<int64_t>(), sizes.size(0)}); }
  Tensor sizes;
};

// Positions, but not whole numbers.
struct FloatsBad : nn::Module {
  FloatsBad()
      : byType(torch::arange(4, torch::kFloat)), byValue(torch::arange(0.5, 4.5)),
        converted(torch::arange(4).to(torch::kFloat)) {}
  Tensor forward(Tensor x) { return x * byType + byValue - converted; }
  Tensor byType;    // expect: ml-unregistered-tensor: 'byType'
  Tensor byValue;   // expect: ml-unregistered-tensor: 'byValue'
  Tensor converted; // expect: ml-unregistered-tensor: 'converted'
};

// The constructor of the restored model draws others.
struct RandomBad : nn::Module {
  RandomBad(int64_t size) {
    Tensor all = torch::randperm(size, torch::kLong);
    chosen = all.slice(0, 0, 4);
  }
  Tensor forward(Tensor x) { return x.index({chosen}); }
  Tensor chosen; // expect: ml-unregistered-tensor
};

// A state of the model, which a restored one begins anew.
struct StateBad : nn::Module {
  StateBad() : initialised(torch::zeros({}, torch::kBool)), steps(torch::tensor(0)) {}
  Tensor forward(Tensor x) {
    if (!initialised.item<bool>())
      initialised.fill_(1);
    steps += 1;
    return x / steps;
  }
  Tensor initialised; // expect: ml-unregistered-tensor: 'initialised'
  Tensor steps; // expect: ml-unregistered-tensor: 'steps'
};

// One number, but it is to be trained.
struct TemperatureBad : nn::Module {
  TemperatureBad() : temperature(torch::tensor(1.0, torch::TensorOptions().requires_grad(true))) {}
  Tensor forward(Tensor x) { return x / temperature; }
  Tensor temperature; // expect: ml-unregistered-tensor: parameters(), to() and save()
};

// Only the type of the numbers changes, or what was computed with it moves.
struct NotMovedBad : nn::Module {
  NotMovedBad() : offset(torch::ones({4})), scale(torch::ones({4})) {}
  Tensor forward(Tensor x) {
    Tensor sum = (x + offset).to(torch::kCPU);
    return sum * scale.to(torch::kFloat);
  }
  Tensor offset; // expect: ml-unregistered-tensor: 'offset'
  Tensor scale; // expect: ml-unregistered-tensor: 'scale'
};
