// Backend: what a group of ranks does together, whatever carries their tensors. ProcessGroupGloo
// (Gloo.h) is the one for the host, ProcessGroupNCCL (Nccl.h) the one for CUDA devices.
//
// Every rank calls the same operations in the same order, with tensors of the same shapes and
// types. An operation returns at once; its tensors must not be touched before Work::wait() has
// returned.
#pragma once

#include "../core/IntrusivePtr.h"
#include "../core/Tensor.h"

#include <chrono>
#include <future>
#include <vector>

namespace gradtidy::runtime::distributed {

constexpr std::chrono::milliseconds kUnsetTimeout(-1);
constexpr std::chrono::milliseconds kNoTimeout(0);

/// How the tensors of all ranks become one.
class ReduceOp {
public:
  enum RedOpType : uint8_t { SUM = 0, AVG = 1, PRODUCT = 2, MIN = 3, MAX = 4 };

  ReduceOp(RedOpType op = SUM) : op(op) {}
  operator RedOpType() const { return op; }

private:
  RedOpType op;
};

struct BroadcastOptions {
  int64_t rootRank = 0;
};
struct AllreduceOptions {
  ReduceOp reduceOp = ReduceOp::SUM;
};
struct AllgatherOptions {};
struct BarrierOptions {};

/// An operation under way.
class Work : public CustomClassHolder {
public:
  explicit Work(std::shared_future<void> done) : done(std::move(done)) {}

  bool isCompleted() { return done.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  /// Returns when it is done; throws what went wrong, also where `timeout` is over before.
  bool wait(std::chrono::milliseconds timeout = kNoTimeout);
  void synchronize() { wait(); }

private:
  std::shared_future<void> done;
};

class Backend : public CustomClassHolder {
public:
  Backend(int rank, int size) : rank_(rank), size_(size) {}

  int getRank() const { return rank_; }
  int getSize() const { return size_; }
  virtual const std::string getBackendName() const = 0;

  /// Gives every rank the tensor of the root.
  virtual intrusive_ptr<Work> broadcast(std::vector<Tensor> &tensors,
                                        const BroadcastOptions &options = {}) = 0;
  /// Gives every rank the sum (or what else is asked for) of the tensors of all.
  virtual intrusive_ptr<Work> allreduce(std::vector<Tensor> &tensors,
                                        const AllreduceOptions &options = {}) = 0;
  /// Puts the input of each rank into the output of its number, on every rank.
  virtual intrusive_ptr<Work> allgather(std::vector<std::vector<Tensor>> &outputs,
                                        std::vector<Tensor> &inputs,
                                        const AllgatherOptions &options = {}) = 0;
  /// Is done when all ranks have come here.
  virtual intrusive_ptr<Work> barrier(const BarrierOptions &options = {}) = 0;

protected:
  const int rank_, size_;
};

} // namespace gradtidy::runtime::distributed
