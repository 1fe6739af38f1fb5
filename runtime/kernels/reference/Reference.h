//===- Reference.h - library routines by their definition ------------------------===//
//
// What the routines of runtime/abi/Library.h compute, written as their formulas and summed in double: the oracle that
// the tests compare the CPU kernels with. Slow, single-threaded, stores whatever is convenient. Shapes as in Library.h.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include "runtime/abi/Library.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace trainc::reference {

template <typename T> void gemm(const GemmParameters &p, const T *a, const T *b, T *c) {
  for (int64_t i = 0; i < p.m; ++i)
    for (int64_t j = 0; j < p.n; ++j) {
      double sum = p.accumulate ? c[i * p.n + j] : 0;
      for (int64_t l = 0; l < p.k; ++l)
        sum += double(a[p.transA ? l * p.m + i : i * p.k + l]) * b[p.transB ? j * p.k + l : l * p.n + j];
      c[i * p.n + j] = T(sum);
    }
}

template <typename T> void embeddingForward(const EmbeddingParameters &p, const T *table, const int32_t *ids, T *y) {
  for (int64_t i = 0; i < p.count; ++i)
    for (int64_t j = 0; j < p.width; ++j)
      y[i * p.width + j] = table[ids[i] * p.width + j];
}

template <typename T> void embeddingBackward(const EmbeddingParameters &p, const T *dy, const int32_t *ids, T *dtable) {
  for (int64_t row = 0; row < p.rows; ++row)
    for (int64_t j = 0; j < p.width; ++j) {
      double sum = p.accumulate ? dtable[row * p.width + j] : 0;
      for (int64_t i = 0; i < p.count; ++i)
        sum += ids[i] == row ? dy[i * p.width + j] : 0;
      dtable[row * p.width + j] = T(sum);
    }
}

/// One (batch, head) of attention in double: probabilities [T, T] of every query, and access to [B, T, H, D].
struct AttentionHead {
  const AttentionParameters &p;
  int64_t batch, head;
  int64_t at(int64_t t, int64_t d) const { return ((batch * p.sequence + t) * p.heads + head) * p.width + d; }
  int64_t lseAt(int64_t t) const { return (batch * p.heads + head) * p.sequence + t; }

  template <typename T> double dot(const T *x, int64_t i, const T *y, int64_t j) const {
    double sum = 0;
    for (int64_t d = 0; d < p.width; ++d)
      sum += double(x[at(i, d)]) * y[at(j, d)];
    return sum;
  }
  /// The probabilities of query `i`, and in `lse` the log of the sum of exponentials.
  template <typename T> std::vector<double> probabilities(const T *q, const T *k, int64_t i, double &lse) const {
    int64_t visible = p.causal ? i + 1 : p.sequence;
    std::vector<double> row(p.sequence, 0.0);
    double sum = 0;
    for (int64_t j = 0; j < visible; ++j)
      sum += row[j] = std::exp(p.scale * dot(q, i, k, j));
    for (double &x : row)
      x /= sum;
    lse = std::log(sum);
    return row;
  }
};

/// Calls `body(head)` for each (batch, head).
template <typename Body> void forEachHead(const AttentionParameters &p, Body body) {
  for (int64_t b = 0; b < p.batch; ++b)
    for (int64_t h = 0; h < p.heads; ++h)
      body(AttentionHead{p, b, h});
}

template <typename T>
void attentionForward(const AttentionParameters &p, const T *q, const T *k, const T *v, T *o, T *lse) {
  forEachHead(p, [&](const AttentionHead &head) {
    for (int64_t i = 0; i < p.sequence; ++i) {
      double log;
      std::vector<double> probability = head.probabilities(q, k, i, log);
      lse[head.lseAt(i)] = T(log);
      for (int64_t d = 0; d < p.width; ++d) {
        double sum = 0;
        for (int64_t j = 0; j < p.sequence; ++j)
          sum += probability[j] * v[head.at(j, d)];
        o[head.at(i, d)] = T(sum);
      }
    }
  });
}

/// From q, k, v and do alone: o and lse are recomputed.
template <typename T>
void attentionBackward(const AttentionParameters &p, const T *q, const T *k, const T *v, const T *dout,
                       std::vector<double> &dq, std::vector<double> &dk, std::vector<double> &dv) {
  dq.assign(p.batch * p.sequence * p.heads * p.width, 0);
  dk = dv = dq;
  forEachHead(p, [&](const AttentionHead &head) {
    for (int64_t i = 0; i < p.sequence; ++i) {
      double log, mean = 0;
      std::vector<double> probability = head.probabilities(q, k, i, log), gradient(p.sequence);
      for (int64_t j = 0; j < p.sequence; ++j)
        mean += probability[j] * (gradient[j] = head.dot(dout, i, v, j));
      for (int64_t j = 0; j < p.sequence; ++j) {
        double score = p.scale * probability[j] * (gradient[j] - mean);
        for (int64_t d = 0; d < p.width; ++d) {
          dq[head.at(i, d)] += score * k[head.at(j, d)];
          dk[head.at(j, d)] += score * q[head.at(i, d)];
          dv[head.at(j, d)] += probability[j] * dout[head.at(i, d)];
        }
      }
    }
  });
}

template <typename T>
void crossEntropyForward(const CrossEntropyParameters &p, const T *logits, const int32_t *targets, T *loss, T *lse) {
  for (int64_t i = 0; i < p.count; ++i) {
    const T *row = logits + i * p.classes;
    double sum = 0;
    for (int64_t j = 0; j < p.classes; ++j)
      sum += std::exp(double(row[j]) - row[0]);
    lse[i] = T(row[0] + std::log(sum));
    loss[i] = T(row[0] + std::log(sum) - row[targets[i]]);
  }
}

template <typename T>
void crossEntropyBackward(const CrossEntropyParameters &p, const T *logits, const int32_t *targets, const T *lse,
                          const T *dloss, T *dlogits) {
  for (int64_t i = 0; i < p.count; ++i)
    for (int64_t j = 0; j < p.classes; ++j)
      dlogits[i * p.classes + j] =
          T(dloss[i] * (std::exp(double(logits[i * p.classes + j]) - lse[i]) - (j == targets[i] ? 1 : 0)));
}

} // namespace trainc::reference
