//===- CoreTest.cpp - the runtime's small parts ------------------------------------===//
//
// Known answers for Philox and SHA-256; the permutation, the sampler, token files, the thread pool, and the checks of
// processor and BLAS.
//
//===-----------------------------------------------------------------------===//
#include "runtime/abi/Philox.h"
#include "runtime/core/Sampler.h"
#include "runtime/core/Sha256.h"
#include "runtime/cpu/Blas.h"
#include "runtime/cpu/CpuFeatures.h"
#include "runtime/cpu/ThreadPool.h"
#include "test/unit/runtime/TestFiles.h"

#include <set>

using namespace trainc;

namespace {

/// Known-answer vectors published with Random123 (kat_vectors, philox4x32 10 rounds).
TEST(PhiloxTest, KnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

/// FIPS 180-4 examples, and lengths around the padding's edge.
TEST(Sha256Test, KnownAnswers) {
  EXPECT_EQ(sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256Hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(PermutationTest, IsABijectionThatDependsOnSeedAndEpoch) {
  for (int64_t count : {1, 2, 3, 17, 64, 1000, 4097}) {
    std::set<int64_t> seen;
    for (int64_t i = 0; i < count; ++i) {
      int64_t image = permuteIndex(i, count, 7, 0);
      ASSERT_TRUE(image >= 0 && image < count);
      seen.insert(image);
    }
    EXPECT_EQ(int64_t(seen.size()), count);
  }
  int sameSeed = 0, sameEpoch = 0, fixed = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    sameSeed += permuteIndex(i, 1000, 7, 0) == permuteIndex(i, 1000, 7, 1);
    sameEpoch += permuteIndex(i, 1000, 7, 0) == permuteIndex(i, 1000, 8, 0);
    fixed += permuteIndex(i, 1000, 7, 0) == i;
  }
  // One coincidence expected of a random permutation.
  EXPECT_LT(sameSeed, 8);
  EXPECT_LT(sameEpoch, 8);
  EXPECT_LT(fixed, 8);
}

class TokenFileTest : public FilesTest {
protected:
  std::string writeTokens(const std::vector<uint32_t> &tokens, uint32_t vocabulary) {
    std::string file = path("tokens.bin");
    Result<TokenFileWriter> writer = TokenFileWriter::create(file, vocabulary, tokens.size());
    EXPECT_TRUE(writer.ok() && writer->append(tokens.data(), tokens.size()).ok() && writer->finish().ok());
    return file;
  }
  std::string openError(const std::string &bytes) {
    writeText(path("bad.bin"), bytes);
    Result<TokenFile> file = TokenFile::open(path("bad.bin"));
    return file.ok() ? "" : file.status().message();
  }
};

TEST_F(TokenFileTest, RoundTripsBothWidths) {
  for (uint32_t vocabulary : {256u, 65536u, 65537u}) {
    std::vector<uint32_t> tokens = {0, 1, 255, vocabulary - 1, 7};
    Result<TokenFile> file = TokenFile::open(writeTokens(tokens, vocabulary));
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(file->vocabulary(), vocabulary);
    ASSERT_EQ(file->count(), 5);
    for (size_t i = 0; i < tokens.size(); ++i)
      EXPECT_EQ((*file)[int64_t(i)], tokens[i]);
  }
  EXPECT_EQ(readText(path("tokens.bin")).size(), 32 + 5 * 4u);
}

TEST_F(TokenFileTest, FindsTokensOutsideABound) {
  for (uint32_t vocabulary : {65536u, 65537u}) {
    Result<TokenFile> file = TokenFile::open(writeTokens({3, 0, 40000, 9, 65535}, vocabulary));
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(file->findOutside(65536), -1);
    EXPECT_EQ(file->findOutside(65535), 4);
    EXPECT_EQ(file->findOutside(9), 2);
    EXPECT_EQ(file->findOutside(1), 0);
  }
}

/// Neither of two writers disturbs the other; the last to finish wins.
TEST_F(TokenFileTest, TwoWritersOfOnePathDoNotMix) {
  std::optional<TokenFileWriter> writers[2];
  uint32_t tokens[] = {1, 2, 3};
  for (int i = 0; i < 2; ++i)
    writers[i].emplace(std::move(*TokenFileWriter::create(path("w.bin"), 256, 2 + i)));
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(writers[i]->append(tokens, 2 + i).ok() && writers[i]->finish().ok());
  Result<TokenFile> file = TokenFile::open(path("w.bin"));
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->count(), 3);
  EXPECT_EQ(fileCount(), 1);
}

TEST_F(TokenFileTest, BadFilesAreErrors) {
  std::string good = readText(writeTokens({1, 2, 3}, 256));
  EXPECT_NE(openError("").find("bad.bin is empty"), std::string::npos);
  EXPECT_NE(openError("hello world, this is a text file").find("is not a token file"), std::string::npos);
  EXPECT_NE(openError(good.substr(0, 20)).find("truncated"), std::string::npos);
  EXPECT_NE(openError(good.substr(0, good.size() - 1)).find("truncated: the header says 3 tokens, the file has 2"),
            std::string::npos);
  EXPECT_NE(openError(good + "xx").find("damaged"), std::string::npos);
  EXPECT_NE(openError(good.substr(0, 8) + '\3' + good.substr(9)).find("unknown header"), std::string::npos);
  EXPECT_NE(TokenFile::open(path("absent")).status().message().find("cannot open"), std::string::npos);
  EXPECT_NE(TokenFile::open(folder()).status().message().find("regular file"), std::string::npos);
}

TEST_F(TokenFileTest, WriterRefusesTokensOutsideTheVocabularyAndLeavesNothing) {
  uint32_t tokens[] = {1, 256};
  {
    Result<TokenFileWriter> writer = TokenFileWriter::create(path("w.bin"), 256, 2);
    Status status = writer->append(tokens, 2);
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.message().find("token 1 is 256"), std::string::npos);
  }
  EXPECT_EQ(fileCount(), 0);
}

TEST_F(TokenFileTest, SamplerTakesWindowsInOrder) {
  std::vector<uint32_t> tokens;
  for (uint32_t i = 0; i < 14; ++i)
    tokens.push_back(i);
  Result<TokenFile> file = TokenFile::open(writeTokens(tokens, 256));
  Result<Sampler> sampler = Sampler::create(*file, 4, Sampler::Order::sequential);
  ASSERT_TRUE(sampler.ok());
  EXPECT_EQ(sampler->samples(), 3);
  Input input{"targets", {Dtype::i32, {2, 4}}, {}, 1, 256};
  int32_t row[8];
  ASSERT_TRUE(sampler->fill(input, 2, 2, 0, row).ok());
  EXPECT_EQ(std::vector<int32_t>(row, row + 8), (std::vector<int32_t>{9, 10, 11, 12, 1, 2, 3, 4}));
  input.bound = 11;
  Status status = sampler->fill(input, 2, 1, 0, row);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("tokens.bin: token 11 is 11, outside the vocabulary of 11"), std::string::npos);
  EXPECT_NE(Sampler::create(*file, 14, Sampler::Order::sequential).status().message().find("expects at least 15"),
            std::string::npos);
}

