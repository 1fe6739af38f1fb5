//===- Trainer.h - training steps, evaluation, sampling -------------------------------===//
//
// What the host does around a plan's programs: fill inputs, run, read metrics. The plan advances step and cursor
// itself.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Executor.h"
#include "runtime/core/File.h"
#include "runtime/core/Sampler.h"

namespace trainc {

struct StepResult {
  int64_t step; ///< counted from 1
  double loss, gradientNorm, learningRate;
};

/// Runs the `train` program.
class Trainer {
public:
  /// Errors: the plan has no `train` program, or not the metrics loss, grad_norm and lr. Both outlive the trainer.
  static Result<Trainer> create(Executor &executor, const Sampler &sampler);

  /// Tokens that one step trains on.
  int64_t tokensPerStep() const;
  /// One step: fills the inputs of every micro-batch, runs the program. Unless `gradientFile` is null, the gradients
  /// are written there before the parameters are updated. Allocates nothing otherwise.
  Result<StepResult> step(AtomicFile *gradientFile);

private:
  Trainer(Executor &executor, const Sampler &sampler, const Program &program)
      : executor(&executor), sampler(&sampler), program(&program) {}
  Status runProgram(AtomicFile *gradientFile);
  Executor *executor;
  const Sampler *sampler;
  const Program *program;
  MetricView loss, gradientNorm, learningRate;
};

struct Evaluation {
  double lossSum = 0, count = 0;
  int64_t batches = 0, leftOutSamples = 0;
  double loss() const { return lossSum / count; }
};

/// Runs the `eval` program.
class Evaluator {
public:
  /// Errors: no `eval` program or metrics; fewer samples than one micro-batch. Both outlive the evaluator.
  static Result<Evaluator> create(Executor &executor, const Sampler &sampler);

  /// The loss over the first `maxBatches` micro-batches (0: all whole ones), training off.
  Result<Evaluation> run(int64_t maxBatches) const;

private:
  Evaluator(Executor &executor, const Sampler &sampler, const Program &program)
      : executor(&executor), sampler(&sampler), program(&program) {}
  Executor *executor;
  const Sampler *sampler;
  const Program *program;
  MetricView lossSum, count;
};

/// Draws tokens from the `logits` program.
class Generator {
public:
  /// `temperature` 0 takes the likeliest token. Errors: no `logits` program, or it has no tokens input or no logits.
  static Result<Generator> create(Executor &executor, double temperature, uint64_t seed);

  /// Number of logits of one position.
  int64_t vocabulary() const { return logits.type.shape.back(); }
  /// The token that follows `context`, of which the last T count; `context` is not empty.
  Result<int32_t> next(const std::vector<int32_t> &context);

private:
  Generator(Executor &executor, const Program &program, double temperature, uint64_t seed)
      : executor(&executor), program(&program), temperature(temperature), seed(seed) {}
  int32_t draw(int64_t firstLogit, uint64_t position);
  Executor *executor;
  const Program *program;
  double temperature;
  uint64_t seed;
  MetricView logits;
  int32_t *tokens = nullptr; ///< [T], input of the program
  int64_t length = 0;
  std::vector<double> weights; ///< [vocabulary]
};

} // namespace trainc
