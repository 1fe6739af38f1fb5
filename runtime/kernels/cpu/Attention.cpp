//===- Attention.cpp - exact attention by tiles, and its gradient ----------------------===//
//
// FlashAttention-2's loops on a CPU: scores exist one [tile, tile] block at a time in the thread's workspace, and the
// softmax is corrected as blocks arrive. Backward rebuilds the probabilities from lse. Products are BLAS calls on tiles
// with the row stride of [B, T, H, D]. A thread owns whole (batch, head) pairs, so sums have one order.
// Source: Dao 2023, arXiv:2307.08691, Algorithms 1 and 2; here scores are [queries, keys] and both passes loop over
// key blocks inside one (batch, head).
//
//===-----------------------------------------------------------------------===//
#include "runtime/cpu/Blas.h"
#include "runtime/kernels/cpu/Kernels.h"
#include "runtime/kernels/cpu/VectorMath.h"

using namespace trainc;
using cpu::AttentionBackwardTensors;

namespace {

/// One (batch, head) of the problem: where it starts in [B, T, H, D] and in [B, H, T].
struct HeadView {
  HeadView(const AttentionParameters &p, int64_t index)
      : stride(p.heads * p.width), start(index / p.heads * p.sequence * stride + index % p.heads * p.width),
        lseStart(index * p.sequence) {}
  int64_t row(int64_t t) const { return start + t * stride; }
  int64_t stride, start, lseStart;
};

/// Queries [query, query + queries) against keys [key, key + keys).
struct Block {
  int64_t query, queries, key, keys;
  /// Keys that query row `i` of the block may see.
  int64_t visibleKeys(int64_t i, bool causal) const { return causal ? std::min(keys, query + i + 1 - key) : keys; }
};

template <typename T> T *workspaceOf(void *workspace, int worker, int64_t totalBytes, int threads) {
  return reinterpret_cast<T *>(static_cast<char *>(workspace) + totalBytes / threads * worker);
}

/// State of the running softmax of one block of queries.
template <typename T> struct ForwardTile {
  T *scores, *accumulator, *greatest, *total;
};

/// Turns the block's scores into exp(score - running maximum), masked keys into 0, and rescales what was accumulated.
template <typename T>
void softmaxTile(const AttentionParameters &p, const Block &block, const ForwardTile<T> &tile, int64_t tileSize) {
  for (int64_t i = 0; i < block.queries; ++i) {
    T *row = tile.scores + i * tileSize;
    int64_t visible = block.visibleKeys(i, p.causal);
    T greatest = std::max(tile.greatest[i], vector::maximum(row, visible));
    T correction = vector::exp(tile.greatest[i] - greatest);
    for (int64_t j = 0; j < visible; ++j)
      row[j] = vector::exp(row[j] - greatest);
    std::fill(row + visible, row + block.keys, T(0));
    tile.total[i] = tile.total[i] * correction + vector::sum<T>(visible, [&](int64_t j) { return row[j]; });
    tile.greatest[i] = greatest;
    T *accumulator = tile.accumulator + i * p.width;
    for (int64_t d = 0; d < p.width; ++d)
      accumulator[d] *= correction;
  }
}

/// One block of queries against all the keys it sees.
template <typename T>
void forwardQueries(const AttentionParameters &p, const HeadView &head, int64_t query, const T *q, const T *k,
                    const T *v, T *o, T *lse, const ForwardTile<T> &tile) {
  int64_t tileSize = attentionTile(p), queries = std::min(tileSize, p.sequence - query);
  std::fill_n(tile.accumulator, queries * p.width, T(0));
  std::fill_n(tile.total, queries, T(0));
  // Finite, so that the first correction is exp(-large) = 0 and not exp(-inf + inf).
  std::fill_n(tile.greatest, queries, std::numeric_limits<T>::lowest());
  int64_t keyEnd = p.causal ? query + queries : p.sequence;
  for (int64_t key = 0; key < keyEnd; key += tileSize) {
    Block block{query, queries, key, std::min(tileSize, keyEnd - key)};
    blasGemm(queries, block.keys, p.width, T(p.scale), {q + head.row(query), head.stride},
             {k + head.row(key), head.stride, true}, T(0), tile.scores, tileSize);
    softmaxTile(p, block, tile, tileSize);
    blasGemm(queries, p.width, block.keys, T(1), {tile.scores, tileSize}, {v + head.row(key), head.stride}, T(1),
             tile.accumulator, p.width);
  }
  for (int64_t i = 0; i < queries; ++i) {
    T scale = 1 / tile.total[i];
    for (int64_t d = 0; d < p.width; ++d)
      o[head.row(query + i) + d] = tile.accumulator[i * p.width + d] * scale;
    lse[head.lseStart + query + i] = tile.greatest[i] + std::log(tile.total[i]);
  }
}

template <typename T> struct BackwardTile {
  T *probabilities, *gradients;
};

/// probabilities = exp(score - lse), gradients = scale * probabilities * (gradients - sum(o * do)); masked keys give 0.
template <typename T>
void softmaxGradientTile(const AttentionParameters &p, const HeadView &head, const Block &block,
                         const AttentionBackwardTensors<T> &t, const BackwardTile<T> &tile, int64_t tileSize) {
  for (int64_t i = 0; i < block.queries; ++i) {
    int64_t row = head.row(block.query + i), visible = block.visibleKeys(i, p.causal);
    T rowSum = vector::sum<T>(p.width, [&](int64_t d) { return t.o[row + d] * t.dout[row + d]; });
    T lse = t.lse[head.lseStart + block.query + i], scale = p.scale;
    T *probabilities = tile.probabilities + i * tileSize, *gradients = tile.gradients + i * tileSize;
    for (int64_t j = 0; j < visible; ++j) {
      T probability = vector::exp(probabilities[j] - lse);
      probabilities[j] = probability;
      gradients[j] = scale * probability * (gradients[j] - rowSum);
    }
    std::fill(probabilities + visible, probabilities + block.keys, T(0));
    std::fill(gradients + visible, gradients + block.keys, T(0));
  }
}

/// One block of keys against all the queries that see it: adds to dq, completes dk and dv of the block.
template <typename T>
void backwardKeys(const AttentionParameters &p, const HeadView &head, int64_t key, const AttentionBackwardTensors<T> &t,
                  const BackwardTile<T> &tile) {
  int64_t tileSize = attentionTile(p), keys = std::min(tileSize, p.sequence - key), ld = head.stride;
  int64_t firstQuery = p.causal ? key : 0, keyRow = head.row(key);
  for (int64_t query = firstQuery; query < p.sequence; query += tileSize) {
    Block block{query, std::min(tileSize, p.sequence - query), key, keys};
    int64_t row = head.row(query), queries = block.queries;
    blasGemm(queries, keys, p.width, T(p.scale), {t.q + row, ld}, {t.k + keyRow, ld, true}, T(0), tile.probabilities,
             tileSize);
    blasGemm(queries, keys, p.width, T(1), {t.dout + row, ld}, {t.v + keyRow, ld, true}, T(0), tile.gradients,
             tileSize);
    softmaxGradientTile(p, head, block, t, tile, tileSize);
    T keep = query == firstQuery ? 0 : 1;
    blasGemm(keys, p.width, queries, T(1), {tile.probabilities, tileSize, true}, {t.dout + row, ld}, keep,
             t.dv + keyRow, ld);
    blasGemm(keys, p.width, queries, T(1), {tile.gradients, tileSize, true}, {t.q + row, ld}, keep, t.dk + keyRow, ld);
    // Key block 0 is seen by every query, so it starts dq.
    blasGemm(queries, p.width, keys, T(1), {tile.gradients, tileSize}, {t.k + keyRow, ld}, key == 0 ? 0 : 1, t.dq + row,
             ld);
  }
}

} // namespace

