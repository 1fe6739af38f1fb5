//===- KernelAccess.cpp - levels of values and shapes of accesses ---------===//
//
// Pure analyses of a kernel that its verifiers and its lowering share.
//
//===----------------------------------------------------------------------===//
#include "dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace trainc::kernel;

DenseSet<Value> trainc::kernel::getInnerLevelValues(FuncOp kernel) {
  unsigned innerDim = kernel.getOuterRank();
  DenseSet<Value> inner;
  for (Operation &op : kernel.getBody().front()) {
    bool isInner = false;
    if (auto load = dyn_cast<LoadOp>(op))
      isInner = load.getMap().isFunctionOfDim(innerDim);
    else if (auto index = dyn_cast<IndexOp>(op))
      isInner = index.getDim() == innerDim;
    else if (!isa<ReduceOp>(op))
      isInner = llvm::any_of(op.getOperands(), [&](Value operand) { return inner.contains(operand); });
    if (isInner)
      inner.insert(op.result_begin(), op.result_end());
  }
  return inner;
}

using Interval = std::pair<int64_t, int64_t>;

static std::optional<Interval> combine(AffineExprKind kind, Interval l, Interval r) {
  if (kind == AffineExprKind::Add)
    return Interval{l.first + r.first, l.second + r.second};
  if (r.first != r.second)
    return std::nullopt;
  int64_t c = r.first;
  if (kind == AffineExprKind::Mul)
    return Interval{std::min(l.first * c, l.second * c), std::max(l.first * c, l.second * c)};
  if (c <= 0)
    return std::nullopt;
  auto floorDiv = [c](int64_t x) { return x >= 0 ? x / c : -((-x + c - 1) / c); };
  if (kind == AffineExprKind::FloorDiv)
    return Interval{floorDiv(l.first), floorDiv(l.second)};
  if (kind == AffineExprKind::CeilDiv)
    return Interval{floorDiv(l.first + c - 1), floorDiv(l.second + c - 1)};
  bool sameQuotient = floorDiv(l.first) == floorDiv(l.second);
  if (sameQuotient)
    return Interval{l.first - c * floorDiv(l.first), l.second - c * floorDiv(l.second)};
  return Interval{0, c - 1};
}

std::optional<Interval> trainc::kernel::getInterval(AffineExpr expr, ArrayRef<int64_t> sizes) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Interval{constant.getValue(), constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return Interval{0, sizes[dim.getPosition()] - 1};
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<Interval> lhs = getInterval(binary.getLHS(), sizes), rhs = getInterval(binary.getRHS(), sizes);
  if (!lhs || !rhs)
    return std::nullopt;
  return combine(expr.getKind(), *lhs, *rhs);
}

/// Coefficient of dimension `dim` in `expr`, or nothing where `expr` is not linear in it.
static std::optional<int64_t> getCoefficient(AffineExpr expr, unsigned dim) {
  if (!expr.isFunctionOfDim(dim))
    return 0;
  if (isa<AffineDimExpr>(expr))
    return 1;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<int64_t> lhs = getCoefficient(binary.getLHS(), dim), rhs = getCoefficient(binary.getRHS(), dim);
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return *lhs + *rhs;
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Mul && factor)
    return *lhs * factor.getValue();
  return std::nullopt;
}

std::optional<int64_t> trainc::kernel::getStride(AffineMap map, MemRefType buffer, unsigned dim) {
  int64_t stride = 0, elements = 1;
  for (unsigned i = map.getNumResults(); i-- > 0;) {
    std::optional<int64_t> coefficient = getCoefficient(map.getResult(i), dim);
    if (!coefficient)
      return std::nullopt;
    stride += *coefficient * elements;
    elements *= buffer.getDimSize(i);
  }
  return stride;
}
