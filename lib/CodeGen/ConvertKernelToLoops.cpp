//===- ConvertKernelToLoops.cpp - kernels to loops over work items --------===//
//
// Carries out a KernelSchedule. All forms have the same shape: for each item, one pass over the inner dimension for
// each group of reductions, then the stores. In Row form outer-level values are SSA values of the item; in Column form
// an item is a block of outer points side by side, so they are small stack arrays indexed by the lane.
//
// Long sums are formed in blocks (kRowBlock, kColumnBlock steps) whose sums are added: the rounding error then grows
// with the number of blocks, not of elements.
//
//===----------------------------------------------------------------------===//
#include "PointEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "trainc/CodeGen/Passes.h"

using namespace mlir;
using namespace trainc;

namespace trainc {
#define GEN_PASS_DEF_CONVERTKERNELTOLOOPSPASS
#include "trainc/CodeGen/Passes.h.inc"
} // namespace trainc

/// Row: LLVM keeps 32 partial sums (8 lanes, 4 interleaved), so a block of 2048 adds 64 numbers to each.
static constexpr int64_t kRowBlock = 2048;
static constexpr int64_t kColumnBlock = 128;

static Value emitIdentity(OpBuilder &builder, kernel::ReduceOp reduce) {
  Type type = reduce.getType();
  bool isMax = reduce.getKind() == kernel::ReduceKind::max;
  if (reduce.getKind() == kernel::ReduceKind::add)
    return arith::ConstantOp::create(builder, reduce.getLoc(), builder.getZeroAttr(type));
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat infinity = APFloat::getInf(floatType.getFloatSemantics(), /*Negative=*/isMax);
    return arith::ConstantOp::create(builder, reduce.getLoc(), builder.getFloatAttr(floatType, infinity));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  APInt limit = isMax ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width);
  return arith::ConstantOp::create(builder, reduce.getLoc(), builder.getIntegerAttr(type, limit));
}

/// `reassoc` lets LLVM sum in vector lanes; `nsz` spares maxima the ordering of zeros. Nothing else is relaxed.
static Value emitCombine(OpBuilder &builder, kernel::ReduceOp reduce, Value a, Value b) {
  Location loc = reduce.getLoc();
  bool isFloat = isa<FloatType>(a.getType());
  switch (reduce.getKind()) {
  case kernel::ReduceKind::add:
    if (isFloat)
      return arith::AddFOp::create(builder, loc, a, b, arith::FastMathFlags::reassoc);
    return arith::AddIOp::create(builder, loc, a, b);
  case kernel::ReduceKind::max:
    if (isFloat)
      return arith::MaximumFOp::create(builder, loc, a, b, arith::FastMathFlags::nsz);
    return arith::MaxSIOp::create(builder, loc, a, b);
  case kernel::ReduceKind::min:
    if (isFloat)
      return arith::MinimumFOp::create(builder, loc, a, b, arith::FastMathFlags::nsz);
    return arith::MinSIOp::create(builder, loc, a, b);
  }
  llvm_unreachable("all kinds are listed");
}

namespace {
class LoopEmitter {
public:
  LoopEmitter(kernel::FuncOp kernel, func::FuncOp function)
      : kernel(kernel), function(function), schedule(getKernelSchedule(kernel)), loc(kernel.getLoc()),
        builder(OpBuilder::atBlockBegin(&function.getBody().front())), points(builder, kernel, schedule) {}

  void emit() {
    for (auto [argument, buffer] : llvm::zip(kernel.getArguments(), function.getArguments()))
      points.setBuffer(argument, buffer);
    Value begin = function.getArguments().drop_back().back(), end = function.getArguments().back();
    for (auto store : kernel.getBody().getOps<kernel::StoreOp>())
      (isInnerStore(store) ? innerStores : outerStores).push_back(store);
    allocateArrays();
    if (schedule.form == LoopForm::Element) {
      item = Point{SmallVector<Value>(1), {}, {}, nullptr};
      prepareRow(operandsOf(innerStores));
      innerLoop(begin, end, {}, [&](Point &point, ValueRange) { return emitStores(innerStores, point); });
    } else {
      loop(begin, end, 1, {}, [&](Value flatItem, ValueRange) {
        schedule.form == LoopForm::Row ? emitRow(flatItem) : emitColumns(flatItem);
        return SmallVector<Value>();
      });
    }
    func::ReturnOp::create(builder, loc);
  }

private:
  using Body = llvm::function_ref<SmallVector<Value>(Value, ValueRange)>;
  using PointBody = llvm::function_ref<SmallVector<Value>(Point &, ValueRange)>;

