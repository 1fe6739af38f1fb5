//===- Reshape.cpp - train.reshape ----------------------------------------===//
#include "dialects/Train/Train.h"

using namespace mlir;
using namespace trainc::train;

LogicalResult ReshapeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> shape = adaptor.getShape();
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  if (elements != input.getNumElements() || llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return emitOptionalError(loc, "(C1) cannot reshape ", input, " of ", input.getNumElements(), " elements to [",
                             shape, "] of ", elements);
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto constant = dyn_cast_or_null<SplatElementsAttr>(adaptor.getInput()))
    return constant.resizeSplat(cast<ShapedType>(getType()));
  if (auto producer = getInput().getDefiningOp<ReshapeOp>()) {
    getInputMutable().assign(producer.getInput());
    return getResult();
  }
  return {};
}

/// Matches runs of dimensions of equal product. Within a run, factors are made by splitting both sides at common
/// boundaries; a run whose sizes do not nest (as 6x4 to 8x3) becomes one factor that may not be split.
ShardingRule ReshapeOp::getShardingRule() {
  ArrayRef<int64_t> from = cast<RankedTensorType>(getInput().getType()).getShape(), to = getShape();
  ShardingRule rule;
  TensorFactors input(from.size()), result(to.size());
  size_t i = 0, j = 0;
  // What is left of the current dimension of each side, minor part; dimensions are consumed from the minor end.
  int64_t left = 1, right = 1;
  auto push = [](DimFactors &dims, unsigned factor) { dims.insert(dims.begin(), factor); };
  while (true) {
    while (left == 1 && i < from.size())
      left = from[from.size() - ++i];
    while (right == 1 && j < to.size())
      right = to[to.size() - ++j];
    if (left <= 1 || right <= 1)
      break;
    int64_t size = std::min(left, right);
    if (std::max(left, right) % size != 0)
      return nonNestingRule(from, to);
    unsigned factor = rule.addFactor(size);
    push(input[from.size() - i], factor);
    push(result[to.size() - j], factor);
    left /= size;
    right /= size;
  }
  rule.operands.push_back(input);
  rule.results.push_back(result);
  rule.linearOperands.push_back(0);
  return rule;
}

ShardingRule ReshapeOp::nonNestingRule(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  ShardingRule rule;
  auto replicated = [&](ArrayRef<int64_t> shape) {
    TensorFactors dims;
    for (int64_t size : shape)
      dims.push_back({rule.addFactor(size, FactorKind::Replicated)});
    return dims;
  };
  rule.operands.push_back(replicated(from));
  rule.results.push_back(replicated(to));
  rule.linearOperands.push_back(0);
  return rule;
}

LogicalResult ReshapeOp::buildVjp(OpBuilder &builder, ValueRange cotangents,
                                  SmallVectorImpl<Value> &operandCotangents) {
  auto input = cast<RankedTensorType>(getInput().getType());
  operandCotangents.push_back(ReshapeOp::create(builder, getLoc(), cotangents[0], input.getShape()));
  return success();
}

int64_t ReshapeOp::getFlops() { return 0; }

void ReshapeOp::localizeAttributes(ArrayRef<int64_t> localResultShape) { setShape(localResultShape); }
