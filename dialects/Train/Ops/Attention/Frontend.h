// The DSL's view of train.attention: softmax(q k^T * scale) v for each head.
#pragma once
#include "trainc/frontend/Tensor.h"
#include <cmath>

namespace trainc {

/// Attention of q, k, v [B, T, H, D]: [B, T, H, D]. `causal`: position t sees positions up to t. The scale is
/// 1/sqrt(D).
inline Tensor attention(const Tensor &q, const Tensor &k, const Tensor &v, bool causal, Source at = here()) {
  double scale = 1.0 / std::sqrt(static_cast<double>(q.dim(-1, at).size(at)));
  return record("train.attention", {q, k, v}, {{"causal", causal}, {"scale", scale}}, at, 2)[0];
}

} // namespace trainc
