//===- KernelTest.cpp - generated kernels against plain C++ ---------------===//
//
// Each test states a kernel as text, runs it in pieces and compares with loops in double precision.
//
//===----------------------------------------------------------------------===//
#include "KernelRunner.h"
#include <cmath>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <sys/stat.h>

using namespace trainc;
using namespace trainc::test;

namespace {

template <typename T> std::vector<T> randoms(size_t count, unsigned seed, double low = -2, double high = 2) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> distribution(low, high);
  std::vector<T> values(count);
  for (T &value : values)
    value = T(distribution(generator));
  return values;
}

/// Replaces R, C and T in a kernel's text by numbers and an element type.
std::string fill(std::string text, int64_t rows, int64_t columns, const std::string &type) {
  auto replace = [&](const std::string &from, const std::string &to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace("$R", std::to_string(rows));
  replace("$C", std::to_string(columns));
  replace("$T", type);
  return text;
}

const char *kSoftmax = R"(
kernel.func @softmax(%x: memref<$Rx$Cx$T>, %y: memref<$Rx$Cx$T>, %m: memref<$Rx$T>) outer [$R] inner $C {
  %e = kernel.load %x [affine_map<(d0, d1) -> (d0, d1)>] : memref<$Rx$Cx$T>
  %max = kernel.reduce max %e : $T
  %d = arith.subf %e, %max : $T
  %p = math.exp %d : $T
  %s = kernel.reduce add %p : $T
  %q = arith.divf %p, %s : $T
  kernel.store %q, %y [affine_map<(d0, d1) -> (d0, d1)>] : memref<$Rx$Cx$T>
  kernel.store %max, %m [affine_map<(d0, d1) -> (d0)>] : memref<$Rx$T>
})";

template <typename T> void testSoftmax(int64_t rows, int64_t columns, const char *type, double tolerance) {
  KernelRunner runner(fill(kSoftmax, rows, columns, type));
  EXPECT_EQ(runner.getSchedule("softmax").form, LoopForm::Row);
  EXPECT_EQ(runner.getSchedule("softmax").passes.size(), 2u);
  std::vector<T> x = randoms<T>(rows * columns, 1, -30, 30), y(rows * columns), m(rows);
  runner.run("softmax", {x.data(), y.data(), m.data()});
  for (int64_t r = 0; r < rows; ++r) {
    double max = -INFINITY, sum = 0;
    for (int64_t c = 0; c < columns; ++c)
      max = std::max(max, double(x[r * columns + c]));
    for (int64_t c = 0; c < columns; ++c)
      sum += std::exp(x[r * columns + c] - max);
    EXPECT_EQ(m[r], T(max));
    for (int64_t c = 0; c < columns; ++c) {
      double expected = std::exp(x[r * columns + c] - max) / sum;
      ASSERT_NEAR(y[r * columns + c], expected, tolerance * expected + 1e-38) << "row " << r << " column " << c;
    }
  }
}

} // namespace

TEST(Kernel, SoftmaxF32) {
  for (int64_t columns : {1, 7, 65, 128, 5000})
    testSoftmax<float>(5, columns, "f32", 3e-6);
}

TEST(Kernel, SoftmaxF64) {
  for (int64_t columns : {1, 7, 65})
    testSoftmax<double>(3, columns, "f64", 1e-14);
}

TEST(Kernel, SoftmaxBeyondTheScratchLimitComputesAgain) {
  KernelRunner runner(fill(kSoftmax, 2, 20000, "f32"));
  EXPECT_TRUE(runner.getSchedule("softmax").kept.empty());
  testSoftmax<float>(2, 20000, "f32", 3e-6);
}

TEST(Kernel, SoftmaxKeepsTheExponential) {
  KernelRunner runner(fill(kSoftmax, 2, 64, "f32"));
  EXPECT_EQ(runner.getSchedule("softmax").kept.size(), 1u);
}

