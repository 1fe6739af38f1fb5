// The DSL's view of train.reduce: sums, maxima and means over dimensions.
#pragma once
#include "dialects/Train/Ops/Reshape/Frontend.h"
#include "trainc/frontend/Elementwise.h"
#include <algorithm>

namespace trainc {

/// `x` reduced over `dims` (negative ones count from the end; none named: all). `keep` leaves size 1 in their place.
/// `kind` is MLIR syntax of the reduction. Errors: no such dimension, one named twice.
inline Tensor reduce(const Tensor &x, const char *kind, std::vector<int64_t> dims, bool keep, Source at) {
  if (dims.empty())
    for (int64_t i = 0; i < x.dimCount(); ++i)
      dims.push_back(i);
  for (int64_t &dim : dims)
    dim = static_cast<int64_t>(x.dimIndex(dim, at));
  std::sort(dims.begin(), dims.end());
  if (std::adjacent_find(dims.begin(), dims.end()) != dims.end())
    x.fail("a dimension is named twice in a reduction", at);
  Shape left, kept;
  for (size_t i = 0; i < x.shape().size(); ++i) {
    bool reduced = std::binary_search(dims.begin(), dims.end(), static_cast<int64_t>(i));
    if (!reduced)
      left.push_back(x.shape()[i]);
    kept.push_back(reduced ? Dim(1) : x.shape()[i]);
  }
  Tensor y = record("train.reduce", {x}, {Attribute::text("kind", kind), {"dims", dims}}, at)[0].withShape(left, at);
  if (!keep)
    return y;
  std::vector<int64_t> sizes = recordedSizes(kept);
  return record("train.reshape", {y}, {{"shape", sizes}}, at)[0].withShape(kept, at);
}

/// The sum of `x` over `dims`, or over everything.
inline Tensor sum(const Tensor &x, std::vector<int64_t> dims = {}, bool keep = false, Source at = here()) {
  return reduce(x, "0 : i32", std::move(dims), keep, at);
}

/// The largest element of `x` over `dims`, or of everything.
inline Tensor max(const Tensor &x, std::vector<int64_t> dims = {}, bool keep = false, Source at = here()) {
  return reduce(x, "1 : i32", std::move(dims), keep, at);
}

/// The mean of `x` over `dims`, or over everything. Errors: the batch among them (a mean over the batch depends on how
/// the batch is cut; losses are given to Model::loss as sum and count).
inline Tensor mean(const Tensor &x, std::vector<int64_t> dims = {}, bool keep = false, Source at = here()) {
  if (dims.empty())
    for (int64_t i = 0; i < x.dimCount(); ++i)
      dims.push_back(i);
  double elements = 1;
  for (int64_t dim : dims) {
    if (x.dim(dim, at).isBatch())
      x.fail("a mean over the batch depends on how the batch is cut; give m.loss() the sum and the count", at);
    elements *= static_cast<double>(x.dim(dim, at).size());
  }
  Tensor total = sum(x, std::move(dims), keep, at);
  return Operand(total, at.file, at.line) * Operand(1.0 / elements, at.file, at.line);
}

} // namespace trainc
