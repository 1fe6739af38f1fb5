//===- Dropout.cpp - train.dropout ----------------------------------------===//
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace trainc::train;

LogicalResult DropoutOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  double rate = adaptor.getRate().convertToDouble();
  int64_t samples = adaptor.getSamples();
  if (!(rate >= 0 && rate < 1))
    return emitOptionalError(loc, "(C1) expects 0 <= rate < 1, got ", rate);
  if (samples < 0 || (samples > 0 && (input.getRank() == 0 || input.getDimSize(0) % samples != 0)))
    return emitOptionalError(loc, "(C2) expects samples to divide the first dimension of ", input, ", got ", samples);
  types.push_back(input);
  return success();
}

/// A slice would have to know its place among all elements, so nothing may be split.
ShardingRule DropoutOp::getShardingRule() {
  ShardingRule rule =
      ShardingRule::elementwise(cast<RankedTensorType>(getType()).getShape(), 1, 1, FactorKind::Replicated);
  rule.operands.append(3, TensorFactors{});
  rule.linearOperands = {0};
  return rule;
}

/// `value` scaled up where it is kept, zero elsewhere.
static Value applyMask(DropoutOp op, OpBuilder &builder, Value value) {
  auto type = cast<RankedTensorType>(op.getType());
  Location loc = op.getLoc();
  Value uniform = RandomOp::create(builder, loc, op.getSeed(), op.getStep(), op.getSample(), Distribution::Uniform,
                                   type.getShape(), op.getStream(), op.getSamples(), type.getElementType());
  double rate = op.getRate().convertToDouble();
  Value kept = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE, uniform, splat(builder, loc, type, rate));
  Value scaled = arith::MulFOp::create(builder, loc, value, splat(builder, loc, type, 1.0 / (1.0 - rate)));
  return arith::SelectOp::create(builder, loc, kept, scaled, splat(builder, loc, type, 0.0));
}

void DropoutOp::decompose(OpBuilder &builder, SmallVectorImpl<Value> &results) {
  results.push_back(getRate().isZero() ? getInput() : applyMask(*this, builder, getInput()));
}

LogicalResult DropoutOp::buildVjp(OpBuilder &builder, ValueRange cotangents,
                                  SmallVectorImpl<Value> &operandCotangents) {
  operandCotangents.push_back(getRate().isZero() ? cotangents[0] : applyMask(*this, builder, cotangents[0]));
  operandCotangents.append(3, Value());
  return success();
}

int64_t DropoutOp::getFlops() { return 2 * cast<RankedTensorType>(getType()).getNumElements(); }
