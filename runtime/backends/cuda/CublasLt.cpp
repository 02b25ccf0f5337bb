#include "CublasLt.h"
#include "../../core/Generator.h"
#include "../BlasLayout.h"
#include "Cuda.cuh"
#include "SharedLibrary.h"

#include <algorithm>
#include <bit>
#include <cublasLt.h>
#include <string>
#include <type_traits>

namespace gradtidy::runtime {

namespace {

struct CublasLtLibrary {
  SharedLibrary library{"libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR)};
  GRADTIDY_LIBRARY_FUNCTION(cublasLtGetStatusName);
  GRADTIDY_LIBRARY_FUNCTION(cublasLtCreate);
  GRADTIDY_LIBRARY_FUNCTION(cublasLtDestroy);
  GRADTIDY_LIBRARY_FUNCTION(cublasLtMatmulDescCreate);
  GRADTIDY_LIBRARY_FUNCTION(cublasLtMatmulDescDestroy);
  GRADTIDY_LIBRARY_FUNCTION(cublasLtMatmulDescSetAttribute);
  GRADTIDY_LIBRARY_FUNCTION(cublasLtMatrixLayoutCreate);
  GRADTIDY_LIBRARY_FUNCTION(cublasLtMatrixLayoutDestroy);
  GRADTIDY_LIBRARY_FUNCTION(cublasLtMatrixLayoutSetAttribute);
  GRADTIDY_LIBRARY_FUNCTION(cublasLtMatmulPreferenceCreate);
  GRADTIDY_LIBRARY_FUNCTION(cublasLtMatmulPreferenceDestroy);
  GRADTIDY_LIBRARY_FUNCTION(cublasLtMatmulPreferenceSetAttribute);
  GRADTIDY_LIBRARY_FUNCTION(cublasLtMatmulAlgoGetHeuristic);
  GRADTIDY_LIBRARY_FUNCTION(cublasLtMatmul);
};

const CublasLtLibrary &library() {
  static const auto *library = new CublasLtLibrary;
  return *library;
}

/// The most that an algorithm may ask for.
constexpr std::size_t largestWorkspace = std::size_t{32} << 20;
/// How many algorithms are remembered, of programs whose shapes change all the time.
constexpr std::size_t mostAlgorithms = 4096;

void check(cublasStatus_t status, const char *call) {
  TORCH_CHECK(status == CUBLAS_STATUS_SUCCESS,
              "CUDA error: ", library().cublasLtGetStatusName(status), " when calling `", call,
              "`");
}

/// What the library says of epilogues that it does not do.
bool isRefusal(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE;
}

/// In which type the library multiplies and adds, and what it calls the type of elements and
/// factors.
struct Types {
  cudaDataType_t element, factor;
  cublasComputeType_t compute;
};

Types typesOf(ScalarType type) {
  switch (type) {
  case ScalarType::Half:
    return {CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
  case ScalarType::BFloat16:
    return {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F};
  case ScalarType::Float:
    return {CUDA_R_32F, CUDA_R_32F,
            globalContext().allowTF32CuBLAS() ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F};
  case ScalarType::Double:
    return {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F};
  default:
    throw NotImplementedError(concat("\"addmm_cuda\" not implemented for '", type, "'"));
  }
}

/// An object of the library that describes something.
template <class Object> using Owned = std::unique_ptr<Object, cublasStatus_t (*)(Object *)>;

template <class Object, class... Arguments>
Owned<Object> make(cublasStatus_t (*create)(Object **, Arguments...),
                   cublasStatus_t (*destroy)(Object *),
                   std::type_identity_t<Arguments>... arguments) {
  Object *object = nullptr;
  check(create(&object, arguments...), "cublasLt...Create");
  return {object, destroy};
}

template <class Object, class Attribute, class Value>
void set(cublasStatus_t (*setAttribute)(Object *, Attribute, const void *, std::size_t),
         const Owned<Object> &object, std::type_identity_t<Attribute> attribute,
         const Value &value) {
  if (cublasStatus_t status = setAttribute(object.get(), attribute, &value, sizeof value);
      status != CUBLAS_STATUS_SUCCESS)
    check(status, concat("cublasLt...SetAttribute of ", static_cast<int>(attribute)).c_str());
}

Owned<cublasLtMatrixLayoutOpaque_t> layoutOf(const ColumnMajor &x, cudaDataType_t type,
                                             int64_t batch) {
  const CublasLtLibrary &lt = library();
  auto layout = make(lt.cublasLtMatrixLayoutCreate, lt.cublasLtMatrixLayoutDestroy, type,
                     static_cast<uint64_t>(x.rows), static_cast<uint64_t>(x.columns), x.leading);
  if (batch > 1) {
    set(lt.cublasLtMatrixLayoutSetAttribute, layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
        static_cast<int32_t>(batch));
    set(lt.cublasLtMatrixLayoutSetAttribute, layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
        x.batchStride);
  }
  return layout;
}

cublasLtEpilogue_t nameOf(const Epilogue &epilogue) {
  if (epilogue.sumsOfFirst || epilogue.sumsOfSecond) // to the library, ours are b and a
    return epilogue.sumsOfFirst ? CUBLASLT_EPILOGUE_BGRADB : CUBLASLT_EPILOGUE_BGRADA;
  switch (epilogue.function) {
  case Epilogue::Relu:
    return epilogue.bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
  case Epilogue::TanhGelu:
    if (epilogue.before)
      return epilogue.bias ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS : CUBLASLT_EPILOGUE_GELU_AUX;
    return epilogue.bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
  case Epilogue::Identity:
    break;
  }
  return epilogue.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

/// What the library calls the bias: that which is added, or sums.
const void *rowOf(const Epilogue &epilogue) {
  return epilogue.bias          ? epilogue.bias
         : epilogue.sumsOfFirst ? epilogue.sumsOfFirst
                                : epilogue.sumsOfSecond;
}

/// Whether columns begin at multiples of 16 bytes. Where those of 16-bit numbers do not, the
/// library sums them in a kernel that multiplies without tensor cores.
bool hasAlignedColumns(const ColumnMajor &x, ScalarType type) {
  return x.leading * static_cast<int64_t>(elementSize(type)) % 16 == 0;
}

/// The largest power of two up to 256 that divides an address.
uint32_t alignmentOf(const void *address) {
  return uint32_t{1} << std::min(std::countr_zero(reinterpret_cast<uintptr_t>(address)), 8);
}

} // namespace

struct ProductPlan {
  explicit ProductPlan(const MatrixProduct &product);

  Types types;
  ColumnMajorProduct operands;
  Owned<cublasLtMatrixLayoutOpaque_t> a, b, c;
  Owned<cublasLtMatmulDescOpaque_t> operation;
  Owned<cublasLtMatmulPreferenceOpaque_t> preference;
};

ProductPlan::ProductPlan(const MatrixProduct &product)
    : types(typesOf(product.type)), operands(columnMajor(product)),
      a(layoutOf(operands.first, types.element, product.batch)),
      b(layoutOf(operands.second, types.element, product.batch)),
      c(layoutOf({product.c, product.n, product.m, product.n, product.m * product.n, false},
                 types.element, product.batch)),
      operation(make(library().cublasLtMatmulDescCreate, library().cublasLtMatmulDescDestroy,
                     types.compute, types.factor)),
      preference(make(library().cublasLtMatmulPreferenceCreate,
                      library().cublasLtMatmulPreferenceDestroy)) {
  auto describe = [&](auto attribute, const auto &value) {
    set(library().cublasLtMatmulDescSetAttribute, operation, attribute, value);
  };
  describe(CUBLASLT_MATMUL_DESC_TRANSA, operands.first.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  describe(CUBLASLT_MATMUL_DESC_TRANSB, operands.second.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  if (const Epilogue &epilogue = product.epilogue) {
    describe(CUBLASLT_MATMUL_DESC_EPILOGUE, nameOf(epilogue));
    if (const void *row = rowOf(epilogue))
      describe(CUBLASLT_MATMUL_DESC_BIAS_POINTER, row);
    if (epilogue.before) {
      describe(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, epilogue.before);
      describe(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, product.n);
      describe(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, product.m * product.n);
    }
  }
  auto prefer = [&](auto attribute, const auto &value) {
    set(library().cublasLtMatmulPreferenceSetAttribute, preference, attribute, value);
  };
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, largestWorkspace);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignmentOf(operands.first.data));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignmentOf(operands.second.data));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignmentOf(product.c));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignmentOf(product.c));
}

std::shared_ptr<const ProductPlan> planOf(const MatrixProduct &product) {
  return std::make_shared<ProductPlan>(product);
}

/// How an algorithm multiplies, and the workspace it wants.
struct CublasLt::Algorithm {
  cublasLtMatmulHeuristicResult_t choice;
};

CublasLt::CublasLt() { check(library().cublasLtCreate(&handle), "cublasLtCreate"); }
CublasLt::~CublasLt() { library().cublasLtDestroy(handle); }

std::shared_ptr<const CublasLt::Algorithm> CublasLt::algorithmFor(const MatrixProduct &product,
                                                                  const ProductPlan &plan) {
  const auto &[types, operands, a, b, c, operation, preference] = plan;
  const Epilogue &epilogue = product.epilogue;
  const Key key{types.element,
                types.compute,
                product.batch,
                product.m,
                product.n,
                product.k,
                operands.first.leading,
                operands.first.batchStride,
                operands.first.transposed,
                operands.second.leading,
                operands.second.batchStride,
                operands.second.transposed,
                alignmentOf(operands.first.data),
                alignmentOf(operands.second.data),
                alignmentOf(product.c),
                nameOf(epilogue),
                alignmentOf(rowOf(epilogue)),
                alignmentOf(epilogue.before)};
  std::lock_guard lock(mutex);
  if (auto known = algorithms.find(key); known != algorithms.end())
    return known->second;
  cublasLtMatmulHeuristicResult_t best{};
  int found = 0;
  const cublasStatus_t status =
      library().cublasLtMatmulAlgoGetHeuristic(handle, operation.get(), a.get(), b.get(), c.get(),
                                               c.get(), preference.get(), 1, &best, &found);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || (epilogue && isRefusal(status)))
    found = 0;
  else
    check(status, "cublasLtMatmulAlgoGetHeuristic");
  if (algorithms.size() == mostAlgorithms)
    algorithms.clear();
  const bool usable = found > 0 && best.state == CUBLAS_STATUS_SUCCESS;
  return algorithms[key] = usable ? std::make_shared<const Algorithm>(best) : nullptr;
}

