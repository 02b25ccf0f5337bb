// ProcessGroupGloo: the group for tensors of the host, under the name LibTorch's has. Ranks are
// threads or processes of one machine.
//
//   auto store = c10::make_intrusive<c10d::FileStore>("/tmp/store", 2);
//   c10d::ProcessGroupGloo group(store, rank, 2);
//   std::vector<torch::Tensor> tensors{gradient};
//   group.allreduce(tensors)->wait();
//
// All ranks send to rank 0 and get from it, in the order of their numbers, so that results are the
// same on all ranks and in every run. A thread of the group does that; the caller goes on.
#pragma once

#include "Backend.h"
#include "Store.h"

#include <functional>
#include <memory>

namespace gradtidy::runtime::distributed {

class ProcessGroupGloo : public Backend {
public:
  struct Options : CustomClassHolder {
    explicit Options(std::chrono::milliseconds timeout = std::chrono::minutes(30))
        : timeout(timeout) {}
    static intrusive_ptr<Options>
    create(std::chrono::milliseconds timeout = std::chrono::minutes(30)) {
      return make_intrusive<Options>(timeout);
    }
    /// How long a rank waits for another one.
    std::chrono::milliseconds timeout;
  };

  /// Waits until all ranks are there.
  ProcessGroupGloo(const intrusive_ptr<Store> &store, int rank, int size,
                   intrusive_ptr<Options> options = Options::create());
  /// Finishes what is under way.
  ~ProcessGroupGloo() override;

  const std::string getBackendName() const override { return "gloo"; }
  intrusive_ptr<Work> broadcast(std::vector<Tensor> &tensors,
                                const BroadcastOptions &options = {}) override;
  intrusive_ptr<Work> allreduce(std::vector<Tensor> &tensors,
                                const AllreduceOptions &options = {}) override;
  intrusive_ptr<Work> allgather(std::vector<std::vector<Tensor>> &outputs,
                                std::vector<Tensor> &inputs,
                                const AllgatherOptions &options = {}) override;
  intrusive_ptr<Work> barrier(const BarrierOptions &options = {}) override;

private:
  class Peers;
  class Queue;

  std::unique_ptr<Peers> peers;
  std::unique_ptr<Queue> queue; ///< ends before the peers it talks to
};

} // namespace gradtidy::runtime::distributed
