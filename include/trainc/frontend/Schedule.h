// Learning-rate schedules: functions from the step to the learning rate, written in the DSL itself.
//
// A schedule is any `Tensor(Tensor step)`: step is a float scalar counted from 1. What it records runs once a step
// inside the plan, so a run that goes on from a saved state needs no launch argument.
#pragma once
#include "trainc/frontend/Elementwise.h"
#include <functional>

namespace trainc {

using Schedule = std::function<Tensor(Tensor step)>;

/// The same rate at every step.
inline Schedule constantRate(double rate, Source at = here()) {
  return [=](Tensor step) { return constant(step.builder(), rate, {}, step.dtype(), at); };
}

namespace detail {

/// Linear from 0 at step 0 to `peak` at `warmupSteps`, then `after` of the progress from there (0) to `totalSteps` (1),
/// where it stays.
inline Schedule warmup(double peak, int64_t warmupSteps, int64_t totalSteps,
                       std::function<Tensor(Tensor progress)> after, Source at) {
  if (warmupSteps < 0 || totalSteps <= warmupSteps)
    throw ModelError("a schedule expects 0 <= warmup steps < total steps, got " + std::to_string(warmupSteps) +
                         " and " + std::to_string(totalSteps),
                     at);
  return [=](Tensor step) {
    auto number = [&](double value) { return Operand(value, at.file, at.line); };
    auto tensor = [&](const Tensor &value) { return Operand(value, at.file, at.line); };
    double length = static_cast<double>(totalSteps - warmupSteps);
    Tensor done = tensor(tensor(step) - number(static_cast<double>(warmupSteps))) * number(1.0 / length);
    Tensor rate = after(minimum(tensor(done), number(1.0)));
    if (warmupSteps == 0)
      return rate;
    Tensor rising = tensor(step) * number(peak / static_cast<double>(warmupSteps));
    return where(less(tensor(step), number(static_cast<double>(warmupSteps))), tensor(rising), tensor(rate));
  };
}

/// cos(pi x) for x in [0, 1] as 1 - 2 sin^2(pi x / 2) with the Taylor series of sin to the 15th power: absolute error
/// below 2e-11. A polynomial, because generated kernels call no math library.
inline Tensor cosineOfTurn(const Tensor &x, Source at) {
  auto number = [&](double value) { return Operand(value, at.file, at.line); };
  auto tensor = [&](const Tensor &value) { return Operand(value, at.file, at.line); };
  Tensor y = tensor(x) * number(1.57079632679489661923);
  Tensor square = tensor(y) * tensor(y);
  Tensor sine = constant(x.builder(), 1.0, {}, x.dtype(), at);
  for (int n = 15; n >= 3; n -= 2) // Horner: 1 - y^2/(n(n-1)) * (...)
    sine = number(1.0) - tensor(tensor(square) * tensor(tensor(sine) * number(1.0 / (n * (n - 1)))));
  sine = tensor(sine) * tensor(y);
  return number(1.0) - tensor(tensor(tensor(sine) * tensor(sine)) * number(2.0));
}

} // namespace detail

/// Linear from 0 to `peak` over `warmupSteps`, then half a cosine down to `floor` at `totalSteps`, then `floor`.
/// Source: Loshchilov & Hutter 2017, arXiv:1608.03983, one period, with a linear warm-up.
inline Schedule warmupCosine(double peak, int64_t warmupSteps, int64_t totalSteps, double floor = 0.0,
                             Source at = here()) {
  auto after = [=](Tensor progress) {
    Tensor cosine = detail::cosineOfTurn(progress, at);
    Tensor scaled = Operand(cosine, at.file, at.line) * Operand(0.5 * (peak - floor), at.file, at.line);
    return Operand(scaled, at.file, at.line) + Operand(0.5 * (peak + floor), at.file, at.line);
  };
  return detail::warmup(peak, warmupSteps, totalSteps, after, at);
}

/// Linear from 0 to `peak` over `warmupSteps`, then linear to `floor` at `totalSteps`, then `floor`.
inline Schedule warmupLinear(double peak, int64_t warmupSteps, int64_t totalSteps, double floor = 0.0,
                             Source at = here()) {
  auto after = [=](Tensor progress) {
    Tensor fallen = Operand(progress, at.file, at.line) * Operand(peak - floor, at.file, at.line);
    return Operand(peak, at.file, at.line) - Operand(fallen, at.file, at.line);
  };
  return detail::warmup(peak, warmupSteps, totalSteps, after, at);
}

} // namespace trainc
