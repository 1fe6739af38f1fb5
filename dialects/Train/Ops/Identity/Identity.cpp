//===- Identity.cpp - train.identity --------------------------------------===//
#include "dialects/Train/Train.h"

using namespace mlir;
using namespace trainc::train;

LogicalResult IdentityOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

ShardingRule IdentityOp::getShardingRule() {
  ShardingRule rule = ShardingRule::elementwise(cast<RankedTensorType>(getType()).getShape(), 1, 1);
  rule.linearOperands = {0};
  return rule;
}

LogicalResult IdentityOp::buildVjp(OpBuilder &, ValueRange cotangents, SmallVectorImpl<Value> &operandCotangents) {
  operandCotangents.push_back(cotangents[0]);
  return success();
}

Value IdentityOp::emitElement(OpBuilder &, ValueRange elements, llvm::function_ref<Value()>) { return elements[0]; }
int64_t IdentityOp::getElementWork() { return 0; }
int64_t IdentityOp::getFlops() { return 0; }
