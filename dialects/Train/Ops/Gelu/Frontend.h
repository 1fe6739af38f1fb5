// The DSL's view of train.gelu.
#pragma once
#include "trainc/frontend/Tensor.h"

namespace trainc {

/// x * Phi(x) in the tanh form: 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), elementwise.
inline Tensor gelu(const Tensor &x, Source at = here()) { return record("train.gelu", {x}, {}, at)[0]; }

} // namespace trainc
