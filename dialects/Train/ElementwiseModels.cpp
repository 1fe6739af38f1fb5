//===- ElementwiseModels.cpp - train's interfaces on arith and math -------===//
//
// Elementwise arithmetic on tensors is `arith` and `math`. All of it shares one
// sharding rule; each differentiable op adds its derivative here.
//
//===----------------------------------------------------------------------===//
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace trainc::train;

namespace {
template <typename OpTy> struct RuleModel : ShardingRuleOpInterface::ExternalModel<RuleModel<OpTy>, OpTy> {
  ShardingRule getShardingRule(Operation *op) const {
    ShardingRule rule = ShardingRule::elementwise(cast<RankedTensorType>(op->getResult(0).getType()).getShape(),
                                                  op->getNumOperands(), 1);
    if constexpr (llvm::is_one_of<OpTy, arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::ExtFOp>::value)
      rule.linearOperands = llvm::to_vector(llvm::seq<unsigned>(0, op->getNumOperands()));
    if constexpr (llvm::is_one_of<OpTy, arith::DivFOp>::value)
      rule.linearOperands = {0};
    return rule;
  }
  void localizeAttributes(Operation *, ArrayRef<int64_t>) const {}
};

template <typename OpTy> struct CostModel : CostOpInterface::ExternalModel<CostModel<OpTy>, OpTy> {
  int64_t getFlops(Operation *op) const { return cast<RankedTensorType>(op->getResult(0).getType()).getNumElements(); }
  int64_t getBytes(Operation *op) const { return operandAndResultBytes(op); }
};

/// Arithmetic on tensors at one location.
struct Arithmetic {
  OpBuilder &builder;
  Location loc;
  Value add(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) { return arith::DivFOp::create(builder, loc, a, b); }
  Value neg(Value a) { return arith::NegFOp::create(builder, loc, a); }
  Value constant(Value like, double value) { return splat(builder, loc, like.getType(), value); }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) { return arith::SelectOp::create(builder, loc, condition, a, b); }
};

using Cotangents = SmallVector<Value, 3>;

