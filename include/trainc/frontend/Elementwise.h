// Elementwise arithmetic on tensors: operators, comparisons, casts and functions of one number.
//
// Shapes broadcast as in NumPy, each broadcast an op of its own. The batch matches only the batch, so a model cannot
// work at one batch size by accident. Element types never mix: cast() says where precision changes.
#pragma once
#include "dialects/Train/Ops/Broadcast/Frontend.h"

namespace trainc {

/// A tensor or a number on one side of an operator, with the line it stands on. A number takes the other side's type.
struct Operand {
  Operand(const Tensor &tensor, const char *file = __builtin_FILE(), int line = __builtin_LINE())
      : tensor(&tensor), at{file, line} {}
  Operand(double number, const char *file = __builtin_FILE(), int line = __builtin_LINE())
      : number(number), at{file, line} {}
  Operand(int number, const char *file = __builtin_FILE(), int line = __builtin_LINE())
      : Operand(static_cast<double>(number), file, line) {}
  Operand(int64_t number, const char *file = __builtin_FILE(), int line = __builtin_LINE())
      : Operand(static_cast<double>(number), file, line) {}

  const Tensor *tensor = nullptr;
  double number = 0;
  Source at;
};

namespace detail {

/// Throws an error that shows both tensors.
[[noreturn]] inline void failPair(const std::string &message, const Tensor &a, const Tensor &b, Source at) {
  ValueId ids[] = {a.id(), b.id()};
  a.builder().fail(message.c_str(), {ids, 2}, at);
  __builtin_unreachable();
}

/// The shape both sides broadcast to. Errors: dimensions that are neither equal nor 1.
inline Shape broadcastShape(const Tensor &a, const Tensor &b, const char *what, Source at) {
  const Shape &x = a.shape(), &y = b.shape();
  Shape shape;
  for (size_t i = 0, count = std::max(x.size(), y.size()); i < count; ++i) {
    const Dim *left = i + x.size() >= count ? &x[i + x.size() - count] : nullptr;
    const Dim *right = i + y.size() >= count ? &y[i + y.size() - count] : nullptr;
    auto stretches = [](const Dim *dim) { return !dim || *dim == Dim(1); };
    if (!stretches(left) && !stretches(right) && *left != *right)
      failPair(std::string(what) + " expects shapes that broadcast, but dimension " + std::to_string(i) + " is " +
                   left->describe() + " on one side and " + right->describe() + " on the other",
               a, b, at);
    shape.push_back(stretches(left) && right ? *right : *left);
  }
  return shape;
}

/// `x` repeated to `shape`, aligned at the last dimension.
inline Tensor broadcastTo(const Tensor &x, const Shape &shape, Source at) {
  if (x.shape() == shape)
    return x;
  std::vector<int64_t> dims;
  for (size_t i = 0; i < x.shape().size(); ++i)
    dims.push_back(static_cast<int64_t>(shape.size() - x.shape().size() + i));
  return broadcast(x, shape, dims, at);
}

inline const char *dtypeName(Dtype dtype) {
  constexpr const char *kNames[] = {"f32", "f64", "i32", "i64", "i1"};
  return kNames[static_cast<int>(dtype)];
}

/// Both sides as tensors of one type and shape. Errors: different element types; shapes that do not broadcast.
inline std::vector<Tensor> unify(const Operand &a, const Operand &b, const char *what) {
  Source at = a.at;
  auto like = [&](const Operand &number, const Tensor &other) {
    return constant(other.builder(), number.number, other.shape(), other.dtype(), at);
  };
  if (!a.tensor)
    return {like(a, *b.tensor), *b.tensor};
  if (!b.tensor)
    return {*a.tensor, like(b, *a.tensor)};
  if (a.tensor->dtype() != b.tensor->dtype())
    failPair(std::string(what) + " expects operands of one element type, got " + dtypeName(a.tensor->dtype()) +
                 " and " + dtypeName(b.tensor->dtype()) + "; convert one with cast()",
             *a.tensor, *b.tensor, at);
  Shape shape = broadcastShape(*a.tensor, *b.tensor, what, at);
  return {broadcastTo(*a.tensor, shape, at), broadcastTo(*b.tensor, shape, at)};
}

/// `floatOp` or `integerOp` of both sides.
inline Tensor binary(const Operand &a, const Operand &b, const char *what, const char *floatOp, const char *integerOp) {
  std::vector<Tensor> sides = unify(a, b, what);
  return record(isFloat(sides[0].dtype()) ? floatOp : integerOp, sides, {}, a.at)[0];
}

/// A comparison; the predicates are arith's numbers (ordered, but for "not equal", which holds for NaN).
inline Tensor compare(const Operand &a, const Operand &b, const char *what, int floatPredicate, int integerPredicate) {
  std::vector<Tensor> sides = unify(a, b, what);
  bool floats = isFloat(sides[0].dtype());
  return record(floats ? "arith.cmpf" : "arith.cmpi", sides,
                {{"predicate", floats ? floatPredicate : integerPredicate}}, a.at)[0];
}

} // namespace detail

/// Elementwise arithmetic; at least one side is a tensor. Division of integers rounds towards zero.
inline Tensor operator+(Operand a, Operand b) { return detail::binary(a, b, "+", "arith.addf", "arith.addi"); }
inline Tensor operator-(Operand a, Operand b) { return detail::binary(a, b, "-", "arith.subf", "arith.subi"); }
inline Tensor operator*(Operand a, Operand b) { return detail::binary(a, b, "*", "arith.mulf", "arith.muli"); }
inline Tensor operator/(Operand a, Operand b) { return detail::binary(a, b, "/", "arith.divf", "arith.divsi"); }
inline Tensor operator-(Operand a) { return Operand(0.0, a.at.file, a.at.line) - a; }

/// The larger, the smaller of both sides.
inline Tensor maximum(Operand a, Operand b) { return detail::binary(a, b, "maximum", "arith.maximumf", "arith.maxsi"); }
inline Tensor minimum(Operand a, Operand b) { return detail::binary(a, b, "minimum", "arith.minimumf", "arith.minsi"); }

/// Comparisons: i1 tensors, false where a side is NaN (notEqual: true).
inline Tensor equal(Operand a, Operand b) { return detail::compare(a, b, "equal", 1, 0); }
inline Tensor notEqual(Operand a, Operand b) { return detail::compare(a, b, "notEqual", 13, 1); }
inline Tensor less(Operand a, Operand b) { return detail::compare(a, b, "less", 4, 2); }
inline Tensor lessEqual(Operand a, Operand b) { return detail::compare(a, b, "lessEqual", 5, 3); }
inline Tensor greater(Operand a, Operand b) { return detail::compare(a, b, "greater", 2, 4); }
inline Tensor greaterEqual(Operand a, Operand b) { return detail::compare(a, b, "greaterEqual", 3, 5); }

/// `a` where `condition` (i1) holds, else `b`. The condition broadcasts to them.
inline Tensor where(const Tensor &condition, Operand a, Operand b) {
  if (!a.tensor && !b.tensor)
    condition.fail("where expects a tensor among its two choices", a.at);
  std::vector<Tensor> sides = detail::unify(a, b, "where");
  Shape shape = detail::broadcastShape(condition, sides[0], "where", a.at);
  for (Tensor &side : sides)
    side = detail::broadcastTo(side, shape, a.at);
  return record("arith.select", {detail::broadcastTo(condition, shape, a.at), sides[0], sides[1]}, {}, a.at)[0];
}

/// `x` in element type `dtype`. Floats become integers rounding towards zero; i1 becomes 0 and 1. Errors: a cast to i1.
inline Tensor cast(const Tensor &x, Dtype dtype, Source at = here()) {
  Dtype from = x.dtype();
  if (from == dtype)
    return x;
  if (dtype == I1)
    x.fail("there is no cast to i1; compare instead, e.g. notEqual(x, 0)", at);
  bool widens = from == I1 || from == F32 || (from == I32 && dtype == I64);
  const char *op = isFloat(from)    ? (isFloat(dtype) ? (widens ? "arith.extf" : "arith.truncf") : "arith.fptosi")
                   : isFloat(dtype) ? (from == I1 ? "arith.uitofp" : "arith.sitofp")
                   : from == I1     ? "arith.extui"
                   : widens         ? "arith.extsi"
                                    : "arith.trunci";
  std::vector<int64_t> sizes = recordedSizes(x.shape());
  return record(op, {x}, {}, at, 1, {{dtype, sizes}})[0];
}

/// Functions of one number, elementwise, of float tensors.
inline Tensor exp(const Tensor &x, Source at = here()) { return record("math.exp", {x}, {}, at)[0]; }
inline Tensor log(const Tensor &x, Source at = here()) { return record("math.log", {x}, {}, at)[0]; }
inline Tensor tanh(const Tensor &x, Source at = here()) { return record("math.tanh", {x}, {}, at)[0]; }
inline Tensor sqrt(const Tensor &x, Source at = here()) { return record("math.sqrt", {x}, {}, at)[0]; }
inline Tensor rsqrt(const Tensor &x, Source at = here()) { return record("math.rsqrt", {x}, {}, at)[0]; }

/// The number of elements of `x` as a float scalar: the count of a loss that weighs every element equally.
inline Tensor elementCount(const Tensor &x, Source at = here()) {
  double count = 1;
  for (const Dim &dim : x.shape())
    count *= static_cast<double>(dim.recordedSize());
  return constant(x.builder(), count, {}, x.builder().floatType(), at);
}

} // namespace trainc
