//===- main.cpp - trainc-run: train a compiled plan -------------------------------------===//
//
// Load, initialise, train, evaluate, save, sample. Errors end the run with one line on stderr and exit code 1; Ctrl-C
// ends it after the current step, as if --steps had asked for no more.
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

Result<std::unique_ptr<TokenFile>> openTokens(const std::string &path) {
  Result<TokenFile> file = TokenFile::open(path);
  if (!file.ok())
    return file.status();
  return std::make_unique<TokenFile>(std::move(*file));
}

/// One run, in order.
class Run {
public:
  Run(const Options &options, Executor &executor) : options(options), executor(executor) {}

  Status execute() {
    TRAINC_RETURN_IF_ERROR(initialise());
    TRAINC_RETURN_IF_ERROR(openEvaluation());
    if (options.steps)
      TRAINC_RETURN_IF_ERROR(train());
    if (!options.save.empty())
      TRAINC_RETURN_IF_ERROR(
          writeStateFile(options.save, executor.plan(), executor.arena(), StateSelection::persistent));
    if (interrupted)
      std::fprintf(stderr, "interrupted: ended after step %lld%s%s\n",
                   static_cast<long long>(executor.stateScalar(kStepRole)),
                   options.save.empty() ? "" : "; the state is in ", options.save.c_str());
    TRAINC_RETURN_IF_ERROR(summarize());
    if (options.sample && !interrupted)
      TRAINC_RETURN_IF_ERROR(sample());
    if (options.profile)
      std::printf("%s", profileText(executor.profile()).c_str());
    return std::fflush(stdout) ? systemError("write", "standard output") : Status();
  }

private:
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

  Result<Sampler> makeSampler(const TokenFile &tokens, Sampler::Order order) const {
    if (executor.plan().inputs.empty())
      return makeError("{} has no inputs", options.bundle);
    return Sampler::create(tokens, executor.plan().inputs[0].type.shape[1], order);
  }

  /// Before training, so that a bad file does not waste it.
  Status openEvaluation() {
    if (options.evalData.empty())
      return {};
    Result<std::unique_ptr<TokenFile>> file = openTokens(options.evalData);
    if (!file.ok())
      return file.status();
    evalTokens = std::move(*file);
    Result<Sampler> sampler = makeSampler(*evalTokens, Sampler::Order::sequential);
    if (!sampler.ok())
      return sampler.status();
    evalSampler.emplace(*sampler);
    return {};
  }

  Status train() {
    Result<std::unique_ptr<TokenFile>> tokens = openTokens(options.data);
    if (!tokens.ok())
      return tokens.status();
    Result<Sampler> sampler =
        makeSampler(**tokens, options.noShuffle ? Sampler::Order::sequential : Sampler::Order::shuffled);
    if (!sampler.ok())
      return sampler.status();
    Result<Trainer> trainer = Trainer::create(executor, *sampler);
    if (!trainer.ok())
      return trainer.status();
    std::optional<MetricsFile> metrics;
    if (!options.metrics.empty()) {
      Result<MetricsFile> file = MetricsFile::create(options.metrics);
      if (!file.ok())
        return file.status();
      metrics.emplace(std::move(*file));
    }
    return trainSteps(*trainer, metrics ? &*metrics : nullptr);
  }

  Status trainSteps(Trainer &trainer, MetricsFile *metrics) {
    int64_t lastStep = executor.stateScalar(kStepRole) + options.steps;
    Progress progress(!options.noProgress, lastStep);
    for (int64_t i = 0; i < options.steps && !interrupted; ++i) {
      Clock::time_point start = Clock::now();
      Result<StepResult> result = trainer.step(i == 0 ? options.dumpGradients : std::string());
      if (!result.ok()) {
        progress.finish();
        return result.status();
      }
      StepRecord record{
          *result, trainer.tokensPerStep(), std::chrono::duration<double>(Clock::now() - start).count(), {}};
      if (evalSampler && options.evalEvery && result->step % options.evalEvery == 0 && result->step != lastStep)
        TRAINC_RETURN_IF_ERROR(evaluateInto(record));
      count(record);
      progress.show(record);
      if (metrics)
        TRAINC_RETURN_IF_ERROR(metrics->append(record));
    }
    progress.finish();
    return {};
  }

  Status evaluateInto(StepRecord &record) {
    Result<Evaluation> evaluation = evaluate(executor, *evalSampler, options.evalBatches);
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
    if (evalSampler && !interrupted) {
      Result<Evaluation> evaluation = evaluate(executor, *evalSampler, options.evalBatches);
      if (!evaluation.ok())
        return evaluation.status();
      std::printf("held-out loss  %.4f (%.0f tokens)\n", evaluation->loss(), evaluation->count);
    }
    if (stepsDone)
      std::printf("tokens/s       %.0f\n", tokensDone / secondsDone);
    return {};
  }

  Status sample() {
    Result<Generator> generator =
        Generator::create(executor, options.temperature, static_cast<uint64_t>(executor.stateScalar(kSeedRole)));
    if (!generator.ok())
      return generator.status();
    std::vector<int32_t> context;
    for (unsigned char byte : options.prompt) {
      if (byte >= generator->vocabulary())
        return makeError("--prompt has byte {}, outside the model's vocabulary of {}", byte, generator->vocabulary());
      context.push_back(byte);
    }
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
  std::unique_ptr<TokenFile> evalTokens;
  std::optional<Sampler> evalSampler;
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
