// The value a model computes with, and record(): the one way an op gets into the program.
//
// A Tensor is a handle: the builder, a number and the dimensions. The compiler infers sizes; the dimensions add what
// sizes cannot say, namely which of them hold the batch.
#pragma once
#include "trainc/frontend/Builder.h"
#include "trainc/frontend/Dim.h"

namespace trainc {

/// A recorded value. Copies name the same value.
class Tensor {
public:
  Tensor(Builder &builder, ValueId id, Shape shape) : owner(&builder), number(id), dims(std::move(shape)) {}

  const Shape &shape() const { return dims; }
  Dtype dtype() const { return owner->type(number).dtype; }
  /// Number of dimensions.
  int64_t dimCount() const { return static_cast<int64_t>(dims.size()); }
  /// Dimension `index`; negative counts from the end. Errors: no such dimension.
  Dim dim(int64_t index, Source at = here()) const { return dims[dimIndex(index, at)]; }
  /// `index` counted from the front. Errors: no such dimension.
  size_t dimIndex(int64_t index, Source at = here()) const {
    int64_t count = dimCount();
    if (index < -count || index >= count)
      fail("there is no dimension " + std::to_string(index) + " in a tensor of " + std::to_string(count), at);
    return static_cast<size_t>(index < 0 ? index + count : index);
  }

  Builder &builder() const { return *owner; }
  ValueId id() const { return number; }
  /// Throws a ModelError that shows this tensor.
  [[noreturn]] void fail(const std::string &message, Source at) const {
    owner->fail(message.c_str(), {&number, 1}, at);
    __builtin_unreachable(); // g++ does not see [[noreturn]] on a virtual function
  }

  /// The same value with dimensions that say where the batch is. For ops' Frontend.h; sizes have to be as inferred.
  Tensor withShape(Shape shape, Source at) const {
    bool same = shape.size() == dims.size();
    for (size_t i = 0; same && i < dims.size(); ++i)
      same = shape[i].recordedSize() == dims[i].recordedSize();
    if (!same)
      fail("the op's frontend function states another shape than the op infers", at);
    return Tensor(*owner, number, std::move(shape));
  }

private:
  Builder *owner;
  ValueId number;
  Shape dims;
};

/// Sizes as the compiler sees them.
inline std::vector<int64_t> recordedSizes(const Shape &shape) {
  std::vector<int64_t> sizes;
  for (const Dim &dim : shape)
    sizes.push_back(dim.recordedSize());
  return sizes;
}

/// `value` with dimensions taken from `like` where the sizes agree, position by position.
inline Tensor wrap(Builder &builder, ValueId value, const Shape &like) {
  TypeView type = builder.type(value);
  Shape shape;
  for (size_t i = 0; i < type.shape.count; ++i) {
    int64_t size = type.shape.data[i];
    shape.push_back(i < like.size() && like[i].recordedSize() == size ? like[i] : Dim(size));
  }
  return Tensor(builder, value, std::move(shape));
}

/// Appends op `name`, whose result types are inferred, or stated by `resultTypes`. The results' dimensions follow the
/// first operand's; an op whose results' dimensions come from elsewhere says so by Tensor::withShape.
inline std::vector<Tensor> record(const char *name, const std::vector<Tensor> &operands,
                                  const std::vector<Attribute> &attributes, Source at, size_t resultCount = 1,
                                  const std::vector<TypeView> &resultTypes = {}) {
  Builder &builder = operands.front().builder();
  std::vector<ValueId> ids, results(resultCount);
  for (const Tensor &operand : operands)
    ids.push_back(operand.id());
  builder.op(name, ids, attributes, resultTypes, results.data(), resultCount, at);
  std::vector<Tensor> tensors;
  for (ValueId result : results)
    tensors.push_back(wrap(builder, result, operands.front().shape()));
  return tensors;
}

/// A tensor that holds `value` everywhere.
inline Tensor constant(Builder &builder, double value, const Shape &shape, Dtype dtype, Source at = here()) {
  std::vector<int64_t> sizes = recordedSizes(shape);
  return Tensor(builder, builder.constant({dtype, sizes}, value, at), shape);
}

} // namespace trainc
