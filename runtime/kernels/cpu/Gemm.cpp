//===- Gemm.cpp - matrix product over the pool -----------------------------------===//
//
// The larger of m and n is cut into one block of whole panels per thread; each thread calls the single-threaded GEMM.
//
//===-----------------------------------------------------------------------===//
#include "runtime/cpu/Blas.h"
#include "runtime/kernels/cpu/Kernels.h"

using namespace trainc;

/// Rows or columns that are not divided: a multiple of the micro-kernels' tiles.
static constexpr int64_t kPanel = 16;
/// Multiply-adds worth giving to a thread: about 4 microseconds.
static constexpr int64_t kGrainMultiplyAdds = 1 << 17;

template <typename T> void cpu::gemm(const GemmParameters &p, const T *a, const T *b, T *c, ThreadPool &pool) {
  int64_t lda = p.transA ? p.m : p.k, ldb = p.transB ? p.k : p.n;
  T beta = p.accumulate ? 1 : 0;
  bool splitRows = p.m >= p.n;
  int64_t extent = splitRows ? p.m : p.n, other = splitRows ? p.n : p.m;
  int64_t grain = (kGrainMultiplyAdds + kPanel * other * p.k - 1) / (kPanel * other * p.k);
  pool.parallelFor((extent + kPanel - 1) / kPanel, grain, [&](int, int64_t firstPanel, int64_t endPanel) {
    int64_t begin = firstPanel * kPanel, size = std::min(endPanel * kPanel, extent) - begin;
    if (splitRows)
      blasGemm(size, p.n, p.k, T(1), {a + (p.transA ? begin : begin * lda), lda, p.transA}, {b, ldb, p.transB}, beta,
               c + begin * p.n, p.n);
    else
      blasGemm(p.m, size, p.k, T(1), {a, lda, p.transA}, {b + (p.transB ? begin * ldb : begin), ldb, p.transB}, beta,
               c + begin, p.n);
  });
}

template void cpu::gemm(const GemmParameters &, const float *, const float *, float *, ThreadPool &);
template void cpu::gemm(const GemmParameters &, const double *, const double *, double *, ThreadPool &);