std::shared_ptr<const Workspace> CublasLt::workspaceFor(Backend &device, void *stream) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  checkCuda(cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &capture));
  if (capture != cudaStreamCaptureStatusNone)
    return std::make_shared<const Workspace>(device, largestWorkspace);
  std::lock_guard lock(mutex);
  auto &workspace = workspaces[stream];
  if (!workspace)
    workspace = std::make_shared<const Workspace>(device, largestWorkspace);
  return workspace;
}

bool CublasLt::multiply(const MatrixProduct &product, Backend &device, void *stream) {
  if (product.batch > INT32_MAX) // which is how it counts them
    return false;
  const ProductPlan plan(product);
  const auto &[types, operands, a, b, c, operation, preference] = plan;
  if ((product.epilogue.sumsOfFirst || product.epilogue.sumsOfSecond) &&
      isReducedFloatingType(product.type) &&
      !(hasAlignedColumns(operands.first, product.type) &&
        hasAlignedColumns(operands.second, product.type)))
    return false;
  const std::shared_ptr<const Algorithm> algorithm = algorithmFor(product, plan);
  if (!algorithm)
    return false;

  // Factors are of a type of their own.
  const double one = 1, zero = 0;
  const float narrowOne = 1, narrowZero = 0;
  const bool wide = types.factor == CUDA_R_64F;
  const void *alpha = wide ? static_cast<const void *>(&one) : &narrowOne;
  const void *beta = wide ? static_cast<const void *>(&zero) : &narrowZero;
  const std::size_t bytes = algorithm->choice.workspaceSize;
  const auto workspace = workspaceFor(device, stream);
  const cublasStatus_t status = library().cublasLtMatmul(
      handle, operation.get(), alpha, operands.first.data, a.get(), operands.second.data, b.get(),
      beta, product.c, c.get(), product.c, c.get(), &algorithm->choice.algo, workspace->data(),
      bytes, static_cast<cudaStream_t>(stream));
  // The search may not see all that an epilogue asks for.
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || (product.epilogue && isRefusal(status)))
    return false;
  check(status, "cublasLtMatmul");
  return true;
}

} // namespace gradtidy::runtime
