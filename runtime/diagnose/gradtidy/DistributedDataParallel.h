// DistributedDataParallel: trains one module with several ranks, each on a share of the data, as
// torch.nn.parallel.DistributedDataParallel of Python does, which LibTorch does not have in C++.
// Works with any c10d::Backend, of LibTorch or of the bundled runtime.
//
//   gradtidy::DistributedDataParallel model(Net(), group);
//   torch::optim::SGD optimizer(model->parameters(), 0.1);
//   loss(model(shareOf(batch))).backward(); // grad() is now the mean over all ranks
//   optimizer.step();
//
// Parameters and buffers start as those of rank 0. Each backward() ends with the exchange of the
// gradients, in buckets; so every rank must call it equally often. The loss of each rank is the
// mean over its share: with shares of one size the gradients are those of one process and the whole
// batch.
#pragma once

#include <torch/torch.h>

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace gradtidy {

struct DistributedOptions {
  int64_t bucket_bytes = 25 << 20; ///< how much is sent at once, at least one gradient
};

template <class Module> class DistributedDataParallel {
  struct Exchange;

public:
  DistributedDataParallel(std::shared_ptr<Module> module, c10::intrusive_ptr<c10d::Backend> group,
                          DistributedOptions options = {})
      : module(std::move(module)), exchange(std::make_shared<Exchange>(
                                       std::move(group), options, this->module->parameters())) {
    torch::NoGradGuard guard;
    for (const auto &tensors : {this->module->parameters(), this->module->buffers()})
      exchange->broadcast(tensors);
    for (const torch::Tensor &parameter : exchange->parameters)
      parameter.register_hook([weak = std::weak_ptr<Exchange>(exchange)](torch::Tensor) {
        if (auto exchange = weak.lock())
          exchange->startOnce();
      });
  }
  DistributedDataParallel(const torch::nn::ModuleHolder<Module> &holder,
                          c10::intrusive_ptr<c10d::Backend> group, DistributedOptions options = {})
      : DistributedDataParallel(holder.ptr(), std::move(group), options) {}

  template <class... Args> auto operator()(Args &&...args) {
    return module->forward(std::forward<Args>(args)...);
  }
  Module *operator->() const { return module.get(); }
  Module &operator*() const { return *module; }

  /// While it lives, gradients are added up and not exchanged: for all but the last of several
  /// backward() before one step.
  class NoSync {
  public:
    explicit NoSync(DistributedDataParallel &model) : exchange(model.exchange) {
      ++exchange->paused;
    }
    ~NoSync() { --exchange->paused; }
    NoSync(const NoSync &) = delete;
    NoSync &operator=(const NoSync &) = delete;

  private:
    std::shared_ptr<Exchange> exchange;
  };
  NoSync no_sync() { return NoSync(*this); }

private:
  struct Exchange : std::enable_shared_from_this<Exchange> {
    Exchange(c10::intrusive_ptr<c10d::Backend> group, DistributedOptions options,
             const std::vector<torch::Tensor> &all)
        : group(std::move(group)), options(options) {
      for (const torch::Tensor &parameter : all)
        if (parameter.requires_grad())
          parameters.push_back(parameter);
    }

    void broadcast(const std::vector<torch::Tensor> &tensors) {
      for (const torch::Tensor &tensor : tensors) {
        std::vector<torch::Tensor> one{tensor.detach()};
        group->broadcast(one)->wait();
      }
    }

    /// Called for every gradient of a backward.
    void startOnce() {
      if (paused != 0 || std::exchange(started, true))
        return;
      torch::autograd::Engine::get_default_engine().queue_callback(
          [self = this->shared_from_this()] {
            self->started = false;
            self->average();
          });
    }

    /// Replaces every gradient by its mean over the ranks. One that a rank lacks counts as zeros,
    /// one that all lack stays away.
    void average() {
      torch::NoGradGuard guard;
      const auto count = static_cast<int64_t>(parameters.size());
      std::vector<torch::Tensor> present{torch::zeros({count})};
      for (int64_t i = 0; i < count; ++i)
        present[0][i] = parameters[static_cast<std::size_t>(i)].grad().defined() ? 1 : 0;
      group->allreduce(present)->wait();

      std::vector<Bucket> buckets;
      for (int64_t i = 0; i < count; ++i) {
        torch::Tensor &parameter = parameters[static_cast<std::size_t>(i)];
        if (present[0][i].item<float>() == 0)
          continue;
        if (!parameter.grad().defined())
          parameter.mutable_grad() = torch::zeros_like(parameter);
        const torch::Tensor gradient = parameter.grad();
        if (buckets.empty() || !buckets.back().takes(gradient, options.bucket_bytes))
          buckets.emplace_back();
        buckets.back().add(gradient);
      }
      for (Bucket &bucket : buckets)
        bucket.start(*group);
      for (Bucket &bucket : buckets)
        bucket.finish(group->getSize());
    }

    c10::intrusive_ptr<c10d::Backend> group;
    DistributedOptions options;
    std::vector<torch::Tensor> parameters;
    bool started = false;
    int paused = 0;

  private:
    /// Gradients of one type that travel together.
    struct Bucket {
      bool takes(const torch::Tensor &gradient, int64_t limit) const {
        return gradient.scalar_type() == gradients[0].scalar_type() &&
               bytes + static_cast<int64_t>(gradient.nbytes()) <= limit;
      }
      void add(const torch::Tensor &gradient) {
        gradients.push_back(gradient);
        bytes += static_cast<int64_t>(gradient.nbytes());
      }
      void start(c10d::Backend &group) {
        std::vector<torch::Tensor> parts;
        for (const torch::Tensor &gradient : gradients)
          parts.push_back(gradient.reshape({-1}));
        flat = {torch::cat(parts)};
        work = group.allreduce(flat);
      }
      void finish(int ranks) {
        work->wait();
        flat[0].div_(ranks);
        int64_t at = 0;
        for (const torch::Tensor &gradient : gradients) {
          gradient.copy_(flat[0].narrow(0, at, gradient.numel()).view(gradient.sizes()));
          at += gradient.numel();
        }
      }

      std::vector<torch::Tensor> gradients, flat;
      int64_t bytes = 0;
      c10::intrusive_ptr<c10d::Work> work;
    };
  };

  std::shared_ptr<Module> module;
  std::shared_ptr<Exchange> exchange;
};

template <class Holder, class... Rest>
DistributedDataParallel(const Holder &, Rest...)
    -> DistributedDataParallel<typename Holder::ContainedType>;
template <class Module, class... Rest>
DistributedDataParallel(std::shared_ptr<Module>, Rest...) -> DistributedDataParallel<Module>;

} // namespace gradtidy
