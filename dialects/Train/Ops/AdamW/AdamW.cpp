//===- AdamW.cpp - train.adamw --------------------------------------------===//
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace trainc::train;

LogicalResult AdamWOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getParameter().getType());
  for (Value other : {adaptor.getGradient(), adaptor.getM(), adaptor.getV()})
    if (other.getType() != type)
      return emitOptionalError(loc, "(C1) expects gradient and moments of the parameter's type ", type, ", got ",
                               other.getType());
  if (adaptor.getLearningRate().getType() != RankedTensorType::get({}, type.getElementType()))
    return emitOptionalError(loc, "(C1) expects a learning rate of one ", type.getElementType(), ", got ",
                             adaptor.getLearningRate().getType());
  for (APFloat beta : {adaptor.getBeta1(), adaptor.getBeta2()})
    if (!(beta.convertToDouble() >= 0 && beta.convertToDouble() < 1))
      return emitOptionalError(loc, "(C2) expects 0 <= beta < 1, got ", beta.convertToDouble());
  if (!(adaptor.getEpsilon().convertToDouble() > 0))
    return emitOptionalError(loc, "(C2) expects epsilon > 0, got ", adaptor.getEpsilon().convertToDouble());
  if (!(adaptor.getWeightDecay().convertToDouble() >= 0))
    return emitOptionalError(loc, "(C2) expects weight_decay >= 0, got ", adaptor.getWeightDecay().convertToDouble());
  types.append(3, type);
  return success();
}

ShardingRule AdamWOp::getShardingRule() {
  ShardingRule rule = ShardingRule::elementwise(cast<RankedTensorType>(getParameter().getType()).getShape(), 6, 3);
  rule.operands[2] = rule.operands[3] = {};
  return rule;
}

SmallVector<StringRef> AdamWOp::getMomentRoles() { return {"m", "v"}; }

namespace {
struct AdamWBuilder {
  OpBuilder &builder;
  Location loc;
  Value mul(Value a, Value b) { return arith::MulFOp::create(builder, loc, a, b); }
  Value add(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) { return arith::DivFOp::create(builder, loc, a, b); }
  Value constant(Value like, double value) { return splat(builder, loc, like.getType(), value); }
  /// beta * moment + (1 - beta) * value
  Value average(double beta, Value moment, Value value) {
    return add(mul(constant(moment, beta), moment), mul(constant(value, 1 - beta), value));
  }
  /// 1 - beta^step, computed in f64 since beta^step is close to 1 early on.
  Value biasCorrection(double beta, Value step, Type scalar) {
    Type wide = RankedTensorType::get({}, builder.getF64Type());
    Value exponent = arith::SIToFPOp::create(builder, loc, wide, step);
    Value power = math::ExpOp::create(builder, loc, mul(exponent, splat(builder, loc, wide, std::log(beta))));
    Value correction = beta == 0 ? splat(builder, loc, wide, 1.0) : sub(splat(builder, loc, wide, 1.0), power);
    return scalar == wide ? correction : arith::TruncFOp::create(builder, loc, scalar, correction);
  }
};
} // namespace

void AdamWOp::decompose(OpBuilder &builder, SmallVectorImpl<Value> &results) {
  AdamWBuilder b{builder, getLoc()};
  ArrayRef<int64_t> shape = cast<RankedTensorType>(getParameter().getType()).getShape();
  auto spread = [&](Value scalar) { return broadcastScalar(builder, getLoc(), scalar, shape); };
  double beta1 = getBeta1().convertToDouble(), beta2 = getBeta2().convertToDouble();
  Value lr = getLearningRate();
  Value m = b.average(beta1, getM(), getGradient());
  Value v = b.average(beta2, getV(), b.mul(getGradient(), getGradient()));
  // Scalars first: the step size lr / (1 - beta1^t) and 1 / sqrt(1 - beta2^t), as in torch.optim.AdamW.
  Value stepSize = b.div(lr, b.biasCorrection(beta1, getStep(), lr.getType()));
  Value inverseRoot = math::RsqrtOp::create(builder, getLoc(), b.biasCorrection(beta2, getStep(), lr.getType()));
  Value decay = b.sub(b.constant(lr, 1.0), b.mul(lr, b.constant(lr, getWeightDecay().convertToDouble())));
  Value root = b.mul(math::SqrtOp::create(builder, getLoc(), v), spread(inverseRoot));
  Value update = b.div(m, b.add(root, b.constant(root, getEpsilon().convertToDouble())));
  results.push_back(b.sub(b.mul(getParameter(), spread(decay)), b.mul(spread(stepSize), update)));
  results.push_back(m);
  results.push_back(v);
}

int64_t AdamWOp::getFlops() { return 14 * cast<RankedTensorType>(getParameter().getType()).getNumElements(); }
