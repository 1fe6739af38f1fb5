//===- ExpandMath.cpp - transcendental functions as arithmetic ------------===//
//
// Branch-free expansions that LLVM vectorizes: range reduction with fma, a polynomial, reconstruction through the bits
// of the exponent. Coefficients: tools/dev/polynomials.py. Largest errors against the exact result, in units of the
// last place, held by test/unit/codegen/MathTest.cpp:
//
//   exp   f32 1.5, f64 2     log f32 1, f64 2     tanh f32 3, f64 4     sin, cos f32 1, f64 2     rsqrt f32 1.5,
//   f64 1.5
//
// f32 exp and tanh work in f32, as activations need their speed; log, sin and cos of f32 go through f64.
//
//===----------------------------------------------------------------------===//
#include "trainc/CodeGen/Passes.h"

using namespace mlir;
using namespace trainc;

namespace trainc {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "trainc/CodeGen/Passes.h.inc"
} // namespace trainc

namespace {

/// What differs between f32 and f64.
struct Format {
  unsigned bits, mantissaBits;
  int64_t bias;
  double shifter;         ///< 1.5 * 2^mantissaBits: adding it rounds to an integer, which the low bits then hold
  double ln2High, ln2Low; ///< n * ln2High is exact for every exponent n
  ArrayRef<double> exp;   ///< (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2
  double expLow, expHigh; ///< e^x is 0 below and infinite above
  double tanhHigh;        ///< tanh is 1 from here on
};

constexpr double kExpF32[] = {0.5, 0.16666576666119928, 0.04166655421298415, 0.008363232883682618,
                              0.0013926250831497611};
constexpr double kExpF64[] = {0.5000000000000001,     0.16666666666666669,    0.041666666666623824,
                              0.008333333333330039,   0.0013888888917367081,  0.00019841269863171557,
                              2.4801521057868204e-05, 2.7557268276905696e-06, 2.7620201591031547e-07,
                              2.5100472505694996e-08};
/// (2 atanh(s) - 2 s) / s^3 as a polynomial in s^2.
constexpr double kLog[] = {0.666666666666667,  0.3999999999989889,  0.28571428626253836, 0.22222211089379496,
                           0.1818289243253687, 0.15331611722055008, 0.14617807153417325};
/// (sin r - r) / r^3 and (cos r - 1 + r^2 / 2) / r^4 as polynomials in r^2, |r| <= pi / 4.
constexpr double kSin[] = {-0.16666666666666666,   0.008333333333330936,    -0.00019841269836740532,
                           2.7557316093198404e-06, -2.5051129896450185e-08, 1.5917988979397435e-10};
constexpr double kCos[] = {0.041666666666666664,   -0.0013888888888887389, 2.48015872987544e-05,
                           -2.755731726587808e-07, 2.087614504941318e-09,  -1.138254464534925e-11};
constexpr double kHalfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
/// Beyond it the three parts of pi / 2 are not enough for the reduction.
constexpr double kSinLimit = 0x1p28;

const Format kF32 = {32, 23, 127, 0x1.8p23, 0x1.62e4p-1, 0x1.7f7d1cf79abcap-20, kExpF32, -104.0, 89.0, 10.0};
const Format kF64 = {64, 52, 1023, 0x1.8p52, 0x1.62e42fefa3p-1, 0x1.3de6af278ece6p-42, kExpF64, -746.0, 710.0, 20.0};

/// Emits scalar arithmetic of one type.
class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc, FloatType type)
      : builder(builder), loc(loc), type(type), format(type.isF32() ? kF32 : kF64),
        intType(builder.getIntegerType(format.bits)) {}

  Value exp(Value x);
  Value tanh(Value x);
  Value log(Value x);
  Value sinCos(Value x, bool isCos);
  Value rsqrt(Value x) { return div(num(1.0), math::SqrtOp::create(builder, loc, x)); }

