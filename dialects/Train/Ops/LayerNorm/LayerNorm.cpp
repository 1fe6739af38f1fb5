//===- LayerNorm.cpp - train.layer_norm -----------------------------------===//
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace trainc::train;

namespace {
/// Builds on rows: full tensors [..., C], row tensors [...], column tensors [C].
struct RowBuilder {
  OpBuilder &builder;
  Location loc;
  RankedTensorType full;

  int64_t width() const { return full.getShape().back(); }
  SmallVector<int64_t> rowDims() const { return llvm::to_vector(llvm::seq<int64_t>(0, full.getRank() - 1)); }
  Value spreadRow(Value row) { return broadcast(builder, loc, row, full.getShape(), rowDims()); }
  Value spreadColumn(Value column) { return broadcast(builder, loc, column, full.getShape(), {full.getRank() - 1}); }
  Value sumRow(Value value) {
    return ReduceOp::create(builder, loc, value, ReductionKind::Add, ArrayRef<int64_t>{full.getRank() - 1});
  }
  Value meanRow(Value value) {
    Value sum = sumRow(value);
    return mul(sum, splat(builder, loc, sum.getType(), 1.0 / double(width())));
  }
  Value sumColumn(Value value) {
    SmallVector<int64_t> dims = rowDims();
    return dims.empty() ? value : ReduceOp::create(builder, loc, value, ReductionKind::Add, dims).getResult();
  }
  Value add(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(builder, loc, a, b); }

  /// (normalized [..., C], 1 / standard deviation [...]).
  std::pair<Value, Value> normalize(Value input, double epsilon) {
    Value centered = sub(input, spreadRow(meanRow(input)));
    Value variance = meanRow(mul(centered, centered));
    Value shifted = add(variance, splat(builder, loc, variance.getType(), epsilon));
    Value inverse = math::RsqrtOp::create(builder, loc, shifted);
    return {mul(centered, spreadRow(inverse)), inverse};
  }
};
} // namespace

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  for (Value scale : {adaptor.getWeight(), adaptor.getBias()}) {
    auto type = cast<RankedTensorType>(scale.getType());
    if (input.getRank() == 0 || type.getElementType() != input.getElementType() ||
        type.getShape() != input.getShape().take_back())
      return emitOptionalError(loc, "(C1) expects weight and bias of the size of the last dimension of ", input,
                               ", got ", type);
  }
  if (!(adaptor.getEpsilon().convertToDouble() > 0))
    return emitOptionalError(loc, "(C2) expects epsilon > 0, got ", adaptor.getEpsilon().convertToDouble());
  types.push_back(input);
  return success();
}

ShardingRule LayerNormOp::getShardingRule() {
  auto input = cast<RankedTensorType>(getInput().getType());
  ShardingRule rule = ShardingRule::elementwise(input.getShape(), 1, 1);
  rule.factors.back().kind = FactorKind::Replicated;
  TensorFactors column = {rule.operands[0].back()};
  rule.operands.append(2, column);
  return rule;
}

void LayerNormOp::decompose(OpBuilder &builder, SmallVectorImpl<Value> &results) {
  RowBuilder rows{builder, getLoc(), cast<RankedTensorType>(getType())};
  Value normalized = rows.normalize(getInput(), getEpsilon().convertToDouble()).first;
  results.push_back(rows.add(rows.mul(normalized, rows.spreadColumn(getWeight())), rows.spreadColumn(getBias())));
}

/// With n the normalized input, s the inverse deviation and g = cotangent * weight:
/// d input = s (g - mean(g) - n mean(g n)), d weight = sum(cotangent n), d bias = sum(cotangent).
LogicalResult LayerNormOp::buildVjp(OpBuilder &builder, ValueRange cotangents,
                                    SmallVectorImpl<Value> &operandCotangents) {
  RowBuilder rows{builder, getLoc(), cast<RankedTensorType>(getType())};
  auto [normalized, inverse] = rows.normalize(getInput(), getEpsilon().convertToDouble());
  Value g = rows.mul(cotangents[0], rows.spreadColumn(getWeight()));
  Value mean = rows.meanRow(g), projection = rows.meanRow(rows.mul(g, normalized));
  Value centered = rows.sub(rows.sub(g, rows.spreadRow(mean)), rows.mul(normalized, rows.spreadRow(projection)));
  operandCotangents.push_back(rows.mul(centered, rows.spreadRow(inverse)));
  operandCotangents.push_back(rows.sumColumn(rows.mul(cotangents[0], normalized)));
  operandCotangents.push_back(rows.sumColumn(cotangents[0]));
  return success();
}

int64_t LayerNormOp::getFlops() { return 8 * cast<RankedTensorType>(getType()).getNumElements(); }
