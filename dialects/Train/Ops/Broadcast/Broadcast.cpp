//===- Broadcast.cpp - train.broadcast ------------------------------------===//
#include "dialects/Train/Train.h"

using namespace mlir;
using namespace trainc::train;

LogicalResult BroadcastOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> shape = adaptor.getShape(), dims = adaptor.getDims();
  bool valid = int64_t(dims.size()) == input.getRank();
  for (size_t i = 0; valid && i < dims.size(); ++i)
    valid = dims[i] >= 0 && dims[i] < int64_t(shape.size()) && (i == 0 || dims[i - 1] < dims[i]);
  if (!valid)
    return emitOptionalError(loc, "(C1) expects dims to give an increasing dimension of shape [", shape,
                             "] for each dimension of ", input, ", got [", dims, "]");
  for (auto [i, dim] : llvm::enumerate(dims))
    if (input.getDimSize(i) != 1 && input.getDimSize(i) != shape[dim])
      return emitOptionalError(loc, "(C2) cannot broadcast ", input, " to shape [", shape, "]: size ",
                               input.getDimSize(i), " of dimension ", i, " is neither 1 nor ", shape[dim]);
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto constant = dyn_cast_or_null<SplatElementsAttr>(adaptor.getInput()))
    return constant.resizeSplat(cast<ShapedType>(getType()));
  return {};
}

ShardingRule BroadcastOp::getShardingRule() {
  ShardingRule rule = ShardingRule::elementwise(getShape(), 0, 1);
  TensorFactors input;
  for (auto [i, dim] : llvm::enumerate(getDims())) {
    bool repeated = cast<RankedTensorType>(getInput().getType()).getDimSize(i) != getShape()[dim];
    input.push_back(repeated ? DimFactors{} : DimFactors{unsigned(dim)});
  }
  rule.operands.push_back(input);
  rule.linearOperands.push_back(0);
  return rule;
}

LogicalResult BroadcastOp::buildVjp(OpBuilder &builder, ValueRange cotangents,
                                    SmallVectorImpl<Value> &operandCotangents) {
  auto input = cast<RankedTensorType>(getInput().getType());
  SmallVector<int64_t> summed;
  for (int64_t dim = 0, i = 0; dim < int64_t(getShape().size()); ++dim) {
    bool kept = i < input.getRank() && getDims()[i] == dim;
    bool repeated = !kept || input.getDimSize(i) != getShape()[dim];
    if (repeated)
      summed.push_back(dim);
    i += kept;
  }
  Value cotangent = cotangents[0];
  if (!summed.empty())
    cotangent = ReduceOp::create(builder, getLoc(), cotangent, ReductionKind::Add, summed);
  if (cotangent.getType() != input)
    cotangent = ReshapeOp::create(builder, getLoc(), cotangent, input.getShape());
  operandCotangents.push_back(cotangent);
  return success();
}

int64_t BroadcastOp::getFlops() { return 0; }

void BroadcastOp::localizeAttributes(ArrayRef<int64_t> localResultShape) { setShape(localResultShape); }
