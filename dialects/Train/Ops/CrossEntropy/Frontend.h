// The DSL's view of train.cross_entropy.
#pragma once
#include "trainc/frontend/Tensor.h"

namespace trainc {

/// -log softmax(logits)[target] for logits [..., V] and i32 targets [...], each below V: [...].
inline Tensor crossEntropy(const Tensor &logits, const Tensor &targets, Source at = here()) {
  return record("train.cross_entropy", {logits, targets}, {}, at, 2)[0];
}

} // namespace trainc
