// Sharding rules, executed: split the operands of an op along one factor, run the op on each piece, put the results
// together and compare with the whole. Everything is in f64; only the order of sums may differ.
#include "Runner.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include <cmath>

using namespace mlir;
using namespace trainc;
using namespace trainc::check;

static constexpr double kTolerance = 1e-12;

namespace {
/// One factor cut into `pieces` equal parts.
struct Split {
  const train::ShardingRule &rule;
  unsigned factor;
  int64_t pieces;

  int64_t localSize(unsigned f) const { return f == factor ? rule.factors[f].size / pieces : rule.factors[f].size; }

  bool appearsIn(const train::TensorFactors &dims) const {
    return llvm::any_of(dims, [&](const train::DimFactors &dim) { return llvm::is_contained(dim, factor); });
  }

  RankedTensorType localType(Type type, const train::TensorFactors &dims) const {
    SmallVector<int64_t> shape(cast<RankedTensorType>(type).getShape());
    for (auto [size, factors] : llvm::zip_equal(shape, dims))
      if (llvm::is_contained(factors, factor))
        size /= pieces;
    return RankedTensorType::get(shape, getElementTypeOrSelf(type));
  }

  /// The piece that holds a global element and its row-major place there; piece -1: every piece, at the same place.
  std::pair<int64_t, int64_t> locate(int64_t element, ArrayRef<int64_t> shape, const train::TensorFactors &dims) const {
    int64_t piece = -1, local = 0, localStride = 1;
    for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
      int64_t index = element % shape[dim];
      element /= shape[dim];
      if (dims[dim].empty()) { // a size that no factor describes stays whole
        local += index * localStride;
        localStride *= shape[dim];
        continue;
      }
      for (unsigned f : llvm::reverse(dims[dim])) {
        int64_t digit = index % rule.factors[f].size;
        index /= rule.factors[f].size;
        if (f == factor) {
          piece = digit / localSize(f);
          digit %= localSize(f);
        }
        local += digit * localStride;
        localStride *= localSize(f);
      }
    }
    return {piece, local};
  }

  Data slice(const Data &whole, Type type, const train::TensorFactors &dims, int64_t piece) const {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    Data part(localType(type, dims).getNumElements());
    for (size_t i = 0; i < whole.size(); ++i)
      if (auto [owner, local] = locate(i, shape, dims); owner == -1 || owner == piece)
        part[local] = whole[i];
    return part;
  }
};

class ShardingCheck {
public:
  explicit ShardingCheck(Operation *op, func::FuncOp function) : op(op), function(function) {}

  int run() {
    rule = cast<train::ShardingRuleOpInterface>(op).getShardingRule();
    if (!checkShape())
      return 1;
    for (Value operand : op->getOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand);
      if (!argument)
        return 0; // fed by another op; its own function checks it
      operands.push_back(argumentData(function, argument.getArgNumber()));
    }
    std::optional<std::vector<Data>> whole = execute(SmallVector<Type>(op->getOperandTypes()), operands);
    if (!whole)
      return 1;
    int failures = 0;
    for (unsigned factor = 0; factor < rule.factors.size(); ++factor) {
      const train::Factor &f = rule.factors[factor];
      if (f.kind == train::FactorKind::Replicated || f.size == 1)
        continue;
      int64_t pieces = 2;
      while (f.size % pieces != 0)
        ++pieces;
      failures += checkSplit({rule, factor, pieces}, *whole);
      ++executed;
    }
    return failures;
  }

  /// Factors that were split.
  int splits() const { return executed; }

