//===- Blas.h - GEMM on one thread ------------------------------------------===//
//
// A typed face of the CBLAS that trainc links. Matrices are row-major; `ld` is the distance between rows in elements.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Status.h"

#include <cstdint>

namespace trainc {

/// An operand of gemm: `transposed` means that the matrix read is the transpose of the one stored.
template <typename T> struct BlasMatrix {
  const T *data;
  int64_t ld;
  bool transposed = false;
};

/// c[m, n] = alpha * a[m, k] * b[k, n] + beta * c, on the calling thread. Safe from several threads at once.
void blasGemm(int64_t m, int64_t n, int64_t k, float alpha, BlasMatrix<float> a, BlasMatrix<float> b, float beta,
              float *c, int64_t ldc);
void blasGemm(int64_t m, int64_t n, int64_t k, double alpha, BlasMatrix<double> a, BlasMatrix<double> b, double beta,
              double *c, int64_t ldc);

/// Error if the OpenBLAS in this process is a build that cannot be called from several threads at once, each call on
/// its calling thread alone.
Status checkBlas();

/// Makes OpenBLAS map a packing buffer for each of `threads` threads. It maps them when calls first overlap, which may
/// be at any step, and never gives them back.
void reserveBlasBuffers(int64_t threads);

} // namespace trainc
