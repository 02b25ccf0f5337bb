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
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gradtidy::runtime {
namespace {

// The library's graphs, not its older calls: those make their plan anew each time, which takes the
// host two to five times as long as to queue the kernels, and know fewer kernels.
struct CudnnLibrary {
  SharedLibrary library{"libcudnn.so." + std::to_string(CUDNN_MAJOR)};
  GRADTIDY_LIBRARY_FUNCTION(cudnnGetErrorString);
  GRADTIDY_LIBRARY_FUNCTION(cudnnCreate);
  GRADTIDY_LIBRARY_FUNCTION(cudnnDestroy);
  GRADTIDY_LIBRARY_FUNCTION(cudnnSetStream);
  GRADTIDY_LIBRARY_FUNCTION(cudnnBackendCreateDescriptor);
  GRADTIDY_LIBRARY_FUNCTION(cudnnBackendDestroyDescriptor);
  GRADTIDY_LIBRARY_FUNCTION(cudnnBackendSetAttribute);
  GRADTIDY_LIBRARY_FUNCTION(cudnnBackendGetAttribute);
  GRADTIDY_LIBRARY_FUNCTION(cudnnBackendFinalize);
  GRADTIDY_LIBRARY_FUNCTION(cudnnBackendExecute);
};

const CudnnLibrary &library() {
  static const auto *library = new CudnnLibrary;
  return *library;
}

void check(cudnnStatus_t status, const char *call) {
  TORCH_CHECK(status == CUDNN_STATUS_SUCCESS,
              "cuDNN error: ", library().cudnnGetErrorString(status), " when calling `", call, "`");
}

bool isRefusal(cudnnStatus_t status) {
  return CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED;
}

/// What the library calls the type of an attribute's values. (Descriptors have a type of their own,
/// though they are `void *`, too.)
constexpr auto typeOf(const int64_t *) { return CUDNN_TYPE_INT64; }
constexpr auto typeOf(const float *) { return CUDNN_TYPE_FLOAT; }
constexpr auto typeOf(const double *) { return CUDNN_TYPE_DOUBLE; }
constexpr auto typeOf(void *const *) { return CUDNN_TYPE_VOID_PTR; }
constexpr auto typeOf(const cudnnHandle_t *) { return CUDNN_TYPE_HANDLE; }
constexpr auto typeOf(const cudnnDataType_t *) { return CUDNN_TYPE_DATA_TYPE; }
constexpr auto typeOf(const cudnnBackendHeurMode_t *) { return CUDNN_TYPE_HEUR_MODE; }
constexpr auto typeOf(const cudnnConvolutionMode_t *) { return CUDNN_TYPE_CONVOLUTION_MODE; }
constexpr auto typeOf(const cudnnBackendNumericalNote_t *) { return CUDNN_TYPE_NUMERICAL_NOTE; }
constexpr auto typeOf(const cudnnBackendBehaviorNote_t *) { return CUDNN_TYPE_BEHAVIOR_NOTE; }

/// What the library makes graphs of: it is described attribute by attribute, and then finished.
class Descriptor {
public:
  explicit Descriptor(cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t made = nullptr;
    check(library().cudnnBackendCreateDescriptor(type, &made), "cudnnBackendCreateDescriptor");
    object.reset(made);
  }

  /// One value or several.
  template <class Value> Descriptor &set(cudnnBackendAttributeName_t name, const Value &value) {
    if constexpr (std::ranges::contiguous_range<Value>)
      return set(name, typeOf(std::data(value)), std::ssize(value), std::data(value));
    else
      return set(name, typeOf(&value), 1, &value);
  }
  Descriptor &set(cudnnBackendAttributeName_t name, const Descriptor &part) {
    const cudnnBackendDescriptor_t address = part.get();
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &address);
  }

  /// False where the library does not do what is described.
  bool finish() {
    const cudnnStatus_t status = library().cudnnBackendFinalize(object.get());
    if (isRefusal(status))
      return false;
    check(status, "cudnnBackendFinalize");
    return true;
  }

  // Of a finished one.

  /// Fills `values`. Returns how many it has.
  template <class T> std::size_t get(cudnnBackendAttributeName_t name, std::span<T> values) const {
    return std::min(values.size(),
                    get(name, typeOf(values.data()), std::ssize(values), values.data()));
  }
  std::size_t partCount(cudnnBackendAttributeName_t name) const {
    return get(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, nullptr);
  }
  std::vector<Descriptor> parts(cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t type,
                                std::size_t count) const {
    std::vector<Descriptor> found;
    std::vector<cudnnBackendDescriptor_t> addresses;
    for (std::size_t i = 0; i < count; ++i)
      addresses.push_back(found.emplace_back(type).get());
    const std::size_t filled =
        get(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, std::ssize(addresses), addresses.data());
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(std::min(filled, count)), found.end());
    return found;
  }

  cudnnBackendDescriptor_t get() const { return object.get(); }

private:
  Descriptor &set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                  const void *values) {
    check(library().cudnnBackendSetAttribute(object.get(), name, type, count, values),
          "cudnnBackendSetAttribute");
    return *this;
  }
  std::size_t get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t room,
                  void *values) const {
    int64_t count = 0;
    check(library().cudnnBackendGetAttribute(object.get(), name, type, room, &count, values),
          "cudnnBackendGetAttribute");
    return static_cast<std::size_t>(count);
  }

  struct Destroy {
    void operator()(void *object) const { library().cudnnBackendDestroyDescriptor(object); }
  };
  std::unique_ptr<void, Destroy> object;
};

