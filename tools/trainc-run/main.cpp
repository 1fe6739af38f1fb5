//===- main.cpp - trainc-run: train a compiled plan -------------------------------------===//
//
// Load, initialise, train, save, evaluate, sample. Whatever can be refused is refused before the first step: data,
// outputs, programs that the plan lacks. Errors end the run with one line on stderr and exit code 1, and what was
// trained until then is saved; Ctrl-C ends it after the current step, as if --steps had asked for no more.
//
//===-----------------------------------------------------------------------===//
#include "runtime/core/Bundle.h"
#include "runtime/core/StateFile.h"
#include "tools/trainc-run/Options.h"
#include "tools/trainc-run/Report.h"

#include <csignal>
#include <cstdio>

using namespace trainc;
using namespace trainc::run;

static volatile std::sig_atomic_t interrupted = 0;

namespace {

/// A token file and the order of its samples.
struct Data {
  std::unique_ptr<TokenFile> tokens;
  Sampler sampler;
};

/// Opens `path` and checks all of it against the plan's inputs.
Result<Data> openData(const std::string &path, const Plan &plan, Sampler::Order order) {
  if (plan.inputs.empty())
    return makeError("{}: model '{}' has no inputs", plan.folder, plan.model);
  Result<TokenFile> file = TokenFile::open(path);
  if (!file.ok())
    return file.status();
  auto tokens = std::make_unique<TokenFile>(std::move(*file));
  Result<Sampler> sampler = Sampler::create(*tokens, plan.inputs[0].type.shape[1], order);
  if (!sampler.ok())
    return sampler.status();
  if (Status status = sampler->checkTokens(plan.inputs); !status.ok())
    return status;
  return Data{std::move(tokens), *sampler};
}

/// Creates `file` at `path` unless `path` is empty.
template <typename File> Status openOutput(const std::string &path, std::optional<File> &file) {
  if (path.empty())
    return {};
  Result<File> created = File::create(path);
  if (!created.ok())
    return created.status();
  file.emplace(std::move(*created));
  return {};
}

/// Sets `target`, or returns why there is nothing to set.
template <typename T> Status moveInto(std::optional<T> &target, Result<T> result) {
  if (!result.ok())
    return result.status();
  target.emplace(std::move(*result));
  return {};
}

/// One run, in order.
class Run {
public:
  Run(const Options &options, Executor &executor) : options(options), executor(executor) {}

  Status execute() {
    TRAINC_RETURN_IF_ERROR(prepare());
    describe();
    Status status = trainSteps();
    TRAINC_RETURN_IF_ERROR(save(status));
    if (interrupted)
      std::fprintf(stderr, "interrupted: ended after step %lld%s%s\n", static_cast<long long>(step()),
                   options.save.empty() ? "" : "; the state is in ", options.save.c_str());
    if (status.ok())
      status = report();
    if (status.ok() || !isSaved)
      return status;
    return makeError("{}; the state after step {} is in {}", status.message(), step(), options.save);
  }

private:
  int64_t step() const { return executor.stateScalar(kStepRole); }

  /// Seed, `init` program, then the state file over it.
  Status initialise() {
    executor.stateScalar(kSeedRole) = options.seed.value_or(0);
    if (const Program *init = executor.plan().findProgram(kInitProgram))
      TRAINC_RETURN_IF_ERROR(executor.run(*init));
    else if (options.load.empty())
      return makeError("{} has no program '{}'; start from a state file with --load", options.bundle, kInitProgram);
    if (options.load.empty())
      return {};
    Result<LoadedState> loaded = loadStateFile(options.load, executor.plan(), executor.arena());
    if (!loaded.ok())
      return loaded.status();
    int64_t seed = executor.stateScalar(kSeedRole);
    if (*loaded == LoadedState::everything && options.seed && *options.seed != seed)
      return makeError("{} was trained with seed {}, got --seed {}; leave --seed out to go on", options.load, seed,
                       *options.seed);
    return {};
  }

  /// All that can fail before the first step. Outputs come last: a run that is refused replaces none.
  Status prepare() {
    TRAINC_RETURN_IF_ERROR(initialise());
    if (options.steps) {
      auto order = options.noShuffle ? Sampler::Order::sequential : Sampler::Order::shuffled;
      TRAINC_RETURN_IF_ERROR(moveInto(trainData, openData(options.data, executor.plan(), order)));
      TRAINC_RETURN_IF_ERROR(moveInto(trainer, Trainer::create(executor, trainData->sampler)));
    }
    if (!options.evalData.empty()) {
      TRAINC_RETURN_IF_ERROR(
          moveInto(evalData, openData(options.evalData, executor.plan(), Sampler::Order::sequential)));
      TRAINC_RETURN_IF_ERROR(moveInto(evaluator, Evaluator::create(executor, evalData->sampler)));
    }
    if (options.sample)
      TRAINC_RETURN_IF_ERROR(openSampling());
    TRAINC_RETURN_IF_ERROR(openOutput(options.save, stateFile));
    TRAINC_RETURN_IF_ERROR(openOutput(options.dumpGradients, gradientFile));
    return openOutput(options.metrics, metrics);
  }

  Status openSampling() {
    auto seed = static_cast<uint64_t>(executor.stateScalar(kSeedRole));
    TRAINC_RETURN_IF_ERROR(moveInto(generator, Generator::create(executor, options.temperature, seed)));
    for (unsigned char byte : options.prompt)
      if (byte >= generator->vocabulary())
        return makeError("--prompt has byte {}, outside the model's vocabulary of {}", byte, generator->vocabulary());
    return {};
  }

