// The emulated device finds what a real one would not forgive. The other tests of this program,
// those of HardwareTest.cpp, say whether the kernels compute what they should.
#include "cuda_runtime.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <catch2/catch.hpp>
#include <torch/torch.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

[[maybe_unused]] const bool emulated = setenv("GRADTIDY_DEVICE", "cuda", 1) == 0;

/// The signal that ends a process which does this; 0 if none does.
int signalThatEnds(const std::function<void()> &deed) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    std::signal(SIGABRT, SIG_DFL);
    (void)!freopen("/dev/null", "w", stderr);
    deed();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

cudaError_t launch(void (*kernel)(int *), unsigned threads, int *argument) {
  cudaLaunchConfig_t shape{dim3(1), dim3(threads), 0, nullptr};
  return cudaLaunchKernelEx(&shape, kernel, argument);
}

int *deviceInts() {
  void *memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 1024 * sizeof(int)) == cudaSuccess);
  return static_cast<int *>(memory);
}

int onHost(const int *memory) {
  int value = 0;
  REQUIRE(cudaMemcpyAsync(&value, memory, sizeof value, cudaMemcpyDeviceToHost, nullptr) ==
          cudaSuccess);
  return value;
}

} // namespace

TEST_CASE("threads of a block see behind a barrier what others wrote before it") {
  int *memory = deviceInts();
  auto kernel = +[](int *sum) {
    __shared__ int values[300];
    values[threadIdx.x] = static_cast<int>(threadIdx.x);
    for (unsigned width = 256; width > 0; width /= 2) {
      __syncthreads();
      if (threadIdx.x < width && threadIdx.x + width < blockDim.x)
        values[threadIdx.x] += values[threadIdx.x + width];
    }
    if (threadIdx.x == 0)
      *sum = values[0];
  };
  CHECK(launch(kernel, 300, memory) == cudaSuccess);
  CHECK(onHost(memory) == 299 * 300 / 2);
  CHECK(cudaFree(memory) == cudaSuccess);
}

TEST_CASE("the host cannot touch an emulated device's memory, kernels cannot miss it") {
  int *memory = deviceInts();
  CHECK(signalThatEnds([&] { *memory = 1; }) == SIGSEGV);
  CHECK(signalThatEnds([&] { launch([](int *x) { x[0] = 1; }, 1, memory); }) == 0);
  CHECK(signalThatEnds([&] { *memory = 1; }) == SIGSEGV); // after a kernel, too
}

TEST_CASE("memory that nobody has written holds nothing that a result should") {
  int *memory = deviceInts();
  CHECK(onHost(memory) == -1);
  auto kernel = +[](int *found) {
    __shared__ int shared[2];
    if (threadIdx.x == 0)
      found[blockIdx.x] = shared[0];
    __syncthreads();
    shared[threadIdx.x] = 1;
  };
  cudaLaunchConfig_t shape{dim3(2), dim3(2), 0, nullptr};
  CHECK(cudaLaunchKernelEx(&shape, kernel, memory) == cudaSuccess);
  const int filled = emulator::fillsShared() ? 0x7f7f7f7f : 0;
  CHECK(onHost(memory) == filled);
  CHECK(onHost(memory + 1) == (filled ? filled : 1)); // what the block before left
  CHECK(cudaFree(memory) == cudaSuccess);
}

TEST_CASE("a barrier that some threads of a block do not reach ends the program") {
  int *memory = deviceInts();
  auto half = +[](int *) {
    if (threadIdx.x < 16)
      __syncthreads();
  };
  auto otherHalf = +[](int *) {
    if (threadIdx.x >= 16)
      __syncthreads();
  };
  CHECK(signalThatEnds([&] { launch(half, 32, memory); }) == SIGABRT);
  CHECK(signalThatEnds([&] { launch(otherHalf, 32, memory); }) == SIGABRT);
}

