// The DSL's view of train.broadcast: repeat a tensor along new dimensions.
#pragma once
#include "trainc/frontend/Tensor.h"

namespace trainc {

/// `x` repeated to `shape`: dimension i of `x` becomes dimension dims[i] of the result. `dims` increases; sizes agree.
inline Tensor broadcast(const Tensor &x, const Shape &shape, const std::vector<int64_t> &dims, Source at = here()) {
  std::vector<int64_t> sizes = recordedSizes(shape);
  return record("train.broadcast", {x}, {{"shape", sizes}, {"dims", dims}}, at)[0].withShape(shape, at);
}

} // namespace trainc
