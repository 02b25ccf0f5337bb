// Cudnn: convolutions from NVIDIA's library.
#pragma once

#include "../../core/Backend.h"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

struct cudnnContext;

namespace gradtidy::runtime {

/// Whether the library, which knows no numbers from 2^31 on, can count the elements of all
/// operands.
bool isCountable(const BatchConvolution &convolution);

/// A convolution as an operation of the library's graphs, all that can be said of it without a
/// device.
struct ConvolutionOperation;
/// Opens the library if need be. Throws where it is missing or does not take the description, which
/// it does not where input and weight make an output of other sizes.
std::shared_ptr<const ConvolutionOperation> operationOf(const BatchConvolution &convolution);

/// For one device, which must be current in all calls.
class Cudnn {
public:
  Cudnn();
  ~Cudnn();

  /// Queues the convolution in a cudaStream_t. Workspace is taken from `device` and given back to
  /// it. Says whether the library has an engine for it; all operands must begin at multiples of 16
  /// bytes, as it may expect of them.
  bool convolve(const BatchConvolution &convolution, Backend &device, void *stream);

private:
  /// A convolution of some sizes, and the engines for it.
  struct Known;

  Known &known(const BatchConvolution &convolution);

  std::mutex mutex; // a handle has one stream
  cudnnContext *handle = nullptr;
  /// By all that the choice of an engine depends on. To ask the library anew would take longer than
  /// many a convolution.
  std::map<std::vector<int64_t>, std::unique_ptr<Known>> convolutions;
};

} // namespace gradtidy::runtime
