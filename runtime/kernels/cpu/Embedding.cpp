//===- Embedding.cpp - rows of a table by index, and their gradient ----------------===//
//
// The gradient is a scatter with repeated indices. Threads own columns, so each element of the table is summed by one
// thread in the order of the ids: no atomics, the same bits for any number of threads.
//
//===-----------------------------------------------------------------------===//
#include "runtime/kernels/cpu/Kernels.h"

using namespace trainc;

/// Elements worth giving to a thread.
static constexpr int64_t kGrainElements = 1 << 14;
/// Columns that are not divided: one cache line of doubles or floats.
static constexpr int64_t kColumns = 16;

RoutineFault cpu::checkIndices(const char *what, const int32_t *ids, int64_t count, int64_t limit) {
  for (int64_t i = 0; i < count; ++i)
    if (ids[i] < 0 || ids[i] >= limit)
      return {what, i, ids[i], limit};
  return {};
}

template <typename T>
RoutineFault cpu::embeddingForward(const EmbeddingParameters &p, const T *table, const int32_t *ids, T *y,
                                   ThreadPool &pool) {
  if (RoutineFault fault = checkIndices("id", ids, p.count, p.rows); fault.what)
    return fault;
  pool.parallelFor(p.count, kGrainElements / p.width + 1, [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      std::copy_n(table + ids[i] * p.width, p.width, y + i * p.width);
  });
  return {};
}

template <typename T>
RoutineFault cpu::embeddingBackward(const EmbeddingParameters &p, const T *dy, const int32_t *ids, T *dtable,
                                    ThreadPool &pool) {
  if (RoutineFault fault = checkIndices("id", ids, p.count, p.rows); fault.what)
    return fault;
  int64_t blocks = (p.width + kColumns - 1) / kColumns;
  int64_t grain = kGrainElements / (kColumns * (p.count + p.rows)) + 1;
  pool.parallelFor(blocks, grain, [&](int, int64_t firstBlock, int64_t endBlock) {
    int64_t begin = firstBlock * kColumns, end = std::min(endBlock * kColumns, p.width);
    if (!p.accumulate)
      for (int64_t row = 0; row < p.rows; ++row)
        std::fill(dtable + row * p.width + begin, dtable + row * p.width + end, T(0));
    for (int64_t i = 0; i < p.count; ++i) {
      T *row = dtable + ids[i] * p.width;
      const T *gradient = dy + i * p.width;
      for (int64_t column = begin; column < end; ++column)
        row[column] += gradient[column];
    }
  });
  return {};
}

template RoutineFault cpu::embeddingForward(const EmbeddingParameters &, const float *, const int32_t *, float *,
                                            ThreadPool &);
template RoutineFault cpu::embeddingForward(const EmbeddingParameters &, const double *, const int32_t *, double *,
                                            ThreadPool &);
template RoutineFault cpu::embeddingBackward(const EmbeddingParameters &, const float *, const int32_t *, float *,
                                             ThreadPool &);
template RoutineFault cpu::embeddingBackward(const EmbeddingParameters &, const double *, const int32_t *, double *,
                                             ThreadPool &);