private:
  /// The rule covers every operand and result, and the factors of each dimension multiply to its size.
  bool checkShape() {
    bool isGood = rule.operands.size() == op->getNumOperands() && rule.results.size() == op->getNumResults();
    auto checkTensor = [&](Type type, const train::TensorFactors &dims) {
      ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
      isGood &= dims.size() == shape.size();
      for (size_t i = 0; isGood && i < shape.size(); ++i) {
        int64_t product = 1;
        for (unsigned f : dims[i])
          product *= rule.factors[f].size;
        isGood &= product == shape[i] || dims[i].empty();
      }
    };
    for (size_t i = 0; isGood && i < rule.operands.size(); ++i)
      checkTensor(op->getOperand(i).getType(), rule.operands[i]);
    for (size_t i = 0; isGood && i < rule.results.size(); ++i)
      checkTensor(op->getResult(i).getType(), rule.results[i]);
    // A reduced factor is gone from the results; any other is in at least one.
    for (unsigned factor = 0; factor < rule.factors.size(); ++factor) {
      bool isReduced = rule.factors[factor].kind == train::FactorKind::SumReduction ||
                       rule.factors[factor].kind == train::FactorKind::MaxReduction;
      bool isInResults = llvm::any_of(
          rule.results, [&](const train::TensorFactors &dims) { return Split{rule, factor, 1}.appearsIn(dims); });
      isGood &= !(isReduced && isInResults) &&
                (isReduced || isInResults || rule.factors[factor].kind == train::FactorKind::Replicated);
    }
    if (!isGood)
      llvm::outs() << "FAIL rule of " << op->getName() << " does not fit its operands and results\n";
    return isGood;
  }

  std::optional<std::vector<Data>> execute(ArrayRef<Type> types, const std::vector<Data> &data,
                                           ArrayRef<int64_t> resultShape = {}) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(op->getLoc());
    SmallVector<std::pair<std::string, Type>> arguments;
    for (auto [i, type] : llvm::enumerate(types))
      arguments.push_back({("a" + Twine(i)).str(), type});
    bool isBuilt = true;
    addFunction(*module, "eval", arguments, "r", [&](OpBuilder &builder, ValueRange values) {
      IRMapping mapping;
      mapping.map(op->getOperands(), values);
      Operation *piece = op->clone(mapping);
      builder.insert(piece);
      for (auto [i, value] : llvm::enumerate(values))
        piece->setOperand(i, value);
      isBuilt = succeeded(localize(piece, resultShape));
      return SmallVector<Value>(piece->getResults());
    });
    if (!isBuilt)
      return std::nullopt;
    Runner runner(*module);
    if (!runner.isValid())
      return std::nullopt;
    for (size_t i = 0; i < data.size(); ++i)
      runner.write(arguments[i].first, data[i]);
    if (!runner.run("eval"))
      return std::nullopt;
    std::vector<Data> results;
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      results.push_back(runner.read("r" + std::to_string(i)));
    return results;
  }

  /// Gives a clone of the op its local attributes and result types.
  LogicalResult localize(Operation *piece, ArrayRef<int64_t> resultShape) {
    if (resultShape.data())
      cast<train::ShardingRuleOpInterface>(piece).localizeAttributes(resultShape);
    auto inferring = dyn_cast<InferTypeOpInterface>(piece);
    if (!inferring) {
      auto shape = cast<RankedTensorType>(piece->getOperand(0).getType()).getShape();
      piece->getResult(0).setType(RankedTensorType::get(shape, getElementTypeOrSelf(piece->getResult(0).getType())));
      return success();
    }
    SmallVector<Type> types;
    if (failed(inferring.inferReturnTypes(piece->getContext(), piece->getLoc(), piece->getOperands(),
                                          piece->getDiscardableAttrDictionary(), piece->getPropertiesStorage(),
                                          piece->getRegions(), types)))
      return failure();
    for (auto [result, type] : llvm::zip_equal(piece->getResults(), types))
      result.setType(type);
    return success();
  }

  int checkSplit(const Split &split, const std::vector<Data> &whole) {
    std::vector<std::vector<Data>> parts;
    for (int64_t piece = 0; piece < split.pieces; ++piece) {
      SmallVector<Type> types;
      std::vector<Data> data;
      for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
        types.push_back(split.localType(operand.getType(), rule.operands[i]));
        data.push_back(split.slice(operands[i], operand.getType(), rule.operands[i], piece));
      }
      SmallVector<int64_t> shape(split.localType(op->getResult(0).getType(), rule.results[0]).getShape());
      std::optional<std::vector<Data>> results = execute(types, data, shape);
      if (!results)
        return 1;
      parts.push_back(*results);
    }
    int failures = 0;
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      failures += !compareResult(split, i, whole[i], parts);
    return failures;
  }

  bool compareResult(const Split &split, unsigned result, const Data &whole,
                     const std::vector<std::vector<Data>> &parts) {
    train::FactorKind kind = rule.factors[split.factor].kind;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(op->getResult(result).getType()).getShape();
    double worst = 0, largest = 1;
    for (size_t i = 0; i < whole.size(); ++i) {
      auto [owner, local] = split.locate(i, shape, rule.results[result]);
      double combined = parts[owner == -1 ? 0 : owner][result][local];
      for (size_t piece = 1; owner == -1 && piece < parts.size(); ++piece) {
        double other = parts[piece][result][local];
        if (kind == train::FactorKind::SumReduction)
          combined += other;
        else if (kind == train::FactorKind::MaxReduction)
          combined = std::max(combined, other);
        else
          worst = std::max(worst, std::abs(combined - other)); // replicated: all pieces agree
      }
      worst = std::max(worst, std::abs(combined - whole[i]));
      largest = std::max(largest, std::abs(whole[i]));
    }
    bool isGood = worst <= kTolerance * largest;
    llvm::outs() << (isGood ? "ok   " : "FAIL ") << "sharding of " << op->getName() << " in @" << function.getName()
                 << ", factor " << split.factor << " of size " << rule.factors[split.factor].size << ", result "
                 << result << ": error " << worst << "\n";
    return isGood;
  }

  Operation *op;
  func::FuncOp function;
  train::ShardingRule rule;
  std::vector<Data> operands;
  int executed = 0;
};
} // namespace

int check::checkSharding(func::FuncOp function) {
  int failures = 0, splits = 0;
  for (Operation &op : function.front().without_terminator()) {
    if (!isa<train::ShardingRuleOpInterface>(op))
      continue;
    ShardingCheck check(&op, function);
    failures += check.run();
    splits += check.splits();
  }
  if (splits == 0) {
    llvm::outs() << "FAIL no op of @" << function.getName() << " was split\n";
    ++failures;
  }
  return failures;
}
