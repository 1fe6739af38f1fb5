//===- TrainerTest.cpp - the hand-written bundle, executed ------------------------------===//
//
// The whole path: load, init, steps over two micro-batches, evaluation, sampling; compared with the same model written
// as plain loops in double.
//
//===-----------------------------------------------------------------------===//
#include "runtime/core/Trainer.h"
#include "runtime/core/Bundle.h"
#include "runtime/core/StateFile.h"
#include "test/unit/runtime/TestBundle.h"
#include "test/unit/runtime/TestFiles.h"

#include <cmath>

using namespace trainc;
using nlohmann::json;

namespace {

constexpr int64_t kTableSize = kVocabulary * kVocabulary;

/// The bigram model of TestBundle in double.
struct ReferenceModel {
  std::vector<double> table = std::vector<double>(kTableSize);

  /// The mean loss over `pairs`; adds the gradient to `gradient`.
  double loss(const std::vector<std::pair<int, int>> &pairs, std::vector<double> &gradient) const {
    double total = 0;
    for (auto [from, to] : pairs) {
      const double *row = &table[from * kVocabulary];
      double sum = 0;
      for (int j = 0; j < kVocabulary; ++j)
        sum += std::exp(row[j]);
      total += std::log(sum) - row[to];
      for (int j = 0; j < kVocabulary; ++j)
        gradient[from * kVocabulary + j] += (std::exp(row[j]) / sum - (j == to)) / double(pairs.size());
    }
    return total / double(pairs.size());
  }
};

class TrainerTest : public FilesTest {
protected:
  TrainerTest() {
    TestBundle().write(path("b.plan"));
    executor = makeExecutor();
    std::vector<uint32_t> text;
    for (int i = 0; i < 400; ++i)
      text.push_back(uint32_t(97 + i * i % 13));
    Result<TokenFileWriter> writer = TokenFileWriter::create(path("t.bin"), 256, text.size());
    EXPECT_TRUE(writer->append(text.data(), text.size()).ok() && writer->finish().ok());
    tokens.emplace(std::move(*TokenFile::open(path("t.bin"))));
    sampler.emplace(*Sampler::create(*tokens, kLength, Sampler::Order::shuffled));
  }
  std::unique_ptr<Executor> makeExecutor() {
    Result<std::unique_ptr<Executor>> made = Executor::create(*loadBundle(path("b.plan")), {});
    EXPECT_TRUE(made.ok());
    (*made)->stateScalar(kSeedRole) = 3;
    EXPECT_TRUE((*made)->run(*(*made)->plan().findProgram("init")).ok());
    return std::move(*made);
  }
  const float *table(const Executor &from) {
    return reinterpret_cast<const float *>(from.arena().at(from.plan().findState("table", "compute")->offset));
  }

  std::unique_ptr<Executor> executor;
  std::optional<TokenFile> tokens;
  std::optional<Sampler> sampler;
};

TEST_F(TrainerTest, StepsMatchTheReference) {
  ReferenceModel reference;
  reference.table.assign(table(*executor), table(*executor) + kTableSize);
  Trainer trainer = *Trainer::create(*executor, *sampler);
  EXPECT_EQ(trainer.tokensPerStep(), 32);
  for (int64_t step = 1; step <= 20; ++step) {
    std::vector<std::pair<int, int>> pairs;
    for (int64_t sample = (step - 1) * 4; sample < step * 4; ++sample)
      for (int64_t t = 0; t < kLength; ++t) {
        int64_t at = sampler->sampleAt(sample, 3) * kLength + t;
        pairs.emplace_back((*tokens)[at], (*tokens)[at + 1]);
      }
    std::vector<double> gradient(kTableSize);
    double loss = reference.loss(pairs, gradient);
    std::string dump = path("gradients");
    std::optional<AtomicFile> file;
    if (step == 1)
      file.emplace(std::move(*AtomicFile::create(dump)));
    Result<StepResult> result = trainer.step(file ? &*file : nullptr);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->step, step);
    EXPECT_NEAR(result->loss, loss, 1e-5 * loss);
    EXPECT_EQ(result->learningRate, 4);
    for (int64_t i = 0; i < kTableSize; ++i)
      reference.table[i] -= 4 * gradient[i];
    if (step == 1) {
      // The last bytes of the file are the only tensor in it.
      std::string bytes = readText(dump);
      std::vector<float> dumped(kTableSize);
      std::memcpy(dumped.data(), bytes.data() + bytes.size() - kTableSize * 4, kTableSize * 4);
      for (int64_t i = 0; i < kTableSize; ++i)
        ASSERT_NEAR(dumped[i], gradient[i], 1e-7) << i;
    }
  }
  EXPECT_EQ(executor->stateScalar(kCursorRole), 80);
  for (int64_t i = 0; i < kTableSize; ++i)
    ASSERT_NEAR(table(*executor)[i], reference.table[i], 1e-5);
}