/// Layer norm in place, rows of `$C`: variance from centred values, so three passes and the stores.
TEST(Kernel, LayerNormInPlace) {
  for (int64_t columns : {1, 7, 65, 768}) {
    const int64_t rows = 9;
    KernelRunner runner(fill(R"(
kernel.func @norm(%x: memref<$Rx$Cxf32>, %g: memref<$Cxf32>, %inv: memref<1xf32>, %rstd: memref<$Rxf32>) outer [$R] inner $C {
  %e = kernel.load %x [affine_map<(d0, d1) -> (d0, d1)>] : memref<$Rx$Cxf32>
  %n = kernel.load %inv [affine_map<(d0, d1) -> (0)>] : memref<1xf32>
  %eps = arith.constant 1.0e-05 : f32
  %s = kernel.reduce add %e : f32
  %mean = arith.mulf %s, %n : f32
  %c = arith.subf %e, %mean : f32
  %cc = arith.mulf %c, %c : f32
  %v = kernel.reduce add %cc : f32
  %var = arith.mulf %v, %n : f32
  %ve = arith.addf %var, %eps : f32
  %r = math.rsqrt %ve : f32
  %h = arith.mulf %c, %r : f32
  %w = kernel.load %g [affine_map<(d0, d1) -> (d1)>] : memref<$Cxf32>
  %o = arith.mulf %h, %w : f32
  kernel.store %o, %x [affine_map<(d0, d1) -> (d0, d1)>] : memref<$Rx$Cxf32>
  kernel.store %r, %rstd [affine_map<(d0, d1) -> (d0)>] : memref<$Rxf32>
})",
                             rows, columns, "f32"));
    auto x = randoms<float>(rows * columns, 2), g = randoms<float>(columns, 3);
    std::vector<float> before = x, rstd(rows);
    float inverse = 1.0f / columns;
    runner.run("norm", {x.data(), g.data(), &inverse, rstd.data()});
    for (int64_t r = 0; r < rows; ++r) {
      double sum = 0, squares = 0;
      for (int64_t c = 0; c < columns; ++c)
        sum += before[r * columns + c];
      for (int64_t c = 0; c < columns; ++c)
        squares += std::pow(before[r * columns + c] - sum / columns, 2);
      double expectedRstd = 1 / std::sqrt(squares / columns + 1e-5);
      EXPECT_NEAR(rstd[r], expectedRstd, 1e-5 * expectedRstd);
      for (int64_t c = 0; c < columns; ++c)
        ASSERT_NEAR(x[r * columns + c], (before[r * columns + c] - sum / columns) * expectedRstd * g[c],
                    2e-5 * (1 + std::abs(g[c])));
    }
  }
}

const char *kColumnSum = R"(
kernel.func @sum(%x: memref<$Rx$Cx$T>, %acc: memref<$Cx$T>) outer [$C] inner $R {
  %e = kernel.load %x [affine_map<(d0, d1) -> (d1, d0)>] : memref<$Rx$Cx$T>
  %a = kernel.load %acc [affine_map<(d0, d1) -> (d0)>] : memref<$Cx$T>
  %s = kernel.reduce add %e : $T
  %t = arith.addf %a, %s : $T
  kernel.store %t, %acc [affine_map<(d0, d1) -> (d0)>] : memref<$Cx$T>
})";

/// A bias gradient added to its accumulator in place.
TEST(Kernel, ColumnSumInPlace) {
  for (int64_t columns : {7, 32, 65, 100, 768})
    for (int64_t rows : {1, 7, 129, 1000}) {
      KernelRunner runner(fill(kColumnSum, rows, columns, "f32"));
      ASSERT_EQ(runner.getSchedule("sum").form, LoopForm::Column);
      auto x = randoms<float>(rows * columns, 4), acc = randoms<float>(columns, 5), before = acc;
      runner.run("sum", {x.data(), acc.data()});
      for (int64_t c = 0; c < columns; ++c) {
        double sum = before[c];
        for (int64_t r = 0; r < rows; ++r)
          sum += x[r * columns + c];
        ASSERT_NEAR(acc[c], sum, 2e-6 * std::sqrt(double(rows)) * 2) << rows << " x " << columns << " column " << c;
      }
    }
}

/// Ten million ones and a third in f32: a running sum would stop at 2^24 or lose the thirds.
TEST(Kernel, LongSumsStayAccurate) {
  const int64_t count = 1 << 22;
  std::vector<float> x(count, 1.0f / 3);
  const double expected = double(1.0f / 3) * count;
  KernelRunner row(fill(R"(
kernel.func @sum(%x: memref<$Cxf32>, %y: memref<f32>) outer [] inner $C {
  %e = kernel.load %x [affine_map<(d0) -> (d0)>] : memref<$Cxf32>
  %s = kernel.reduce add %e : f32
  kernel.store %s, %y [affine_map<(d0) -> ()>] : memref<f32>
})",
                        1, count, "f32"));
  float y = 0;
  row.run("sum", {x.data(), &y});
  EXPECT_NEAR(y, expected, 1e-5 * expected);

  KernelRunner column(fill(kColumnSum, count / 32, 32, "f32"));
  std::vector<float> sums(32);
  column.run("sum", {x.data(), sums.data()});
  for (float sum : sums)
    EXPECT_NEAR(sum, expected / 32, 1e-5 * expected / 32);
}

