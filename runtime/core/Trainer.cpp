//===- Trainer.cpp - training steps, evaluation, sampling -------------------------------===//
//
// Inputs of all micro-batches are filled before the first row runs: the counts of a whole step come first.
//
//===-----------------------------------------------------------------------===//
#include "runtime/core/Trainer.h"

#include "runtime/abi/Philox.h"
#include "runtime/core/StateFile.h"

#include <algorithm>
#include <cmath>

using namespace trainc;

/// Third counter word of the numbers that sampling draws.
static constexpr uint32_t kSamplingStream = 0x53414d50;

static Result<const Program *> requireProgram(const Executor &executor, std::string_view name) {
  if (const Program *program = executor.plan().findProgram(name))
    return program;
  return makeError("{} has no program '{}'", executor.plan().folder, name);
}

static Status requireMetric(const Executor &executor, const Program &program, std::string_view name, MetricView &view) {
  view = executor.metric(program, name);
  if (view)
    return {};
  return makeError("{}: program '{}' has no metric '{}'", executor.plan().folder, program.name, name);
}

/// Fills micro-batch `microBatch` of `program` with samples [cursor, cursor + micro-batch).
static Status fillInputs(Executor &executor, const Sampler &sampler, const Program &program, int64_t microBatch,
                         int64_t cursor, uint64_t seed) {
  for (const Input &input : executor.plan().inputs)
    if (int32_t *data = executor.inputData(program, microBatch, input))
      TRAINC_RETURN_IF_ERROR(sampler.fill(input, cursor, executor.plan().microBatch, seed, data));
  return {};
}

Result<Trainer> Trainer::create(Executor &executor, const Sampler &sampler) {
  Result<const Program *> program = requireProgram(executor, kTrainProgram);
  if (!program.ok())
    return program.status();
  Trainer trainer(executor, sampler, **program);
  for (auto [name, view] :
       {std::make_pair(kLossMetric, &trainer.loss), std::make_pair(kGradientNormMetric, &trainer.gradientNorm),
        std::make_pair(kLearningRateMetric, &trainer.learningRate)})
    if (Status status = requireMetric(executor, **program, name, *view); !status.ok())
      return status;
  return trainer;
}

int64_t Trainer::tokensPerStep() const {
  const Plan &plan = executor->plan();
  return plan.inputs.empty() ? 0 : plan.globalBatch * plan.inputs[0].type.shape[1];
}

Status Trainer::runProgram(AtomicFile *gradientFile) {
  if (!gradientFile)
    return executor->run(*program);
  const Plan &plan = executor->plan();
  auto isUpdate = [&](const Row &row) { return plan.bodies[row.body].name == kUpdateBody; };
  size_t update = std::find_if(program->rows.begin(), program->rows.end(), isUpdate) - program->rows.begin();
  TRAINC_RETURN_IF_ERROR(executor->runRows(*program, 0, update));
  TRAINC_RETURN_IF_ERROR(writeStateFile(*gradientFile, plan, executor->arena(), StateSelection::gradients));
  return executor->runRows(*program, update, program->rows.size());
}

Result<StepResult> Trainer::step(AtomicFile *gradientFile) {
  const Plan &plan = executor->plan();
  int64_t before = executor->stateScalar(kStepRole), cursor = executor->stateScalar(kCursorRole);
  auto seed = static_cast<uint64_t>(executor->stateScalar(kSeedRole));
  for (int64_t m = 0; m < plan.microBatches; ++m)
    if (Status status = fillInputs(*executor, *sampler, *program, m, cursor + m * plan.microBatch, seed); !status.ok())
      return status;
  if (Status status = runProgram(gradientFile); !status.ok())
    return status;
  int64_t after = executor->stateScalar(kStepRole);
  if (after != before + 1)
    return makeError("{}: program 'train' expects to advance the step from {} by 1, got {}", plan.folder, before,
                     after);
  return StepResult{after, loss.at(0), gradientNorm.at(0), learningRate.at(0)};
}

