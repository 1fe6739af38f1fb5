//===- Attention.cpp - train.attention and its gradient -------------------===//
#include "dialects/Train/Train.h"
#include "runtime/abi/Library.h"

using namespace mlir;
using namespace trainc::train;

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// [B, H, T] for a query of [B, T, H, D].
static RankedTensorType lseType(RankedTensorType query) {
  return RankedTensorType::get({query.getDimSize(0), query.getDimSize(2), query.getDimSize(1)}, query.getElementType());
}

static DictionaryAttr callAttributes(RankedTensorType query, bool causal, FloatAttr scale) {
  Builder b(query.getContext());
  auto size = [&](StringRef name, unsigned dim) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(query.getDimSize(dim)));
  };
  return b.getDictionaryAttr({size("batch", 0), size("sequence", 1), size("heads", 2), size("width", 3),
                              b.getNamedAttr("causal", b.getBoolAttr(causal)), b.getNamedAttr("scale", scale)});
}

static trainc::AttentionParameters callParameters(RankedTensorType query, bool causal, double scale) {
  return {query.getDimSize(0), query.getDimSize(1), query.getDimSize(2), query.getDimSize(3), causal, scale};
}

/// Batch and heads split freely; sequence and width are reduced inside.
static ShardingRule attentionRule(RankedTensorType query, unsigned numTensors) {
  ShardingRule rule;
  unsigned b = rule.addFactor(query.getDimSize(0)), t = rule.addFactor(query.getDimSize(1), FactorKind::Replicated),
           h = rule.addFactor(query.getDimSize(2)), d = rule.addFactor(query.getDimSize(3), FactorKind::Replicated);
  rule.operands.assign(numTensors, TensorFactors{{b}, {t}, {h}, {d}});
  return rule;
}

static TensorFactors lseFactors(const ShardingRule &rule) {
  const TensorFactors &query = rule.operands[0];
  return {query[0], query[2], query[1]};
}

/// Multiply-adds of one product of [T, D] by [D, T] a head, half of it where the mask is causal.
static int64_t productFlops(RankedTensorType query, bool causal) {
  return 2 * query.getNumElements() * query.getDimSize(1) / (causal ? 2 : 1);
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto query = tensorType(adaptor.getQuery());
  for (Value other : {adaptor.getKey(), adaptor.getValue()})
    if (other.getType() != query)
      return emitOptionalError(loc, "(C1) expects query, key and value of one type, got ", query, " and ",
                               other.getType());
  if (query.getRank() != 4)
    return emitOptionalError(loc, "(C1) expects [batch, sequence, heads, width], got ", query);
  types.append({query, lseType(query)});
  return success();
}

ShardingRule AttentionOp::getShardingRule() {
  ShardingRule rule = attentionRule(tensorType(getQuery()), 3);
  rule.results = {rule.operands[0], lseFactors(rule)};
  return rule;
}

LogicalResult AttentionOp::buildVjp(OpBuilder &builder, ValueRange cotangents,
                                    SmallVectorImpl<Value> &operandCotangents) {
  if (cotangents[1])
    return emitOpError("cannot be differentiated through its second result");
  auto backward = AttentionBackwardOp::create(builder, getLoc(), getQuery(), getKey(), getValue(), getResult(),
                                              getLse(), cotangents[0], getCausal(), getScale());
  llvm::append_range(operandCotangents, backward->getResults());
  return success();
}

int64_t AttentionOp::getFlops() { return 2 * productFlops(tensorType(getQuery()), getCausal()); }
StringRef AttentionOp::getCallee() { return trainc::kAttentionForward; }
DictionaryAttr AttentionOp::getCallAttributes() {
  return callAttributes(tensorType(getQuery()), getCausal(), getScaleAttr());
}
int64_t AttentionOp::getWorkspaceBytes(int64_t threads) {
  auto query = tensorType(getQuery());
  return trainc::attentionForwardWorkspaceBytes(callParameters(query, getCausal(), getScale().convertToDouble()),
                                                threads, query.getElementTypeBitWidth() / 8);
}

LogicalResult AttentionBackwardOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                                    SmallVectorImpl<Type> &types) {
  auto query = tensorType(adaptor.getQuery());
  for (Value other : {adaptor.getKey(), adaptor.getValue(), adaptor.getOutput(), adaptor.getCotangent()})
    if (other.getType() != query)
      return emitOptionalError(loc, "(C1) expects operands of one type, got ", query, " and ", other.getType());
  if (query.getRank() != 4)
    return emitOptionalError(loc, "(C1) expects [batch, sequence, heads, width], got ", query);
  if (adaptor.getLse().getType() != lseType(query))
    return emitOptionalError(loc, "(C2) expects lse of ", lseType(query), ", got ", adaptor.getLse().getType());
  types.append({query, query, query});
  return success();
}

ShardingRule AttentionBackwardOp::getShardingRule() {
  ShardingRule rule = attentionRule(tensorType(getQuery()), 6);
  rule.operands[4] = lseFactors(rule);
  rule.results.assign(3, rule.operands[0]);
  return rule;
}

int64_t AttentionBackwardOp::getFlops() { return 5 * productFlops(tensorType(getQuery()), getCausal()); }
StringRef AttentionBackwardOp::getCallee() { return trainc::kAttentionBackward; }
DictionaryAttr AttentionBackwardOp::getCallAttributes() {
  return callAttributes(tensorType(getQuery()), getCausal(), getScaleAttr());
}
int64_t AttentionBackwardOp::getWorkspaceBytes(int64_t threads) {
  auto query = tensorType(getQuery());
  return trainc::attentionBackwardWorkspaceBytes(callParameters(query, getCausal(), getScale().convertToDouble()),
                                                 threads, query.getElementTypeBitWidth() / 8);
}
