// A model whose learning rate is chosen by configuration; the rest is as small as can be.
#include <trainc/frontend.h>
using namespace trainc;

/// The comparisons that hold between step and 3, one bit each.
static Tensor comparisons(Tensor step) {
  Tensor bits = constant(step.builder(), 0.0, {}, step.dtype());
  double bit = 1;
  for (const Tensor &holds : {equal(step, 3), notEqual(step, 3), less(step, 3), lessEqual(step, 3), greater(step, 3),
                              greaterEqual(step, 3)}) {
    bits = bits + cast(holds, step.dtype()) * bit;
    bit *= 2;
  }
  return bits;
}

/// Every function of one number and every operator, in an expression that the test states again.
static Tensor arithmetic(Tensor step) {
  Tensor x = 1.0 + step / 4;
  Tensor y = exp(-x) + log(x) * tanh(x) - sqrt(x) / rsqrt(step);
  return where(greater(step, 2), maximum(y, 0.25 * x), minimum(y, -x));
}

TRAINC_MODEL(schedules) {
  Tensor tokens = m.tokens("tokens", {m.batch(), 2}, 4);
  Tensor losses = embedding(m.parameter("table", {4, 1}, ones()), tokens);
  m.loss(sum(losses), elementCount(losses));
  m.optimizer(sgd());
  std::string schedule = m.config("schedule", "constant");
  m.learningRate(schedule == "cosine"        ? warmupCosine(0.5, 10, 110, 0.1)
                 : schedule == "cold-cosine" ? warmupCosine(0.5, 0, 100)
                 : schedule == "linear"      ? warmupLinear(0.5, 10, 110, 0.1)
                 : schedule == "comparisons" ? Schedule(comparisons)
                 : schedule == "arithmetic"  ? Schedule(arithmetic)
                                             : constantRate(0.5));
}
