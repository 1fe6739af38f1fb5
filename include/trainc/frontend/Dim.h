// Dimensions of tensors: a size, and whether the batch is a factor of it.
//
// The batch is opaque: a model is recorded again for every batch size the compiler looks at, so no model may compute
// with the number. Dims multiply and divide, and a division that leaves a remainder is an error that names both values.
#pragma once
#include "trainc/frontend/Source.h"
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace trainc {

/// One dimension. Integers convert to it; it converts back only by size(), which the batch refuses.
class Dim {
public:
  Dim(int64_t size, Source at = here()) : Dim(size, 0, "", at) {}
  Dim(int size, Source at = here()) : Dim(static_cast<int64_t>(size), 0, "", at) {}
  /// A named dimension; `batch` is the batch size for the batch itself, else 0. Models use Model::dim and Model::batch.
  Dim(int64_t size, int64_t batch, const std::string &name, Source at)
      : elements(size), batchFactor(batch), label(name) {
    if (size < 1)
      throw ModelError("expects a dimension of at least 1, got " + describe(), at);
  }

  /// Elements. Errors: the dimension holds the batch, whose size a model may not know.
  int64_t size(Source at = here()) const {
    if (batchFactor)
      throw ModelError("the batch has no size in a model: it is recorded again for every batch size", at);
    return elements;
  }
  /// True if the batch is a factor of this dimension.
  bool isBatch() const { return batchFactor != 0; }
  /// The size as the compiler sees it, the batch included. For ops' Frontend.h, not for models.
  int64_t recordedSize() const { return elements; }
  /// The samples in this dimension: the batch size, or 0.
  int64_t samples() const { return batchFactor; }
  /// `"width" (128)`, `128` or `the batch`.
  std::string describe() const {
    if (batchFactor)
      return label.empty() ? "the batch" : label;
    return label.empty() ? std::to_string(elements) : label + " (" + std::to_string(elements) + ")";
  }

  friend bool operator==(const Dim &a, const Dim &b) { return a.elements == b.elements && a.isBatch() == b.isBatch(); }
  friend bool operator!=(const Dim &a, const Dim &b) { return !(a == b); }

private:
  friend struct DimOperand;
  friend Dim operator*(struct DimOperand a, struct DimOperand b);
  friend Dim operator/(struct DimOperand a, struct DimOperand b);

  int64_t elements;
  int64_t batchFactor;
  std::string label;
};

/// A Dim or an integer on one side of an operator, with the line it stands on.
struct DimOperand {
  DimOperand(const Dim &dim, const char *file = __builtin_FILE(), int line = __builtin_LINE())
      : dim(dim), at{file, line} {}
  DimOperand(int64_t size, const char *file = __builtin_FILE(), int line = __builtin_LINE())
      : dim(size, {file, line}), at{file, line} {}
  DimOperand(int size, const char *file = __builtin_FILE(), int line = __builtin_LINE())
      : DimOperand(static_cast<int64_t>(size), file, line) {}
  Dim dim;
  Source at;
};

/// The product, `a` being the slower factor. Errors: the batch as the faster factor, or twice (a sample's elements have
/// to stay together, so that no number depends on how a batch is cut).
inline Dim operator*(DimOperand a, DimOperand b) {
  if (b.dim.isBatch())
    throw ModelError("the batch has to be the first factor of a dimension: write m.batch() * n", a.at);
  return Dim(a.dim.elements * b.dim.elements, a.dim.batchFactor,
             a.dim.isBatch() ? a.dim.describe() + " * " + b.dim.describe() : "", a.at);
}

/// The quotient. Errors: a remainder; the batch on either side.
inline Dim operator/(DimOperand a, DimOperand b) {
  if (a.dim.isBatch() || b.dim.isBatch())
    throw ModelError("the batch cannot be divided: its size is not known to the model", a.at);
  if (a.dim.elements % b.dim.elements != 0)
    throw ModelError(a.dim.describe() + " is not divisible by " + b.dim.describe(), a.at);
  return Dim(a.dim.elements / b.dim.elements, 0, "", a.at);
}

/// Dimensions, slowest first. `{m.batch(), T, 3 * C}` converts.
using Shape = std::vector<Dim>;

} // namespace trainc
