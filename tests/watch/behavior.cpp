// A training that ends as its first argument says. Each way is one that watching must not change.
#include <torch/torch.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

/// Prints the last loss, which depends on all steps.
static void train(const std::string &name, int steps = 30) {
  torch::manual_seed(1);
  auto x = torch::linspace(-3, 3, 64).unsqueeze(1);
  auto y = torch::sin(x);
  torch::nn::Sequential model(torch::nn::Linear(1, 16), torch::nn::Tanh(),
                              torch::nn::Linear(16, 1));
  torch::optim::Adam optimizer(model->parameters(), 0.01);
  double last = 0;
  for (int step = 0; step < steps; ++step) {
    auto loss = torch::mse_loss(model->forward(x), y);
    loss.backward();
    optimizer.step(); // Nothing clears the gradients.
    last = loss.item<double>();
  }
  std::printf("%s %.9g\n", name.c_str(), last);
  std::fflush(stdout);
}

int main(int, char **arguments) {
  const std::string how = arguments[1];
  train("main");
  if (how == "slow")
    for (int i = 0; i < 25; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      train("part", 1);
    }
  if (how == "status")
    return 3;
  if (how == "throw")
    torch::ones({2}).add(torch::ones({3}));
  if (how == "abort")
    std::abort();
  if (how == "exit")
    _exit(4);
  if (how == "fork") {
    const pid_t child = fork();
    if (child == 0) {
      train("child", 5);
      _exit(5);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  }
  if (how == "exec") {
    execl("/bin/sh", "sh", "-c", "echo preloaded: $LD_PRELOAD; exit 6", nullptr);
    return 1;
  }
  if (how == "threads") {
    std::thread one([] { train("thread"); });
    one.join();
    // It is alive when the program ends, between two operations.
    std::promise<void> worked;
    std::thread([&worked] {
      for (int i = 0; i < 1000; ++i)
        torch::ones({2}).sum();
      worked.set_value();
      for (;;)
        pause();
    }).detach();
    worked.get_future().wait();
  }
  return 0;
}
