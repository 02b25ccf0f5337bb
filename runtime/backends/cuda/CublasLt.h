// CublasLt: products of matrices from NVIDIA's library, on tensor cores where the type allows it.
#pragma once

#include "../../core/Backend.h"

#include <memory>

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

  /// Queues the product in a cudaStream_t. Workspace is taken from `device` and given back to it.
  void multiply(const MatrixProduct &product, Backend &device, void *stream);

private:
  cublasLtContext *handle = nullptr;
};

} // namespace gradtidy::runtime
