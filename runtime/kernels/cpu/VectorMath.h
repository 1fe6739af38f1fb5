//===- VectorMath.h - arithmetic that the compiler vectorizes ----------------===//
//
// exp without a libm call, and reductions over one row, written so that clang turns them into vector code under IEEE
// rules: exp is branch-free, a reduction keeps kLanes accumulators and combines them in a fixed order. Results depend
// on the data alone, never on alignment or threads.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace trainc::vector {

/// Accumulators of a row reduction: four AVX registers of floats.
inline constexpr int kLanes = 32;

template <typename T> struct ExpConstants;
template <> struct ExpConstants<float> {
  using Bits = uint32_t;
  static constexpr float kLow = -104.0f, kHigh = 89.0f; ///< beyond: 0 and infinity
  static constexpr float kRound = 12582912.0f;          ///< 1.5 * 2^23: adding it rounds to an integer
  static constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  static constexpr int kMantissa = 23, kBias = 127;
  /// exp(r) for |r| <= ln(2) / 2, from the highest degree. Source: Moshier, Cephes, expf.
  static constexpr float kPolynomial[] = {1.9875691500e-4f,
                                          1.3981999507e-3f,
                                          8.3334519073e-3f,
                                          4.1665795894e-2f,
                                          1.6666665459e-1f,
                                          5.0000001201e-1f,
                                          1.0f,
                                          1.0f};
};
template <> struct ExpConstants<double> {
  using Bits = uint64_t;
  static constexpr double kLow = -746.0, kHigh = 710.0;
  static constexpr double kRound = 6755399441055744.0;
  static constexpr double kLn2High = 6.93145751953125e-1, kLn2Low = 1.42860682030941723212e-6;
  static constexpr int kMantissa = 52, kBias = 1023;
  /// Taylor to degree 13: the next term is below 5e-18 there.
  static constexpr double kPolynomial[] = {
      1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
      1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1.0,         1.0};
};

/// e^x to 2 ulp; 0 below the subnormals, infinity above the range, NaN for NaN.
template <typename T> inline T exp(T x) {
  using C = ExpConstants<T>;
  using Bits = typename C::Bits;
  // Selects written so that a NaN stays.
  x = x < C::kLow ? C::kLow : x;
  x = x > C::kHigh ? C::kHigh : x;
  T shifted = std::fma(x, T(1.44269504088896340736), C::kRound);
  T n = shifted - C::kRound;
  T r = std::fma(-n, C::kLn2Low, std::fma(-n, C::kLn2High, x));
  T result = C::kPolynomial[0];
#pragma clang loop unroll(full)
  for (unsigned i = 1; i < sizeof(C::kPolynomial) / sizeof(T); ++i)
    result = std::fma(result, r, C::kPolynomial[i]);
  // 2^n in two factors, so that subnormal results and the last binade come out right. AVX2 has no arithmetic shift of
  // 64-bit lanes: halve n as an unsigned number with an even offset.
  constexpr Bits kOffset = 4096;
  Bits exponent = __builtin_bit_cast(Bits, shifted) - __builtin_bit_cast(Bits, C::kRound);
  Bits half = ((exponent + kOffset) >> 1) - kOffset / 2;
  T first = __builtin_bit_cast(T, Bits(half + C::kBias) << C::kMantissa);
  T second = __builtin_bit_cast(T, Bits(exponent - half + C::kBias) << C::kMantissa);
  return result * first * second;
}

/// The greatest of x[0, count); -infinity if there is none. Ignores NaN.
template <typename T> inline T maximum(const T *x, int64_t count) {
  constexpr T kLowest = -std::numeric_limits<T>::infinity();
  T lanes[kLanes];
  for (T &lane : lanes)
    lane = kLowest;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int lane = 0; lane < kLanes; ++lane)
      lanes[lane] = x[i + lane] > lanes[lane] ? x[i + lane] : lanes[lane];
  T result = kLowest;
  for (; i < count; ++i)
    result = x[i] > result ? x[i] : result;
  for (T lane : lanes)
    result = lane > result ? lane : result;
  return result;
}

/// The sum of term(0), ..., term(count - 1).
template <typename T, typename Term> inline T sum(int64_t count, const Term &term) {
  T lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int lane = 0; lane < kLanes; ++lane)
      lanes[lane] += term(i + lane);
  T result = 0;
  for (; i < count; ++i)
    result += term(i);
  for (int width = kLanes / 2; width; width /= 2)
    for (int lane = 0; lane < width; ++lane)
      lanes[lane] += lanes[lane + width];
  return result + lanes[0];
}

} // namespace trainc::vector
