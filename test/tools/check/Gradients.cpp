// Gradients against central differences, both in f64 and both through the whole compiler.
//
// With L(x) = sum of random weights times the results, the error of (L(x + h) - L(x - h)) / 2h is about h^2 |L'''| / 6
// + eps |L| / h: at h = 1e-5 both are near 1e-10 for values of order one. The tolerance leaves room for sums over the
// elements.
#include "Runner.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "trainc/Transforms/ReverseMode.h"
#include <cmath>

using namespace mlir;
using namespace trainc;
using namespace trainc::check;

static constexpr double kStep = 1e-5;
static constexpr double kTolerance = 1e-7;

static bool isFloat(Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); }

namespace {
/// @eval computes the results r0, r1, ... of the function; @logits its VJP, cotangents c0, c1, ... to g0, g1, ...
class GradientCheck {
public:
  explicit GradientCheck(func::FuncOp function) : function(function) {}

  int run() {
    OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      arguments.push_back({("a" + Twine(i)).str(), type});
    if (!build(*module))
      return 1;
    Runner runner(*module);
    if (!runner.isValid())
      return 1;
    return compare(runner);
  }

private:
  SmallVector<Value> cloneBody(OpBuilder &builder, ValueRange values, SmallVectorImpl<Operation *> &ops) {
    IRMapping mapping;
    mapping.map(function.getArguments(), values);
    for (Operation &op : function.front().without_terminator())
      ops.push_back(builder.clone(op, mapping));
    return llvm::map_to_vector(function.front().getTerminator()->getOperands(),
                               [&](Value value) { return mapping.lookup(value); });
  }

  bool build(ModuleOp module) {
    addFunction(module, "eval", arguments, "r", [&](OpBuilder &builder, ValueRange values) {
      SmallVector<Operation *> ops;
      return cloneBody(builder, values, ops);
    });
    auto withCotangents = arguments;
    for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
      if (isFloat(type) && isDifferentiated(i))
        withCotangents.push_back({("c" + Twine(i)).str(), type});
    bool isBuilt = true;
    addFunction(module, "logits", withCotangents, "g", [&](OpBuilder &builder, ValueRange values) {
      SmallVector<Operation *> ops;
      SmallVector<Value> results = cloneBody(builder, values.take_front(arguments.size()), ops);
      ReverseMode reverse(builder);
      for (size_t i = arguments.size(); i < withCotangents.size(); ++i)
        reverse.seed(results[std::stoi(withCotangents[i].first.substr(1))], values[i]);
      SmallVector<Value> wanted, gradients;
      for (Value value : values.take_front(arguments.size()))
        if (isFloat(value.getType()))
          wanted.push_back(value);
      isBuilt = succeeded(reverse.run(ops, wanted));
      for (Value value : wanted) {
        Value gradient = reverse.cotangentOf(value);
        if (!gradient)
          gradient = train::splat(builder, builder.getUnknownLoc(), value.getType(), 0.0);
        gradients.push_back(train::IdentityOp::create(builder, builder.getUnknownLoc(), gradient));
      }
      return gradients;
    });
    return isBuilt;
  }

  /// Results marked check.auxiliary exist for the backward pass only.
  bool isDifferentiated(unsigned result) { return !function.getResultAttr(result, "check.auxiliary"); }

  /// Sum of the weights times the results.
  double weighted(Runner &runner) {
    runner.run("eval");
    double total = 0;
    for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
      if (isFloat(type) && isDifferentiated(i)) {
        Data result = runner.read("r" + std::to_string(i));
        for (size_t j = 0; j < result.size(); ++j)
          total += result[j] * cotangents[i][j];
      }
    return total;
  }

  int compare(Runner &runner) {
    for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
      cotangents.push_back(randomData(cast<RankedTensorType>(type).getNumElements(), 2000 + i));
      if (isFloat(type) && isDifferentiated(i))
        runner.write("c" + std::to_string(i), cotangents[i]);
    }
    std::vector<Data> values;
    for (unsigned i = 0; i < arguments.size(); ++i) {
      values.push_back(argumentData(function, i));
      runner.write(arguments[i].first, values[i]);
    }
    if (!runner.run("logits"))
      return 1;
    int failures = 0, gradient = 0;
    for (unsigned i = 0; i < arguments.size(); ++i)
      if (isFloat(arguments[i].second))
        failures += compareArgument(runner, i, values[i], runner.read("g" + std::to_string(gradient++)));
    return failures;
  }

  int compareArgument(Runner &runner, unsigned index, const Data &values, const Data &gradient) {
    double errorSquared = 0, normSquared = 0;
    for (size_t j = 0; j < values.size(); ++j) {
      double sides[2];
      for (int side : {0, 1}) {
        Data moved = values;
        moved[j] += side ? kStep : -kStep;
        runner.write(arguments[index].first, moved);
        sides[side] = weighted(runner);
      }
      double difference = (sides[1] - sides[0]) / (2 * kStep);
      errorSquared += (difference - gradient[j]) * (difference - gradient[j]);
      normSquared += difference * difference;
    }
    runner.write(arguments[index].first, values);
    double error = std::sqrt(errorSquared), norm = std::sqrt(normSquared);
    bool isGood = error <= kTolerance * std::max(norm, 1.0);
    llvm::outs() << (isGood ? "ok   " : "FAIL ") << "gradient of @" << function.getName() << " argument " << index
                 << ": error " << error << ", norm " << norm << "\n";
    return !isGood;
  }

  func::FuncOp function;
  SmallVector<std::pair<std::string, Type>> arguments;
  std::vector<Data> cotangents;
};
} // namespace

int check::checkGradients(func::FuncOp function) { return GradientCheck(function).run(); }
