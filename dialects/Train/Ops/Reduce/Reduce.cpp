//===- Reduce.cpp - train.reduce ------------------------------------------===//
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace trainc::train;

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> dims = adaptor.getDims();
  bool valid = !dims.empty();
  for (size_t i = 0; valid && i < dims.size(); ++i)
    valid = dims[i] >= 0 && dims[i] < input.getRank() && (i == 0 || dims[i - 1] < dims[i]);
  if (!valid)
    return emitOptionalError(loc, "(C1) expects one or more increasing dimensions of ", input, ", got [", dims, "]");
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < input.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      shape.push_back(input.getDimSize(dim));
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

ShardingRule ReduceOp::getShardingRule() {
  auto input = cast<RankedTensorType>(getInput().getType());
  FactorKind kind = getKind() == ReductionKind::Add ? FactorKind::SumReduction : FactorKind::MaxReduction;
  ShardingRule rule = ShardingRule::elementwise(input.getShape(), 1, 0);
  TensorFactors result;
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    if (llvm::is_contained(getDims(), dim))
      rule.factors[dim].kind = kind;
    else
      result.push_back({unsigned(dim)});
  }
  rule.results.push_back(result);
  if (getKind() == ReductionKind::Add)
    rule.linearOperands.push_back(0);
  return rule;
}

LogicalResult ReduceOp::buildVjp(OpBuilder &builder, ValueRange cotangents, SmallVectorImpl<Value> &operandCotangents) {
  auto input = cast<RankedTensorType>(getInput().getType());
  SmallVector<int64_t> kept;
  for (int64_t dim = 0; dim < input.getRank(); ++dim)
    if (!llvm::is_contained(getDims(), dim))
      kept.push_back(dim);
  auto spread = [&](Value value) { return broadcast(builder, getLoc(), value, input.getShape(), kept); };
  if (getKind() == ReductionKind::Add) {
    operandCotangents.push_back(spread(cotangents[0]));
    return success();
  }
  Value attains = arith::CmpFOp::create(builder, getLoc(), arith::CmpFPredicate::OEQ, getInput(), spread(getResult()));
  Value mask = arith::UIToFPOp::create(builder, getLoc(), input, attains);
  Value count = ReduceOp::create(builder, getLoc(), mask, ReductionKind::Add, getDims());
  Value share = arith::DivFOp::create(builder, getLoc(), cotangents[0], count);
  operandCotangents.push_back(arith::MulFOp::create(builder, getLoc(), mask, spread(share)));
  return success();
}

int64_t ReduceOp::getFlops() { return cast<RankedTensorType>(getInput().getType()).getNumElements(); }