/// Two reductions, one of them of values that depend on the other, and stores at both levels, with memory along the
/// columns.
TEST(Kernel, ColumnPasses) {
  for (int64_t columns : {32, 70}) {
    const int64_t rows = 37;
    KernelRunner runner(fill(R"(
kernel.func @norm(%x: memref<3x$Rx$Cxf64>, %y: memref<3x$Rx$Cxf64>, %v: memref<3x$Cxf64>) outer [3, $C] inner $R {
  %e = kernel.load %x [affine_map<(d0, d1, d2) -> (d0, d2, d1)>] : memref<3x$Rx$Cxf64>
  %rows = arith.constant 3.7e+01 : f64
  %s = kernel.reduce add %e : f64
  %mean = arith.divf %s, %rows : f64
  %c = arith.subf %e, %mean : f64
  %cc = arith.mulf %c, %c : f64
  %squares = kernel.reduce add %cc : f64
  %var = arith.divf %squares, %rows : f64
  %std = math.sqrt %var : f64
  %h = arith.divf %c, %std : f64
  kernel.store %h, %y [affine_map<(d0, d1, d2) -> (d0, d2, d1)>] : memref<3x$Rx$Cxf64>
  kernel.store %var, %v [affine_map<(d0, d1, d2) -> (d0, d1)>] : memref<3x$Cxf64>
})",
                             rows, columns, "f64"));
    ASSERT_EQ(runner.getSchedule("norm").form, LoopForm::Column);
    auto x = randoms<double>(3 * rows * columns, 6);
    std::vector<double> y(x.size()), v(3 * columns);
    runner.run("norm", {x.data(), y.data(), v.data()});
    for (int64_t b = 0; b < 3; ++b)
      for (int64_t c = 0; c < columns; ++c) {
        auto at = [&](int64_t r) { return (b * rows + r) * columns + c; };
        double mean = 0, variance = 0;
        for (int64_t r = 0; r < rows; ++r)
          mean += x[at(r)] / rows;
        for (int64_t r = 0; r < rows; ++r)
          variance += std::pow(x[at(r)] - mean, 2) / rows;
        EXPECT_NEAR(v[b * columns + c], variance, 1e-13);
        for (int64_t r = 0; r < rows; ++r)
          ASSERT_NEAR(y[at(r)], (x[at(r)] - mean) / std::sqrt(variance), 1e-12);
      }
  }
}

/// An optimizer-like chain: two arguments in place, a scalar argument, no outer dimension.
TEST(Kernel, ElementsInPlace) {
  for (int64_t count : {1, 7, 65, 1000}) {
    KernelRunner runner(fill(R"(
kernel.func @step(%p: memref<$Cxf32>, %m: memref<$Cxf32>, %g: memref<$Cxf32>, %rate: memref<f32>) outer [] inner $C {
  %w = kernel.load %p [affine_map<(d0) -> (d0)>] : memref<$Cxf32>
  %old = kernel.load %m [affine_map<(d0) -> (d0)>] : memref<$Cxf32>
  %d = kernel.load %g [affine_map<(d0) -> (d0)>] : memref<$Cxf32>
  %lr = kernel.load %rate [affine_map<(d0) -> ()>] : memref<f32>
  %b = arith.constant 9.0e-01 : f32
  %kept = arith.mulf %b, %old : f32
  %new = arith.addf %kept, %d : f32
  %s = arith.mulf %lr, %new : f32
  %r = arith.subf %w, %s : f32
  kernel.store %new, %m [affine_map<(d0) -> (d0)>] : memref<$Cxf32>
  kernel.store %r, %p [affine_map<(d0) -> (d0)>] : memref<$Cxf32>
})",
                             1, count, "f32"));
    EXPECT_EQ(runner.getSchedule("step").form, LoopForm::Element);
    EXPECT_EQ(runner.getShape("step").workItems, count);
    auto p = randoms<float>(count, 7), m = randoms<float>(count, 8), g = randoms<float>(count, 9);
    auto p0 = p, m0 = m;
    float rate = 0.25f;
    runner.run("step", {p.data(), m.data(), g.data(), &rate});
    for (int64_t i = 0; i < count; ++i) { // the same roundings: no contraction
      volatile float kept = 0.9f * m0[i];
      volatile float moment = kept + g[i];
      volatile float step = rate * moment;
      ASSERT_EQ(m[i], moment);
      ASSERT_EQ(p[i], p0[i] - step);
    }
  }
}

