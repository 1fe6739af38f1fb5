//===- Contract.cpp - train.contract --------------------------------------===//
//
// The letters of a specification fall into three groups: those of lhs and
// result (M), of rhs and result (N), of lhs and rhs (K). Since each group stands
// together in each tensor, every contraction is one matrix product of possibly
// transposed operands, and so are its two gradients.
//
//===----------------------------------------------------------------------===//
#include "dialects/Train/Train.h"
#include "runtime/abi/Library.h"

using namespace mlir;
using namespace trainc::train;

namespace {
struct Spec {
  StringRef lhs, rhs, result;

  static std::optional<Spec> parse(StringRef text) {
    auto [operands, result] = text.split("->");
    auto [lhs, rhs] = operands.split(',');
    Spec spec{lhs, rhs, result};
    if (!text.contains("->") || !operands.contains(','))
      return std::nullopt;
    for (StringRef letters : {lhs, rhs, result})
      for (size_t i = 0; i < letters.size(); ++i)
        if (letters[i] < 'a' || letters[i] > 'z' || letters.drop_front(i + 1).contains(letters[i]))
          return std::nullopt;
    return spec;
  }

  /// The letters of `a` that are also in `b`, in the order of `a`.
  static std::string shared(StringRef a, StringRef b) {
    std::string letters;
    for (char letter : a)
      if (b.contains(letter))
        letters += letter;
    return letters;
  }
  std::string m() const { return shared(lhs, result); }
  std::string n() const { return shared(rhs, result); }
  std::string k() const { return shared(lhs, rhs); }

  bool isSwapped() const { return result != m() + n(); }

  /// Each letter in exactly two tensors.
  bool isPairwise() const {
    for (char letter : (lhs + rhs + result).str())
      if (lhs.contains(letter) + rhs.contains(letter) + result.contains(letter) != 2)
        return false;
    return true;
  }
  /// `letters` is one group followed by the other, in the groups' own order.
  static bool isTwoGroups(StringRef letters, const std::string &a, const std::string &b) {
    return letters == a + b || letters == b + a;
  }
  bool isMatrixProduct() const {
    return isTwoGroups(lhs, m(), k()) && isTwoGroups(rhs, k(), n()) && isTwoGroups(result, m(), n());
  }
};

int64_t groupSize(StringRef group, StringRef letters, ArrayRef<int64_t> shape) {
  int64_t size = 1;
  for (char letter : group)
    size *= shape[letters.find(letter)];
  return size;
}
} // namespace

LogicalResult ContractOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  StringRef text = adaptor.getSpec();
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType()),
       rhs = cast<RankedTensorType>(adaptor.getRhs().getType());
  std::optional<Spec> spec = Spec::parse(text);
  if (!spec)
    return emitOptionalError(loc, "(C1) expects a specification like \"mk,kn->mn\", got \"", text, "\"");
  llvm::SmallDenseMap<char, int64_t> sizes;
  for (auto [letters, type] : {std::pair(spec->lhs, lhs), std::pair(spec->rhs, rhs)}) {
    if (int64_t(letters.size()) != type.getRank())
      return emitOptionalError(loc, "(C2) expects ", letters.size(), " dimensions for \"", letters, "\" of \"", text,
                               "\", got ", type);
    for (auto [letter, size] : llvm::zip(letters, type.getShape()))
      if (auto [it, isNew] = sizes.try_emplace(letter, size); !isNew && it->second != size)
        return emitOptionalError(loc, "(C2) cannot contract ", lhs, " with ", rhs, " as \"", text, "\": '",
                                 Twine(letter), "' is ", it->second, " and ", size);
  }
  if (lhs.getElementType() != rhs.getElementType())
    return emitOptionalError(loc, "(C2) cannot contract ", lhs, " with ", rhs, " of another element type");
  if (!spec->isPairwise())
    return emitOptionalError(loc, "(C3) expects each letter in exactly two of the three tensors of \"", text, "\"");
  if (!spec->isMatrixProduct())
    return emitOptionalError(loc, "(C4) \"", text,
                             "\" is not one matrix product: the letters that two tensors share must "
                             "stand together and in one order; transpose an operand first");
  SmallVector<int64_t> shape;
  for (char letter : spec->result)
    shape.push_back(sizes.lookup(letter));
  auto result = RankedTensorType::get(shape, lhs.getElementType());
  if (adaptor.getAccumulator() && adaptor.getAccumulator().getType() != result)
    return emitOptionalError(loc, "(C5) expects an accumulator of ", result, ", got ",
                             adaptor.getAccumulator().getType());
  types.push_back(result);
  return success();
}