template <typename T>
void cpu::attentionForward(const AttentionParameters &p, const T *q, const T *k, const T *v, T *o, T *lse,
                           void *workspace, ThreadPool &pool) {
  int64_t bytes = attentionForwardWorkspaceBytes(p, pool.threads(), sizeof(T)), tileSize = attentionTile(p);
  pool.parallelFor(p.batch * p.heads, 1, [&](int worker, int64_t begin, int64_t end) {
    ForwardTile<T> tile{};
    tile.scores = workspaceOf<T>(workspace, worker, bytes, pool.threads());
    tile.accumulator = tile.scores + tileSize * tileSize;
    tile.greatest = tile.accumulator + tileSize * p.width;
    tile.total = tile.greatest + tileSize;
    for (int64_t index = begin; index < end; ++index)
      for (int64_t query = 0; query < p.sequence; query += tileSize)
        forwardQueries(p, HeadView(p, index), query, q, k, v, o, lse, tile);
  });
}

template <typename T>
void cpu::attentionBackward(const AttentionParameters &p, const AttentionBackwardTensors<T> &tensors, void *workspace,
                            ThreadPool &pool) {
  int64_t bytes = attentionBackwardWorkspaceBytes(p, pool.threads(), sizeof(T)), tileSize = attentionTile(p);
  pool.parallelFor(p.batch * p.heads, 1, [&](int worker, int64_t begin, int64_t end) {
    BackwardTile<T> tile{};
    tile.probabilities = workspaceOf<T>(workspace, worker, bytes, pool.threads());
    tile.gradients = tile.probabilities + tileSize * tileSize;
    for (int64_t index = begin; index < end; ++index)
      for (int64_t key = 0; key < p.sequence; key += tileSize)
        backwardKeys(p, HeadView(p, index), key, tensors, tile);
  });
}

template void cpu::attentionForward(const AttentionParameters &, const float *, const float *, const float *, float *,
                                    float *, void *, ThreadPool &);
template void cpu::attentionForward(const AttentionParameters &, const double *, const double *, const double *,
                                    double *, double *, void *, ThreadPool &);
template void cpu::attentionBackward(const AttentionParameters &, const AttentionBackwardTensors<float> &, void *,
                                     ThreadPool &);
template void cpu::attentionBackward(const AttentionParameters &, const AttentionBackwardTensors<double> &, void *,
                                     ThreadPool &);
