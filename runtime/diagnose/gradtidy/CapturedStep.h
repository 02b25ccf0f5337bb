// CapturedStep: a training step whose kernels a CUDA device launches as one graph, so that small
// models do not wait for the host. For LibTorch with CUDA and for the bundled runtime.
//
//   gradtidy::CapturedStep step(optimizer, [&] { return loss_function(model->forward(x), y); });
//   for (auto &batch : *loader) {
//     x.copy_(batch.data);             // into the tensors that the step was captured with
//     y.copy_(batch.target);
//     torch::Tensor loss = step();     // zero_grad, forward, backward, optimizer.step()
//   }
#pragma once

#include <torch/torch.h>

#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace gradtidy {

/// Takes its first `warmup` steps one kernel after the other, then captures gradients and loss as a
/// CUDA graph, and replays it from then on. The optimizer steps outside the graph, so its learning
/// rate may change. Where the parameters are not on a device that captures graphs, all steps are
/// like the first.
///
/// In the loss function shapes must not change, nothing may be asked of the device (item(), a copy
/// to the host, an index by a mask), and every input must be a tensor that stays where it is. What
/// it does on the host is done once.
class CapturedStep {
public:
  CapturedStep(torch::optim::Optimizer &optimizer, std::function<torch::Tensor()> lossOf,
               int warmup = 3)
      : optimizer(optimizer), lossOf(std::move(lossOf)), left(warmup) {
    TORCH_CHECK(warmup >= 1, "a step must be taken before it can be captured");
  }

  /// One step. Returns its loss, which the next step changes where it is captured.
  torch::Tensor operator()() {
    const torch::Device device = deviceOfParameters();
    if (!device.is_cuda())
      return takeEagerly();
    c10::cuda::CUDAGuard onDevice(device);
    const auto caller = c10::cuda::getCurrentCUDAStream(device.index());
    if (!stream)
      stream = std::make_unique<c10::cuda::CUDAStream>(
          c10::cuda::getStreamFromPool(false, device.index()));
    wait(*stream, caller);
    {
      c10::cuda::CUDAStreamGuard onStream(*stream);
      if (left == 0 && !graph)
        capture();
      if (graph) {
        replay();
      } else {
        loss = takeEagerly();
        left -= left > 0;
      }
    }
    wait(caller, *stream);
    return loss;
  }

private:
  torch::Device deviceOfParameters() const {
    const auto &parameters = optimizer.param_groups().front().params();
    return parameters.empty() ? torch::Device(torch::kCPU) : parameters.front().device();
  }

  torch::Tensor takeEagerly() {
    optimizer.zero_grad();
    torch::Tensor eager = lossOf();
    eager.backward();
    optimizer.step();
    return eager.detach();
  }

  void capture() {
    optimizer.zero_grad(); // so that backward makes the gradients in the memory of the graph
    auto recording = std::make_unique<at::cuda::CUDAGraph>();
    try {
      recording->capture_begin();
    } catch (const c10::NotImplementedError &) { // by a simulated device
      left = -1;
      return;
    }
    torch::Tensor captured = lossOf();
    captured.backward();
    recording->capture_end();
    graph = std::move(recording);
    loss = captured.detach();
    for (const auto &group : optimizer.param_groups())
      for (const torch::Tensor &parameter : group.params())
        gradients.emplace_back(parameter, parameter.grad());
  }

  void replay() {
    for (auto &[parameter, gradient] : gradients) // which the program may have reset
      parameter.mutable_grad() = gradient;
    graph->replay();
    optimizer.step();
  }

  /// Lets later work of one stream wait for what the other has been given so far.
  static void wait(const c10::cuda::CUDAStream &waiting, const c10::cuda::CUDAStream &working) {
    at::cuda::CUDAEvent reached;
    reached.record(working);
    reached.block(waiting);
  }

  torch::optim::Optimizer &optimizer;
  std::function<torch::Tensor()> lossOf;
  int left; ///< steps before the capture; negative where there is none
  std::unique_ptr<c10::cuda::CUDAStream> stream;
  std::unique_ptr<at::cuda::CUDAGraph> graph;
  torch::Tensor loss;
  std::vector<std::pair<torch::Tensor, torch::Tensor>> gradients;
};

} // namespace gradtidy