  /// One line about what is going to run.
  void describe() const {
    const Plan &plan = executor.plan();
    fmt::print(stderr, "{} from {}: global batch {} ({} x {}), {} thread{}, arena {}\n", plan.model, plan.source,
               plan.globalBatch, plan.microBatches, plan.microBatch, plan.threads, plan.threads == 1 ? "" : "s",
               byteText(plan.arenaBytes));
  }

  Status trainSteps() {
    int64_t lastStep = step() + options.steps;
    Progress progress(!options.noProgress, lastStep);
    Status status;
    for (int64_t i = 0; i < options.steps && !interrupted && status.ok(); ++i)
      status = trainStep(i == 0, lastStep, progress);
    progress.finish();
    return status;
  }

  Status trainStep(bool isFirst, int64_t lastStep, Progress &progress) {
    Clock::time_point start = Clock::now();
    Result<StepResult> result = trainer->step(isFirst && gradientFile ? &*gradientFile : nullptr);
    if (!result.ok())
      return result.status();
    StepRecord record{
        *result, trainer->tokensPerStep(), std::chrono::duration<double>(Clock::now() - start).count(), {}};
    count(record);
    if (evaluator && options.evalEvery && result->step % options.evalEvery == 0 && result->step != lastStep)
      TRAINC_RETURN_IF_ERROR(evaluateInto(record));
    progress.show(record);
    return metrics ? metrics->append(record) : Status();
  }

  /// Writes the state, also if training ended with the error `trained` after some steps: those are not to be lost. An
  /// error in the first step leaves nothing to save.
  Status save(const Status &trained) {
    if (!stateFile || (!trained.ok() && stepsDone == 0))
      return {};
    Status status = writeStateFile(*stateFile, executor.plan(), executor.arena(), StateSelection::persistent);
    isSaved = status.ok();
    if (isSaved || trained.ok())
      return status;
    return makeError("{}; then, {}", trained.message(), status.message());
  }

  Status report() {
    TRAINC_RETURN_IF_ERROR(summarize());
    if (generator && !interrupted)
      TRAINC_RETURN_IF_ERROR(sample());
    if (options.profile)
      std::printf("%s", profileText(executor.profile()).c_str());
    return std::fflush(stdout) ? systemError("write", "standard output") : Status();
  }

  Status evaluateInto(StepRecord &record) {
    Result<Evaluation> evaluation = evaluator->run(options.evalBatches);
    if (!evaluation.ok())
      return evaluation.status();
    record.heldOutLoss = evaluation->loss();
    return {};
  }

  void count(const StepRecord &record) {
    if (stepsDone++ == 0)
      first = record.result;
    last = record.result;
    tokensDone += record.tokens;
    secondsDone += record.seconds;
  }

  Status summarize() {
    if (stepsDone)
      std::printf("steps          %lld\nfirst loss     %.4f\nlast loss      %.4f\n", static_cast<long long>(stepsDone),
                  first.loss, last.loss);
    if (evaluator && !interrupted) {
      Result<Evaluation> evaluation = evaluator->run(options.evalBatches);
      if (!evaluation.ok())
        return evaluation.status();
      std::string leftOut = evaluation->leftOutSamples
                                ? fmt::format("; left out: {} sample{}", evaluation->leftOutSamples,
                                              evaluation->leftOutSamples == 1 ? "" : "s")
                                : "";
      std::printf("held-out loss  %.4f (%.0f tokens%s)\n", evaluation->loss(), evaluation->count, leftOut.c_str());
    }
    if (stepsDone)
      std::printf("tokens/s       %.0f\n", tokensDone / secondsDone);
    return {};
  }

  Status sample() {
    std::vector<int32_t> context;
    for (unsigned char byte : options.prompt)
      context.push_back(byte);
    bool isText = generator->vocabulary() == 256;
    std::printf("sample\n%s", isText && options.prompt != "\n" ? options.prompt.c_str() : "");
    for (int64_t i = 0; i < options.sample; ++i) {
      Result<int32_t> token = generator->next(context);
      if (!token.ok())
        return token.status();
      context.push_back(*token);
      isText ? std::printf("%c", *token) : std::printf(i ? " %d" : "%d", *token);
    }
    std::printf("\n");
    return {};
  }

  const Options &options;
  Executor &executor;
  std::optional<Data> trainData, evalData;
  std::optional<Trainer> trainer;
  std::optional<Evaluator> evaluator;
  std::optional<Generator> generator;
  std::optional<AtomicFile> stateFile, gradientFile;
  std::optional<MetricsFile> metrics;
  bool isSaved = false;
  StepResult first{}, last{};
  int64_t stepsDone = 0;
  double tokensDone = 0, secondsDone = 0;
};

Status runMain(int argc, char **argv) {
  Result<Options> options = parseOptions(argc, argv);
  if (!options.ok())
    return options.status();
  if (options->help) {
    std::printf("%s", helpText().c_str());
    return {};
  }
  Result<Plan> plan = loadBundle(options->bundle);
  if (!plan.ok())
    return plan.status();
  Result<std::unique_ptr<Executor>> executor = Executor::create(std::move(*plan), {options->profile});
  if (!executor.ok())
    return executor.status();
  std::signal(SIGINT, [](int) { interrupted = 1; });
  // A full disk or a size limit shall be an error of write(2), not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  return Run(*options, **executor).execute();
}

} // namespace

int main(int argc, char **argv) {
  Status status = runMain(argc, argv);
  if (status.ok())
    return 0;
  std::fprintf(stderr, "trainc-run: error: %s\n", status.message().c_str());
  return 1;
}