  bool isInnerStore(kernel::StoreOp store) {
    return schedule.isInner(store.getValue()) || store.getMap().isFunctionOfDim(kernel.getOuterRank());
  }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  unsigned lastPass() { return schedule.passes.size(); }

  /// A loop over [from, to) that carries `carried`; returns its results.
  SmallVector<Value> loop(Value from, Value to, int64_t step, ValueRange carried, Body body) {
    auto forOp = scf::ForOp::create(builder, loc, from, to, index(step), carried);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(forOp.getBody());
    SmallVector<Value> results = body(forOp.getInductionVar(), forOp.getRegionIterArgs());
    builder.setInsertionPointToEnd(forOp.getBody());
    if (!carried.empty())
      scf::YieldOp::create(builder, loc, results);
    return SmallVector<Value>(forOp.getResults());
  }

  /// Row, Element: a loop over inner coordinates within the item.
  SmallVector<Value> innerLoop(Value from, Value to, ValueRange carried, PointBody body) {
    return loop(from, to, 1, carried, [&](Value coordinate, ValueRange values) {
      Point point{item.coordinates, {}, {}, &item};
      point.coordinates.back() = coordinate;
      return body(point, values);
    });
  }

  /// Column: a loop over the lanes of the item, at inner coordinate `coordinate` or at none.
  void laneLoop(Value coordinate, llvm::function_ref<void(Point &)> body) {
    loop(index(0), lanes, 1, {}, [&](Value lane, ValueRange) {
      Point point{item.coordinates, lane, {}, nullptr};
      Value &column = point.coordinates[kernel.getOuterRank() - 1];
      column = arith::AddIOp::create(builder, loc, firstColumn, lane, arith::IntegerOverflowFlags::nsw);
      point.coordinates.back() = coordinate;
      body(point);
      return SmallVector<Value>();
    });
  }

  Value allocate(Type type, int64_t size) {
    Type stored = type.isInteger(1) ? builder.getI8Type() : type;
    return memref::AllocaOp::create(builder, loc, MemRefType::get({size}, stored), builder.getI64IntegerAttr(64));
  }

  void allocateArrays();
  void splitItem(Value flatItem);
  void prepareRow(ArrayRef<Value> roots);
  SmallVector<Value> operandsOf(ArrayRef<kernel::StoreOp> stores);
  SmallVector<Value> operandsOf(ArrayRef<kernel::ReduceOp> reductions);
  SmallVector<Value> emitStores(ArrayRef<kernel::StoreOp> stores, Point &point);
  void emitRow(Value flatItem);
  SmallVector<Value> emitRowSums(unsigned pass, Value from, Value to);
  void emitColumns(Value flatItem);
  void emitColumnPass(unsigned pass);
  void fillColumnArrays(ArrayRef<Value> roots, unsigned pass);
  void setIdentity(ArrayRef<Value> arrays, ArrayRef<kernel::ReduceOp> reductions);

  kernel::FuncOp kernel;
  func::FuncOp function;
  KernelSchedule schedule;
  Location loc;
  OpBuilder builder;
  PointEmitter points;
  SmallVector<kernel::StoreOp> innerStores, outerStores;
  Point item;
  Value firstColumn, lanes;                ///< Column: first column and number of lanes of the item
  DenseMap<Value, Value> keptArrays;       ///< Row: scratch rows of kept values
  DenseMap<Value, Value> totals, partials; ///< Column: arrays of each reduction
  DenseMap<Value, Value> columnArrays;     ///< Column: arrays of outer-level values that inner loops need
};
} // namespace