/// A scalar counter: run once although the work could be split.
TEST(Kernel, ScalarInPlace) {
  KernelRunner runner(R"(
kernel.func @count(%n: memref<i64>) outer [] inner 1 {
  %old = kernel.load %n [affine_map<(d0) -> ()>] : memref<i64>
  %one = arith.constant 1 : i64
  %new = arith.addi %old, %one : i64
  kernel.store %new, %n [affine_map<(d0) -> ()>] : memref<i64>
})");
  int64_t n = 41;
  EXPECT_EQ(runner.getShape("count").workItems, 1);
  runner.run("count", {&n});
  EXPECT_EQ(n, 42);
}

/// Masks as bytes, integers, maps with floordiv, mod and constants, coordinates, minimum and integer reductions.
TEST(Kernel, IntegersAndMaps) {
  const int64_t rows = 6, columns = 65;
  KernelRunner runner(fill(R"(
kernel.func @mix(%x: memref<3x65xi32>, %mask: memref<65xi1>, %y: memref<6x65xi32>, %low: memref<6xi32>, %high: memref<6xi64>,
                 %small: memref<6x65xi1>) outer [6] inner 65 {
  %e = kernel.load %x [affine_map<(d0, d1) -> (d0 mod 3, 64 - d1)>] : memref<3x65xi32>
  %f = kernel.load %x [affine_map<(d0, d1) -> (d0 floordiv 2, (d1 floordiv 5) * 2 + d1 mod 5)>] : memref<3x65xi32>
  %g = kernel.load %x [affine_map<(d0, d1) -> (((d1 - 30) floordiv 7 + 5) mod 3, (d1 - 30) mod 7 + (d1 - 30) ceildiv 7 + 5)>] : memref<3x65xi32>
  %on = kernel.load %mask [affine_map<(d0, d1) -> (d1)>] : memref<65xi1>
  %ef = arith.addi %e, %f : i32
  %sum = arith.addi %ef, %g : i32
  %zero = arith.constant 0 : i32
  %picked = arith.select %on, %sum, %zero : i32
  %i = kernel.index 0
  %j = kernel.index 1
  %ii = arith.index_cast %i : index to i32
  %jj = arith.index_cast %j : index to i32
  %k = arith.muli %ii, %jj : i32
  %o = arith.addi %picked, %k : i32
  %l = kernel.reduce min %o : i32
  %w = arith.extsi %o : i32 to i64
  %h = kernel.reduce max %w : i64
  %s = arith.cmpi slt, %o, %ii : i32
  kernel.store %o, %y [affine_map<(d0, d1) -> (d0, d1)>] : memref<6x65xi32>
  kernel.store %l, %low [affine_map<(d0, d1) -> (d0)>] : memref<6xi32>
  kernel.store %h, %high [affine_map<(d0, d1) -> (d0)>] : memref<6xi64>
  kernel.store %s, %small [affine_map<(d0, d1) -> (d0, d1)>] : memref<6x65xi1>
})",
                           rows, columns, "i32"));
  auto x = randoms<int32_t>(3 * columns, 10, -1000, 1000);
  auto mask = randoms<uint8_t>(columns, 11, 0, 1.999);
  std::vector<int32_t> y(rows * columns), low(rows);
  std::vector<int64_t> high(rows);
  std::vector<uint8_t> small(rows * columns, 9);
  runner.run("mix", {x.data(), mask.data(), y.data(), low.data(), high.data(), small.data()});
  for (int64_t i = 0; i < rows; ++i) {
    int32_t least = INT32_MAX, most = INT32_MIN;
    for (int64_t j = 0; j < columns; ++j) {
      int32_t sum = x[i % 3 * columns + 64 - j] + x[i / 2 * columns + j / 5 * 2 + j % 5];
      int64_t k = j - 30, floor = int64_t(std::floor(k / 7.0)), ceil = int64_t(std::ceil(k / 7.0));
      sum += x[(floor + 5) % 3 * columns + (k - 7 * floor) + ceil + 5];
      int32_t expected = (mask[j] ? sum : 0) + i * j;
      ASSERT_EQ(y[i * columns + j], expected);
      ASSERT_EQ(small[i * columns + j], expected < i);
      least = std::min(least, expected);
      most = std::max(most, expected);
    }
    EXPECT_EQ(low[i], least);
    EXPECT_EQ(high[i], most);
  }
}

