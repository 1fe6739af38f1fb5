//===- Embedding.cpp - train.embedding and its gradient -------------------===//
#include "dialects/Train/Train.h"
#include "runtime/abi/Library.h"

using namespace mlir;
using namespace trainc::train;

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

static DictionaryAttr callAttributes(MLIRContext *context, RankedTensorType table, RankedTensorType ids) {
  Builder b(context);
  return b.getDictionaryAttr({b.getNamedAttr("rows", b.getI64IntegerAttr(table.getDimSize(0))),
                              b.getNamedAttr("width", b.getI64IntegerAttr(table.getDimSize(1))),
                              b.getNamedAttr("count", b.getI64IntegerAttr(ids.getNumElements()))});
}

/// Factors: one for each dimension of the ids, then rows (whole, since any id may name any row), then width.
static ShardingRule embeddingRule(RankedTensorType table, RankedTensorType ids, FactorKind idsKind,
                                  TensorFactors &tableDims, TensorFactors &idDims, TensorFactors &rowDims) {
  ShardingRule rule;
  for (int64_t size : ids.getShape())
    idDims.push_back({rule.addFactor(size, idsKind)});
  unsigned rows = rule.addFactor(table.getDimSize(0), FactorKind::Replicated),
           width = rule.addFactor(table.getDimSize(1));
  tableDims = {{rows}, {width}};
  rowDims = idDims;
  rowDims.push_back({width});
  return rule;
}

LogicalResult EmbeddingOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto table = tensorType(adaptor.getTable()), ids = tensorType(adaptor.getIds());
  if (table.getRank() != 2)
    return emitOptionalError(loc, "(C1) expects a table of two dimensions, got ", table);
  SmallVector<int64_t> shape(ids.getShape());
  shape.push_back(table.getDimSize(1));
  types.push_back(RankedTensorType::get(shape, table.getElementType()));
  return success();
}

ShardingRule EmbeddingOp::getShardingRule() {
  TensorFactors table, ids, rows;
  ShardingRule rule =
      embeddingRule(tensorType(getTable()), tensorType(getIds()), FactorKind::PassThrough, table, ids, rows);
  rule.operands = {table, ids};
  rule.results = {rows};
  rule.linearOperands = {0};
  return rule;
}

LogicalResult EmbeddingOp::buildVjp(OpBuilder &builder, ValueRange cotangents,
                                    SmallVectorImpl<Value> &operandCotangents) {
  operandCotangents.push_back(EmbeddingBackwardOp::create(builder, getLoc(), cotangents[0], getIds(), Value(),
                                                          tensorType(getTable()).getDimSize(0)));
  operandCotangents.push_back(Value());
  return success();
}

int64_t EmbeddingOp::getFlops() { return 0; }
StringRef EmbeddingOp::getCallee() { return trainc::kEmbeddingForward; }
DictionaryAttr EmbeddingOp::getCallAttributes() {
  return callAttributes(getContext(), tensorType(getTable()), tensorType(getIds()));
}

LogicalResult EmbeddingBackwardOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                                    SmallVectorImpl<Type> &types) {
  auto cotangent = tensorType(adaptor.getCotangent()), ids = tensorType(adaptor.getIds());
  if (cotangent.getRank() != ids.getRank() + 1 || cotangent.getShape().drop_back() != ids.getShape())
    return emitOptionalError(loc, "(C1) expects a cotangent of the shape of ", ids, " followed by the width, got ",
                             cotangent);
  auto result =
      RankedTensorType::get({int64_t(adaptor.getRows()), cotangent.getShape().back()}, cotangent.getElementType());
  if (adaptor.getAccumulator() && adaptor.getAccumulator().getType() != result)
    return emitOptionalError(loc, "(C2) expects an accumulator of ", result, ", got ",
                             adaptor.getAccumulator().getType());
  types.push_back(result);
  return success();
}

ShardingRule EmbeddingBackwardOp::getShardingRule() {
  TensorFactors table, ids, rows;
  ShardingRule rule =
      embeddingRule(tensorType(getResult()), tensorType(getIds()), FactorKind::SumReduction, table, ids, rows);
  rule.operands = {rows, ids};
  rule.results = {table};
  rule.linearOperands = {0};
  if (getAccumulator())
    rule.operands.push_back(table);
  return rule;
}

int64_t EmbeddingBackwardOp::getFlops() { return tensorType(getCotangent()).getNumElements(); }
StringRef EmbeddingBackwardOp::getCallee() { return trainc::kEmbeddingBackward; }
DictionaryAttr EmbeddingBackwardOp::getCallAttributes() {
  return callAttributes(getContext(), tensorType(getResult()), tensorType(getIds()));
}
int64_t EmbeddingBackwardOp::getInPlaceOperand() { return getAccumulator() ? 2 : -1; }
bool EmbeddingBackwardOp::hasAccumulator() { return bool(getAccumulator()); }
void EmbeddingBackwardOp::setAccumulator(Value accumulator) {
  getAccumulatorMutable().assign(accumulator ? ValueRange(accumulator) : ValueRange());
}
