// The DSL's view of train.reshape: the same elements in row-major order under other dimensions.
#pragma once
#include "trainc/frontend/Tensor.h"

namespace trainc {

/// `x` with dimensions `shape`. Errors: another number of elements; the batch in another place than first.
inline Tensor reshape(const Tensor &x, const Shape &shape, Source at = here()) {
  bool before = x.dimCount() && x.shape()[0].isBatch();
  if (before != (!shape.empty() && shape[0].isBatch()))
    x.fail(before ? "reshape has to keep the batch in the first dimension"
                  : "reshape cannot make a batch of something else",
           at);
  std::vector<int64_t> sizes = recordedSizes(shape);
  return record("train.reshape", {x}, {{"shape", sizes}}, at)[0].withShape(shape, at);
}

} // namespace trainc
