//===- Sgd.cpp - train.sgd ------------------------------------------------===//
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace trainc::train;

LogicalResult SgdOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getParameter().getType());
  if (adaptor.getGradient().getType() != type)
    return emitOptionalError(loc, "(C1) expects a gradient of the parameter's type ", type, ", got ",
                             adaptor.getGradient().getType());
  if (adaptor.getLearningRate().getType() != RankedTensorType::get({}, type.getElementType()))
    return emitOptionalError(loc, "(C1) expects a learning rate of one ", type.getElementType(), ", got ",
                             adaptor.getLearningRate().getType());
  if (!(adaptor.getWeightDecay().convertToDouble() >= 0))
    return emitOptionalError(loc, "(C2) expects weight_decay >= 0, got ", adaptor.getWeightDecay().convertToDouble());
  types.push_back(type);
  return success();
}

ShardingRule SgdOp::getShardingRule() {
  ShardingRule rule = ShardingRule::elementwise(cast<RankedTensorType>(getParameter().getType()).getShape(), 4, 1);
  rule.operands[2] = rule.operands[3] = {};
  return rule;
}

SmallVector<StringRef> SgdOp::getMomentRoles() { return {}; }

void SgdOp::decompose(OpBuilder &builder, SmallVectorImpl<Value> &results) {
  Location loc = getLoc();
  Type type = getParameter().getType();
  Value gradient = getGradient();
  if (double decay = getWeightDecay().convertToDouble(); decay != 0) {
    Value pull = arith::MulFOp::create(builder, loc, getParameter(), splat(builder, loc, type, decay));
    gradient = arith::AddFOp::create(builder, loc, gradient, pull);
  }
  Value rate = broadcastScalar(builder, loc, getLearningRate(), cast<RankedTensorType>(type).getShape());
  results.push_back(
      arith::SubFOp::create(builder, loc, getParameter(), arith::MulFOp::create(builder, loc, rate, gradient)));
}

int64_t SgdOp::getFlops() { return 4 * cast<RankedTensorType>(getParameter().getType()).getNumElements(); }
