// Guards with a name, in whose blocks nothing is left to guard.
#include <torch/torch.h>

#include <iostream>
#include <string>

using torch::Tensor;

void mode_bad(torch::nn::Linear net, Tensor x, bool trains) {
  if (trains) {
    net->train();
  } else {
    torch::NoGradGuard guard; // expect: ml-guard-temporary (no fix) (level 1): 'guard' guards nothing
    net->eval();
  }
  net(x);
}

struct Runner {
  explicit Runner(int gpu) {
    if (gpu >= 0) {
      torch::NoGradGuard guard; // expect: ml-guard-temporary (no fix) (level 1)
      device = torch::Device(torch::kCUDA, gpu);
    }
    net->eval();
    net->to(device);
  }
  void last_bad() {
    net->eval();
    torch::NoGradGuard guard; // expect: ml-guard-temporary (no fix) (level 1)
  }
  torch::Device device = torch::kCPU;
  torch::nn::Linear net{nullptr};
};

void said_bad(torch::nn::Linear net, Tensor x) {
  {
    torch::AutoGradMode off(false); // expect: ml-guard-temporary (no fix) (level 1)
    std::cout << "evaluation" << std::endl;
    net->train(false);
  }
  net(x);
}

// ---- something follows

void forward_ok(torch::nn::Linear net, Tensor x) {
  torch::NoGradGuard guard;
  net->eval();
  net(x);
}

void changed_ok(Tensor w) {
  torch::NoGradGuard guard;
  w.fill_(0);
}

void computed_ok(Tensor w) {
  torch::NoGradGuard guard;
  w = w + 1;
}

Tensor returned_ok(Tensor w) {
  torch::NoGradGuard guard;
  return w;
}

void moved_ok(torch::nn::Linear net) {
  torch::NoGradGuard guard;
  net->eval();
  net->to(torch::kCUDA);
}

void loaded_ok(torch::nn::Linear net) {
  torch::NoGradGuard guard;
  torch::load(net, "net.pt");
}

void evaluate();
void unseen_ok() {
  torch::NoGradGuard guard;
  evaluate();
}

struct Evaluator {
  void run();
  void called_ok() {
    torch::NoGradGuard guard;
    run();
  }
  void closure_ok(const std::function<void()> &work) {
    torch::NoGradGuard guard;
    work();
  }
};

void in_a_loop_ok(torch::nn::Linear net, const std::vector<Tensor> &batches) {
  torch::NoGradGuard guard;
  for (const Tensor &batch : batches)
    net(batch);
}

struct OwnMode : torch::nn::Module {
  void train(bool on = true) override;
};
void own_mode_ok(OwnMode &net) {
  torch::NoGradGuard guard;
  net.train(false);
}

void before_the_block_ok(torch::nn::Linear net, Tensor x) {
  torch::NoGradGuard guard;
  {
    net->eval();
    net(x);
  }
}

// What macros leave out is not seen.
void left_out_ok(torch::nn::Linear net, Tensor x) {
  torch::NoGradGuard guard;
  net->eval();
#ifdef WITH_EVALUATION
  net(x);
#endif
}

#define EVALUATE(net, x)
void left_out_by_a_macro_ok(torch::nn::Linear net, Tensor x) {
  torch::NoGradGuard guard;
  net->eval();
  EVALUATE(net, x)
}

template <typename Net> void of_a_template_ok(Net &net) {
  torch::NoGradGuard guard;
  net.eval();
}
