#include "Cudnn.h"
#include "../../core/Cuda.h"
#include "../../core/Generator.h"
#include "SharedLibrary.h"

#include <algorithm>
#include <array>
#include <cudnn.h>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gradtidy::runtime {
namespace {

struct CudnnLibrary {
  SharedLibrary library{"libcudnn.so." + std::to_string(CUDNN_MAJOR)};
  GRADTIDY_LIBRARY_FUNCTION(cudnnGetErrorString);
  GRADTIDY_LIBRARY_FUNCTION(cudnnCreate);
  GRADTIDY_LIBRARY_FUNCTION(cudnnDestroy);
  GRADTIDY_LIBRARY_FUNCTION(cudnnSetStream);
  GRADTIDY_LIBRARY_FUNCTION(cudnnCreateTensorDescriptor);
  GRADTIDY_LIBRARY_FUNCTION(cudnnDestroyTensorDescriptor);
  GRADTIDY_LIBRARY_FUNCTION(cudnnSetTensorNdDescriptor);
  GRADTIDY_LIBRARY_FUNCTION(cudnnCreateFilterDescriptor);
  GRADTIDY_LIBRARY_FUNCTION(cudnnDestroyFilterDescriptor);
  GRADTIDY_LIBRARY_FUNCTION(cudnnSetFilterNdDescriptor);
  GRADTIDY_LIBRARY_FUNCTION(cudnnCreateConvolutionDescriptor);
  GRADTIDY_LIBRARY_FUNCTION(cudnnDestroyConvolutionDescriptor);
  GRADTIDY_LIBRARY_FUNCTION(cudnnSetConvolutionNdDescriptor);
  GRADTIDY_LIBRARY_FUNCTION(cudnnSetConvolutionGroupCount);
  GRADTIDY_LIBRARY_FUNCTION(cudnnSetConvolutionMathType);
  GRADTIDY_LIBRARY_FUNCTION(cudnnGetConvolutionNdForwardOutputDim);
  GRADTIDY_LIBRARY_FUNCTION(cudnnGetConvolutionForwardAlgorithm_v7);
  GRADTIDY_LIBRARY_FUNCTION(cudnnGetConvolutionBackwardDataAlgorithm_v7);
  GRADTIDY_LIBRARY_FUNCTION(cudnnGetConvolutionBackwardFilterAlgorithm_v7);
  GRADTIDY_LIBRARY_FUNCTION(cudnnConvolutionForward);
  GRADTIDY_LIBRARY_FUNCTION(cudnnConvolutionBackwardData);
  GRADTIDY_LIBRARY_FUNCTION(cudnnConvolutionBackwardFilter);
};

const CudnnLibrary &library() {
  static const auto *library = new CudnnLibrary;
  return *library;
}

/// The most that an algorithm may ask for.
constexpr std::size_t largestWorkspace = std::size_t{256} << 20;

void check(cudnnStatus_t status, const char *call) {
  TORCH_CHECK(status == CUDNN_STATUS_SUCCESS,
              "cuDNN error: ", library().cudnnGetErrorString(status), " when calling `", call, "`");
}

bool isRefusal(cudnnStatus_t status) {
  return CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED;
}

struct Types {
  cudnnDataType_t element, compute;
  cudnnMathType_t math;
};

Types typesOf(ScalarType type) {
  switch (type) {
  case ScalarType::Half:
    return {CUDNN_DATA_HALF, CUDNN_DATA_FLOAT, CUDNN_TENSOR_OP_MATH};
  case ScalarType::BFloat16:
    return {CUDNN_DATA_BFLOAT16, CUDNN_DATA_FLOAT, CUDNN_TENSOR_OP_MATH};
  case ScalarType::Float:
    return {CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
            globalContext().allowTF32CuDNN() ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH};
  case ScalarType::Double:
    return {CUDNN_DATA_DOUBLE, CUDNN_DATA_DOUBLE, CUDNN_DEFAULT_MATH};
  default:
    throw NotImplementedError(concat("\"conv_cuda\" not implemented for '", type, "'"));
  }
}

/// An object of the library that describes something.
template <class Object> using Owned = std::unique_ptr<Object, cudnnStatus_t (*)(Object *)>;

template <class Object>
Owned<Object> make(cudnnStatus_t (*create)(Object **), cudnnStatus_t (*destroy)(Object *)) {
  Object *object = nullptr;
  check(create(&object), "cudnnCreate...Descriptor");
  return {object, destroy};
}

using Numbers = std::vector<int>;

/// For the library, which knows no less than two dimensions: one of size (or step) one is put
/// before a single one, behind `lead` others.
Numbers forTwo(const std::vector<int64_t> &values, std::size_t lead, int filler) {
  Numbers result;
  for (int64_t value : values) {
    TORCH_CHECK(value <= std::numeric_limits<int>::max(), "a size of ", value,
                " is too large for cuDNN");
    result.push_back(static_cast<int>(value));
  }
  if (result.size() == lead + 1)
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(lead), filler);
  return result;
}

