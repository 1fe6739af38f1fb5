//===- Interpreter.cpp - what a straight line of train ops means ----------===//
#include "Interpreter.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>
#include <functional>

using namespace mlir;
using namespace trainc;
using test::Data;

namespace {
using Elements = llvm::ArrayRef<double>;
using Index = SmallVector<int64_t>;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Calls `visit` for every index of `shape`, in row-major order.
void forEachIndex(llvm::ArrayRef<int64_t> shape, llvm::function_ref<void(const Index &)> visit) {
  Index index(shape.size(), 0);
  for (int64_t left = ShapedType::getNumElements(shape); left > 0; --left) {
    visit(index);
    for (size_t dim = shape.size(); dim-- > 0 && ++index[dim] == shape[dim];)
      index[dim] = 0;
  }
}

int64_t linear(const Index &index, llvm::ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (auto [i, size] : llvm::zip_equal(index, shape))
    position = position * size + i;
  return position;
}

/// maximumf and minimumf: a NaN wins.
double extremum(double a, double b, bool isMax) {
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  return isMax ? std::max(a, b) : std::min(a, b);
}

using Scalar = std::function<double(Elements)>;

const llvm::StringMap<Scalar> &scalars() {
  static const llvm::StringMap<Scalar> table = {
      {"arith.addf", [](Elements x) { return x[0] + x[1]; }},
      {"arith.subf", [](Elements x) { return x[0] - x[1]; }},
      {"arith.mulf", [](Elements x) { return x[0] * x[1]; }},
      {"arith.divf", [](Elements x) { return x[0] / x[1]; }},
      {"arith.negf", [](Elements x) { return -x[0]; }},
      {"arith.maximumf", [](Elements x) { return extremum(x[0], x[1], true); }},
      {"arith.minimumf", [](Elements x) { return extremum(x[0], x[1], false); }},
      {"arith.select", [](Elements x) { return x[0] != 0 ? x[1] : x[2]; }},
      {"arith.addi", [](Elements x) { return x[0] + x[1]; }},
      {"arith.subi", [](Elements x) { return x[0] - x[1]; }},
      {"arith.muli", [](Elements x) { return x[0] * x[1]; }},
      {"arith.divsi", [](Elements x) { return std::trunc(x[0] / x[1]); }},
      {"arith.maxsi", [](Elements x) { return std::max(x[0], x[1]); }},
      {"arith.minsi", [](Elements x) { return std::min(x[0], x[1]); }},
      {"arith.andi", [](Elements x) { return double(x[0] != 0 && x[1] != 0); }},
      {"arith.ori", [](Elements x) { return double(x[0] != 0 || x[1] != 0); }},
      {"arith.xori", [](Elements x) { return double(x[0] != x[1]); }},
      {"arith.sitofp", [](Elements x) { return x[0]; }},
      {"arith.uitofp", [](Elements x) { return x[0]; }},
      {"arith.extui", [](Elements x) { return x[0]; }},
      {"math.exp", [](Elements x) { return std::exp(x[0]); }},
      {"math.log", [](Elements x) { return std::log(x[0]); }},
      {"math.sqrt", [](Elements x) { return std::sqrt(x[0]); }},
      {"math.rsqrt", [](Elements x) { return 1 / std::sqrt(x[0]); }},
      {"math.tanh", [](Elements x) { return std::tanh(x[0]); }},
      {"math.sin", [](Elements x) { return std::sin(x[0]); }},
      {"math.cos", [](Elements x) { return std::cos(x[0]); }},
      {"math.absf", [](Elements x) { return std::fabs(x[0]); }},
      {"train.identity", [](Elements x) { return x[0]; }},
      {"train.zeros_like", [](Elements) { return 0.0; }},
  };
  return table;
}

class Interpreter {
public:
  std::vector<Data> run(func::FuncOp function, llvm::ArrayRef<Data> arguments) {
    for (auto [argument, data] : llvm::zip_equal(function.getArguments(), arguments))
      values[argument] = data;
    for (Operation &op : function.front().without_terminator())
      values[op.getResult(0)] = evaluate(&op);
    std::vector<Data> results;
    for (Value value : function.front().getTerminator()->getOperands())
      results.push_back(values.lookup(value));
    return results;
  }

private:
  Data evaluate(Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return splat(constant);
    if (auto broadcast = dyn_cast<train::BroadcastOp>(op))
      return spread(broadcast);
    if (auto reduce = dyn_cast<train::ReduceOp>(op))
      return combine(reduce);
    if (auto contract = dyn_cast<train::ContractOp>(op))
      return multiply(contract);
    if (isa<train::ReshapeOp>(op))
      return values[op->getOperand(0)];
    return elementwise(op);
  }

  static Data splat(arith::ConstantOp op) {
    auto attribute = cast<SplatElementsAttr>(op.getValue());
    double value =
        isa<FloatType>(attribute.getElementType())
            ? attribute.getSplatValue<APFloat>().convertToDouble()
            : (attribute.getElementType().isInteger(1) ? double(attribute.getSplatValue<APInt>().getZExtValue())
                                                       : double(attribute.getSplatValue<APInt>().getSExtValue()));
    return Data(attribute.getNumElements(), value);
  }