/// The outer-level values that `root` needs directly, where it or what it is computed from is inner-level.
static void collectOuterOperands(Value root, const KernelSchedule &schedule, DenseSet<Value> &seen,
                                 SmallVectorImpl<Value> &found) {
  if (!seen.insert(root).second)
    return;
  if (!schedule.isInner(root)) {
    found.push_back(root);
    return;
  }
  for (Value operand : root.getDefiningOp()->getOperands())
    if (!isa<BlockArgument>(operand))
      collectOuterOperands(operand, schedule, seen, found);
}

static SmallVector<Value> collectOuterOperands(ArrayRef<Value> roots, const KernelSchedule &schedule) {
  DenseSet<Value> seen;
  SmallVector<Value> found;
  for (Value root : roots)
    collectOuterOperands(root, schedule, seen, found);
  return found;
}

SmallVector<Value> LoopEmitter::operandsOf(ArrayRef<kernel::StoreOp> stores) {
  return llvm::map_to_vector(stores, [](kernel::StoreOp store) { return store.getValue(); });
}

SmallVector<Value> LoopEmitter::operandsOf(ArrayRef<kernel::ReduceOp> reductions) {
  return llvm::map_to_vector(reductions, [](kernel::ReduceOp reduce) { return reduce.getValue(); });
}

/// In Column form an outer-level value is worth an array if it comes from a reduction or is computed; constants,
/// coordinates and loads are simply repeated.
static bool needsArray(Value value) {
  return !isa<kernel::ReduceOp, kernel::LoadOp, kernel::IndexOp, arith::ConstantOp>(value.getDefiningOp());
}

/// All stack arrays of the kernel, at the top of the function: their size is fixed.
void LoopEmitter::allocateArrays() {
  for (auto &[value, pass] : schedule.kept)
    points.setArray(value, keptArrays[value] = allocate(value.getType(), kernel.getInner()));
  if (schedule.form != LoopForm::Column)
    return;
  auto allocateForInner = [&](ArrayRef<Value> roots) {
    for (Value value : collectOuterOperands(roots, schedule))
      if (needsArray(value) && !columnArrays.count(value))
        columnArrays[value] = allocate(value.getType(), schedule.block);
  };
  for (ArrayRef<kernel::ReduceOp> reductions : schedule.passes) {
    allocateForInner(operandsOf(reductions));
    for (kernel::ReduceOp reduce : reductions) {
      totals[reduce] = allocate(reduce.getType(), schedule.block);
      partials[reduce] = allocate(reduce.getType(), schedule.block);
    }
  }
  allocateForInner(operandsOf(innerStores));
}

/// Outer coordinates of a work item.
void LoopEmitter::splitItem(Value flatItem) {
  SmallVector<int64_t> counts(kernel.getOuter());
  if (schedule.form == LoopForm::Column)
    counts.back() = llvm::divideCeil(counts.back(), schedule.block);
  item = Point{SmallVector<Value>(kernel.getOuterRank() + 1), {}, {}, nullptr};
  Value rest = flatItem;
  for (unsigned dim = counts.size(); dim-- > 0;) {
    if (dim == 0) {
      item.coordinates[dim] = rest;
      break;
    }
    Value count = index(counts[dim]);
    item.coordinates[dim] = arith::RemUIOp::create(builder, loc, rest, count);
    rest = arith::DivUIOp::create(builder, loc, rest, count);
  }
}

/// Computes the outer-level values that loops over `roots` need, before the loop.
void LoopEmitter::prepareRow(ArrayRef<Value> roots) {
  for (Value value : collectOuterOperands(roots, schedule))
    points.resolve(value, item, lastPass());
}

/// Every value is computed before the first store: an in-place element may be read for several of them.
SmallVector<Value> LoopEmitter::emitStores(ArrayRef<kernel::StoreOp> stores, Point &point) {
  SmallVector<Value> scalars;
  for (kernel::StoreOp store : stores)
    scalars.push_back(points.resolve(store.getValue(), point, lastPass()));
  for (auto [store, scalar] : llvm::zip(stores, scalars))
    points.emitStore(store, scalar, point);
  return {};
}

//===----------------------------------------------------------------------===//
// Row
//===----------------------------------------------------------------------===//