int countOf(const Numbers &numbers) { return static_cast<int>(numbers.size()); }

Numbers packedStrides(const Numbers &sizes) {
  Numbers strides(sizes.size(), 1);
  for (std::size_t d = sizes.size() - 1; d-- > 0;)
    strides[d] = strides[d + 1] * sizes[d + 1];
  return strides;
}

} // namespace

struct ConvolutionPlan {
  explicit ConvolutionPlan(const BatchConvolution &c)
      : types(typesOf(c.type)), input(tensorOf(c.inputSizes)), output(tensorOf(c.outputSizes)),
        weight(make(library().cudnnCreateFilterDescriptor, library().cudnnDestroyFilterDescriptor)),
        convolution(make(library().cudnnCreateConvolutionDescriptor,
                         library().cudnnDestroyConvolutionDescriptor)) {
    const Numbers weightSizes = forTwo(c.weightSizes, 2, 1), stride = forTwo(c.stride, 0, 1),
                  padding = forTwo(c.padding, 0, 0), dilation = forTwo(c.dilation, 0, 1);
    check(library().cudnnSetFilterNdDescriptor(weight.get(), types.element, CUDNN_TENSOR_NCHW,
                                               countOf(weightSizes), weightSizes.data()),
          "cudnnSetFilterNdDescriptor");
    check(library().cudnnSetConvolutionNdDescriptor(convolution.get(), countOf(stride),
                                                    padding.data(), stride.data(), dilation.data(),
                                                    CUDNN_CROSS_CORRELATION, types.compute),
          "cudnnSetConvolutionNdDescriptor");
    check(library().cudnnSetConvolutionGroupCount(convolution.get(), static_cast<int>(c.groups)),
          "cudnnSetConvolutionGroupCount");
    check(library().cudnnSetConvolutionMathType(convolution.get(), types.math),
          "cudnnSetConvolutionMathType");
    const Numbers expected = forTwo(c.outputSizes, 2, 1);
    Numbers found(expected.size());
    check(library().cudnnGetConvolutionNdForwardOutputDim(
              convolution.get(), input.get(), weight.get(), countOf(found), found.data()),
          "cudnnGetConvolutionNdForwardOutputDim");
    TORCH_CHECK(found == expected, "cuDNN gives this convolution an output of other sizes");
  }

  Types types;
  Owned<cudnnTensorStruct> input, output;
  Owned<cudnnFilterStruct> weight;
  Owned<cudnnConvolutionStruct> convolution;

private:
  Owned<cudnnTensorStruct> tensorOf(const std::vector<int64_t> &dims) const {
    auto tensor =
        make(library().cudnnCreateTensorDescriptor, library().cudnnDestroyTensorDescriptor);
    const Numbers sizes = forTwo(dims, 2, 1), strides = packedStrides(sizes);
    check(library().cudnnSetTensorNdDescriptor(tensor.get(), types.element, countOf(sizes),
                                               sizes.data(), strides.data()),
          "cudnnSetTensorNdDescriptor");
    return tensor;
  }
};

bool isCountable(const BatchConvolution &convolution) {
  const auto sizes = {&convolution.inputSizes, &convolution.weightSizes, &convolution.outputSizes};
  return std::all_of(sizes.begin(), sizes.end(), [](const std::vector<int64_t> *operand) {
    return std::accumulate(operand->begin(), operand->end(), int64_t{1}, std::multiplies<>()) <=
           std::numeric_limits<int>::max();
  });
}

std::shared_ptr<const ConvolutionPlan> planOf(const BatchConvolution &convolution) {
  return std::make_shared<ConvolutionPlan>(convolution);
}

namespace {

/// How many convolutions are remembered, of programs whose shapes change all the time.
constexpr std::size_t mostConvolutions = 1024;

struct Algorithm {
  int number; ///< in the library's list for what is wanted
  std::size_t memory;
  cudnnMathType_t math;
};

bool isReproducible() {
  return globalContext().deterministicCuDNN() || globalContext().deterministicAlgorithms();
}

/// The algorithms of which find(most, &count, results) tells, the fastest first.
template <class Result, class Find> std::vector<Algorithm> algorithmsOf(Find find) {
  std::array<Result, 8> results;
  int count = 0;
  const cudnnStatus_t status = find(static_cast<int>(results.size()), &count, results.data());
  if (isRefusal(status))
    return {};
  check(status, "cudnnGetConvolution...Algorithm_v7");
  std::vector<Algorithm> algorithms;
  for (const Result &each : std::span(results).first(static_cast<std::size_t>(count)))
    if (each.status == CUDNN_STATUS_SUCCESS && each.memory <= largestWorkspace &&
        (!isReproducible() || each.determinism == CUDNN_DETERMINISTIC))
      algorithms.push_back({each.algo, each.memory, each.mathType});
  return algorithms;
}

std::vector<Algorithm> algorithmsFor(BatchConvolution::Operand wanted, const ConvolutionPlan &plan,
                                     cudnnHandle_t handle) {
  const CudnnLibrary &dnn = library();
  const auto input = plan.input.get(), output = plan.output.get();
  const auto weight = plan.weight.get();
  const auto convolution = plan.convolution.get();
  switch (wanted) {
  case BatchConvolution::Output:
    return algorithmsOf<cudnnConvolutionFwdAlgoPerf_t>([&](int most, int *count, auto *found) {
      return dnn.cudnnGetConvolutionForwardAlgorithm_v7(handle, input, weight, convolution, output,
                                                        most, count, found);
    });
  case BatchConvolution::Input:
    return algorithmsOf<cudnnConvolutionBwdDataAlgoPerf_t>([&](int most, int *count, auto *found) {
      return dnn.cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, weight, output, convolution,
                                                             input, most, count, found);
    });
  case BatchConvolution::Weight:
    return algorithmsOf<cudnnConvolutionBwdFilterAlgoPerf_t>([&](int most, int *count,
                                                                 auto *found) {
      return dnn.cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, input, output, convolution,
                                                               weight, most, count, found);
    });
  }
  return {};
}

} // namespace

