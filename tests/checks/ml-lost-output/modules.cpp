// Outputs of layers in forward passes.
#include <torch/torch.h>

#include <vector>

namespace nn = torch::nn;

struct NetImpl : nn::Module {
  NetImpl() {
    block = register_module("block", nn::Linear(4, 4));
    gate = register_module("gate", nn::Linear(4, 4));
    head = register_module("head", nn::Linear(4, 2));
  }

  torch::Tensor overwritten_bad(torch::Tensor x) {
    auto y = block(x); // expect: ml-lost-output (no fix): the output of 'block' is lost: 'y' gets another value before it is read, so no gradient reaches these layers
    y = gate(x);       // note: 'y' gets the other value here
    return head(y);
  }

  torch::Tensor activated_bad(torch::Tensor x) {
    torch::Tensor y = torch::relu(block->forward(x)); // expect: ml-lost-output
    y = torch::relu(gate->forward(x)); // note: gets the other value here
    return head(y);
  }

  torch::Tensor assigned_bad(torch::Tensor x) {
    torch::Tensor y;
    y = block(x); // expect: ml-lost-output
    y = x; // note: gets the other value here
    return head(y);
  }

  torch::Tensor branches_bad(torch::Tensor x, bool isGated) {
    auto y = block(x); // expect: ml-lost-output
    if (isGated)
      y = gate(x); // note: gets the other value here
    else
      y = x;
    return head(y);
  }

  torch::Tensor in_loop_bad(torch::Tensor x, int count) {
    for (int i = 0; i < count; ++i) {
      auto y = block(x); // expect: ml-lost-output
      if (i > 3) {
        y = gate(x); // note: gets the other value here
        x = x + y;
      }
    }
    return head(x); // Without the gate, nothing reads it either.
  }

  torch::Tensor unread_bad(torch::Tensor x) {
    auto y = block(x); // expect: ml-lost-output: the output of 'block' is lost: nothing comes of what is computed of it
    return head(gate(x));
  }

  torch::Tensor unread_sum_bad(torch::Tensor x) {
    auto y = torch::relu(block->forward(x)); // expect: ml-lost-output: the output of 'block' is lost: nothing comes of what is computed of it
    y = y + x;
    return head(x);
  }

  torch::Tensor made_of_it_bad(torch::Tensor x) {
    auto y = block(x); // expect: ml-lost-output: 'gated' gets another value before it is read
    auto gated = torch::sigmoid(y) * y;
    gated = gate(x); // note: 'gated' gets the other value here
    return head(gated);
  }

  torch::Tensor last_of_several_bad(torch::Tensor x) {
    auto y = block(x);
    y = gate(torch::relu(y)); // expect: ml-lost-output: the output of 'gate' is lost
    y = x + 1; // note: 'y' gets the other value here
    return head(y);
  }

  torch::Tensor loop_around_bad(torch::Tensor x, int count) {
    auto y = block(x); // expect: ml-lost-output: nothing comes of what is computed of it
    while (count-- > 0)
      y = y * 0.5 + x;
    return head(x);
  }

  torch::Tensor parameter_bad(torch::Tensor x) {
    auto shortcut = x;
    x = block(x); // expect: ml-lost-output
    x = gate(shortcut); // note: gets the other value here
    return head(x);
  }

  void by_reference_ok(torch::Tensor &x, torch::Tensor input) {
    x = block(input);
    x = gate(input);
  }

  // ---- read

  torch::Tensor chained_ok(torch::Tensor x) {
    auto y = block(x);
    y = gate(y);
    y = head(torch::relu(y));
    return y;
  }

  torch::Tensor sometimes_ok(torch::Tensor x, bool isGated) {
    auto y = block(x);
    if (isGated)
      y = gate(x);
    return head(y);
  }

  torch::Tensor each_ok(torch::Tensor x, int count) {
    torch::Tensor y = x;
    for (int i = 0; i < count; ++i)
      y = block(x + y);
    return head(y);
  }

  torch::Tensor last_ok(torch::Tensor x, int count) {
    torch::Tensor y;
    for (int i = 0; i < count; ++i) {
      if (y.defined())
        x = x + y;
      y = block(x);
    }
    return head(x);
  }

  torch::Tensor referred_ok(torch::Tensor x) {
    torch::Tensor y;
    auto &other = y;
    y = block(x);
    auto sum = other + x;
    y = gate(x);
    return head(y + sum);
  }

  torch::Tensor closed_over_ok(torch::Tensor x) {
    torch::Tensor y;
    auto add = [&] { return x + y; };
    y = block(x);
    x = add();
    y = gate(x);
    return head(y);
  }

  torch::Tensor meant_ok(torch::Tensor x) {
    [[maybe_unused]] auto y = block(x);
    auto unused = gate(x);
    auto z = gate(x);
    (void)z;
    return head(x);
  }

  torch::Tensor handed_out_ok(torch::Tensor x, std::vector<torch::Tensor> &kept) {
    auto y = block(x);
    kept.push_back(y);
    y = gate(x);
    return head(y);
  }

  torch::Tensor asked_ok(torch::Tensor x) {
    auto y = block(x);
    if (y.mean().item<float>() > 0)
      x = gate(x);
    return head(x);
  }

  torch::Tensor measured_ok(torch::Tensor x) {
    auto y = block(x);
    return head(x.narrow(1, 0, y.size(1)));
  }

  torch::Tensor written_ok(torch::Tensor x) {
    auto y = block(x);
    kept_.copy_(y);
    return head(x);
  }

  torch::Tensor listed_ok(torch::Tensor x) {
    auto y = block(x), z = gate(x);
    return head(torch::cat({y, z}, 1));
  }

  torch::Tensor ends_ok(torch::Tensor x, bool isShallow) {
    auto y = block(x);
    if (isShallow)
      return y;
    y = gate(x);
    return head(y);
  }

  torch::Tensor without_gradients_ok(torch::Tensor x) {
    torch::NoGradGuard guard;
    auto y = block(x);
    y = gate(x);
    return head(y);
  }

  torch::Tensor warmed_up_ok(torch::Tensor x) {
    auto y = block(x);
    y = block(x);
    return head(y);
  }

  nn::Linear block{nullptr}, gate{nullptr}, head{nullptr};
  torch::Tensor kept_ = register_buffer("kept", torch::zeros({4, 4}));
};
TORCH_MODULE(Net);

/// It keeps what it has computed: that is what it is called for.
struct MemoryImpl : nn::Module {
  MemoryImpl() { fc = register_module("fc", nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) {
    state = fc(x);
    return state;
  }
  nn::Linear fc{nullptr};
  torch::Tensor state;
};
TORCH_MODULE(Memory);

struct RememberingImpl : nn::Module {
  RememberingImpl() {
    memory = register_module("memory", Memory());
    head = register_module("head", nn::Linear(4, 2));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto y = memory(x);
    y = head(x);
    return y + memory->state.sum();
  }
  Memory memory{nullptr};
  nn::Linear head{nullptr};
};

struct InnerImpl : nn::Module {
  InnerImpl() { fc = register_module("fc", nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) { return torch::relu(fc(x)); }
  nn::Linear fc{nullptr};
};
TORCH_MODULE(Inner);

struct OuterImpl : nn::Module {
  OuterImpl() {
    inner = register_module("inner", Inner());
    head = register_module("head", nn::Linear(4, 2));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto y = inner(x); // expect: ml-lost-output
    y = head(x); // note: gets the other value here
    return y;
  }
  Inner inner{nullptr};
  nn::Linear head{nullptr};
};
