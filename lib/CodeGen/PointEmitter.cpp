//===- PointEmitter.cpp - scalar code of a kernel at one point ------------===//
//
// A value is looked up, in this order: among the values known at the point, in the array that an earlier pass filled,
// and else computed from its operands. i1 is one byte in memory: bits cannot be addressed, and LLVM does not vectorize
// i1 accesses.
//
//===----------------------------------------------------------------------===//
#include "PointEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace trainc;

static constexpr auto kNoWrap = arith::IntegerOverflowFlags::nsw;

/// Division that rounds down, by a positive number.
static Value emitFloorDiv(OpBuilder &builder, Location loc, Value lhs, Value rhs, bool mayBeNegative) {
  if (!mayBeNegative)
    return builder.createOrFold<arith::DivUIOp>(loc, lhs, rhs);
  Value quotient = arith::DivSIOp::create(builder, loc, lhs, rhs),
        rest = arith::RemSIOp::create(builder, loc, lhs, rhs);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value isRoundedUp = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, rest, zero);
  Value below = arith::SubIOp::create(builder, loc, quotient, one);
  return arith::SelectOp::create(builder, loc, isRoundedUp, below, quotient);
}

static Value emitBinaryIndex(OpBuilder &builder, Location loc, AffineExprKind kind, Value lhs, Value rhs,
                             bool mayBeNegative) {
  switch (kind) {
  case AffineExprKind::Add:
    return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs, kNoWrap);
  case AffineExprKind::Mul:
    return builder.createOrFold<arith::MulIOp>(loc, lhs, rhs, kNoWrap);
  case AffineExprKind::FloorDiv:
    return emitFloorDiv(builder, loc, lhs, rhs, mayBeNegative);
  case AffineExprKind::CeilDiv: {
    Value one = arith::ConstantIndexOp::create(builder, loc, 1), most = arith::SubIOp::create(builder, loc, rhs, one);
    return emitFloorDiv(builder, loc, arith::AddIOp::create(builder, loc, lhs, most), rhs, mayBeNegative);
  }
  case AffineExprKind::Mod: {
    if (!mayBeNegative)
      return builder.createOrFold<arith::RemUIOp>(loc, lhs, rhs);
    Value quotient = emitFloorDiv(builder, loc, lhs, rhs, mayBeNegative);
    return arith::SubIOp::create(builder, loc, lhs, arith::MulIOp::create(builder, loc, quotient, rhs));
  }
  default:
    llvm_unreachable("the verifier rejects symbols");
  }
}

Value trainc::emitIndex(OpBuilder &builder, Location loc, AffineExpr expr, ArrayRef<Value> dims,
                        ArrayRef<int64_t> sizes) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = emitIndex(builder, loc, binary.getLHS(), dims, sizes);
  Value rhs = emitIndex(builder, loc, binary.getRHS(), dims, sizes);
  auto interval = kernel::getInterval(binary.getLHS(), sizes);
  return emitBinaryIndex(builder, loc, expr.getKind(), lhs, rhs, !interval || interval->first < 0);
}

SmallVector<Value> trainc::emitPhilox(OpBuilder &builder, Location loc, ArrayRef<Value> counter, ArrayRef<Value> key) {
  auto constant = [&](uint32_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, int32_t(value), 32);
  };
  auto xorOf = [&](Value a, Value b) -> Value { return arith::XOrIOp::create(builder, loc, a, b); };
  Value multiplier0 = constant(0xD2511F53), multiplier1 = constant(0xCD9E8D57);
  Value weyl0 = constant(0x9E3779B9), weyl1 = constant(0xBB67AE85);
  SmallVector<Value> c(counter), k(key);
  for (int round = 0; round < 10; ++round) {
    if (round > 0) {
      k[0] = arith::AddIOp::create(builder, loc, k[0], weyl0);
      k[1] = arith::AddIOp::create(builder, loc, k[1], weyl1);
    }
    auto product0 = arith::MulUIExtendedOp::create(builder, loc, multiplier0, c[0]);
    auto product1 = arith::MulUIExtendedOp::create(builder, loc, multiplier1, c[2]);
    c = {xorOf(xorOf(product1.getHigh(), c[1]), k[0]), product1.getLow(), xorOf(xorOf(product0.getHigh(), c[3]), k[1]),
         product0.getLow()};
  }
  return c;
}

