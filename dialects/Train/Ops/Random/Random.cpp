//===- Random.cpp - train.random ------------------------------------------===//
//
// Philox-4x32-10 of the element's global index, and the inverse of the normal
// distribution function by rational approximation: PPND7 of Wichura 1988,
// AS 241, about 7 digits, which is all that a uniform number of 23 bits carries.
//
//===----------------------------------------------------------------------===//
#include "dialects/Kernel/Kernel.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace trainc::train;

LogicalResult RandomOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> shape = adaptor.getShape();
  int64_t samples = adaptor.getSamples(), stream = adaptor.getStream();
  if (samples < 0 || (samples > 0 && (shape.empty() || shape[0] % samples != 0)))
    return emitOptionalError(loc, "(C1) expects samples to divide the first dimension of [", shape, "], got ", samples);
  if (stream < 0 || stream > int64_t(UINT32_MAX))
    return emitOptionalError(loc, "(C2) expects a stream of 32 bits, got ", stream);
  types.push_back(RankedTensorType::get(shape, adaptor.getElementType()));
  return success();
}

ShardingRule RandomOp::getShardingRule() {
  ShardingRule rule = ShardingRule::elementwise(getShape(), 0, 1, FactorKind::Replicated);
  rule.operands.append(3, TensorFactors{});
  return rule;
}

namespace {
/// Scalar f32 arithmetic for the normal distribution.
struct ScalarBuilder {
  OpBuilder &builder;
  Location loc;
  Value constant(double value) {
    return arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(float(value)));
  }
  Value add(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) { return arith::DivFOp::create(builder, loc, a, b); }
  Value less(Value a, Value b) { return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b); }
  Value select(Value c, Value a, Value b) { return arith::SelectOp::create(builder, loc, c, a, b); }
  /// Coefficients from the constant term up.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value value = constant(coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back()))
      value = add(mul(value, x), constant(c));
    return value;
  }

  Value inverseNormal(Value u) {
    Value q = sub(u, constant(0.5));
    Value central = sub(constant(0.180625), mul(q, q));
    Value middle = mul(q, div(polynomial(central, {3.3871327179, 50.434271938, 159.29113202, 59.109374720}),
                              polynomial(central, {1.0, 17.895169469, 78.757757664, 67.187563600})));
    Value tail = select(less(q, constant(0.0)), u, sub(constant(1.0), u));
    Value logarithm = math::LogOp::create(builder, loc, tail);
    Value r = math::SqrtOp::create(builder, loc, sub(constant(0.0), logarithm));
    Value near = sub(r, constant(1.6)), far = sub(r, constant(5.0));
    Value nearValue = div(polynomial(near, {1.4234372777, 2.7568153900, 1.3067284816, 0.17023821103}),
                          polynomial(near, {1.0, 0.73700164250, 0.12021132975}));
    Value farValue = div(polynomial(far, {6.6579051150, 3.0812263860, 0.42868294337, 0.017337203997}),
                         polynomial(far, {1.0, 0.24197894225, 0.012258202635}));
    Value outer = select(less(r, constant(5.0)), nearValue, farValue);
    Value negated = sub(constant(0.0), outer);
    Value signedOuter = select(less(q, constant(0.0)), negated, outer);
    Value isMiddle = less(math::AbsFOp::create(builder, loc, q), constant(0.425));
    return select(isMiddle, middle, signedOuter);
  }
};
} // namespace

Value RandomOp::emitElement(OpBuilder &builder, ValueRange elements, llvm::function_ref<Value()> linearIndex) {
  Location loc = getLoc();
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto constant = [&](Type type, int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  };
  auto low = [&](Value value) -> Value { return arith::TruncIOp::create(builder, loc, i32, value); };
  auto high = [&](Value value) -> Value {
    return arith::TruncIOp::create(builder, loc, i32, arith::ShRUIOp::create(builder, loc, value, constant(i64, 32)));
  };
  Value seed = elements[0], step = elements[1], sample = elements[2], index = linearIndex();
  if (getSamples() > 0) {
    int64_t perSample = cast<RankedTensorType>(getResult().getType()).getNumElements() / getSamples();
    index = arith::AddIOp::create(builder, loc, index,
                                  arith::MulIOp::create(builder, loc, sample, constant(i64, perSample)));
  }
  Value block = arith::ShRUIOp::create(builder, loc, index, constant(i64, 2));
  Value lane = low(arith::AndIOp::create(builder, loc, index, constant(i64, 3)));
  Value stream = constant(i32, int64_t(int32_t(uint32_t(getStream()))));
  auto words = kernel::PhiloxOp::create(builder, loc, low(block), high(block), low(step), stream, low(seed), high(seed))
                   .getResults();
  Value word = words[3];
  for (int64_t i = 2; i >= 0; --i) {
    Value isLane = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane, constant(i32, i));
    word = arith::SelectOp::create(builder, loc, isLane, words[i], word);
  }
  ScalarBuilder b{builder, loc};
  // 23 bits, so that the half added to them is exact in f32: with 24 the largest would round to 1.
  Value bits = arith::ShRUIOp::create(builder, loc, word, constant(i32, 9));
  Value uniform = b.mul(b.add(arith::SIToFPOp::create(builder, loc, builder.getF32Type(), bits), b.constant(0.5)),
                        b.constant(1.0 / 8388608.0));
  Value value = getDistribution() == Distribution::Uniform ? uniform : b.inverseNormal(uniform);
  return getElementType().isF32() ? value : arith::ExtFOp::create(builder, loc, getElementType(), value).getResult();
}

int64_t RandomOp::getElementWork() { return getDistribution() == Distribution::Uniform ? 40 : 80; }
int64_t RandomOp::getFlops() { return 0; }
