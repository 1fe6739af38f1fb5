//===- MathTest.cpp - accuracy of expanded functions ----------------------===//
//
// Each function runs in a generated kernel over a wide range and special values; errors are measured in units of the
// last place of the result against long double, and held to what ExpandMath.cpp states.
//
//===----------------------------------------------------------------------===//
#include "KernelRunner.h"
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

using namespace trainc;
using namespace trainc::test;

namespace {

using Reference = std::function<long double(long double)>;

/// Arguments of one sign per power of two from the smallest subnormal to the largest number, several per power.
template <typename T> std::vector<T> allMagnitudes() {
  std::vector<T> values;
  using Limits = std::numeric_limits<T>;
  int lowest = Limits::min_exponent - Limits::digits, highest = Limits::max_exponent;
  for (int exponent = lowest; exponent < highest; ++exponent)
    for (int i = 0; i < 61; ++i)
      for (int sign : {-1, 1})
        values.push_back(sign * std::ldexp(T(1) + T(i) / 61, exponent));
  return values;
}

template <typename T> std::vector<T> range(double low, double high, int64_t count) {
  std::vector<T> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = T(low + (high - low) * i / (count - 1));
  return values;
}

template <typename T> std::vector<T> run(const std::string &function, std::vector<T> &x) {
  std::string type = sizeof(T) == 4 ? "f32" : "f64", buffer = "memref<" + std::to_string(x.size()) + "x" + type + ">";
  KernelRunner runner("kernel.func @f(%x: " + buffer + ", %y: " + buffer + ") outer [] inner " +
                      std::to_string(x.size()) + " {\n %e = kernel.load %x [affine_map<(d0) -> (d0)>] : " + buffer +
                      "\n %r = math." + function + " %e : " + type +
                      "\n kernel.store %r, %y [affine_map<(d0) -> (d0)>] : " + buffer + "\n}");
  std::vector<T> y(x.size());
  runner.run("f", {x.data(), y.data()});
  return y;
}

/// |actual - expected| in units of the last place of T at `expected`.
template <typename T> double getError(T actual, long double expected) {
  T rounded = T(expected);
  if (std::isnan(rounded) || std::isinf(rounded) || rounded == 0)
    return (std::isnan(rounded) && std::isnan(actual)) ||
                   (rounded == actual && std::signbit(rounded) == std::signbit(actual))
               ? 0
               : INFINITY;
  if (!std::isfinite(actual))
    return INFINITY;
  int exponent = std::max(std::ilogb(rounded), std::numeric_limits<T>::min_exponent - 1);
  return double(std::abs(actual - expected) / std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits + 1));
}

template <typename T>
void check(const std::string &function, const Reference &reference, std::vector<T> x, double bound) {
  for (T special : {T(0), T(-0.0), std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                    std::numeric_limits<T>::quiet_NaN()})
    x.push_back(special);
  std::vector<T> y = run(function, x);
  double worst = 0;
  T worstAt = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double error = getError(y[i], reference(x[i]));
    if (error > worst) {
      worst = error;
      worstAt = x[i];
    }
  }
  EXPECT_LE(worst, bound) << function << " at " << worstAt;
  std::printf("%s f%zu: %.2f ulp at %.9g\n", function.c_str(), sizeof(T) * 8, worst, double(worstAt));
}

template <typename T>
void checkAll(const std::string &function, const Reference &reference, double low, double high, double bound) {
  check<T>(function, reference, allMagnitudes<T>(), bound);
  check<T>(function, reference, range<T>(low, high, 1 << 19), bound);
}

long double expL(long double x) { return std::exp(x); }
long double logL(long double x) { return std::log(x); }
long double tanhL(long double x) { return std::tanh(x); }
long double rsqrtL(long double x) { return 1 / std::sqrt(x); }
constexpr double kSinLimit = 0x1p28;
long double sinL(long double x) { return std::abs(x) <= kSinLimit ? std::sin(x) : NAN; }
long double cosL(long double x) { return std::abs(x) <= kSinLimit ? std::cos(x) : NAN; }

} // namespace

TEST(Math, Exp) {
  checkAll<float>("exp", expL, -105, 90, 1.5);
  checkAll<double>("exp", expL, -750, 712, 2);
}

TEST(Math, Log) {
  checkAll<float>("log", logL, 1e-6, 4, 1);
  checkAll<double>("log", logL, 1e-6, 4, 2);
}

TEST(Math, Tanh) {
  checkAll<float>("tanh", tanhL, -12, 12, 3);
  checkAll<float>("tanh", tanhL, -0.6, 0.6, 3);
  checkAll<double>("tanh", tanhL, -23, 23, 4);
  checkAll<double>("tanh", tanhL, -0.6, 0.6, 4);
}

TEST(Math, SinCos) {
  checkAll<float>("sin", sinL, -40, 40, 1);
  checkAll<double>("sin", sinL, -40, 40, 2);
  checkAll<float>("cos", cosL, -40, 40, 1);
  checkAll<double>("cos", cosL, -40, 40, 2);
  checkAll<double>("sin", sinL, -2e8, 2e8, 2);
}

TEST(Math, Rsqrt) {
  checkAll<float>("rsqrt", rsqrtL, 1e-6, 4, 1.5);
  checkAll<double>("rsqrt", rsqrtL, 1e-6, 4, 1.5);
}