// The cotangents of each op's operands, from that of its result (`g`).
Cotangents vjp(Arithmetic, arith::AddFOp, Value g) { return {g, g}; }
Cotangents vjp(Arithmetic a, arith::SubFOp, Value g) { return {g, a.neg(g)}; }
Cotangents vjp(Arithmetic a, arith::MulFOp op, Value g) { return {a.mul(g, op.getRhs()), a.mul(g, op.getLhs())}; }
Cotangents vjp(Arithmetic a, arith::DivFOp op, Value g) {
  Value scaled = a.div(g, op.getRhs());
  return {scaled, a.neg(a.mul(scaled, op.getResult()))};
}
Cotangents vjp(Arithmetic a, arith::NegFOp, Value g) { return {a.neg(g)}; }
/// Where both are equal each takes half, which is the derivative of (x + y + |x - y|) / 2 with sign(0) = 0.
template <typename OpTy> Cotangents extremumVjp(Arithmetic a, OpTy op, Value g, arith::CmpFPredicate wins) {
  Value zero = a.constant(g, 0.0), half = a.mul(g, a.constant(g, 0.5));
  Value equal = a.compare(arith::CmpFPredicate::OEQ, op.getLhs(), op.getRhs());
  Value left = a.select(a.compare(wins, op.getLhs(), op.getRhs()), g, zero);
  Value right = a.select(a.compare(wins, op.getRhs(), op.getLhs()), g, zero);
  return {a.select(equal, half, left), a.select(equal, half, right)};
}
Cotangents vjp(Arithmetic a, arith::MaximumFOp op, Value g) { return extremumVjp(a, op, g, arith::CmpFPredicate::OGT); }
Cotangents vjp(Arithmetic a, arith::MinimumFOp op, Value g) { return extremumVjp(a, op, g, arith::CmpFPredicate::OLT); }
Cotangents vjp(Arithmetic a, arith::SelectOp op, Value g) {
  Value zero = a.constant(g, 0.0);
  return {Value(), a.select(op.getCondition(), g, zero), a.select(op.getCondition(), zero, g)};
}
Cotangents vjp(Arithmetic a, arith::ExtFOp op, Value g) {
  return {arith::TruncFOp::create(a.builder, a.loc, op.getIn().getType(), g)};
}
Cotangents vjp(Arithmetic a, arith::TruncFOp op, Value g) {
  return {arith::ExtFOp::create(a.builder, a.loc, op.getIn().getType(), g)};
}
Cotangents vjp(Arithmetic a, math::ExpOp op, Value g) { return {a.mul(g, op.getResult())}; }
Cotangents vjp(Arithmetic a, math::LogOp op, Value g) { return {a.div(g, op.getOperand())}; }
Cotangents vjp(Arithmetic a, math::SqrtOp op, Value g) { return {a.div(a.mul(g, a.constant(g, 0.5)), op.getResult())}; }
Cotangents vjp(Arithmetic a, math::RsqrtOp op, Value g) {
  Value y = op.getResult();
  return {a.mul(a.mul(g, a.constant(g, -0.5)), a.mul(y, a.mul(y, y)))};
}
Cotangents vjp(Arithmetic a, math::TanhOp op, Value g) {
  return {a.mul(g, a.sub(a.constant(g, 1.0), a.mul(op.getResult(), op.getResult())))};
}
Cotangents vjp(Arithmetic a, math::SinOp op, Value g) {
  return {a.mul(g, math::CosOp::create(a.builder, a.loc, op.getOperand()))};
}
Cotangents vjp(Arithmetic a, math::CosOp op, Value g) {
  return {a.neg(a.mul(g, math::SinOp::create(a.builder, a.loc, op.getOperand())))};
}
Cotangents vjp(Arithmetic a, math::AbsFOp op, Value g) {
  Value zero = a.constant(g, 0.0);
  Value negative = a.select(a.compare(arith::CmpFPredicate::OLT, op.getOperand(), zero), a.neg(g), zero);
  return {a.select(a.compare(arith::CmpFPredicate::OGT, op.getOperand(), zero), g, negative)};
}

template <typename OpTy> struct VjpModel : DifferentiableOpInterface::ExternalModel<VjpModel<OpTy>, OpTy> {
  LogicalResult buildVjp(Operation *op, OpBuilder &builder, ValueRange cotangents,
                         SmallVectorImpl<Value> &operandCotangents) const {
    llvm::append_range(operandCotangents, vjp(Arithmetic{builder, op->getLoc()}, cast<OpTy>(op), cotangents[0]));
    return success();
  }
};

template <typename... Ops> void attachRules(MLIRContext *context) {
  (Ops::template attachInterface<RuleModel<Ops>, CostModel<Ops>>(*context), ...);
}
template <typename... Ops> void attachVjps(MLIRContext *context) {
  (Ops::template attachInterface<VjpModel<Ops>>(*context), ...);
}
} // namespace

void trainc::train::registerElementwiseModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attachRules<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::NegFOp, arith::MaximumFOp,
                arith::MinimumFOp, arith::SelectOp, arith::ExtFOp, arith::TruncFOp, arith::CmpFOp, arith::CmpIOp,
                arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
                arith::SIToFPOp, arith::UIToFPOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(context);
    attachVjps<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::NegFOp, arith::MaximumFOp,
               arith::MinimumFOp, arith::SelectOp, arith::ExtFOp, arith::TruncFOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attachRules<math::ExpOp, math::LogOp, math::SqrtOp, math::RsqrtOp, math::TanhOp, math::SinOp, math::CosOp,
                math::AbsFOp>(context);
    attachVjps<math::ExpOp, math::LogOp, math::SqrtOp, math::RsqrtOp, math::TanhOp, math::SinOp, math::CosOp,
               math::AbsFOp>(context);
  });
}
