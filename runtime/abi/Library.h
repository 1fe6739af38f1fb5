//===- Library.h - library routines that a plan may call --------------------===//
//
// The compiler calls these by name and reserves their workspace with the formulas below; the runtime checks both. All
// tensors are row-major and dense, so a shape here may be any reshape of the one written ([N] may be [B, T]). F is f32
// or f64, the same in all operands. Headers only: both sides include this file.
//
// routine                operands                                   results               attributes
// gemm                   A, B [, C in place with result 0]          C [m, n]              m n k trans_a trans_b
// embedding_forward      table [rows, width], ids i32 [count]       y [count, width]      rows width count
// embedding_backward     dy [count, width], ids [, dtable in place] dtable [rows, width]  rows width count
// attention_forward      q k v [B, T, H, D]                         o, lse [B, H, T]      batch sequence heads width
//                                                                                         causal scale
// attention_backward     q k v o lse do                             dq dk dv              same
// cross_entropy_forward  logits [count, classes], targets i32       loss, lse [count]     count classes
// cross_entropy_backward logits, targets, lse, dloss [count]        dlogits; may be in    count classes
//                                                                   place with logits
//
//===-----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>

namespace trainc {

inline constexpr std::string_view kGemm = "gemm";
inline constexpr std::string_view kEmbeddingForward = "embedding_forward";
inline constexpr std::string_view kEmbeddingBackward = "embedding_backward";
inline constexpr std::string_view kAttentionForward = "attention_forward";
inline constexpr std::string_view kAttentionBackward = "attention_backward";
inline constexpr std::string_view kCrossEntropyForward = "cross_entropy_forward";
inline constexpr std::string_view kCrossEntropyBackward = "cross_entropy_backward";

/// C = op(A) op(B), or C += op(A) op(B) with three operands. op(A) is [m, k]: A is stored so, or as [k, m] if `transA`.
/// op(B) is [k, n]: B is stored so, or as [n, k] if `transB`.
struct GemmParameters {
  int64_t m, n, k;
  bool transA, transB;
  bool accumulate; ///< three operands
};

/// y[i] = table[ids[i]]; backward: dtable[ids[i]] += dy[i], from zero unless dtable is an operand.
struct EmbeddingParameters {
  int64_t rows, width, count;
  bool accumulate; ///< dtable is an operand
};

/// o = softmax(scale q k^T, keys after the query masked if `causal`) v, per batch row and head.
/// lse[b, h, t] = log of the sum of the exponentials. Dao 2023, arXiv:2307.08691.
struct AttentionParameters {
  int64_t batch, sequence, heads, width;
  bool causal;
  double scale;
};

/// loss[i] = lse[i] - logits[i, targets[i]], lse[i] = log(sum_j exp(logits[i, j])).
/// Backward: dlogits[i, j] = dloss[i] (exp(logits[i, j] - lse[i]) - [j == targets[i]]).
struct CrossEntropyParameters {
  int64_t count, classes;
};

/// Queries and keys of one tile of attention: the score tile never leaves the cache.
inline constexpr int64_t kAttentionTile = 64;
/// Each thread's workspace starts on its own cache line.
inline constexpr int64_t kWorkspaceAlignment = 64;

inline constexpr int64_t alignWorkspace(int64_t bytes) {
  return (bytes + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment;
}

inline constexpr int64_t attentionTile(const AttentionParameters &p) {
  return p.sequence < kAttentionTile ? p.sequence : kAttentionTile;
}

/// Bytes of `workspace` for attention_forward, all threads together. Per thread: scores [tile, tile], output
/// accumulator [tile, width], running maximum and sum [tile] each.
inline constexpr int64_t attentionForwardWorkspaceBytes(const AttentionParameters &p, int64_t threads,
                                                        int64_t elementBytes) {
  int64_t tile = attentionTile(p);
  return threads * alignWorkspace((tile * tile + tile * p.width + 2 * tile) * elementBytes);
}

/// Bytes of `workspace` for attention_backward, all threads together. Per thread: probabilities and their gradient
/// [tile, tile] each.
inline constexpr int64_t attentionBackwardWorkspaceBytes(const AttentionParameters &p, int64_t threads,
                                                         int64_t elementBytes) {
  int64_t tile = attentionTile(p);
  return threads * alignWorkspace(2 * tile * tile * elementBytes);
}

} // namespace trainc
