#include "Nccl.h"
#include "../autograd/GradMode.h"
#include "../backends/cuda/SharedLibrary.h"
#include "../core/Cuda.h"
#include "../ops/Factories.h"
#include "../ops/Views.h"
#include "../ops/kernels/Launch.h"

#include <cstring>
#include <nccl.h>
#include <string>

namespace gradtidy::runtime::distributed {
namespace {

struct NcclLibrary {
  SharedLibrary library{"libnccl.so." + std::to_string(NCCL_MAJOR)};
  GRADTIDY_LIBRARY_FUNCTION(ncclGetErrorString);
  GRADTIDY_LIBRARY_FUNCTION(ncclGetUniqueId);
  GRADTIDY_LIBRARY_FUNCTION(ncclCommInitRank);
  GRADTIDY_LIBRARY_FUNCTION(ncclCommDestroy);
  GRADTIDY_LIBRARY_FUNCTION(ncclBroadcast);
  GRADTIDY_LIBRARY_FUNCTION(ncclAllReduce);
  GRADTIDY_LIBRARY_FUNCTION(ncclAllGather);
};

const NcclLibrary &library() {
  static const auto *library = new NcclLibrary;
  return *library;
}

void check(ncclResult_t status, const char *call) {
  TORCH_CHECK(status == ncclSuccess, "NCCL error: ", library().ncclGetErrorString(status),
              " when calling `", call, "`");
}

ncclDataType_t typeOf(ScalarType type) {
  switch (type) {
  case ScalarType::Half:
    return ncclFloat16;
  case ScalarType::BFloat16:
    return ncclBfloat16;
  case ScalarType::Float:
    return ncclFloat32;
  case ScalarType::Double:
    return ncclFloat64;
  case ScalarType::Long:
    return ncclInt64;
  case ScalarType::Int:
    return ncclInt32;
  case ScalarType::Byte:
  case ScalarType::Bool:
    return ncclUint8;
  default:
    fail("Input tensor data type is not supported for NCCL process group: ", type);
  }
}

/// For truth values, bytes of 0 and 1, a sum is their maximum, as LibTorch has it.
ncclRedOp_t operationOf(ReduceOp op, ScalarType type) {
  switch (op) {
  case ReduceOp::SUM:
    return type == ScalarType::Bool ? ncclMax : ncclSum;
  case ReduceOp::AVG:
    TORCH_CHECK(type != ScalarType::Bool, "Cannot use ReduceOp.AVG with Boolean inputs");
    return ncclAvg;
  case ReduceOp::PRODUCT:
    return ncclProd;
  case ReduceOp::MIN:
    return ncclMin;
  case ReduceOp::MAX:
    return ncclMax;
  }
  fail("no such ReduceOp");
}

intrusive_ptr<Work> done() {
  std::promise<void> promise;
  promise.set_value();
  return make_intrusive<Work>(promise.get_future().share());
}

const Tensor &only(const std::vector<Tensor> &tensors) {
  TORCH_CHECK(tensors.size() == 1,
              "ProcessGroupNCCL takes one tensor of each rank, got ", tensors.size());
  const Tensor &x = tensors.front();
  TORCH_CHECK(x.is_cuda(), "No backend type associated with device type ", x.device().str());
  TORCH_CHECK(x.is_contiguous(), "Tensors must be contiguous");
  return x;
}

/// The current stream of the tensor's device, which becomes the current one.
cudaStream_t streamOf(const Tensor &x) {
  auto stream = cudaStreamOf(x.device());
  TORCH_CHECK(stream, "ProcessGroupNCCL needs real devices: GRADTIDY_DEVICE=cuda");
  return static_cast<cudaStream_t>(*stream);
}

} // namespace

struct ProcessGroupNCCL::Communicator {
  ncclComm_t handle = nullptr;
  Device device = kCUDA;
  ~Communicator() { library().ncclCommDestroy(handle); }
};

ProcessGroupNCCL::ProcessGroupNCCL(const intrusive_ptr<Store> &store, int rank, int size)
    : Backend(rank, size), communicator(std::make_unique<Communicator>()) {
  communicator->device = resolved(kCUDA);
  streamOf(empty({0}, communicator->device));
  ncclUniqueId id;
  if (rank == 0) {
    check(library().ncclGetUniqueId(&id), "ncclGetUniqueId");
    auto *bytes = reinterpret_cast<const uint8_t *>(&id);
    store->set("ncclUniqueId", std::vector<uint8_t>(bytes, bytes + sizeof id));
  } else {
    const std::vector<uint8_t> bytes = store->get("ncclUniqueId");
    TORCH_CHECK(bytes.size() == sizeof id, "rank 0 has another version of NCCL");
    std::memcpy(&id, bytes.data(), sizeof id);
  }
  check(library().ncclCommInitRank(&communicator->handle, size, id, rank), "ncclCommInitRank");
}

ProcessGroupNCCL::~ProcessGroupNCCL() = default;

intrusive_ptr<Work> ProcessGroupNCCL::broadcast(std::vector<Tensor> &tensors,
                                                const BroadcastOptions &options) {
  const Tensor &x = only(tensors);
  cudaStream_t stream = streamOf(x);
  check(library().ncclBroadcast(x.data_ptr(), x.data_ptr(), static_cast<std::size_t>(x.numel()),
                                typeOf(x.scalar_type()), static_cast<int>(options.rootRank),
                                communicator->handle, stream),
        "ncclBroadcast");
  return done();
}

intrusive_ptr<Work> ProcessGroupNCCL::allreduce(std::vector<Tensor> &tensors,
                                                const AllreduceOptions &options) {
  const Tensor &x = only(tensors);
  cudaStream_t stream = streamOf(x);
  check(library().ncclAllReduce(x.data_ptr(), x.data_ptr(), static_cast<std::size_t>(x.numel()),
                                typeOf(x.scalar_type()),
                                operationOf(options.reduceOp, x.scalar_type()),
                                communicator->handle, stream),
        "ncclAllReduce");
  return done();
}

intrusive_ptr<Work> ProcessGroupNCCL::allgather(std::vector<std::vector<Tensor>> &outputs,
                                                std::vector<Tensor> &inputs,
                                                const AllgatherOptions &) {
  NoGradGuard guard;
  const Tensor &x = only(inputs);
  TORCH_CHECK(outputs.size() == 1 && outputs[0].size() == static_cast<std::size_t>(size_),
              "allgather needs an output for each of the ", size_, " ranks");
  std::vector<int64_t> shape = x.sizes().vec();
  shape.insert(shape.begin(), size_);
  Tensor all = empty(shape, x.options());
  cudaStream_t stream = streamOf(x);
  check(library().ncclAllGather(x.data_ptr(), all.data_ptr(), static_cast<std::size_t>(x.numel()),
                                typeOf(x.scalar_type()), communicator->handle, stream),
        "ncclAllGather");
  for (int64_t rank = 0; rank < size_; ++rank)
    outputs[0][static_cast<std::size_t>(rank)].copy_(all.select(0, rank));
  return done();
}

intrusive_ptr<Work> ProcessGroupNCCL::barrier(const BarrierOptions &) {
  std::vector<Tensor> one{zeros({1}, communicator->device)};
  allreduce(one);
  one[0].item(); // waits
  return done();
}

} // namespace gradtidy::runtime::distributed
