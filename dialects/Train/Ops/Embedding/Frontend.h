// The DSL's view of train.embedding: rows of a table.
#pragma once
#include "trainc/frontend/Tensor.h"

namespace trainc {

/// Row ids[...] of `table` [V, C]: [..., C]. `ids` are i32, each below V.
inline Tensor embedding(const Tensor &table, const Tensor &ids, Source at = here()) {
  Tensor y = record("train.embedding", {table, ids}, {}, at)[0];
  Shape shape = ids.shape();
  shape.push_back(table.shape().back());
  return y.withShape(shape, at);
}

} // namespace trainc
