// Declarations of LibTorch's groups of processes, as far as the tests need them.
#pragma once

#include <torch/torch.h>

namespace c10 {
template <typename T, typename... Arguments>
intrusive_ptr<T> make_intrusive(Arguments &&...arguments);
} // namespace c10

namespace c10d {
class Store {
public:
  virtual ~Store();
};
class HashStore : public Store {
public:
  HashStore();
};
class Work {
public:
  bool wait();
};
struct AllreduceOptions {};
struct BroadcastOptions {};
struct BarrierOptions {};
class ProcessGroup {
public:
  explicit ProcessGroup(int rank, int size);
  virtual ~ProcessGroup();
  virtual int getRank() const;
  virtual int getSize() const;
  virtual c10::intrusive_ptr<Work> broadcast(std::vector<at::Tensor> &tensors,
                                             const BroadcastOptions &options = {});
  virtual c10::intrusive_ptr<Work> allreduce(std::vector<at::Tensor> &tensors,
                                             const AllreduceOptions &options = {});
  virtual c10::intrusive_ptr<Work> barrier(const BarrierOptions &options = {});
};
} // namespace c10d