struct Types {
  cudnnDataType_t element, compute;
};

Types typesOf(ScalarType type) {
  switch (type) {
  case ScalarType::Half:
    return {CUDNN_DATA_HALF, CUDNN_DATA_FLOAT};
  case ScalarType::BFloat16:
    return {CUDNN_DATA_BFLOAT16, CUDNN_DATA_FLOAT};
  case ScalarType::Float:
    return {CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT};
  case ScalarType::Double:
    return {CUDNN_DATA_DOUBLE, CUDNN_DATA_DOUBLE};
  default:
    throw NotImplementedError(concat("\"conv_cuda\" not implemented for '", type, "'"));
  }
}

using Numbers = std::vector<int64_t>;

/// For the library, which knows no less than two dimensions: one of size (or step) one is put
/// before a single one, behind `lead` others.
Numbers forTwo(Numbers values, std::size_t lead, int64_t filler) {
  if (values.size() == lead + 1)
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(lead), filler);
  return values;
}

Numbers packedStrides(const Numbers &sizes) {
  Numbers strides(sizes.size(), 1);
  for (std::size_t d = sizes.size() - 1; d-- > 0;)
    strides[d] = strides[d + 1] * sizes[d + 1];
  return strides;
}

/// By which numbers a graph calls input, weight and output.
constexpr std::array<int64_t, 3> operandNumbers{1, 2, 3};

Descriptor operandOf(int64_t number, const Numbers &dims, cudnnDataType_t type) {
  const Numbers sizes = forTwo(dims, 2, 1);
  Descriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, number)
      .set(CUDNN_ATTR_TENSOR_DATA_TYPE, type)
      .set(CUDNN_ATTR_TENSOR_DIMENSIONS, sizes)
      .set(CUDNN_ATTR_TENSOR_STRIDES, packedStrides(sizes))
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, int64_t{16});
  TORCH_CHECK(tensor.finish(), "cuDNN does not take this operand");
  return tensor;
}

/// What the library calls a convolution and its derivatives, and their attributes.
struct OperationNames {
  cudnnBackendDescriptorType_t type;
  cudnnBackendAttributeName_t input, weight, output, convolution, alpha, beta;
};

OperationNames namesOf(BatchConvolution::Operand wanted) {
  switch (wanted) {
  case BatchConvolution::Input:
    return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
  case BatchConvolution::Weight:
    return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
  case BatchConvolution::Output:
    break;
  }
  return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
}

} // namespace

struct ConvolutionOperation {
  explicit ConvolutionOperation(const BatchConvolution &c)
      : types(typesOf(c.type)), input(operandOf(operandNumbers[0], c.inputSizes, types.element)),
        weight(operandOf(operandNumbers[1], c.weightSizes, types.element)),
        output(operandOf(operandNumbers[2], c.outputSizes, types.element)),
        convolution(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR), operation(namesOf(c.wanted).type) {
    const Numbers padding = forTwo(c.padding, 0, 0);
    convolution.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, static_cast<int64_t>(padding.size()))
        .set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, types.compute)
        .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION)
        .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, padding)
        .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, padding)
        .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, forTwo(c.stride, 0, 1))
        .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, forTwo(c.dilation, 0, 1));
    TORCH_CHECK(convolution.finish(), "cuDNN does not take this convolution");
    const OperationNames names = namesOf(c.wanted);
    operation.set(names.input, input)
        .set(names.weight, weight)
        .set(names.output, output)
        .set(names.convolution, convolution);
    if (types.compute == CUDNN_DATA_DOUBLE)
      operation.set(names.alpha, 1.0).set(names.beta, 0.0);
    else
      operation.set(names.alpha, 1.0F).set(names.beta, 0.0F);
    TORCH_CHECK(operation.finish(), "cuDNN does not take this convolution");
  }

  Types types;
  Descriptor input, weight, output, convolution, operation;
};

bool isCountable(const BatchConvolution &convolution) {
  const auto sizes = {&convolution.inputSizes, &convolution.weightSizes, &convolution.outputSizes};
  return std::all_of(sizes.begin(), sizes.end(), [](const std::vector<int64_t> *operand) {
    return std::accumulate(operand->begin(), operand->end(), int64_t{1}, std::multiplies<>()) <=
           std::numeric_limits<int>::max();
  });
}