/// The reductions of a pass over inner coordinates [from, to).
SmallVector<Value> LoopEmitter::emitRowSums(unsigned pass, Value from, Value to) {
  ArrayRef<kernel::ReduceOp> reductions = schedule.passes[pass];
  SmallVector<Value> identities;
  for (kernel::ReduceOp reduce : reductions)
    identities.push_back(emitIdentity(builder, reduce));
  return innerLoop(from, to, identities, [&](Point &point, ValueRange sums) {
    SmallVector<Value> next;
    for (auto [reduce, sum] : llvm::zip(reductions, sums))
      next.push_back(emitCombine(builder, reduce, sum, points.resolve(reduce->getOperand(0), point, pass)));
    for (auto &[value, keptPass] : schedule.kept)
      if (keptPass == pass)
        points.storeToArray(keptArrays.lookup(value), points.resolve(value, point, pass), point);
    return next;
  });
}

void LoopEmitter::emitRow(Value flatItem) {
  splitItem(flatItem);
  int64_t inner = kernel.getInner();
  for (auto [pass, reductions] : llvm::enumerate(schedule.passes)) {
    prepareRow(operandsOf(reductions));
    SmallVector<Value> sums;
    if (inner <= kRowBlock) {
      sums = emitRowSums(pass, index(0), index(inner));
    } else {
      SmallVector<Value> identities;
      for (kernel::ReduceOp reduce : reductions)
        identities.push_back(emitIdentity(builder, reduce));
      sums = loop(index(0), index(inner), kRowBlock, identities, [&, pass = pass](Value from, ValueRange totals) {
        Value to = arith::AddIOp::create(builder, loc, from, index(kRowBlock), arith::IntegerOverflowFlags::nsw);
        to = arith::MinUIOp::create(builder, loc, to, index(inner));
        SmallVector<Value> next;
        for (auto [reduce, total, sum] : llvm::zip(schedule.passes[pass], totals, emitRowSums(pass, from, to)))
          next.push_back(emitCombine(builder, reduce, total, sum));
        return next;
      });
    }
    for (auto [reduce, sum] : llvm::zip(reductions, sums))
      item.values.map(reduce.getResult(), sum);
  }
  SmallVector<Value> outerScalars;
  for (kernel::StoreOp store : outerStores)
    outerScalars.push_back(points.resolve(store.getValue(), item, lastPass()));
  if (!innerStores.empty()) {
    prepareRow(operandsOf(innerStores));
    innerLoop(index(0), index(inner), {}, [&](Point &point, ValueRange) { return emitStores(innerStores, point); });
  }
  for (auto [store, scalar] : llvm::zip(outerStores, outerScalars))
    points.emitStore(store, scalar, item);
}

//===----------------------------------------------------------------------===//
// Column
//===----------------------------------------------------------------------===//

/// Fills the arrays of the outer-level values that the next loops need. In the kernel's order, so that a value finds
/// those it is computed from.
void LoopEmitter::fillColumnArrays(ArrayRef<Value> roots, unsigned pass) {
  SmallVector<Value> missing;
  for (Value value : collectOuterOperands(roots, schedule))
    if (columnArrays.count(value) && !points.hasArray(value))
      missing.push_back(value);
  if (missing.empty())
    return;
  llvm::sort(missing, [](Value a, Value b) { return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp()); });
  laneLoop({}, [&](Point &point) {
    for (Value value : missing)
      points.storeToArray(columnArrays.lookup(value), points.resolve(value, point, pass), point);
  });
  for (Value value : missing)
    points.setArray(value, columnArrays.lookup(value));
}

void LoopEmitter::setIdentity(ArrayRef<Value> arrays, ArrayRef<kernel::ReduceOp> reductions) {
  loop(index(0), lanes, 1, {}, [&](Value lane, ValueRange) {
    for (auto [array, reduce] : llvm::zip(arrays, reductions))
      memref::StoreOp::create(builder, loc, emitIdentity(builder, reduce), array, lane);
    return SmallVector<Value>();
  });
}