/// An outer-level value spread over the inner dimension, and a reduction of a value that does not vary along it.
TEST(Kernel, OuterValues) {
  KernelRunner runner(R"(
kernel.func @spread(%x: memref<4xf32>, %y: memref<4x7xf32>, %z: memref<4xf32>) outer [4] inner 7 {
  %e = kernel.load %x [affine_map<(d0, d1) -> (d0)>] : memref<4xf32>
  %s = kernel.reduce add %e : f32
  %n = arith.negf %e : f32
  kernel.store %n, %y [affine_map<(d0, d1) -> (d0, d1)>] : memref<4x7xf32>
  kernel.store %s, %z [affine_map<(d0, d1) -> (d0)>] : memref<4xf32>
})");
  std::vector<float> x = {1, 2, -3, 0.5}, y(28), z(4);
  runner.run("spread", {x.data(), y.data(), z.data()});
  for (int i = 0; i < 28; ++i)
    EXPECT_EQ(y[i], -x[i / 7]);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(z[i], 7 * x[i]);
}

/// A maximum must not hide a NaN.
TEST(Kernel, MaximumKeepsNaN) {
  KernelRunner runner(fill(kSoftmax, 2, 65, "f32"));
  auto x = randoms<float>(130, 12);
  x[40] = NAN;
  std::vector<float> y(130), m(2);
  runner.run("softmax", {x.data(), y.data(), m.data()});
  EXPECT_TRUE(std::isnan(m[0]));
  EXPECT_FALSE(std::isnan(m[1]));
  EXPECT_TRUE(std::isnan(y[0]));
}

/// Known answers of Random123's test vectors (philox 4x32 10).
TEST(Kernel, PhiloxKnownAnswers) {
  KernelRunner runner(R"(
#p = affine_map<(d0) -> (d0)>
kernel.func @philox(%c: memref<4x20xi32>, %k: memref<2x20xi32>, %r: memref<20xi32>, %s: memref<20xi32>, %t: memref<20xi32>,
                    %u: memref<20xi32>) outer [] inner 20 {
  %c0 = kernel.load %c [affine_map<(d0) -> (0, d0)>] : memref<4x20xi32>
  %c1 = kernel.load %c [affine_map<(d0) -> (1, d0)>] : memref<4x20xi32>
  %c2 = kernel.load %c [affine_map<(d0) -> (2, d0)>] : memref<4x20xi32>
  %c3 = kernel.load %c [affine_map<(d0) -> (3, d0)>] : memref<4x20xi32>
  %k0 = kernel.load %k [affine_map<(d0) -> (0, d0)>] : memref<2x20xi32>
  %k1 = kernel.load %k [affine_map<(d0) -> (1, d0)>] : memref<2x20xi32>
  %r0, %r1, %r2, %r3 = kernel.philox counter(%c0, %c1, %c2, %c3) key(%k0, %k1)
  kernel.store %r0, %r [#p] : memref<20xi32>
  kernel.store %r1, %s [#p] : memref<20xi32>
  kernel.store %r2, %t [#p] : memref<20xi32>
  kernel.store %r3, %u [#p] : memref<20xi32>
})");
  struct Vector {
    uint32_t counter[4], key[2], words[4];
  };
  const Vector vectors[] = {{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
                            {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
                            {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                             {0xa4093822, 0x299f31d0},
                             {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  std::vector<uint32_t> c(80), k(40), words[4];
  for (auto &word : words)
    word.resize(20);
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 4; ++j)
      c[j * 20 + i] = vectors[i % 3].counter[j];
    for (int j = 0; j < 2; ++j)
      k[j * 20 + i] = vectors[i % 3].key[j];
  }
  runner.run("philox", {c.data(), k.data(), words[0].data(), words[1].data(), words[2].data(), words[3].data()});
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT_EQ(words[j][i], vectors[i % 3].words[j]) << i << " word " << j;
}

/// However the items are divided, the bits are the same.
TEST(Kernel, PiecesDoNotChangeBits) {
  KernelRunner runner(fill(kColumnSum, 300, 70, "f32") + fill(kSoftmax, 11, 65, "f32"));
  auto x = randoms<float>(300 * 70, 13);
  std::vector<float> whole(70), pieces(70), y(11 * 65), z(11 * 65), m(11);
  void *sumWhole[] = {x.data(), whole.data()}, *softWhole[] = {x.data(), y.data(), m.data()};
  runner.getEntry("sum")(sumWhole, 0, runner.getShape("sum").workItems);
  runner.run("sum", {x.data(), pieces.data()});
  EXPECT_EQ(whole, pieces);
  runner.getEntry("softmax")(softWhole, 0, 11);
  runner.run("softmax", {x.data(), z.data(), m.data()});
  EXPECT_EQ(y, z);
}