static Value fromStored(OpBuilder &builder, Location loc, Value stored, Type type) {
  if (!type.isInteger(1))
    return stored;
  return arith::TruncIOp::create(builder, loc, type, stored);
}

static Value toStored(OpBuilder &builder, Location loc, Value scalar) {
  if (!scalar.getType().isInteger(1))
    return scalar;
  return arith::ExtUIOp::create(builder, loc, builder.getI8Type(), scalar);
}

Value PointEmitter::getAddress(Location loc, AffineMap map, Value buffer, const Point &point) {
  auto type = cast<MemRefType>(buffer.getType());
  AffineExpr address = getAffineConstantExpr(0, map.getContext());
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    address = address * type.getDimSize(i) + expr;
  return emitIndex(builder, loc, simplifyAffineExpr(address, map.getNumDims(), 0), point.coordinates, sizes);
}

Value PointEmitter::emitLoad(kernel::LoadOp load, Point &point) {
  Location loc = load.getLoc();
  Value address = getAddress(loc, load.getMap(), load.getBuffer(), point);
  Value stored = memref::LoadOp::create(builder, loc, buffers.lookup(load.getBuffer()), address);
  return fromStored(builder, loc, stored, load.getType());
}

void PointEmitter::emitStore(kernel::StoreOp store, Value scalar, Point &point) {
  Location loc = store.getLoc();
  Value address = getAddress(loc, store.getMap(), store.getBuffer(), point);
  memref::StoreOp::create(builder, loc, toStored(builder, loc, scalar), buffers.lookup(store.getBuffer()), address);
}

static Value getArrayIndex(const Point &point) { return point.lane ? point.lane : point.coordinates.back(); }

Value PointEmitter::loadFromArray(Value value, const Point &point) {
  Value stored = memref::LoadOp::create(builder, value.getLoc(), arrays.lookup(value), getArrayIndex(point));
  return fromStored(builder, value.getLoc(), stored, value.getType());
}

void PointEmitter::storeToArray(Value array, Value scalar, const Point &point) {
  Location loc = scalar.getLoc();
  memref::StoreOp::create(builder, loc, toStored(builder, loc, scalar), array, getArrayIndex(point));
}

Value PointEmitter::resolve(Value value, Point &point, unsigned pass) {
  if (Value known = point.values.lookupOrNull(value))
    return known;
  if (point.enclosing && !schedule.isInner(value))
    return resolve(value, *point.enclosing, pass);
  auto kept = schedule.kept.find(value);
  bool isFilled = kept == schedule.kept.end() || pass > kept->second;
  Operation *op = value.getDefiningOp();
  if (isFilled && arrays.count(value)) {
    point.values.map(value, loadFromArray(value, point));
  } else if (auto load = dyn_cast<kernel::LoadOp>(op)) {
    point.values.map(value, emitLoad(load, point));
  } else if (auto index = dyn_cast<kernel::IndexOp>(op)) {
    point.values.map(value, point.coordinates[index.getDim()]);
  } else {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(resolve(operand, point, pass));
    for (auto [operand, scalar] : llvm::zip_equal(op->getOperands(), operands))
      point.values.map(operand, scalar);
    if (auto philox = dyn_cast<kernel::PhiloxOp>(op)) {
      ArrayRef<Value> all(operands);
      point.values.map(op->getResults(), emitPhilox(builder, op->getLoc(), all.take_front(4), all.drop_front(4)));
    } else {
      builder.clone(*op, point.values);
    }
  }
  return point.values.lookup(value);
}