TEST_F(TrainerTest, GoesOnFromAStateFileBitForBit) {
  Trainer trainer = *Trainer::create(*executor, *sampler);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(trainer.step(nullptr).ok());
  ASSERT_TRUE(
      writeStateFile(*AtomicFile::create(path("s")), executor->plan(), executor->arena(), StateSelection::persistent)
          .ok());
  std::unique_ptr<Executor> second = makeExecutor();
  ASSERT_TRUE(loadStateFile(path("s"), second->plan(), second->arena()).ok());
  Trainer continued = *Trainer::create(*second, *sampler);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(trainer.step(nullptr)->loss, continued.step(nullptr)->loss);
  EXPECT_EQ(std::memcmp(table(*executor), table(*second), kTableSize * 4), 0);
}

TEST_F(TrainerTest, EvaluationSumsWholeMicroBatches) {
  Sampler inOrder = *Sampler::create(*tokens, kLength, Sampler::Order::sequential);
  ReferenceModel reference;
  reference.table.assign(table(*executor), table(*executor) + kTableSize);
  std::vector<std::pair<int, int>> pairs;
  for (int64_t at = 0; at < 3 * kTokens; ++at)
    pairs.emplace_back((*tokens)[at], (*tokens)[at + 1]);
  std::vector<double> gradient(kTableSize);
  Evaluator evaluator = *Evaluator::create(*executor, inOrder);
  Result<Evaluation> evaluation = evaluator.run(3);
  ASSERT_TRUE(evaluation.ok());
  EXPECT_NEAR(evaluation->loss(), reference.loss(pairs, gradient), 1e-5);
  EXPECT_EQ(evaluation->count, 3 * kTokens);
  // 49 samples are 24 micro-batches of 2, and one left out.
  evaluation = evaluator.run(0);
  EXPECT_EQ(evaluation->batches, 24);
  EXPECT_EQ(evaluation->leftOutSamples, 1);
}

TEST_F(TrainerTest, SamplesTheDistribution) {
  auto *weights = const_cast<float *>(table(*executor));
  std::fill_n(weights, kTableSize, -100.0f);
  // After 'a': 'b' three times as often as 'c'. After those: 'a'.
  weights['a' * 256 + 'b'] = std::log(3.0f);
  weights['a' * 256 + 'c'] = 0;
  weights['b' * 256 + 'a'] = weights['c' * 256 + 'a'] = 5;
  Generator generator = *Generator::create(*executor, 1, 1);
  EXPECT_EQ(generator.vocabulary(), 256);
  std::vector<int32_t> text = {'a'};
  int counts[256] = {};
  for (int i = 0; i < 2000; ++i) {
    text.push_back(*generator.next(text));
    ++counts[text.back()];
  }
  EXPECT_EQ(counts['a'], 1000);
  EXPECT_NEAR(counts['b'], 750, 70);
  EXPECT_EQ(counts['b'] + counts['c'], 1000);
  EXPECT_EQ(*Generator::create(*executor, 0, 1)->next({'x', 'a'}), 'b');
}

/// An id that no check of the host's has seen stops the step with its position.
TEST_F(TrainerTest, ATokenOutsideTheTableIsAnError) {
  const Program &program = *executor->plan().findProgram("eval");
  int32_t *data = executor->inputData(program, 0, executor->plan().inputs[0]);
  data[5] = 256;
  Status status = executor->run(program);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message(),
            "body 'eval', instruction 0 (bigram test.cpp:2): embedding_forward: id 5 is 256, expects 0 "
            "<= id < 256");
  data[5] = 0;
  EXPECT_TRUE(executor->run(program).ok());
}

TEST_F(TrainerTest, AKernelLibraryWithoutAKernelIsAnError) {
  TestBundle bundle;
  bundle.stage["kernels"].push_back({{"name", "absent"}, {"work_items", 1}, {"grain", 1}, {"args", json::array()}});
  bundle.write(path("c.plan"));
  Result<std::unique_ptr<Executor>> made = Executor::create(*loadBundle(path("c.plan")), {});
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.status().message().find("has no kernel 'absent'"), std::string::npos);
}

/// A plan that does not advance its step would train for ever.
TEST_F(TrainerTest, AStepThatDoesNotAdvanceIsAnError) {
  TestBundle bundle;
  bundle.stage["programs"][1]["rows"].push_back(bundle.stage["programs"][0]["rows"][0]);
  bundle.stage["programs"][1]["rows"].erase(4);
  bundle.stage["metrics"][0]["body"] = bundle.stage["metrics"][1]["body"] = bundle.stage["metrics"][2]["body"] = "init";
  for (int i = 0; i < 3; ++i)
    bundle.stage["metrics"][i]["value"] = 1;
  bundle.write(path("c.plan"));
  Result<Plan> plan = loadBundle(path("c.plan"));
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  std::unique_ptr<Executor> made = std::move(*Executor::create(*plan, {}));
  Result<StepResult> result = Trainer::create(*made, *sampler)->step(nullptr);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().message().find("expects to advance the step from 0 by 1, got 0"), std::string::npos);
}

} // namespace