TEST_F(TokenFileTest, ShuffledSamplerVisitsEverySampleOncePerEpoch) {
  Result<TokenFile> file = TokenFile::open(writeTokens(std::vector<uint32_t>(401, 1), 256));
  Result<Sampler> sampler = Sampler::create(*file, 4, Sampler::Order::shuffled);
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::set<int64_t> seen;
    for (int64_t i = 0; i < 100; ++i)
      seen.insert(sampler->sampleAt(epoch * 100 + i, 5));
    EXPECT_EQ(seen.size(), 100u);
  }
}

TEST(ThreadPoolTest, EveryItemOnceAndNoPartBelowTheGrain) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 2000; ++round) {
      int64_t items = round % 41, grain = 1 + round % 7;
      std::vector<std::atomic<int>> hits(items);
      std::atomic<int> small{0}, parts{0};
      pool.parallelFor(items, grain, [&](int worker, int64_t begin, int64_t end) {
        ++parts;
        small += end - begin < std::min(grain, items);
        for (int64_t i = begin; i < end; ++i)
          ++hits[i];
      });
      for (auto &hit : hits)
        ASSERT_EQ(hit, 1);
      ASSERT_EQ(small, 0);
      ASSERT_LE(parts, threads);
    }
  }
}

/// Workers that fell asleep must wake up.
TEST(ThreadPoolTest, WakesSleepingWorkers) {
  ThreadPool pool(3);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<int> parts{0};
    pool.parallelFor(3, 1, [&](int, int64_t, int64_t) { ++parts; });
    EXPECT_EQ(parts, 3);
  }
}

TEST(CpuFeaturesTest, NamesWhatIsMissing) {
  EXPECT_TRUE(checkCpuFeatures({"sse2", "avx2", "bmi2", "f16c", "fma"}, "x.plan").ok());
  Status status = checkCpuFeatures({"sse2", "warp-drive"}, "x.plan");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("x.plan needs the cpu feature 'warp-drive'"), std::string::npos);
}

TEST(BlasTest, IsTheOpenMpBuild) { EXPECT_TRUE(checkBlas().ok()); }

/// A build without locks gives two threads the same packing buffer: with the serial OpenBLAS about one product of a
/// hundred is wrong here.
TEST(BlasTest, ProductsOfSeveralThreadsDoNotMix) {
  ASSERT_TRUE(checkBlas().ok());
  constexpr int kThreads = 4, kSize = 64, kRounds = 20000;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      std::vector<float> a(kSize * kSize, float(thread + 1)), b(kSize * kSize, 1), c(kSize * kSize);
      for (int round = 0; round < kRounds; ++round) {
        blasGemm(kSize, kSize, kSize, 1.0f, {a.data(), kSize}, {b.data(), kSize}, 0.0f, c.data(), kSize);
        wrong += !std::all_of(c.begin(), c.end(), [&](float x) { return x == float(kSize * (thread + 1)); });
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

/// A limit of one thread may hold for the thread that set it only: products of workers must start no team of their own.
TEST(BlasTest, ProductsStartNoThreads) {
  ASSERT_TRUE(checkBlas().ok());
  auto threadsOfProcess = [] {
    std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(tasks, std::filesystem::directory_iterator());
  };
  ThreadPool pool(3);
  long before = threadsOfProcess();
  pool.parallelFor(3, 1, [](int, int64_t, int64_t) {
    constexpr int64_t kSize = 400;
    std::vector<float> a(kSize * kSize, 1), c(kSize * kSize);
    blasGemm(kSize, kSize, kSize, 1.0f, {a.data(), kSize}, {a.data(), kSize}, 0.0f, c.data(), kSize);
  });
  EXPECT_EQ(threadsOfProcess(), before);
}

} // namespace
