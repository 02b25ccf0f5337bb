// The part of CUDA's header of this name that the tests of the checks use.
#pragma once

#include <cuda_runtime.h>

enum cublasStatus_t { CUBLAS_STATUS_SUCCESS = 0 };
enum cublasOperation_t { CUBLAS_OP_N = 0 };
using cublasHandle_t = struct cublasContext *;

extern "C" {
cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasSgemv_v2(cublasHandle_t handle, cublasOperation_t operation, int m, int n,
                              const float *alpha, const float *a, int lda, const float *x, int incx,
                              const float *beta, float *y, int incy);
}
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasSetStream cublasSetStream_v2
#define cublasSgemv cublasSgemv_v2