  static bool holds(double a, double b, bool equal, bool less, bool greater) {
    return (equal && a == b) || (less && a < b) || (greater && a > b);
  }

  /// Ordered predicates of floats and signed ones of integers.
  static Scalar comparison(Operation *op) {
    bool equal = false, less = false, greater = false;
    if (auto cmpf = dyn_cast<arith::CmpFOp>(op)) {
      auto predicate = unsigned(cmpf.getPredicate()); // bits: equal 1, greater 2, less 4, unordered 8
      equal = predicate & 1, greater = predicate & 2, less = predicate & 4;
    } else {
      using Predicate = arith::CmpIPredicate;
      Predicate predicate = cast<arith::CmpIOp>(op).getPredicate();
      equal = llvm::is_contained({Predicate::eq, Predicate::sle, Predicate::sge}, predicate);
      less = llvm::is_contained({Predicate::ne, Predicate::slt, Predicate::sle}, predicate);
      greater = llvm::is_contained({Predicate::ne, Predicate::sgt, Predicate::sge}, predicate);
    }
    return [=](Elements x) { return double(holds(x[0], x[1], equal, less, greater)); };
  }

  Data elementwise(Operation *op) {
    Scalar scalar;
    if (isa<arith::CmpFOp, arith::CmpIOp>(op))
      scalar = comparison(op);
    else if (auto it = scalars().find(op->getName().getStringRef()); it != scalars().end())
      scalar = it->second;
    else
      llvm::report_fatal_error("the interpreter does not know " + op->getName().getStringRef());
    Data result(typeOf(op->getResult(0)).getNumElements());
    SmallVector<double> elements(op->getNumOperands());
    for (size_t i = 0; i < result.size(); ++i) {
      for (auto [j, operand] : llvm::enumerate(op->getOperands()))
        elements[j] = values[operand][i];
      result[i] = scalar(elements);
    }
    return result;
  }

  Data spread(train::BroadcastOp op) {
    llvm::ArrayRef<int64_t> from = typeOf(op.getInput()).getShape();
    const Data &input = values[op.getInput()];
    Data result;
    forEachIndex(op.getShape(), [&](const Index &index) {
      Index source;
      for (auto [size, dim] : llvm::zip_equal(from, op.getDims()))
        source.push_back(size == 1 ? 0 : index[dim]);
      result.push_back(input[linear(source, from)]);
    });
    return result;
  }

  Data combine(train::ReduceOp op) {
    bool isMax = op.getKind() == train::ReductionKind::Max;
    const Data &input = values[op.getInput()];
    llvm::ArrayRef<int64_t> shape = typeOf(op.getResult()).getShape();
    std::vector<long double> sums(typeOf(op.getResult()).getNumElements(), isMax ? -INFINITY : 0);
    size_t position = 0;
    forEachIndex(typeOf(op.getInput()).getShape(), [&](const Index &index) {
      Index kept;
      for (auto [dim, i] : llvm::enumerate(index))
        if (!llvm::is_contained(op.getDims(), int64_t(dim)))
          kept.push_back(i);
      long double &sum = sums[linear(kept, shape)];
      double value = input[position++];
      sum = isMax ? std::max<long double>(sum, value) : sum + value;
    });
    return Data(sums.begin(), sums.end());
  }

  Data multiply(train::ContractOp op) {
    auto [operands, resultLetters] = op.getSpec().split("->");
    auto [lhsLetters, rhsLetters] = operands.split(',');
    std::string letters = resultLetters.str();
    Index sizes(typeOf(op.getResult()).getShape());
    for (auto [letter, size] : llvm::zip_equal(lhsLetters, typeOf(op.getLhs()).getShape()))
      if (letters.find(letter) == std::string::npos) {
        letters += letter;
        sizes.push_back(size);
      }
    const Data &lhs = values[op.getLhs()], &rhs = values[op.getRhs()];
    Data result =
        op.getAccumulator() ? values[op.getAccumulator()] : Data(typeOf(op.getResult()).getNumElements(), 0.0);
    forEachIndex(sizes, [&](const Index &index) {
      auto at = [&](StringRef text, RankedTensorType type) {
        Index part;
        for (char letter : text)
          part.push_back(index[letters.find(letter)]);
        return linear(part, type.getShape());
      };
      result[at(resultLetters, typeOf(op.getResult()))] +=
          lhs[at(lhsLetters, typeOf(op.getLhs()))] * rhs[at(rhsLetters, typeOf(op.getRhs()))];
    });
    return result;
  }

  llvm::DenseMap<Value, Data> values;
};
} // namespace

std::vector<Data> test::interpret(func::FuncOp function, llvm::ArrayRef<Data> arguments) {
  return Interpreter().run(function, arguments);
}