TEST_CASE("work is known to be done when the host has waited for it, or asks again") {
  int *memory = deviceInts();
  cudaEvent_t event = nullptr;
  REQUIRE(cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess);
  for (bool waits : {true, false}) {
    CHECK(launch([](int *x) { x[0] = 1; }, 1, memory) == cudaSuccess);
    CHECK(cudaEventRecord(event, nullptr) == cudaSuccess);
    CHECK((waits ? cudaStreamSynchronize(nullptr) : cudaEventQuery(event)) ==
          (waits ? cudaSuccess : cudaErrorNotReady));
    CHECK(cudaEventQuery(event) == cudaSuccess);
  }
  CHECK(cudaEventDestroy(event) == cudaSuccess);
  CHECK(cudaFree(memory) == cudaSuccess);
}

TEST_CASE("calls that CUDA refuses are refused") {
  int *memory = deviceInts();
  auto nothing = +[](int *) {};
  CHECK(launch(nothing, 2048, memory) == cudaErrorInvalidConfiguration);
  CHECK(launch(nothing, 0, memory) == cudaErrorInvalidConfiguration);
  CHECK(cudaSetDevice(7) == cudaErrorInvalidDevice);
  int number = 0;
  CHECK(cudaMemcpyAsync(&number, &number, 4, cudaMemcpyDeviceToHost, nullptr) ==
        cudaErrorInvalidValue);
  CHECK(cudaFree(memory + 1) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  CHECK(cudaMemcpyAsync(memory, &number, 4, cudaMemcpyHostToDevice, stream) ==
        cudaErrorInvalidValue); // a stream of the other device
  CHECK(cudaFree(memory) == cudaErrorInvalidValue);
  cudaSetDevice(0);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(signalThatEnds([&] {
          if (launch([](int *) { throw 1; }, 1, memory) == cudaSuccess &&
              launch(nothing, 1, memory) == cudaErrorAssert)
            std::abort();
        }) == SIGABRT);
}

TEST_CASE("devices copy to each other where the source's work is, whichever was used last") {
  const torch::Tensor first = torch::full({1000}, 3.0, torch::Device("cuda:0")),
                      second = torch::ones({1000}, torch::Device("cuda:1"));
  CHECK((first.to("cuda:1") + second).cpu().eq(4).all().item<bool>());
}

TEST_CASE("no device is started that nobody asked for") {
  using namespace c10::cuda;
  CUDACachingAllocator::emptyCache();
  REQUIRE(CUDACachingAllocator::snapshot().segments.empty());
  emulator::forgetStartedDevices();
  std::thread([] {
    const torch::Device second("cuda:1");
    const CUDAStreamGuard guard(getStreamFromPool(false, 1));
    const torch::Tensor x = torch::rand({1000}, second);
    at::cuda::CUDAEvent event;
    event.record(getCurrentCUDAStream(1));
    std::thread([&] {
      event.query(); // which a thread may do that has used none
      event.synchronize();
      torch::ones({1000}).pin_memory().to(second, /*non_blocking=*/true);
      torch::ones({1000}).pin_memory();
    }).join();
    x.sum().item<float>();
    CUDACachingAllocator::emptyCache();
  }).join();
  CHECK(emulator::startedDevices() == std::set<int>{1});
}

TEST_CASE(
    "what others put at a position does not depend on who comes first, if that is asked for") {
  torch::manual_seed(1);
  const torch::Tensor positions = torch::randint(0, 7, {20000}).to(torch::kCUDA),
                      values = torch::rand({20000}).to(torch::kCUDA);
  for (bool deterministic : {false, true}) {
    at::globalContext().setDeterministicAlgorithms(deterministic);
    auto run = [&](bool lastBlockFirst) {
      emulator::setLastBlockFirst(lastBlockFirst);
      torch::Tensor sums = torch::zeros({7}, torch::kCUDA), last = sums.clone();
      sums.index_add_(0, positions, values);
      last.index_put_({positions}, values);
      emulator::setLastBlockFirst(false);
      return torch::stack({sums, last}).cpu();
    };
    CHECK(run(false).equal(run(true)) == deterministic);
  }
  at::globalContext().setDeterministicAlgorithms(false);
}

TEST_CASE("the memory of a graph that is reset waits for the stream that runs it") {
  using namespace c10::cuda;
  const CUDAStream working = getStreamFromPool();
  const CUDAStreamGuard guard(getStreamFromPool());
  auto number = [] {
    return torch::empty({1}, torch::TensorOptions(torch::kCUDA).dtype(torch::kLong));
  };
  const torch::Tensor x = torch::zeros({1}, torch::kCUDA);
  const void *counter = number().data_ptr(); // the graph gets this block, too
  at::cuda::CUDAGraph graph;
  graph.capture_begin();
  x.add_(1);
  graph.capture_end();
  {
    const CUDAStreamGuard onOther(working);
    graph.replay();
  }
  graph.reset();
  const torch::Tensor other = number();
  CHECK(other.data_ptr() != counter);
  torch::cuda::synchronize();
  CHECK(number().data_ptr() == counter);
}

TEST_CASE("a graph ends without a word when its device works no more") {
  CHECK(signalThatEnds([] {
          try {
            const c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
            const torch::Tensor x = torch::rand({3}, torch::kCUDA),
                                at = torch::zeros(
                                    {1}, torch::TensorOptions(torch::kCUDA).dtype(torch::kLong));
            at::cuda::CUDAGraph graph;
            graph.capture_begin();
            const torch::Tensor chosen = x.index_select(0, at);
            graph.capture_end();
            at.fill_(7);
            graph.replay();
            torch::cuda::synchronize();
          } catch (const c10::Error &) {
            return;
          }
          _exit(1);
        }) == 0);
}

TEST_CASE("a capture begins with all memory that nobody uses, and survives that there is no more") {
  using namespace c10::cuda;
  const auto bytes = torch::TensorOptions(torch::kCUDA).dtype(torch::kByte);
  constexpr int64_t most = int64_t{40} << 20;
  CUDACachingAllocator::emptyCache();
  const auto reserved = CUDACachingAllocator::getDeviceStats(0).reserved_bytes[0].current;
  const CUDAStreamGuard guard(getStreamFromPool());
  emulator::setMemory(static_cast<std::size_t>(reserved + most + most / 2));
  torch::empty({most}, bytes);
  at::cuda::CUDAGraph graph;
  graph.capture_begin();
  const torch::Tensor kept = torch::empty({most}, bytes);
  CHECK_THROWS_AS(torch::empty({most}, bytes), c10::OutOfMemoryError);
  kept.narrow(0, 0, 9).fill_(3);
  graph.capture_end();
  emulator::setMemory(std::size_t{2} << 30);
  graph.replay();
  CHECK(kept.narrow(0, 0, 9).eq(3).all().item<bool>());
}

namespace {

/// How many kernels, those of libraries not counted, a result takes, and its gradients.
template <class Make> std::pair<std::size_t, std::size_t> kernelsOf(Make make) {
  const std::size_t before = emulator::launches();
  torch::Tensor out = make();
  const std::size_t between = emulator::launches();
  out.backward(torch::ones_like(out));
  return {between - before, emulator::launches() - between - 1}; // that of ones
}

torch::Tensor leaf(torch::IntArrayRef sizes, torch::ScalarType type = torch::kFloat) {
  return torch::rand(sizes, torch::TensorOptions(torch::kCUDA).dtype(type)).requires_grad_();
}

} // namespace

using Kernels = std::pair<std::size_t, std::size_t>;

TEST_CASE("losses of classes and means take one kernel each way") {
  for (auto type : {torch::kFloat, torch::kHalf, torch::kBFloat16}) {
    const auto options = torch::TensorOptions(torch::kCUDA).dtype(type);
    const torch::Tensor labels = torch::zeros(40, options.dtype(torch::kLong)),
                        places = torch::zeros({2, 3, 4}, options.dtype(torch::kLong)),
                        weight = torch::ones(5, options);
    for (int64_t reduction :
         {torch::Reduction::None, torch::Reduction::Mean, torch::Reduction::Sum}) {
      CHECK(kernelsOf([&, x = leaf({40, 5}, type)] {
              return torch::nll_loss(x, labels, weight, reduction, 3);
            }) == Kernels{1, 1});
      CHECK(kernelsOf([&, x = leaf({2, 5, 3, 4}, type)] {
              return torch::nll_loss(x, places, {}, reduction);
            }) == Kernels{1, 1});
    }
    const auto rows = [&] { return leaf({30, 8}, type); }; // without a gradient, each time
    CHECK(kernelsOf([x = rows()] { return x.mean(); }) == Kernels{1, 1});
    CHECK(kernelsOf([x = rows()] { return x.mean(1); }) == Kernels{1, 1});
    CHECK(kernelsOf([x = rows()] { return x.sum(torch::kFloat); }).first == 1);
  }
}

TEST_CASE("what takes many operations on the host takes few kernels") {
  for (auto type : {torch::kFloat, torch::kHalf, torch::kBFloat16}) {
    const torch::Tensor q = leaf({2, 3, 40, 16}, type), k = leaf({2, 3, 40, 16}, type),
                        v = leaf({2, 3, 40, 16}, type);
    CHECK(kernelsOf([&] { return torch::scaled_dot_product_attention(q, k, v, {}, 0, true); }) ==
          Kernels{1, 2});
    const torch::Tensor x = leaf({4, 3, 5, 5}, type), weight = leaf({3}), bias = leaf({3}),
                        mean = torch::zeros(3, torch::kCUDA),
                        variance = torch::ones(3, torch::kCUDA);
    CHECK(kernelsOf([&] {
            return torch::batch_norm(x, weight, bias, mean, variance, true, 0.1, 1e-5, true);
          }) == Kernels{2, 2});
  }
  for (auto type : {torch::kFloat, torch::kHalf, torch::kBFloat16}) {
    const auto rows = [&] { return leaf({30, 8}, type); }; // without a gradient, each time
    CHECK(kernelsOf([x = rows(), weight = leaf({16, 8}, type), bias = leaf({16}, type)] {
            return torch::linear(x, weight, bias);
          }) == Kernels{0, 0});
    CHECK(kernelsOf([x = rows()] { return torch::gelu(x); }) == Kernels{1, 1});
    CHECK(kernelsOf([x = leaf({2, 3, 9, 8}, type)] { return torch::max_pool2d(x, 3, 2, 1); }) ==
          Kernels{1, 1});
    CHECK(kernelsOf([x = leaf({3, 50}, type)] {
            return std::get<0>(torch::adaptive_max_pool1d(x, 7));
          }) == Kernels{1, 1});
    for (int64_t width : {16, 12}) { // the library keeps no rows of 12 elements
      torch::nn::Sequential model(torch::nn::Linear(8, width),
                                  torch::nn::GELU(torch::nn::GELUOptions().approximate("tanh")));
      model->to(torch::kCUDA, type);
      const torch::Tensor x = rows();
      CHECK(kernelsOf([&] { return model->forward(x); }) == Kernels{width == 12, 1});
      const torch::NoGradGuard guard;
      const std::size_t before = emulator::launches();
      model->forward(x);
      CHECK(emulator::launches() == before);
    }
  }
  for (auto type : {torch::kFloat, torch::kHalf, torch::kBFloat16}) {
    const torch::Tensor x = leaf({30, 8}, type), weight = leaf({8}, type), bias = leaf({8}, type);
    CHECK(kernelsOf([&] { return torch::layer_norm(x, {8}, weight, bias); }) == Kernels{2, 3});
    CHECK(kernelsOf([x = leaf({30, 8}, type)] { return torch::softmax(x, 1); }) == Kernels{1, 1});
  }
  const torch::Tensor x = leaf({30, 8});
  torch::nn::LSTMCell lstm(8, 8);
  torch::nn::GRUCell gru(8, 8);
  lstm->to(torch::kCUDA);
  gru->to(torch::kCUDA);
  torch::NoGradGuard guard;
  const torch::Tensor h = torch::zeros({30, 8}, torch::kCUDA),
                      c = torch::zeros({30, 8}, torch::kCUDA);
  const std::size_t before = emulator::launches();
  lstm(x, std::tuple(h, c));
  CHECK(emulator::launches() == before + 1);
  gru(x, h);
  CHECK(emulator::launches() == before + 2);
}
