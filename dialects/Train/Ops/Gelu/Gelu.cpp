//===- Gelu.cpp - train.gelu ----------------------------------------------===//
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace trainc::train;

namespace {
constexpr double kSqrt2OverPi = 0.79788456080286535588;
constexpr double kCubic = 0.044715;

struct GeluBuilder {
  OpBuilder &builder;
  Location loc;
  Value x;

  Value constant(double value) { return splat(builder, loc, x.getType(), value); }
  Value add(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(builder, loc, a, b); }
  /// tanh(sqrt(2/pi) (x + 0.044715 x^3)).
  Value gate() {
    Value cube = mul(mul(x, x), x);
    return math::TanhOp::create(builder, loc, mul(constant(kSqrt2OverPi), add(x, mul(constant(kCubic), cube))));
  }
};
} // namespace

LogicalResult GeluOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

ShardingRule GeluOp::getShardingRule() {
  return ShardingRule::elementwise(cast<RankedTensorType>(getType()).getShape(), 1, 1);
}

void GeluOp::decompose(OpBuilder &builder, SmallVectorImpl<Value> &results) {
  GeluBuilder b{builder, getLoc(), getInput()};
  results.push_back(b.mul(b.mul(b.constant(0.5), b.x), b.add(b.constant(1.0), b.gate())));
}

/// d = (1 + t) / 2 + x / 2 (1 - t^2) sqrt(2/pi) (1 + 3 * 0.044715 x^2), t the gate.
LogicalResult GeluOp::buildVjp(OpBuilder &builder, ValueRange cotangents, SmallVectorImpl<Value> &operandCotangents) {
  GeluBuilder b{builder, getLoc(), getInput()};
  Value t = b.gate(), one = b.constant(1.0), half = b.constant(0.5);
  Value slope = b.mul(b.constant(kSqrt2OverPi), b.add(one, b.mul(b.constant(3 * kCubic), b.mul(b.x, b.x))));
  Value inner = b.mul(b.mul(b.mul(half, b.x), b.sub(one, b.mul(t, t))), slope);
  Value derivative = b.add(b.mul(half, b.add(one, t)), inner);
  operandCotangents.push_back(b.mul(cotangents[0], derivative));
  return success();
}

int64_t GeluOp::getFlops() { return 12 * cast<RankedTensorType>(getType()).getNumElements(); }
