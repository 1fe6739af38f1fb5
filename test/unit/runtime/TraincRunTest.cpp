//===- TraincRunTest.cpp - the program as its user runs it ------------------------------===//
//
// Runs trainc-run on the hand-written bundle: output, files, exit codes, errors, Ctrl-C, allocations, the wrong BLAS.
//
//===-----------------------------------------------------------------------===//
#include "runtime/core/TokenFile.h"
#include "test/unit/runtime/TestBundle.h"
#include "test/unit/runtime/TestFiles.h"

#include <regex>
#include <sys/wait.h>

using namespace trainc;
using nlohmann::json;

namespace {

class TraincRunTest : public FilesTest {
protected:
  TraincRunTest() {
    TestBundle().write(path("b.plan"));
    std::vector<uint32_t> text;
    for (int i = 0; i < 1000; ++i)
      text.push_back(uint32_t("hello, world "[i % 13]));
    writeTokens("t.bin", text);
    writeTokens("e.bin", text);
  }
  void writeTokens(const std::string &name, const std::vector<uint32_t> &tokens) {
    Result<TokenFileWriter> writer = TokenFileWriter::create(path(name), 512, tokens.size());
    ASSERT_TRUE(writer->append(tokens.data(), tokens.size()).ok() && writer->finish().ok());
  }
  /// Runs a shell command in the test's folder; returns the exit code. "RUN" stands for trainc-run.
  int shell(const std::string &command) {
    std::string text =
        std::regex_replace("cd " + folder() + " && { " + command + " ; } >out 2>err", std::regex("RUN"), TRAINC_RUN);
    int status = std::system(text.c_str());
    out = readText(path("out"));
    err = readText(path("err"));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  /// Expects exit code 1, nothing on stdout, and `message` in the one line on stderr.
  void expectError(const std::string &arguments, const std::string &message) {
    EXPECT_EQ(shell("RUN " + arguments), 1) << arguments;
    EXPECT_EQ(out, "") << arguments;
    EXPECT_NE(err.find("trainc-run: error: "), std::string::npos) << arguments << "\n" << err;
    EXPECT_NE(err.find(message), std::string::npos) << arguments << "\n" << err;
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
  }
  std::string out, err;
};

TEST_F(TraincRunTest, TrainsEvaluatesSavesAndSamples) {
  ASSERT_EQ(
      shell(
          "RUN b.plan --data t.bin --steps 300 --seed 1 --eval-data e.bin --eval-every 100 --metrics m.jsonl --save s "
          "--dump-gradients g --sample 26 --temperature 0 --prompt h --profile"),
      0)
      << err;
  std::smatch match;
  ASSERT_TRUE(
      std::regex_search(out, match,
                        std::regex("steps          300\nfirst loss     (\\S+)\nlast loss      (\\S+)\nheld-out loss  "
                                   "(\\S+) \\(992 tokens\\)\ntokens/s       \\d+\nsample\n")))
      << out;
  EXPECT_NEAR(std::stod(match[1]), std::log(256), 0.01);
  EXPECT_LT(std::stod(match[2]), 0.5);
  EXPECT_LT(std::stod(match[3]), 0.5);
  EXPECT_NE(out.find("embedding_backward"), std::string::npos);
  EXPECT_NE(err.find("step 300/300"), std::string::npos) << err;
  std::ifstream metrics(path("m.jsonl"));
  std::string line;
  for (int step = 1; step <= 300; ++step) {
    ASSERT_TRUE(std::getline(metrics, line));
    json record = json::parse(line);
    EXPECT_EQ(record["step"], step);
    EXPECT_EQ(record["tokens"], 32);
    EXPECT_EQ(record["lr"], 4);
    EXPECT_TRUE(record["loss"].is_number() && record["grad_norm"].is_number() && record["tokens_per_s"].is_number());
    EXPECT_EQ(record.contains("held_out_loss"), step == 100 || step == 200);
  }
  EXPECT_FALSE(std::getline(metrics, line));
}

TEST_F(TraincRunTest, TwoRunsAndAContinuedRunSaveTheSameBytes) {
  ASSERT_EQ(shell("RUN b.plan --data t.bin --steps 20 --seed 5 --save a"), 0);
  ASSERT_EQ(shell("RUN b.plan --data t.bin --steps 20 --seed 5 --save b"), 0);
  ASSERT_EQ(shell("RUN b.plan --data t.bin --steps 12 --seed 5 --save c"), 0);
  ASSERT_EQ(shell("RUN b.plan --data t.bin --steps 8 --load c --save d"), 0);
  ASSERT_EQ(shell("RUN b.plan --data t.bin --steps 20 --seed 6 --save e"), 0);
  EXPECT_EQ(readText(path("a")), readText(path("b")));
  EXPECT_EQ(readText(path("a")), readText(path("d")));
  EXPECT_NE(readText(path("a")), readText(path("e")));
}

TEST_F(TraincRunTest, AllocatesNothingAfterTheFirstStep) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the sanitizer interposes the same calls";
#endif
#endif
  ASSERT_EQ(shell("LD_PRELOAD=" TRAINC_ALLOCATION_COUNTER
                  " RUN b.plan --data t.bin --steps 50 --metrics m --eval-data e.bin "
                  "--eval-every 10"),
            0)
      << err;
  std::smatch match;
  ASSERT_TRUE(
      std::regex_search(err, match, std::regex("allocation counter: (\\d+) calls before, (\\d+) in steps 2 to 50")))
      << err;
  EXPECT_GT(std::stol(match[1]), 100) << "the counter does not count";
  EXPECT_EQ(match[2], "0");
}

/// All builds of OpenBLAS have one soname: the loader may find another than the one that was linked.
TEST_F(TraincRunTest, RefusesOtherBuildsOfOpenBlas) {
  int tried = 0;
  for (const char *build : {"serial", "pthread"}) {
    std::string other = std::string("/usr/lib/x86_64-linux-gnu/openblas-") + build;
    if (!std::filesystem::exists(other + "/libopenblas.so.0"))
      continue;
    ++tried;
    EXPECT_EQ(shell("LD_LIBRARY_PATH=" + other + " RUN b.plan --data t.bin --steps 1"), 1);
    EXPECT_NE(err.find(other), std::string::npos) << err;
    EXPECT_NE(err.find("is not the OpenMP build of OpenBLAS"), std::string::npos) << err;
  }
  if (tried == 0)
    GTEST_SKIP() << "no other build of OpenBLAS is installed";
}

TEST_F(TraincRunTest, InterruptSavesAndEndsWell) {
  ASSERT_EQ(shell("RUN b.plan --data t.bin --steps 100000000 --save s --metrics m & pid=$!; "
                  "while [ ! -s m ]; do sleep 0.02; done; kill -INT $pid; wait $pid"),
            0)
      << err;
  std::smatch match;
  ASSERT_TRUE(std::regex_search(err, match, std::regex("interrupted: ended after step (\\d+); the state is in s")))
      << err;
  EXPECT_NE(out.find("steps          " + match[1].str() + "\n"), std::string::npos) << out;
  EXPECT_TRUE(std::filesystem::exists(path("s")));
}

TEST_F(TraincRunTest, BadCommandLinesAreErrors) {
  expectError("", "expects a bundle");
  expectError("b.plan --stepz 3", "unknown option '--stepz' (options: --data, --steps, --seed");
  expectError("b.plan extra", "expects one bundle, got 'b.plan' and 'extra'");
  expectError("b.plan --data t.bin --steps", "--steps expects N");
  expectError("b.plan --data t.bin --steps 0", "--steps expects an integer >= 1, got '0'");
  expectError("b.plan --data t.bin --steps 3x", "--steps expects an integer >= 1, got '3x'");
  expectError("b.plan --seed -1", "--seed expects an integer >= 0, got '-1'");
  expectError("b.plan --temperature hot", "--temperature expects a number >= 0, got 'hot'");
  expectError("b.plan --force=yes", "--force expects no value, got 'yes'");
  expectError("b.plan --data t.bin", "training expects both --data FILE and --steps N");
  expectError("b.plan --steps 3", "training expects both --data FILE and --steps N");
  expectError("b.plan --eval-every 3", "--eval-every expects --eval-data FILE");
  expectError("b.plan --metrics m", "--metrics expects training");
  expectError("b.plan --data t.bin --steps 1 --save x --metrics x", "x is named as two outputs");
}

TEST_F(TraincRunTest, BadFilesAreErrors) {
  writeText(path("empty"), "");
  writeText(path("text"), "In the beginning God created the heaven and the earth.");
  expectError("absent.plan", "cannot open bundle absent.plan");
  expectError("b.plan --data empty --steps 1", "empty is empty");
  expectError("b.plan --data text --steps 1", "text is not a token file; make one with 'trainc data");
  expectError("b.plan --data absent --steps 1", "cannot open absent: No such file");
  expectError("b.plan --data t.bin --steps 1 --eval-data text", "text is not a token file");
  expectError("b.plan --load text", "not a state file");
  expectError("b.plan --data t.bin --steps 1 --metrics absent/m", "cannot create absent/m");
  EXPECT_EQ(shell("RUN b.plan --data t.bin --steps 1 --seed 1 --save s"), 0);
  expectError("b.plan --data t.bin --steps 1 --load s --seed 2", "was trained with seed 1, got --seed 2");
  expectError("b.plan --data t.bin --steps 1 --save s", "s exists; --force replaces it");
  EXPECT_EQ(shell("RUN b.plan --data t.bin --steps 1 --save s --force"), 0) << err;
}

TEST_F(TraincRunTest, AFullDiskIsAnError) {
  EXPECT_EQ(shell("RUN b.plan --data t.bin --steps 3 --metrics /dev/full --force"), 1);
  EXPECT_NE(err.find("cannot write /dev/full: No space left on device"), std::string::npos) << err;
  EXPECT_EQ(shell("ulimit -f 8; RUN b.plan --data t.bin --steps 3 --save s"), 1);
  EXPECT_NE(err.find("cannot write s: File too large"), std::string::npos) << err;
  EXPECT_FALSE(std::filesystem::exists(path("s")));
  EXPECT_EQ(shell("ls | grep tmp"), 1) << out;
}

/// Wherever the token is, and before anything is trained: one line, no output.
TEST_F(TraincRunTest, ATokenOutsideTheVocabularyIsNamed) {
  for (size_t position : {20u, 62u, 63u}) {
    std::vector<uint32_t> text(64);
    text[position] = 300;
    writeTokens("w.bin", text);
    std::string message = fmt::format("w.bin: token {} is 300, outside the vocabulary of 256 that input", position);
    expectError("b.plan --data w.bin --steps 1 --no-shuffle --save s --metrics m", message);
    expectError("b.plan --data t.bin --steps 1 --eval-data w.bin --eval-batches 1 --save s --metrics m", message);
    EXPECT_FALSE(std::filesystem::exists(path("s")) || std::filesystem::exists(path("m")));
  }
}

TEST_F(TraincRunTest, OutputsThatCannotBeWrittenAreRefusedBeforeTraining) {
  std::filesystem::create_directory(path("folder"));
  for (const char *option : {"--save", "--dump-gradients", "--metrics"}) {
    std::string run = std::string("b.plan --data t.bin --steps 1 --force ") + option;
    expectError(run + " absent/f", "cannot create absent/f: No such file or directory");
    expectError(run + " t.bin/f", "cannot create t.bin/f: Not a directory");
    expectError(run + " folder", "cannot create folder: ");
  }
  EXPECT_EQ(shell("ls | grep tmp"), 1) << out;
}

TEST_F(TraincRunTest, EvaluationThatCannotRunIsRefusedBeforeTraining) {
  writeTokens("short.bin", std::vector<uint32_t>(kLength + 1));
  expectError("b.plan --data t.bin --steps 1 --eval-data short.bin --save s",
              "short.bin has 1 samples; expects at least one micro-batch of 2");
  TestBundle bundle;
  bundle.stage["programs"].erase(2);
  bundle.write(path("c.plan"));
  expectError("c.plan --data t.bin --steps 1 --eval-data e.bin", "c.plan has no program 'eval'");
}

TEST_F(TraincRunTest, AnErrorDuringTrainingSavesTheState) {
  EXPECT_EQ(shell("RUN b.plan --data t.bin --steps 3 --seed 1 --metrics /dev/full --force --save s"), 1);
  EXPECT_NE(
      err.find(
          "cannot write /dev/full: No space left on device; its last line may be incomplete; the state after step 1 is "
          "in s"),
      std::string::npos)
      << err;
  ASSERT_EQ(shell("RUN b.plan --data t.bin --steps 1 --seed 1 --save expected"), 0) << err;
  EXPECT_EQ(readText(path("s")), readText(path("expected")));
}

TEST_F(TraincRunTest, SaysWhatRunsAndWhatIsLeftOut) {
  writeTokens("three.bin", std::vector<uint32_t>(3 * kLength + 1));
  ASSERT_EQ(shell("RUN b.plan --data t.bin --steps 1 --eval-data three.bin --no-progress"), 0) << err;
  EXPECT_EQ(err, "bigram from bigram.cpp: global batch 4 (2 x 2), 2 threads, arena 529 KiB\n");
  EXPECT_NE(out.find(" (16 tokens; left out: 1 sample)\n"), std::string::npos) << out;
}

TEST_F(TraincRunTest, HelpListsEveryOption) {
  ASSERT_EQ(shell("RUN --help"), 0);
  for (const char *option : {"--data FILE", "--steps N", "--dump-gradients FILE", "--no-shuffle", "--profile"})
    EXPECT_NE(out.find(option), std::string::npos) << out;
}

} // namespace
