//===- CrossEntropy.cpp - train.cross_entropy and its gradient ------------===//
#include "dialects/Train/Train.h"
#include "runtime/abi/Library.h"

using namespace mlir;
using namespace trainc::train;

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

static LogicalResult checkRows(std::optional<Location> loc, RankedTensorType logits, Value rows, StringRef name) {
  auto type = tensorType(rows);
  if (logits.getRank() == 0 || type.getShape() != logits.getShape().drop_back())
    return emitOptionalError(loc, "(C1) expects ", name, " of the shape of ", logits,
                             " without its last dimension, got ", type);
  return success();
}

static DictionaryAttr callAttributes(RankedTensorType logits) {
  Builder b(logits.getContext());
  int64_t classes = logits.getShape().back();
  return b.getDictionaryAttr({b.getNamedAttr("classes", b.getI64IntegerAttr(classes)),
                              b.getNamedAttr("count", b.getI64IntegerAttr(logits.getNumElements() / classes))});
}

/// The rows split freely, the classes are reduced inside.
static ShardingRule rowsRule(RankedTensorType logits) {
  ShardingRule rule = ShardingRule::elementwise(logits.getShape(), 1, 0);
  rule.factors.back().kind = FactorKind::Replicated;
  return rule;
}
static TensorFactors rowFactors(const ShardingRule &rule) {
  TensorFactors rows = rule.operands[0];
  rows.pop_back();
  return rows;
}

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto logits = tensorType(adaptor.getLogits());
  if (failed(checkRows(loc, logits, adaptor.getTargets(), "targets")))
    return failure();
  auto rows = RankedTensorType::get(logits.getShape().drop_back(), logits.getElementType());
  types.append({rows, rows});
  return success();
}

ShardingRule CrossEntropyOp::getShardingRule() {
  ShardingRule rule = rowsRule(tensorType(getLogits()));
  TensorFactors rows = rowFactors(rule);
  rule.operands.push_back(rows);
  rule.results = {rows, rows};
  return rule;
}

LogicalResult CrossEntropyOp::buildVjp(OpBuilder &builder, ValueRange cotangents,
                                       SmallVectorImpl<Value> &operandCotangents) {
  if (cotangents[1])
    return emitOpError("cannot be differentiated through its second result");
  operandCotangents.push_back(
      CrossEntropyBackwardOp::create(builder, getLoc(), getLogits(), getTargets(), getLse(), cotangents[0]));
  operandCotangents.push_back(Value());
  return success();
}

int64_t CrossEntropyOp::getFlops() { return 4 * tensorType(getLogits()).getNumElements(); }
StringRef CrossEntropyOp::getCallee() { return trainc::kCrossEntropyForward; }
DictionaryAttr CrossEntropyOp::getCallAttributes() { return callAttributes(tensorType(getLogits())); }

LogicalResult CrossEntropyBackwardOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                                       SmallVectorImpl<Type> &types) {
  auto logits = tensorType(adaptor.getLogits());
  if (failed(checkRows(loc, logits, adaptor.getTargets(), "targets")) ||
      failed(checkRows(loc, logits, adaptor.getLse(), "lse")) ||
      failed(checkRows(loc, logits, adaptor.getCotangent(), "cotangent")))
    return failure();
  types.push_back(logits);
  return success();
}

ShardingRule CrossEntropyBackwardOp::getShardingRule() {
  ShardingRule rule = rowsRule(tensorType(getLogits()));
  rule.operands.append(3, rowFactors(rule));
  rule.results = {rule.operands[0]};
  rule.linearOperands = {3};
  return rule;
}

int64_t CrossEntropyBackwardOp::getFlops() { return 4 * tensorType(getLogits()).getNumElements(); }
StringRef CrossEntropyBackwardOp::getCallee() { return trainc::kCrossEntropyBackward; }
DictionaryAttr CrossEntropyBackwardOp::getCallAttributes() { return callAttributes(tensorType(getLogits())); }
int64_t CrossEntropyBackwardOp::getInPlaceOperand() { return 0; }