private:
  Value num(double value) { return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, value)); }
  Value integer(int64_t value) {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(intType, value));
  }
  Value add(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) { return arith::DivFOp::create(builder, loc, a, b); }
  Value fma(Value a, Value b, Value c) { return math::FmaOp::create(builder, loc, a, b, c); }
  Value select(Value condition, Value a, Value b) { return arith::SelectOp::create(builder, loc, condition, a, b); }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value bits(Value x) { return arith::BitcastOp::create(builder, loc, intType, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(builder, loc, type, x); }
  Value addInt(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
  Value subInt(Value a, Value b) { return arith::SubIOp::create(builder, loc, a, b); }
  Value andInt(Value a, int64_t mask) { return arith::AndIOp::create(builder, loc, a, integer(mask)); }
  Value isBit(Value a, int64_t mask) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, andInt(a, mask), integer(0));
  }

  /// NaN stays NaN.
  Value atMost(Value x, double limit) {
    return select(compare(arith::CmpFPredicate::OGT, x, num(limit)), num(limit), x);
  }
  Value atLeast(Value x, double limit) {
    return select(compare(arith::CmpFPredicate::OLT, x, num(limit)), num(limit), x);
  }

  Value polynomial(ArrayRef<double> coefficients, Value x) {
    Value result = num(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      result = fma(result, x, num(coefficient));
    return result;
  }

  /// The integer nearest to x * factor, as a number and in the low bits of an integer. No conversion of NaN to an
  /// integer happens, which would be undefined.
  std::pair<Value, Value> roundToInt(Value x, double factor) {
    Value shifted = fma(x, num(factor), num(format.shifter));
    return {sub(shifted, num(format.shifter)), subInt(bits(shifted), bits(num(format.shifter)))};
  }

  /// 2^n for an exponent n of a normal number.
  Value powerOfTwo(Value n) {
    Value biased = addInt(n, integer(format.bias));
    return fromBits(arith::ShLIOp::create(builder, loc, biased, integer(format.mantissaBits)));
  }

  /// x = n ln(2) + r: gives n and e^r - 1.
  std::pair<Value, Value> reduceExp(Value x) {
    auto [n, exponent] = roundToInt(x, 1.4426950408889634);
    Value negated = arith::NegFOp::create(builder, loc, n);
    Value r = fma(negated, num(format.ln2Low), fma(negated, num(format.ln2High), x));
    return {exponent, fma(mul(r, r), polynomial(format.exp, r), r)};
  }

  OpBuilder &builder;
  Location loc;
  FloatType type;
  const Format &format;
  IntegerType intType;
};

/// The scale 2^n is applied in two halves, each a normal number: the result may be subnormal, 0 or infinite.
Value Emitter::exp(Value x) {
  auto [n, expm1] = reduceExp(atMost(atLeast(x, format.expLow), format.expHigh));
  Value half = arith::ShRSIOp::create(builder, loc, n, integer(1));
  return mul(mul(add(num(1.0), expm1), powerOfTwo(half)), powerOfTwo(subInt(n, half)));
}

/// tanh a = e / (e + 2) with e = e^2a - 1 for a = |x|; e keeps its relative accuracy near 0.
Value Emitter::tanh(Value x) {
  Value a = atMost(math::AbsFOp::create(builder, loc, x), format.tanhHigh);
  auto [n, expm1] = reduceExp(add(a, a));
  Value scale = powerOfTwo(n);
  Value e = fma(scale, expm1, sub(scale, num(1.0)));
  return math::CopySignOp::create(builder, loc, div(e, add(e, num(2.0))), x);
}

