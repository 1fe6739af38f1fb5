//===- CrossEntropy.cpp - softmax cross-entropy over rows, and its gradient -----------===//
//
// Forward keeps one number a row, the log of the sum of exponentials; backward rebuilds the probabilities from it, so
// no second [count, classes] tensor exists. Threads own rows.
//
//===-----------------------------------------------------------------------===//
#include "runtime/kernels/cpu/Kernels.h"
#include "runtime/kernels/cpu/VectorMath.h"

using namespace trainc;

/// Elements worth giving to a thread.
static constexpr int64_t kGrainElements = 1 << 13;

template <typename T>
RoutineFault cpu::crossEntropyForward(const CrossEntropyParameters &p, const T *logits, const int32_t *targets, T *loss,
                                      T *lse, ThreadPool &pool) {
  if (RoutineFault fault = checkIndices("target", targets, p.count, p.classes); fault.what)
    return fault;
  pool.parallelFor(p.count, kGrainElements / p.classes + 1, [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T *row = logits + i * p.classes;
      T greatest = vector::maximum(row, p.classes);
      T total = vector::sum<T>(p.classes, [&](int64_t j) { return vector::exp(row[j] - greatest); });
      lse[i] = greatest + std::log(total);
      // From the logits' differences: lse - row[target] would cancel when the target has almost all the probability.
      loss[i] = (greatest - row[targets[i]]) + std::log(total);
    }
  });
  return {};
}

template <typename T>
RoutineFault cpu::crossEntropyBackward(const CrossEntropyParameters &p, const T *logits, const int32_t *targets,
                                       const T *lse, const T *dloss, T *dlogits, ThreadPool &pool) {
  if (RoutineFault fault = checkIndices("target", targets, p.count, p.classes); fault.what)
    return fault;
  pool.parallelFor(p.count, kGrainElements / p.classes + 1, [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T *row = logits + i * p.classes;
      T *gradient = dlogits + i * p.classes;
      T offset = lse[i], weight = dloss[i];
      // Element j is read before it is written: right also when the rows are the same memory.
#pragma clang loop vectorize(assume_safety)
      for (int64_t j = 0; j < p.classes; ++j)
        gradient[j] = weight * vector::exp(row[j] - offset);
      gradient[targets[i]] -= weight;
    }
  });
  return {};
}

template RoutineFault cpu::crossEntropyForward(const CrossEntropyParameters &, const float *, const int32_t *, float *,
                                               float *, ThreadPool &);
template RoutineFault cpu::crossEntropyForward(const CrossEntropyParameters &, const double *, const int32_t *,
                                               double *, double *, ThreadPool &);
template RoutineFault cpu::crossEntropyBackward(const CrossEntropyParameters &, const float *, const int32_t *,
                                                const float *, const float *, float *, ThreadPool &);
template RoutineFault cpu::crossEntropyBackward(const CrossEntropyParameters &, const double *, const int32_t *,
                                                const double *, const double *, double *, ThreadPool &);
