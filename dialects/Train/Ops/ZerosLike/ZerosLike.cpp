//===- ZerosLike.cpp - train.zeros_like -----------------------------------===//
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace trainc::train;

LogicalResult ZerosLikeOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

ShardingRule ZerosLikeOp::getShardingRule() {
  ShardingRule rule = ShardingRule::elementwise(cast<RankedTensorType>(getType()).getShape(), 1, 1);
  rule.linearOperands = {0};
  return rule;
}

Value ZerosLikeOp::emitElement(OpBuilder &builder, ValueRange elements, llvm::function_ref<Value()>) {
  return arith::ConstantOp::create(builder, getLoc(), builder.getZeroAttr(elements[0].getType()));
}

int64_t ZerosLikeOp::getElementWork() { return 0; }
int64_t ZerosLikeOp::getFlops() { return 0; }
