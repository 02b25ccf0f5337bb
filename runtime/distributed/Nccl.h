// ProcessGroupNCCL: the group for tensors of CUDA devices, under the name LibTorch's has. It is part
// of a runtime that was built where there are nvcc and NCCL's header; ranks may be on several
// machines, each with a device of its own.
//
//   auto store = c10::make_intrusive<c10d::TCPStore>(host, options);
//   c10::cuda::set_device(rank % torch::cuda::device_count());
//   c10d::ProcessGroupNCCL group(store, rank, size);
//   group.allreduce(tensors)->wait();
//
// Operations are queued in the current stream of the tensors' device, behind all that the stream has
// to do: Work::wait() does not wait for the device.
#pragma once

#include "Backend.h"
#include "Store.h"

#include <memory>

namespace gradtidy::runtime::distributed {

class ProcessGroupNCCL : public Backend {
public:
  /// Waits until all ranks are there. This one works on the device that is current now.
  ProcessGroupNCCL(const intrusive_ptr<Store> &store, int rank, int size);
  ~ProcessGroupNCCL() override;

  const std::string getBackendName() const override { return "nccl"; }
  intrusive_ptr<Work> broadcast(std::vector<Tensor> &tensors,
                                const BroadcastOptions &options = {}) override;
  intrusive_ptr<Work> allreduce(std::vector<Tensor> &tensors,
                                const AllreduceOptions &options = {}) override;
  intrusive_ptr<Work> allgather(std::vector<std::vector<Tensor>> &outputs,
                                std::vector<Tensor> &inputs,
                                const AllgatherOptions &options = {}) override;
  /// Waits for the stream, too.
  intrusive_ptr<Work> barrier(const BarrierOptions &options = {}) override;

private:
  struct Communicator;
  std::unique_ptr<Communicator> communicator;
};

} // namespace gradtidy::runtime::distributed
