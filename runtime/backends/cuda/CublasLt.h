// CublasLt: products of matrices from NVIDIA's library, on tensor cores where the type allows it.
#pragma once

#include "../../core/Backend.h"

#include <array>
#include <map>
#include <memory>
#include <mutex>

struct cublasLtContext;

namespace gradtidy::runtime {

/// A product in the library's words, all that can be said of it without a device.
struct ProductPlan;
/// Opens the library if need be. Throws where it is missing, or does not take the description.
std::shared_ptr<const ProductPlan> planOf(const MatrixProduct &product);

/// For one device, which must be current in all calls.
class CublasLt {
public:
  CublasLt();
  ~CublasLt();

  /// Queues the product in a cudaStream_t. Workspace is taken from `device`, and kept for later
  /// products of the stream. False, with nothing done, where the library has no algorithm for the
  /// product, or for it with the epilogue.
  bool multiply(const MatrixProduct &product, Backend &device, void *stream);

private:
  /// All that an algorithm depends on.
  using Key = std::array<int64_t, 18>;
  struct Algorithm;

  std::shared_ptr<const Algorithm> algorithmFor(const MatrixProduct &product,
                                                const ProductPlan &plan);

  /// Memory for a product, as much as any may ask for: the same for all of a stream, but what a
  /// graph records gets its own.
  std::shared_ptr<const Workspace> workspaceFor(Backend &device, void *stream);

  cublasLtContext *handle = nullptr;
  std::mutex mutex;
  /// Those that were asked for; null where there is none.
  std::map<Key, std::shared_ptr<const Algorithm>> algorithms;
  std::map<void *, std::shared_ptr<const Workspace>> workspaces;
};

} // namespace gradtidy::runtime