struct Cudnn::Known {
  ConvolutionPlan plan;
  std::vector<Algorithm> algorithms;
};

Cudnn::Cudnn() { check(library().cudnnCreate(&handle), "cudnnCreate"); }
Cudnn::~Cudnn() { library().cudnnDestroy(handle); }

Cudnn::Known &Cudnn::known(const BatchConvolution &c) {
  std::vector<int64_t> key{c.wanted, static_cast<int64_t>(c.type), c.groups,
                           globalContext().allowTF32CuDNN(), isReproducible()};
  for (const auto *sizes :
       {&c.inputSizes, &c.weightSizes, &c.outputSizes, &c.stride, &c.padding, &c.dilation})
    key.insert(key.end(), sizes->begin(), sizes->end());
  if (auto found = convolutions.find(key); found != convolutions.end())
    return *found->second;
  if (convolutions.size() == mostConvolutions)
    convolutions.clear();
  auto made = std::make_unique<Known>(ConvolutionPlan(c));
  made->algorithms = algorithmsFor(c.wanted, made->plan, handle);
  return *(convolutions[std::move(key)] = std::move(made));
}

bool Cudnn::convolve(const BatchConvolution &c, Backend &device, void *stream) {
  if (!isCountable(c))
    return false;
  std::lock_guard lock(mutex);
  const CudnnLibrary &dnn = library();
  const auto &[plan, algorithms] = known(c);
  const auto input = plan.input.get(), output = plan.output.get();
  const auto weight = plan.weight.get();
  const auto convolution = plan.convolution.get();
  check(dnn.cudnnSetStream(handle, static_cast<cudaStream_t>(stream)), "cudnnSetStream");
  // Factors are of a type of their own.
  const double one = 1, zero = 0;
  const float narrowOne = 1, narrowZero = 0;
  const bool wide = plan.types.compute == CUDNN_DATA_DOUBLE;
  const void *alpha = wide ? static_cast<const void *>(&one) : &narrowOne;
  const void *beta = wide ? static_cast<const void *>(&zero) : &narrowZero;

  auto run = [&](int algorithm, void *workspace, std::size_t bytes) {
    switch (c.wanted) {
    case BatchConvolution::Output:
      return dnn.cudnnConvolutionForward(handle, alpha, input, c.input, weight, c.weight,
                                         convolution,
                                         static_cast<cudnnConvolutionFwdAlgo_t>(algorithm),
                                         workspace, bytes, beta, output, c.output);
    case BatchConvolution::Input:
      return dnn.cudnnConvolutionBackwardData(handle, alpha, weight, c.weight, output, c.output,
                                              convolution,
                                              static_cast<cudnnConvolutionBwdDataAlgo_t>(algorithm),
                                              workspace, bytes, beta, input, c.input);
    case BatchConvolution::Weight:
      return dnn.cudnnConvolutionBackwardFilter(
          handle, alpha, input, c.input, output, c.output, convolution,
          static_cast<cudnnConvolutionBwdFilterAlgo_t>(algorithm), workspace, bytes, beta, weight,
          c.weight);
    }
    return CUDNN_STATUS_NOT_SUPPORTED;
  };
  for (const auto &[algorithm, memory, math] : algorithms) {
    check(dnn.cudnnSetConvolutionMathType(convolution, math), "cudnnSetConvolutionMathType");
    std::optional<Workspace> workspace;
    try {
      workspace.emplace(device, memory);
    } catch (const OutOfMemoryError &) {
      continue; // others take less
    }
    const cudnnStatus_t status = run(algorithm, workspace->data(), memory);
    if (isRefusal(status)) // whatever was expected of it
      continue;
    check(status, "cudnnConvolution...");
    return true;
  }
  return false;
}

} // namespace gradtidy::runtime