std::shared_ptr<const ConvolutionOperation> operationOf(const BatchConvolution &convolution) {
  return std::make_shared<ConvolutionOperation>(convolution);
}

namespace {

/// How many convolutions are remembered, of programs whose shapes change all the time.
constexpr std::size_t mostConvolutions = 1024;
/// Of how many ways to compute one, the fastest first as far as the library knows.
constexpr std::size_t mostEngines = 64;
/// The most that one may ask for.
constexpr int64_t largestWorkspace = int64_t{256} << 20;

bool isReproducible() {
  return globalContext().deterministicCuDNN() || globalContext().deterministicAlgorithms();
}

/// An engine of the library with its settings, and the plan that is made of it when it is needed.
struct Engine {
  Descriptor configuration;
  std::optional<Descriptor> plan = std::nullopt;
  int64_t memory = 0; ///< its workspace, in bytes

  /// Makes the plan. False where the engine does not do this convolution after all.
  bool prepare(cudnnHandle_t handle) {
    if (plan)
      return true;
    Descriptor made(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    made.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle)
        .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
    if (!made.finish())
      return false;
    made.get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, std::span(&memory, 1));
    plan = std::move(made);
    return memory <= largestWorkspace;
  }
};

/// Whether there is a note among those of an engine, which are `most` at most.
template <class Note>
bool hasNote(const Descriptor &engine, cudnnBackendAttributeName_t list, std::size_t most,
             Note note) {
  std::vector<Note> notes(most);
  notes.resize(engine.get(list, std::span(notes)));
  return std::find(notes.begin(), notes.end(), note) != notes.end();
}

/// Whether the program has said that it wants no such results.
bool isUnwanted(const Descriptor &engine, const Types &types) {
  auto has = [&](cudnnBackendNumericalNote_t note) {
    return hasNote(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT, note);
  };
  if (isReproducible() && has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC))
    return true;
  return types.element == CUDNN_DATA_FLOAT && !globalContext().allowTF32CuDNN() &&
         (has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE) || has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS));
}

std::vector<Engine> enginesFor(const ConvolutionOperation &convolution, cudnnHandle_t handle) {
  Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, convolution.operation)
      .set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle);
  std::vector<Engine> engines, compiled;
  if (!graph.finish())
    return engines;
  for (cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
        .set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
    if (!heuristics.finish())
      continue;
    const std::size_t count =
        std::min(heuristics.partCount(CUDNN_ATTR_ENGINEHEUR_RESULTS), mostEngines);
    for (Descriptor &found : heuristics.parts(CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                              CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, count)) {
      const Descriptor engine = std::move(
          found.parts(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1).front());
      // To compile a kernel takes the host a quarter of a second.
      const bool compiles =
          hasNote(engine, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_BEHAVIOR_NOTE_TYPE_COUNT,
                  CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION);
      if (!isUnwanted(engine, convolution.types))
        (compiles ? compiled : engines).push_back({std::move(found)});
    }
  }
  std::move(compiled.begin(), compiled.end(), std::back_inserter(engines));
  return engines;
}

} // namespace

struct Cudnn::Known {
  ConvolutionOperation operation;
  std::vector<Engine> engines;
};

Cudnn::Cudnn() { check(library().cudnnCreate(&handle), "cudnnCreate"); }
Cudnn::~Cudnn() {
  convolutions.clear(); // plans are the handle's
  library().cudnnDestroy(handle);
}

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
  auto made = std::make_unique<Known>(ConvolutionOperation(c));
  made->engines = enginesFor(made->operation, handle);
  return *(convolutions[std::move(key)] = std::move(made));
}

bool Cudnn::convolve(const BatchConvolution &c, Backend &device, void *stream) {
  if (!isCountable(c))
    return false;
  std::lock_guard lock(mutex);
  std::vector<Engine> &engines = known(c).engines;
  check(library().cudnnSetStream(handle, static_cast<cudaStream_t>(stream)), "cudnnSetStream");
  const std::array<void *, 3> operands{c.input, c.weight, c.output};
  for (auto engine = engines.begin(); engine != engines.end();) {
    std::optional<Workspace> workspace;
    if (engine->prepare(handle)) {
      try {
        workspace.emplace(device, static_cast<std::size_t>(engine->memory));
      } catch (const OutOfMemoryError &) {
        ++engine; // others take less
        continue;
      }
      Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
      pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, operandNumbers)
          .set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, operands)
          .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, workspace->data());
      pack.finish();
      const cudnnStatus_t status =
          library().cudnnBackendExecute(handle, engine->plan->get(), pack.get());
      if (!isRefusal(status)) {
        check(status, "cudnnBackendExecute");
        return true;
      }
    }
    engine = engines.erase(engine); // whatever was expected of it
  }
  return false;
}

} // namespace gradtidy::runtime
