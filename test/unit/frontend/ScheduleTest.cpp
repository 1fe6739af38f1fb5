// Learning-rate schedules and elementwise functions by numbers: what a schedule records is interpreted here, op by op,
// and compared with the formula from the paper in the C library's arithmetic.
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "trainc/Import.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;

namespace {
constexpr double kPi = 3.14159265358979323846;

bool compare(arith::CmpFPredicate predicate, double a, double b) {
  switch (predicate) {
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::UNE:
    return a != b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  default:
    ADD_FAILURE() << "a predicate that the DSL does not have";
    return false;
  }
}

/// The result of `op` for the operands `x`, all scalars.
double evaluate(Operation &op, ArrayRef<double> x) {
  return llvm::TypeSwitch<Operation *, double>(&op)
      .Case([](arith::ConstantOp c) {
        return cast<DenseElementsAttr>(c.getValue()).getSplatValue<APFloat>().convertToDouble();
      })
      .Case([&](arith::AddFOp) { return x[0] + x[1]; })
      .Case([&](arith::SubFOp) { return x[0] - x[1]; })
      .Case([&](arith::MulFOp) { return x[0] * x[1]; })
      .Case([&](arith::DivFOp) { return x[0] / x[1]; })
      .Case([&](arith::MinimumFOp) { return std::min(x[0], x[1]); })
      .Case([&](arith::MaximumFOp) { return std::max(x[0], x[1]); })
      .Case([&](arith::CmpFOp c) { return double(compare(c.getPredicate(), x[0], x[1])); })
      .Case([&](arith::SelectOp) { return x[0] != 0 ? x[1] : x[2]; })
      .Case([&](arith::UIToFPOp) { return x[0]; })
      .Case([&](math::ExpOp) { return std::exp(x[0]); })
      .Case([&](math::LogOp) { return std::log(x[0]); })
      .Case([&](math::TanhOp) { return std::tanh(x[0]); })
      .Case([&](math::SqrtOp) { return std::sqrt(x[0]); })
      .Case([&](math::RsqrtOp) { return 1 / std::sqrt(x[0]); })
      .Default([](Operation *other) {
        ADD_FAILURE() << "unexpected op " << other->getName().getStringRef().str();
        return NAN;
      });
}

/// The learning rate of Inputs/schedules.cpp at a step, in double precision.
class ScheduleTest : public testing::Test {
protected:
  void record(const std::string &schedule) {
    DialectRegistry registry;
    registry.insert<func::FuncDialect>();
    trainc::train::registerTrainDialect(registry);
    context.appendDialectRegistry(registry);
    trainc::ImportOptions options;
    options.modelPath = TRAINC_TEST_INPUTS "/schedules.cpp";
    options.settings = {{"schedule", schedule}};
    options.isDoublePrecision = true;
    module = trainc::importModel(context, options);
  }
  double rate(double step) {
    auto function = module->lookupSymbol<func::FuncOp>("learning_rate");
    llvm::DenseMap<Value, double> values;
    values[function.getArgument(0)] = step;
    for (Operation &op : function.front().without_terminator()) {
      SmallVector<double> operands;
      for (Value operand : op.getOperands())
        operands.push_back(values.at(operand));
      values[op.getResult(0)] = evaluate(op, operands);
    }
    return values.at(function.front().getTerminator()->getOperand(0));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(ScheduleTest, ConstantRate) {
  record("constant");
  EXPECT_EQ(rate(1), 0.5);
  EXPECT_EQ(rate(1e6), 0.5);
}

TEST_F(ScheduleTest, WarmupCosine) {
  record("cosine");
  for (double step = 1; step <= 130; ++step) {
    double progress = std::min((step - 10) / 100, 1.0);
    double expected = step < 10 ? 0.5 * step / 10 : 0.1 + 0.5 * (0.5 - 0.1) * (1 + std::cos(kPi * progress));
    EXPECT_NEAR(rate(step), expected, 2e-11) << "step " << step; // the series' error
  }
}

TEST_F(ScheduleTest, WarmupCosineWithoutWarmup) {
  record("cold-cosine");
  for (double step = 1; step <= 130; ++step)
    EXPECT_NEAR(rate(step), 0.25 * (1 + std::cos(kPi * std::min(step / 100, 1.0))), 2e-11) << "step " << step;
}

TEST_F(ScheduleTest, WarmupLinear) {
  record("linear");
  for (double step = 1; step <= 130; ++step) {
    double expected = step < 10 ? 0.5 * step / 10 : 0.5 - 0.4 * std::min((step - 10) / 100, 1.0);
    EXPECT_NEAR(rate(step), expected, 1e-15) << "step " << step;
  }
}

TEST_F(ScheduleTest, Comparisons) {
  record("comparisons");
  EXPECT_EQ(rate(2), 2 + 4 + 8);   // not equal, less, less or equal
  EXPECT_EQ(rate(3), 1 + 8 + 32);  // equal, less or equal, greater or equal
  EXPECT_EQ(rate(4), 2 + 16 + 32); // not equal, greater, greater or equal
  EXPECT_EQ(rate(NAN), 2);         // not equal only
}

TEST_F(ScheduleTest, Arithmetic) {
  record("arithmetic");
  for (double step : {1.0, 2.0, 3.0, 17.0}) {
    double x = 1 + step / 4;
    double y = std::exp(-x) + std::log(x) * std::tanh(x) - std::sqrt(x) * std::sqrt(step);
    EXPECT_NEAR(rate(step), step > 2 ? std::max(y, 0.25 * x) : std::min(y, -x), 1e-12) << "step " << step;
  }
}
} // namespace