/// x = 2^k m with m in [sqrt(1/2), sqrt(2)); log m = f - f^2/2 + s (f^2/2 + R(s^2)) with f = m - 1, s = f / (2 + f).
Value Emitter::log(Value x) {
  Value isSubnormal = compare(arith::CmpFPredicate::OLT, x, num(0x1p-1022));
  Value scaled = select(isSubnormal, mul(x, num(0x1p54)), x);
  Value offset = subInt(bits(scaled), bits(num(0x1.6a09e667f3bcdp-1)));
  Value exponent = arith::ShRSIOp::create(builder, loc, offset, integer(format.mantissaBits));
  Value m = fromBits(subInt(bits(scaled), arith::ShLIOp::create(builder, loc, exponent, integer(format.mantissaBits))));
  Value narrow =
      arith::TruncIOp::create(builder, loc, builder.getI32Type(), exponent); // i32 to f64 is a vector instruction
  Value k = arith::SIToFPOp::create(builder, loc, type, narrow);
  k = sub(k, select(isSubnormal, num(54.0), num(0.0)));
  Value f = sub(m, num(1.0));
  Value s = div(f, add(f, num(2.0))), z = mul(s, s);
  Value square = mul(mul(num(0.5), f), f);
  Value tail = fma(s, add(square, mul(z, polynomial(kLog, z))), mul(k, num(format.ln2Low)));
  Value result = fma(k, num(format.ln2High), sub(f, sub(square, tail)));
  double infinity = std::numeric_limits<double>::infinity();
  result = select(compare(arith::CmpFPredicate::OEQ, x, num(infinity)), x, result);
  result = select(compare(arith::CmpFPredicate::OEQ, x, num(0.0)), num(-infinity), result);
  Value isNotNumber = compare(arith::CmpFPredicate::ULT, x, num(0.0)); // negative or NaN
  return select(isNotNumber, num(std::numeric_limits<double>::quiet_NaN()), result);
}

/// x = n pi/2 + r; the last two bits of n choose between the polynomials and their signs.
Value Emitter::sinCos(Value x, bool isCos) {
  auto [n, quadrant] = roundToInt(x, 0.63661977236758134);
  Value negated = arith::NegFOp::create(builder, loc, n), r = x;
  for (double part : kHalfPi)
    r = fma(negated, num(part), r);
  Value z = mul(r, r);
  Value sine = fma(mul(r, z), polynomial(kSin, z), r);
  Value cosine = fma(mul(z, z), polynomial(kCos, z), fma(z, num(-0.5), num(1.0)));
  if (isCos)
    quadrant = addInt(quadrant, integer(1));
  Value result = select(isBit(quadrant, 1), cosine, sine);
  result = select(isBit(quadrant, 2), arith::NegFOp::create(builder, loc, result), result);
  if (!isCos) // -0: the reduction gives +0
    result = select(compare(arith::CmpFPredicate::OEQ, x, num(0.0)), x, result);
  Value isReducible = compare(arith::CmpFPredicate::OLE, math::AbsFOp::create(builder, loc, x), num(kSinLimit));
  return select(isReducible, result, num(std::numeric_limits<double>::quiet_NaN()));
}

/// Functions that are one instruction, or that LLVM expands inline.
bool isInstruction(Operation *op) {
  return isa<math::SqrtOp, math::FmaOp, math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp, math::RoundEvenOp,
             math::TruncOp, math::CopySignOp>(op);
}

/// The expansion of `op` in type `type`, or null where there is none.
Value expand(OpBuilder &builder, Operation *op, Value x, FloatType type) {
  Emitter emitter(builder, op->getLoc(), type);
  if (isa<math::ExpOp>(op))
    return emitter.exp(x);
  if (isa<math::TanhOp>(op))
    return emitter.tanh(x);
  if (isa<math::RsqrtOp>(op))
    return emitter.rsqrt(x);
  if (!isa<math::LogOp, math::SinOp, math::CosOp>(op))
    return {};
  if (type.isF32()) {
    Value wide = arith::ExtFOp::create(builder, op->getLoc(), builder.getF64Type(), x);
    return arith::TruncFOp::create(builder, op->getLoc(), type, expand(builder, op, wide, builder.getF64Type()));
  }
  return isa<math::LogOp>(op) ? emitter.log(x) : emitter.sinCos(x, isa<math::CosOp>(op));
}

LogicalResult expandOp(Operation *op) {
  auto type = dyn_cast<FloatType>(op->getResult(0).getType());
  OpBuilder builder(op);
  Value result;
  if (type && (type.isF32() || type.isF64()) && op->getNumOperands() == 1)
    result = expand(builder, op, op->getOperand(0), type);
  if (!result)
    return op->emitError("no CPU code for '") << op->getName() << "' on " << op->getResult(0).getType()
                                              << "; exp, log, tanh, sin, cos, sqrt and rsqrt of f32 and f64 have some";
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return success();
}

struct ExpandMath : trainc::impl::ExpandMathPassBase<ExpandMath> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<math::MathDialect>(op->getDialect()) && !isInstruction(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(expandOp(op)))
        return signalPassFailure();
  }
};
} // namespace