ShardingRule ContractOp::getShardingRule() {
  Spec spec = *Spec::parse(getSpec());
  ShardingRule rule;
  llvm::SmallDenseMap<char, unsigned> factors;
  auto dims = [&](StringRef letters, Type type) {
    TensorFactors tensor;
    for (auto [letter, size] : llvm::zip(letters, cast<RankedTensorType>(type).getShape())) {
      if (!factors.count(letter))
        factors[letter] =
            rule.addFactor(size, spec.result.contains(letter) ? FactorKind::PassThrough : FactorKind::SumReduction);
      tensor.push_back({factors[letter]});
    }
    return tensor;
  };
  rule.operands = {dims(spec.lhs, getLhs().getType()), dims(spec.rhs, getRhs().getType())};
  rule.results = {dims(spec.result, getType())};
  rule.linearOperands = {0, 1};
  if (getAccumulator())
    rule.operands.push_back(rule.results[0]);
  return rule;
}

LogicalResult ContractOp::buildVjp(OpBuilder &builder, ValueRange cotangents,
                                   SmallVectorImpl<Value> &operandCotangents) {
  Spec spec = *Spec::parse(getSpec());
  auto text = [](StringRef lhs, StringRef rhs, StringRef result) { return (lhs + "," + rhs + "->" + result).str(); };
  operandCotangents.push_back(
      ContractOp::create(builder, getLoc(), cotangents[0], getRhs(), Value(), text(spec.result, spec.rhs, spec.lhs)));
  operandCotangents.push_back(
      ContractOp::create(builder, getLoc(), getLhs(), cotangents[0], Value(), text(spec.lhs, spec.result, spec.rhs)));
  if (getAccumulator())
    operandCotangents.push_back(cotangents[0]);
  return success();
}

int64_t ContractOp::getFlops() {
  Spec spec = *Spec::parse(getSpec());
  int64_t k = groupSize(spec.k(), spec.lhs, cast<RankedTensorType>(getLhs().getType()).getShape());
  return 2 * k * cast<RankedTensorType>(getType()).getNumElements();
}

StringRef ContractOp::getCallee() { return trainc::kGemm; }

/// A result laid out as N M is the product of the operands in the other order.
SmallVector<Value> ContractOp::getCallOperands() {
  Spec spec = *Spec::parse(getSpec());
  SmallVector<Value> operands = {getLhs(), getRhs()};
  if (spec.isSwapped())
    std::swap(operands[0], operands[1]);
  if (getAccumulator())
    operands.push_back(getAccumulator());
  return operands;
}

DictionaryAttr ContractOp::getCallAttributes() {
  Spec spec = *Spec::parse(getSpec());
  std::string m = spec.m(), n = spec.n(), k = spec.k();
  auto lhs = cast<RankedTensorType>(getLhs().getType()).getShape(),
       rhs = cast<RankedTensorType>(getRhs().getType()).getShape();
  bool swapped = spec.isSwapped();
  bool lhsIsMK = spec.lhs == m + k, rhsIsKN = spec.rhs == k + n;
  int64_t sizeM = groupSize(m, spec.lhs, lhs), sizeN = groupSize(n, spec.rhs, rhs), sizeK = groupSize(k, spec.lhs, lhs);
  Builder b(getContext());
  auto attr = [&](StringRef name, Attribute value) { return b.getNamedAttr(name, value); };
  return b.getDictionaryAttr(
      {attr("m", b.getI64IntegerAttr(swapped ? sizeN : sizeM)), attr("n", b.getI64IntegerAttr(swapped ? sizeM : sizeN)),
       attr("k", b.getI64IntegerAttr(sizeK)), attr("trans_a", b.getBoolAttr(swapped ? rhsIsKN : !lhsIsMK)),
       attr("trans_b", b.getBoolAttr(swapped ? lhsIsMK : !rhsIsKN))});
}

int64_t ContractOp::getInPlaceOperand() { return getAccumulator() ? 2 : -1; }
bool ContractOp::hasAccumulator() { return bool(getAccumulator()); }
void ContractOp::setAccumulator(Value accumulator) {
  getAccumulatorMutable().assign(accumulator ? ValueRange(accumulator) : ValueRange());
}
