//===- KernelsTest.cpp - library routines against their definition ----------------===//
//
// Every routine in f32 and f64, over sizes that do not divide by vectors, tiles or threads, on 1 to 3 threads. Allowed
// error: a few units of the element type, scaled by the square root of the reduction's length.
//
//===-----------------------------------------------------------------------===//
#include "runtime/kernels/cpu/Kernels.h"
#include "runtime/kernels/cpu/VectorMath.h"
#include "runtime/kernels/reference/Reference.h"

#include <gtest/gtest.h>
#include <random>

using namespace trainc;

namespace {

template <typename T> std::vector<T> randoms(int64_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<T> values(count);
  for (T &value : values)
    value = T(normal(engine));
  return values;
}

std::vector<int32_t> indices(int64_t count, int64_t limit, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<int32_t> values(count);
  for (int32_t &value : values)
    value = int32_t(engine() % limit);
  return values;
}

/// |got - want| <= units * epsilon * sqrt(terms) * (1 + |want|), elementwise.
template <typename T, typename U>
void expectNear(const std::vector<T> &got, const std::vector<U> &want, int64_t terms, double units = 8) {
  ASSERT_EQ(got.size(), want.size());
  double tolerance = units * std::numeric_limits<T>::epsilon() * std::sqrt(double(terms));
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_LE(std::abs(double(got[i]) - want[i]), tolerance * (1 + std::abs(double(want[i])))) << "element " << i;
}

template <typename T> class KernelsTest : public testing::Test {};
using ElementTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(KernelsTest, ElementTypes);

TYPED_TEST(KernelsTest, GemmMatchesReference) {
  using T = TypeParam;
  for (int threads : {1, 3})
    for (auto [m, n, k] : {std::tuple{1, 1, 1}, {7, 65, 3}, {65, 7, 130}, {200, 190, 33}, {3, 1000, 20}})
      for (int flags = 0; flags < 8; ++flags) {
        ThreadPool pool(threads);
        GemmParameters p{m, n, k, bool(flags & 1), bool(flags & 2), bool(flags & 4)};
        auto a = randoms<T>(m * k, 1), b = randoms<T>(k * n, 2), c = randoms<T>(m * n, 3), want = c;
        cpu::gemm(p, a.data(), b.data(), c.data(), pool);
        reference::gemm(p, a.data(), b.data(), want.data());
        expectNear(c, want, k);
      }
}

TYPED_TEST(KernelsTest, EmbeddingMatchesReference) {
  using T = TypeParam;
  for (int threads : {1, 2, 3})
    for (auto [rows, width, count] : {std::tuple{1, 1, 1}, {5, 8, 7}, {50, 65, 300}, {7, 130, 1000}})
      for (bool accumulate : {false, true}) {
        ThreadPool pool(threads);
        EmbeddingParameters p{rows, width, count, accumulate};
        auto table = randoms<T>(rows * width, 1), dtable = table, want = table, dy = randoms<T>(count * width, 2);
        auto ids = indices(count, rows, 3);
        std::vector<T> y(count * width), wantY(count * width);
        ASSERT_FALSE(cpu::embeddingForward(p, table.data(), ids.data(), y.data(), pool).what);
        reference::embeddingForward(p, table.data(), ids.data(), wantY.data());
        EXPECT_EQ(y, wantY);
        ASSERT_FALSE(cpu::embeddingBackward(p, dy.data(), ids.data(), dtable.data(), pool).what);
        reference::embeddingBackward(p, dy.data(), ids.data(), want.data());
        expectNear(dtable, want, count);
      }
}

TYPED_TEST(KernelsTest, EmbeddingBackwardHasTheSameBitsForAnyThreads) {
  using T = TypeParam;
  EmbeddingParameters p{11, 96, 2000, false};
  auto dy = randoms<T>(p.count * p.width, 2);
  auto ids = indices(p.count, p.rows, 3);
  std::vector<T> one(p.rows * p.width), three(p.rows * p.width);
  ThreadPool poolOfOne(1), poolOfThree(3);
  (void)cpu::embeddingBackward(p, dy.data(), ids.data(), one.data(), poolOfOne);
  (void)cpu::embeddingBackward(p, dy.data(), ids.data(), three.data(), poolOfThree);
  EXPECT_EQ(one, three);
}

TYPED_TEST(KernelsTest, AttentionMatchesReference) {
  using T = TypeParam;
  for (int threads : {1, 3})
    for (int sequence : {1, 7, 64, 65, 130})
      for (int width : {1, 8, 24, 64})
        for (bool causal : {false, true}) {
          SCOPED_TRACE(fmt::format("T={} D={} causal={} threads={}", sequence, width, causal, threads));
          ThreadPool pool(threads);
          AttentionParameters p{2, sequence, 3, width, causal, 1 / std::sqrt(double(width))};
          int64_t size = 2 * sequence * 3 * width, rows = 2 * sequence * 3;
          auto q = randoms<T>(size, 1), k = randoms<T>(size, 2), v = randoms<T>(size, 3), dout = randoms<T>(size, 4);
          std::vector<T> o(size), lse(rows), wantO(size), wantLse(rows), dq(size), dk(size), dv(size);
          // Bytes after the declared workspace must not be touched.
          std::vector<char> workspace(attentionForwardWorkspaceBytes(p, threads, sizeof(T)) + 64, 'x');
          cpu::attentionForward(p, q.data(), k.data(), v.data(), o.data(), lse.data(), workspace.data(), pool);
          EXPECT_EQ(std::string(workspace.end() - 64, workspace.end()), std::string(64, 'x'));
          reference::attentionForward(p, q.data(), k.data(), v.data(), wantO.data(), wantLse.data());
          expectNear(o, wantO, sequence * width);
          expectNear(lse, wantLse, sequence * width);

          workspace.assign(attentionBackwardWorkspaceBytes(p, threads, sizeof(T)) + 64, 'x');
          cpu::attentionBackward<T>(
              p, {q.data(), k.data(), v.data(), o.data(), lse.data(), dout.data(), dq.data(), dk.data(), dv.data()},
              workspace.data(), pool);
          EXPECT_EQ(std::string(workspace.end() - 64, workspace.end()), std::string(64, 'x'));
          std::vector<double> wantQ, wantK, wantV;
          reference::attentionBackward(p, q.data(), k.data(), v.data(), dout.data(), wantQ, wantK, wantV);
          expectNear(dq, wantQ, sequence * width);
          expectNear(dk, wantK, sequence * width);
          expectNear(dv, wantV, sequence * width);
        }
}

/// Scores in the hundreds: exponentials without the running maximum would overflow.
TYPED_TEST(KernelsTest, AttentionTakesLargeScores) {
  using T = TypeParam;
  ThreadPool pool(1);
  AttentionParameters p{1, 130, 1, 8, true, 30.0};
  auto q = randoms<T>(130 * 8, 1), k = randoms<T>(130 * 8, 2), v = randoms<T>(130 * 8, 3);
  std::vector<T> o(130 * 8), lse(130);
  std::vector<char> workspace(attentionForwardWorkspaceBytes(p, 1, sizeof(T)));
  cpu::attentionForward(p, q.data(), k.data(), v.data(), o.data(), lse.data(), workspace.data(), pool);
  for (T x : o)
    ASSERT_TRUE(std::isfinite(x) && std::abs(x) < 10);
}

TYPED_TEST(KernelsTest, CrossEntropyMatchesReference) {
  using T = TypeParam;
  for (int threads : {1, 3})
    for (auto [count, classes] : {std::pair{1, 1}, {7, 31}, {65, 256}, {20, 1001}}) {
      ThreadPool pool(threads);
      CrossEntropyParameters p{count, classes};
      auto logits = randoms<T>(count * classes, 1), dloss = randoms<T>(count, 2);
      auto targets = indices(count, classes, 3);
      std::vector<T> loss(count), lse(count), wantLoss(count), wantLse(count), want(count * classes);
      ASSERT_FALSE(cpu::crossEntropyForward(p, logits.data(), targets.data(), loss.data(), lse.data(), pool).what);
      reference::crossEntropyForward(p, logits.data(), targets.data(), wantLoss.data(), wantLse.data());
      expectNear(loss, wantLoss, classes);
      expectNear(lse, wantLse, classes);
      reference::crossEntropyBackward(p, logits.data(), targets.data(), lse.data(), dloss.data(), want.data());
      T *inPlace = logits.data();
      ASSERT_FALSE(cpu::crossEntropyBackward(p, inPlace, targets.data(), lse.data(), dloss.data(), inPlace, pool).what);
      expectNear(logits, want, 1);
    }
}

TYPED_TEST(KernelsTest, IndicesOutsideTheTableAreFaults) {
  using T = TypeParam;
  ThreadPool pool(1);
  std::vector<T> x(12), y(12), z(3);
  std::vector<int32_t> ids = {0, 3, -1};
  RoutineFault fault = cpu::embeddingForward({3, 4, 3, false}, x.data(), ids.data(), y.data(), pool);
  EXPECT_EQ(std::make_tuple(std::string(fault.what), fault.position, fault.value), std::make_tuple("id", 1, 3));
  fault = cpu::crossEntropyForward({3, 4}, x.data(), ids.data(), y.data(), z.data(), pool);
  EXPECT_EQ(std::make_tuple(std::string(fault.what), fault.position, fault.value), std::make_tuple("target", 2, -1));
}

/// The largest error of exp over [low, high] in units of the last place.
template <typename T> double worstUlp(T low, T high, int steps) {
  double worst = 0;
  for (int i = 0; i <= steps; ++i) {
    T x = low + (high - low) * T(i) / T(steps);
    long double want = std::exp(static_cast<long double>(x));
    T rounded = T(want);
    T ulp = std::nextafter(rounded, std::numeric_limits<T>::infinity()) - rounded;
    worst = std::max(worst, double(std::abs(vector::exp(x) - want) / ulp));
  }
  return worst;
}

TYPED_TEST(KernelsTest, ExpIsAccurate) {
  using T = TypeParam;
  bool isFloat = sizeof(T) == 4;
  EXPECT_LE(worstUlp<T>(isFloat ? -87 : -708, isFloat ? T(88.7) : T(709.7), 1000003), 2);
  EXPECT_LE(worstUlp<T>(-1, 1, 1000003), 2);
  // Subnormal results: two roundings.
  EXPECT_LE(worstUlp<T>(isFloat ? -103 : -744, isFloat ? -87 : -708, 100003), 2);
  T infinity = std::numeric_limits<T>::infinity();
  EXPECT_EQ(vector::exp(T(0)), T(1));
  EXPECT_EQ(vector::exp(-infinity), T(0));
  EXPECT_EQ(vector::exp(T(-1e6)), T(0));
  EXPECT_EQ(vector::exp(infinity), infinity);
  EXPECT_EQ(vector::exp(T(isFloat ? 88.73 : 709.79)), infinity);
  EXPECT_TRUE(std::isnan(vector::exp(std::numeric_limits<T>::quiet_NaN())));
}

} // namespace
