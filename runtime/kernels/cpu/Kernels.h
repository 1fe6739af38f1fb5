//===- Kernels.h - library routines on this CPU --------------------------------===//
//
// Instantiated for float and double. Shapes as in runtime/abi/Library.h; results are the same for any number of threads
// except gemm's, which OpenBLAS may round differently for parts of different shapes.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/Routines.h"

namespace trainc::cpu {

template <typename T> void gemm(const GemmParameters &, const T *a, const T *b, T *c, ThreadPool &);

/// Fault: an id outside [0, rows); nothing is written then.
template <typename T>
RoutineFault embeddingForward(const EmbeddingParameters &, const T *table, const int32_t *ids, T *y, ThreadPool &);
template <typename T>
RoutineFault embeddingBackward(const EmbeddingParameters &, const T *dy, const int32_t *ids, T *dtable, ThreadPool &);

/// `workspace`: attentionForwardWorkspaceBytes() for the pool's threads, aligned to kWorkspaceAlignment.
template <typename T>
void attentionForward(const AttentionParameters &, const T *q, const T *k, const T *v, T *o, T *lse, void *workspace,
                      ThreadPool &);

template <typename T> struct AttentionBackwardTensors {
  const T *q, *k, *v, *o, *lse, *dout;
  T *dq, *dk, *dv;
};
/// `workspace`: attentionBackwardWorkspaceBytes() for the pool's threads, aligned to kWorkspaceAlignment.
template <typename T>
void attentionBackward(const AttentionParameters &, const AttentionBackwardTensors<T> &, void *workspace, ThreadPool &);

/// Fault: a target outside [0, classes); nothing is written then.
template <typename T>
RoutineFault crossEntropyForward(const CrossEntropyParameters &, const T *logits, const int32_t *targets, T *loss,
                                 T *lse, ThreadPool &);
/// `dlogits` may be `logits`.
template <typename T>
RoutineFault crossEntropyBackward(const CrossEntropyParameters &, const T *logits, const int32_t *targets, const T *lse,
                                  const T *dloss, T *dlogits, ThreadPool &);

/// The first of ids[0, count) outside [0, limit), as a fault called `what`.
RoutineFault checkIndices(const char *what, const int32_t *ids, int64_t count, int64_t limit);

} // namespace trainc::cpu