void LoopEmitter::emitColumnPass(unsigned pass) {
  ArrayRef<kernel::ReduceOp> reductions = schedule.passes[pass];
  SmallVector<Value> total, partial;
  for (kernel::ReduceOp reduce : reductions) {
    total.push_back(totals.lookup(reduce));
    partial.push_back(partials.lookup(reduce));
  }
  auto accumulate = [&](kernel::ReduceOp reduce, Value array, Value lane, Value scalar) {
    Value before = memref::LoadOp::create(builder, loc, array, lane);
    memref::StoreOp::create(builder, loc, emitCombine(builder, reduce, before, scalar), array, lane);
  };
  setIdentity(total, reductions);
  Value inner = index(kernel.getInner());
  loop(index(0), inner, kColumnBlock, {}, [&](Value from, ValueRange) {
    Value to = arith::AddIOp::create(builder, loc, from, index(kColumnBlock), arith::IntegerOverflowFlags::nsw);
    to = arith::MinUIOp::create(builder, loc, to, inner);
    setIdentity(partial, reductions);
    loop(from, to, 1, {}, [&](Value coordinate, ValueRange) {
      laneLoop(coordinate, [&](Point &point) {
        for (auto [reduce, array] : llvm::zip(reductions, partial))
          accumulate(reduce, array, point.lane, points.resolve(reduce->getOperand(0), point, pass));
      });
      return SmallVector<Value>();
    });
    loop(index(0), lanes, 1, {}, [&](Value lane, ValueRange) {
      for (auto [reduce, array, from] : llvm::zip(reductions, total, partial))
        accumulate(reduce, array, lane, memref::LoadOp::create(builder, loc, from, lane));
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
  for (kernel::ReduceOp reduce : reductions)
    points.setArray(reduce, totals.lookup(reduce));
}

void LoopEmitter::emitColumns(Value flatItem) {
  splitItem(flatItem);
  int64_t columns = kernel.getOuter().back();
  firstColumn = arith::MulIOp::create(builder, loc, item.coordinates[kernel.getOuterRank() - 1], index(schedule.block),
                                      arith::IntegerOverflowFlags::nsw);
  lanes = index(schedule.block);
  if (columns % schedule.block != 0)
    lanes =
        arith::MinUIOp::create(builder, loc, lanes, arith::SubIOp::create(builder, loc, index(columns), firstColumn));
  for (auto [pass, reductions] : llvm::enumerate(schedule.passes)) {
    fillColumnArrays(operandsOf(reductions), pass);
    emitColumnPass(pass);
  }
  fillColumnArrays(operandsOf(innerStores), lastPass());
  if (!innerStores.empty())
    loop(index(0), index(kernel.getInner()), 1, {}, [&](Value coordinate, ValueRange) {
      laneLoop(coordinate, [&](Point &point) { emitStores(innerStores, point); });
      return SmallVector<Value>();
    });
  if (!outerStores.empty())
    laneLoop({}, [&](Point &point) { emitStores(outerStores, point); });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Flat buffers, then the range of work items. Arguments never overlap.
static func::FuncOp createLoopFunction(OpBuilder &builder, kernel::FuncOp kernel) {
  SmallVector<Type> types;
  for (BlockArgument argument : kernel.getArguments()) {
    auto buffer = cast<MemRefType>(argument.getType());
    Type element = buffer.getElementType().isInteger(1) ? builder.getI8Type() : buffer.getElementType();
    types.push_back(MemRefType::get({buffer.getNumElements()}, element));
  }
  types.append(2, builder.getIndexType());
  auto function =
      func::FuncOp::create(builder, kernel.getLoc(), kernel.getSymName(), builder.getFunctionType(types, {}));
  function.addEntryBlock();
  for (unsigned i = 0; i < kernel.getArguments().size(); ++i)
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
  return function;
}

namespace {
struct ConvertKernelToLoops : trainc::impl::ConvertKernelToLoopsPassBase<ConvertKernelToLoops> {
  void runOnOperation() override {
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<kernel::FuncOp>())) {
      OpBuilder builder(kernel);
      func::FuncOp function = createLoopFunction(builder, kernel);
      LoopEmitter(kernel, function).emit();
      kernel.erase();
    }
  }
};
} // namespace
