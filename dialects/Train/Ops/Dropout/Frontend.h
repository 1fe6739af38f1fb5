// The DSL's view of train.dropout.
#pragma once
#include "trainc/frontend/Tensor.h"

namespace trainc {

/// While training, zeroes each element with probability `rate` and divides the others by 1 - rate; else `x` itself.
/// The mask depends on (seed, step, scope, global sample, element), never on how the batch is cut. Errors: a rate
/// outside [0, 1); the batch in another dimension than the first.
inline Tensor dropout(const Tensor &x, double rate, Source at = here()) {
  if (!(rate >= 0 && rate < 1))
    x.fail("dropout expects a rate of at least 0 and below 1, got " + std::to_string(rate), at);
  Builder &builder = x.builder();
  if (rate == 0 || !builder.training())
    return x;
  for (int64_t i = 1; i < x.dimCount(); ++i)
    if (x.dim(i).isBatch())
      x.fail("dropout expects the batch in the first dimension", at);
  int64_t samples = x.dimCount() ? x.dim(0).samples() : 0;
  auto scalar = [&](RunScalar which) { return Tensor(builder, builder.runScalar(which), {}); };
  std::vector<Attribute> attributes = {{"rate", rate}, {"stream", builder.randomStream(at)}, {"samples", samples}};
  return record("train.dropout", {x, scalar(RunScalar::Seed), scalar(RunScalar::Step), scalar(RunScalar::Sample)},
                attributes, at)[0];
}

} // namespace trainc
