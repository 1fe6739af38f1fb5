//===- RandomProgramTest.cpp - random programs against an interpreter -----===//
//
// Compiles random programs (fusion, in-place results, placement, code generation), runs them with the runtime and
// compares every result with the interpreter. Arguments and results are tied to the state: some results are new values
// of arguments, so that bytes are written in place or written back; other arguments must keep their bytes.
//
// Tolerance: values are at most 1e4 or so, computed in f64 by a few dozen operations whose functions are accurate to a
// few units in the last place: 1e-9 of the largest value leaves room for sums of a thousand terms and for the factors
// by which the functions' slopes raise errors.
//
//===----------------------------------------------------------------------===//
#include "RandomProgram.h"
#include "Interpreter.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/Verifier.h"
#include "test/tools/check/Runner.h"
#include "trainc/Pipelines/Pipelines.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace trainc;

static constexpr double kTolerance = 1e-9;

/// Seeds of programs, and of programs with gradients.
#ifdef TRAINC_LONG
static constexpr uint64_t kFirstSeed = 100, kLastSeed = 2000, kFirstGradientSeed = 40, kLastGradientSeed = 400;
#else
static constexpr uint64_t kFirstSeed = 0, kLastSeed = 100, kFirstGradientSeed = 0, kLastGradientSeed = 40;
#endif

namespace {
/// A program whose arguments and results are tied to state of names that start with the program's name.
struct TiedProgram {
  std::string name;
  SmallVector<std::string> argumentScopes, resultScopes;
  std::vector<test::Data> arguments, expected;
};

class RandomPrograms : public testing::Test {
protected:
  RandomPrograms() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.disableMultithreading();
    context.loadAllAvailableDialects();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) { errors += diagnostic.str() + "\n"; });
  }

  static test::Data randomArgument(RankedTensorType type, std::mt19937_64 &engine) {
    test::Data data(type.getNumElements());
    for (double &value : data) {
      double unit = double(engine() >> 11) * 0x1p-53;
      if (type.getElementType().isF64())
        value = 2 * unit - 1;
      else
        value = type.getElementType().isInteger(1) ? double(unit < 0.5) : std::floor(9 * unit) - 4;
    }
    return data;
  }

  Attribute stateAttr(StringRef scope) { return Builder(&context).getStrArrayAttr({scope, "compute"}); }

  /// Ties about a third of the results to an argument of the same type, each argument to one.
  TiedProgram tie(func::FuncOp function, uint64_t seed) {
    std::mt19937_64 engine(seed + 1);
    TiedProgram program{function.getName().str(), {}, {}, {}, {}};
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
      program.argumentScopes.push_back((program.name + ".a" + Twine(i)).str());
      program.arguments.push_back(randomArgument(cast<RankedTensorType>(type), engine));
      function.setArgAttr(i, train::kStateAttr, stateAttr(program.argumentScopes.back()));
    }
    llvm::StringSet<> taken;
    for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
      std::string scope = (program.name + ".r" + Twine(i)).str();
      for (auto [j, argumentType] : llvm::enumerate(function.getArgumentTypes()))
        if (type == argumentType && engine() % 3 == 0 && taken.insert(program.argumentScopes[j]).second) {
          scope = program.argumentScopes[j];
          break;
        }
      function.setResultAttr(i, train::kStateAttr, stateAttr(scope));
      program.resultScopes.push_back(scope);
    }
    program.expected = test::interpret(function, program.arguments);
    return program;
  }

  /// Compiles and runs programs, at most two, called eval and logits; Runner takes the module apart.
  void check(ModuleOp module, uint64_t seed) {
    ASSERT_TRUE(succeeded(verify(module))) << errors;
    SmallVector<TiedProgram> programs;
    std::string text;
    for (auto function : module.getOps<func::FuncOp>())
      programs.push_back(tie(function, seed));
    llvm::raw_string_ostream(text) << module;
    SCOPED_TRACE("seed " + std::to_string(seed) + (std::getenv("TRAINC_PRINT_PROGRAMS") ? "\n" + text : ""));
    check::Runner runner(module);
    ASSERT_TRUE(runner.isValid()) << errors;
    for (const TiedProgram &program : programs)
      run(runner, program);
  }

  void run(check::Runner &runner, const TiedProgram &program) {
    SCOPED_TRACE("@" + program.name);
    for (auto [scope, data] : llvm::zip_equal(program.argumentScopes, program.arguments))
      runner.write(scope, data);
    ASSERT_TRUE(runner.run(program.name));
    for (auto [scope, expected] : llvm::zip_equal(program.resultScopes, program.expected))
      compare(scope, runner.read(scope), expected);
    for (auto [scope, data] : llvm::zip_equal(program.argumentScopes, program.arguments))
      if (!llvm::is_contained(program.resultScopes, scope))
        compare(scope, runner.read(scope), data);
  }

  static void compare(StringRef scope, const test::Data &actual, const test::Data &expected) {
    ASSERT_EQ(actual.size(), expected.size()) << scope.str();
    double largest = 1;
    for (double value : expected)
      largest = std::max(largest, std::fabs(value));
    for (size_t i = 0; i < actual.size(); ++i)
      ASSERT_NEAR(actual[i], expected[i], kTolerance * largest) << scope.str() << " element " << i;
  }

  void checkRange(uint64_t begin, uint64_t end) {
    for (uint64_t seed = begin; seed < end && !HasFatalFailure(); ++seed) {
      OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
      test::RandomProgramOptions options;
      options.ops = 4 + int64_t(seed % 5) * 6;
      test::addRandomProgram(*module, "eval", 2 * seed, options);
      test::addRandomProgram(*module, "logits", 2 * seed + 1, options);
      check(*module, seed);
    }
  }

  MLIRContext context;
  std::string errors;
};
} // namespace

// TRAINC_SEEDS=first:last runs others.
TEST_F(RandomPrograms, MatchTheInterpreter) {
  uint64_t first = kFirstSeed, last = kLastSeed;
  if (const char *seeds = std::getenv("TRAINC_SEEDS"))
    ASSERT_EQ(std::sscanf(seeds, "%lu:%lu", &first, &last), 2) << "TRAINC_SEEDS expects first:last";
  checkRange(first, last);
}

// The seeds were chosen before the first run; programs whose arguments come near a kink would fail, not pass.
TEST_F(RandomPrograms, GradientsMatchDifferences) {
  for (uint64_t seed = kFirstGradientSeed; seed < kLastGradientSeed; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    test::RandomProgramOptions options;
    options.ops = 3 + int64_t(seed % 4) * 3;
    options.maxElements = 24;
    options.isDifferentiable = true;
    func::FuncOp function = test::addRandomProgram(*module, "program", seed, options);
    std::string text;
    llvm::raw_string_ostream(text) << function;
    EXPECT_EQ(check::checkGradients(function), 0) << errors << text;
  }
}
