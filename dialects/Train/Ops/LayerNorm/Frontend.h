// The DSL's view of train.layer_norm.
#pragma once
#include "trainc/frontend/Tensor.h"

namespace trainc {

/// (x - mean) / sqrt(variance + epsilon) * weight + bias over the last dimension. x [..., C], weight and bias [C].
inline Tensor layerNorm(const Tensor &x, const Tensor &weight, const Tensor &bias, double epsilon = 1e-5,
                        Source at = here()) {
  return record("train.layer_norm", {x, weight, bias}, {{"epsilon", epsilon}}, at)[0];
}

} // namespace trainc