Result<Evaluator> Evaluator::create(Executor &executor, const Sampler &sampler) {
  Result<const Program *> program = requireProgram(executor, kEvalProgram);
  if (!program.ok())
    return program.status();
  Evaluator evaluator(executor, sampler, **program);
  for (auto [name, view] :
       {std::make_pair(kLossSumMetric, &evaluator.lossSum), std::make_pair(kCountMetric, &evaluator.count)})
    if (Status status = requireMetric(executor, **program, name, *view); !status.ok())
      return status;
  if (sampler.samples() < executor.plan().microBatch)
    return makeError("{} has {} samples; expects at least one micro-batch of {}", sampler.path(), sampler.samples(),
                     executor.plan().microBatch);
  return evaluator;
}

Result<Evaluation> Evaluator::run(int64_t maxBatches) const {
  int64_t microBatch = executor->plan().microBatch, whole = sampler->samples() / microBatch;
  Evaluation result;
  result.batches = maxBatches > 0 ? std::min(whole, maxBatches) : whole;
  result.leftOutSamples = sampler->samples() - result.batches * microBatch;
  for (int64_t batch = 0; batch < result.batches; ++batch) {
    if (Status status = fillInputs(*executor, *sampler, *program, 0, batch * microBatch, 0); !status.ok())
      return status;
    if (Status status = executor->run(*program); !status.ok())
      return status;
    result.lossSum += lossSum.at(0);
    result.count += count.at(0);
  }
  return result;
}

Result<Generator> Generator::create(Executor &executor, double temperature, uint64_t seed) {
  Result<const Program *> program = requireProgram(executor, kLogitsProgram);
  if (!program.ok())
    return program.status();
  Generator generator(executor, **program, temperature, seed);
  if (Status status = requireMetric(executor, **program, kLogitsMetric, generator.logits); !status.ok())
    return status;
  for (const Input &input : executor.plan().inputs)
    if (input.shift == 0) {
      generator.tokens = executor.inputData(**program, 0, input);
      generator.length = input.type.shape[1];
    }
  const TensorType &type = generator.logits.type;
  if (!generator.tokens || type.shape.empty() || type.elements() != generator.length * type.shape.back())
    return makeError("{}: program 'logits' expects one sequence of tokens and logits [1, {}, vocabulary], got {}",
                     executor.plan().folder, generator.length, type.str());
  generator.weights.resize(static_cast<size_t>(type.shape.back()));
  return generator;
}

Result<int32_t> Generator::next(const std::vector<int32_t> &context) {
  int64_t count = std::min<int64_t>(length, static_cast<int64_t>(context.size()));
  std::fill_n(tokens, length, 0);
  std::copy(context.end() - count, context.end(), tokens);
  if (Status status = executor->run(*program); !status.ok())
    return status;
  return draw((count - 1) * vocabulary(), context.size());
}

int32_t Generator::draw(int64_t firstLogit, uint64_t position) {
  int64_t best = 0;
  for (int64_t i = 1; i < vocabulary(); ++i)
    if (logits.at(firstLogit + i) > logits.at(firstLogit + best))
      best = i;
  if (temperature == 0)
    return static_cast<int32_t>(best);
  double total = 0, greatest = logits.at(firstLogit + best);
  for (int64_t i = 0; i < vocabulary(); ++i)
    total += weights[i] = std::exp((logits.at(firstLogit + i) - greatest) / temperature);
  PhiloxCounter words = philox4x32({uint32_t(position), uint32_t(position >> 32), kSamplingStream, 0},
                                   {uint32_t(seed), uint32_t(seed >> 32)});
  double rest = (words[0] + 0.5) / 4294967296.0 * total;
  for (int64_t i = 0; i < vocabulary(); ++i)
    if ((rest -= weights[i]) < 0)
      return static_cast<int32_t>(i);
  return static_cast<int32_t>(best);
}
