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

namespace {
/// The rule of a reshape, built run by run: a run is the least number of dimensions of both sides whose sizes have
/// equal products. Within a run, both sides are split at common boundaries; where sizes do not nest (6x4 to 8x3), the
/// dimensions of the run may not be split.
class ReshapeRule {
public:
  ReshapeRule(ArrayRef<int64_t> from, ArrayRef<int64_t> to)
      : from(from), to(to), input(from.size()), result(to.size()) {}

  ShardingRule build() {
    size_t i = 0, j = 0;
    while (i < from.size() && j < to.size()) {
      size_t beginI = i, beginJ = j;
      int64_t left = from[i++], right = to[j++];
      while (left != right) {
        if (left < right)
          left *= from[i++];
        else
          right *= to[j++];
      }
      addRun(beginI, i, beginJ, j);
    }
    // What is left has size 1 and needs no factor.
    rule.operands.push_back(input);
    rule.results.push_back(result);
    rule.linearOperands.push_back(0);
    return rule;
  }

private:
  void addRun(size_t beginI, size_t endI, size_t beginJ, size_t endJ) {
    if (nests(beginI, endI, beginJ, endJ))
      return;
    for (size_t i = beginI; i < endI; ++i)
      input[i] = {rule.addFactor(from[i], FactorKind::Replicated)};
    for (size_t j = beginJ; j < endJ; ++j)
      result[j] = {rule.addFactor(to[j], FactorKind::Replicated)};
  }

  /// Splits a run from its minor end, or returns false and leaves the rule as it was.
  bool nests(size_t beginI, size_t endI, size_t beginJ, size_t endJ) {
    ReshapeRule before = *this;
    int64_t left = 1, right = 1;
    while (true) {
      while (left == 1 && endI > beginI)
        left = from[--endI];
      while (right == 1 && endJ > beginJ)
        right = to[--endJ];
      if (left == 1 || right == 1)
        return true;
      int64_t size = std::min(left, right);
      if (std::max(left, right) % size != 0) {
        rule = before.rule;
        input = before.input;
        result = before.result;
        return false;
      }
      unsigned factor = rule.addFactor(size);
      input[endI].insert(input[endI].begin(), factor);
      result[endJ].insert(result[endJ].begin(), factor);
      left /= size;
      right /= size;
    }
  }

  ArrayRef<int64_t> from, to;
  ShardingRule rule;
  TensorFactors input, result;
};
} // namespace

ShardingRule ReshapeOp::getShardingRule() {
  return ReshapeRule(cast<RankedTensorType>(getInput().getType()).getShape(), getShape()).build();
}

LogicalResult ReshapeOp::buildVjp(OpBuilder &builder, ValueRange cotangents,
                                  SmallVectorImpl<Value> &operandCotangents) {
  auto input = cast<RankedTensorType>(getInput().getType());
  operandCotangents.push_back(ReshapeOp::create(builder, getLoc(), cotangents[0], input.getShape()));
  return success();
}

int64_t ReshapeOp::getFlops() { return 0; }

void ReshapeOp::localizeAttributes(ArrayRef<int64_t> localResultShape) { setShape(localResultShape); }
