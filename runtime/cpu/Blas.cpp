//===- Blas.cpp - GEMM on one thread ----------------------------------------===//
//
// OpenBLAS, OpenMP build, one thread a call. The serial build takes its packing buffers without a lock, so two threads
// that call it at once may get the same one (docs/decisions/blas.md); the pthread build starts threads of its own. All
// builds share one soname, so what the loader finds may differ from what was linked; hence the check at start-up.
//
//===-----------------------------------------------------------------------===//
#include "runtime/cpu/Blas.h"

#include <cblas.h>
#include <dlfcn.h>
#include <mutex>
#include <vector>

// Exported by OpenBLAS though in no header of its.
extern "C" void *blas_memory_alloc(int position);
extern "C" void blas_memory_free(void *buffer);

using namespace trainc;

/// Holds OpenBLAS to one thread for calls from this thread. OpenMP's limit belongs to the calling thread: set by one
/// thread only, every product of a worker would start a team of its own.
static void limitThisThread() {
  static std::mutex mutex; // the call also touches tables that all threads share
  thread_local bool limited = false;
  if (limited)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  openblas_set_num_threads(1);
  limited = true;
}

static CBLAS_TRANSPOSE flag(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }

void trainc::blasGemm(int64_t m, int64_t n, int64_t k, float alpha, BlasMatrix<float> a, BlasMatrix<float> b,
                      float beta, float *c, int64_t ldc) {
  limitThisThread();
  cblas_sgemm(CblasRowMajor, flag(a.transposed), flag(b.transposed), m, n, k, alpha, a.data, a.ld, b.data, b.ld, beta,
              c, ldc);
}

void trainc::blasGemm(int64_t m, int64_t n, int64_t k, double alpha, BlasMatrix<double> a, BlasMatrix<double> b,
                      double beta, double *c, int64_t ldc) {
  limitThisThread();
  cblas_dgemm(CblasRowMajor, flag(a.transposed), flag(b.transposed), m, n, k, alpha, a.data, a.ld, b.data, b.ld, beta,
              c, ldc);
}

Status trainc::checkBlas() {
  constexpr int kOpenMpBuild = 2; // openblas_get_parallel: 0 serial, 1 pthread, 2 OpenMP
  if (openblas_get_parallel() == kOpenMpBuild)
    return {};
  Dl_info library{};
  dladdr(reinterpret_cast<void *>(&cblas_sgemm), &library);
  return makeError("{} is not the OpenMP build of OpenBLAS ({}): the serial build cannot be called from several "
                   "threads, the pthread "
                   "build has threads that fight with this program's; unset LD_LIBRARY_PATH or put the folder of "
                   "libopenblas0-openmp first in it",
                   library.dli_fname ? library.dli_fname : "libopenblas.so.0", openblas_get_config());
}

void trainc::reserveBlasBuffers(int64_t threads) {
  std::vector<void *> held(threads);
  for (void *&buffer : held)
    buffer = blas_memory_alloc(0);
  for (void *buffer : held)
    blas_memory_free(buffer);
}
