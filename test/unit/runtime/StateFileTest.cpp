//===- StateFileTest.cpp - state files round-trip, and bad ones are refused ------------===//
//
// On the state table of the hand-written bundle; the arena is filled with recognisable bytes.
//
//===-----------------------------------------------------------------------===//
#include "runtime/core/StateFile.h"
#include "runtime/core/Bundle.h"
#include "test/unit/runtime/TestBundle.h"
#include "test/unit/runtime/TestFiles.h"

#include <csignal>
#include <cstring>
#include <sys/resource.h>

using namespace trainc;
using nlohmann::json;

namespace {

class StateFileTest : public FilesTest {
protected:
  StateFileTest() : plan(makePlan()), arena(std::move(*Arena::create(plan.arenaBytes))) {
    for (int64_t i = 0; i < plan.arenaBytes; ++i)
      *arena.at(i) = std::byte(i * 7 + i / 256);
  }
  Plan makePlan() {
    TestBundle().write(path("b.plan"));
    return *loadBundle(path("b.plan"));
  }
  std::string saved() {
    EXPECT_TRUE(writeStateFile(*AtomicFile::create(path("s")), plan, arena, StateSelection::persistent).ok());
    return readText(path("s"));
  }
  /// A safetensors file with `header` and `data`.
  std::string file(const json &header, const std::string &data) {
    std::string text = header.dump();
    uint64_t length = text.size();
    return std::string(reinterpret_cast<char *>(&length), 8) + text + data;
  }
  std::string loadError(const std::string &bytes) {
    writeText(path("bad"), bytes);
    Result<LoadedState> loaded = loadStateFile(path("bad"), plan, arena);
    return loaded.ok() ? "" : loaded.status().message();
  }
  std::string entryBytes(std::string_view scope, std::string_view role) {
    const StateEntry *entry = plan.findState(scope, role);
    return {reinterpret_cast<char *>(arena.at(entry->offset)), size_t(entry->type.bytes())};
  }
  void clear() { std::memset(arena.at(0), 0, size_t(plan.arenaBytes)); }

  Plan plan;
  Arena arena;
};

TEST_F(StateFileTest, RoundTripsAndIsDeterministic) {
  std::string first = saved(), table = entryBytes("table", "compute"), step = entryBytes("", "step");
  EXPECT_EQ(first, saved());
  clear();
  Result<LoadedState> loaded = loadStateFile(path("s"), plan, arena);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(*loaded, LoadedState::everything);
  EXPECT_EQ(entryBytes("table", "compute"), table);
  EXPECT_EQ(entryBytes("", "step"), step);
  // Accumulators are not in the file.
  EXPECT_EQ(entryBytes("table", "gradient"), std::string(kVocabulary * kVocabulary * 4, '\0'));
}

TEST_F(StateFileTest, IsSafetensors) {
  std::string bytes = saved();
  uint64_t length;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  json header = json::parse(bytes.substr(8, length));
  EXPECT_EQ(header["__metadata__"], (json{{"format", "trainc-state"}, {"version", "1"}}));
  std::vector<std::string> keys;
  for (auto &[key, value] : header.items())
    keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"/cursor", "/seed", "/step", "__metadata__", "table/compute"}));
  EXPECT_EQ(header["table/compute"]["dtype"], "F32");
  EXPECT_EQ(header["table/compute"]["shape"], (json{kVocabulary, kVocabulary}));
  EXPECT_EQ(header["table/compute"]["data_offsets"], (json{24, 24 + kVocabulary * kVocabulary * 4}));
  EXPECT_EQ(bytes.size(), 8 + length + 24 + kVocabulary * kVocabulary * 4);
}

TEST_F(StateFileTest, GradientsAreAFileOfTheirOwn) {
  ASSERT_TRUE(writeStateFile(*AtomicFile::create(path("g")), plan, arena, StateSelection::gradients).ok());
  std::string bytes = readText(path("g"));
  EXPECT_NE(bytes.find("table/gradient"), std::string::npos);
  EXPECT_EQ(bytes.find("table/compute"), std::string::npos);
}

TEST_F(StateFileTest, ComputeAloneInitialises) {
  std::string table = entryBytes("table", "compute");
  int64_t end = int64_t(table.size());
  clear();
  json header = {{"table/compute", {{"dtype", "F32"}, {"shape", {256, 256}}, {"data_offsets", {0, end}}}}};
  writeText(path("c"), file(header, table));
  Result<LoadedState> loaded = loadStateFile(path("c"), plan, arena);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(*loaded, LoadedState::computeOnly);
  EXPECT_EQ(entryBytes("table", "compute"), table);
  EXPECT_EQ(entryBytes("", "step"), std::string(8, '\0'));
}

TEST_F(StateFileTest, BadFilesAreErrorsAndChangeNothing) {
  std::string good = saved(), step = entryBytes("", "step"), table = entryBytes("table", "compute");
  auto altered = [&](std::string text, const std::string &from, const std::string &to) {
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_NE(loadError("").find("not a state file, or truncated"), std::string::npos);
  EXPECT_NE(loadError("tiny").find("not a state file, or truncated"), std::string::npos);
  EXPECT_NE(loadError(std::string(64, 'x')).find("not a state file, or truncated"), std::string::npos);
  EXPECT_NE(loadError(std::string("\x04\0\0\0\0\0\0\0nope", 12)).find("header is not JSON"), std::string::npos);
  EXPECT_NE(loadError(good.substr(0, good.size() - 1)).find("beyond the end of the file"), std::string::npos);
  EXPECT_NE(loadError(altered(good, "\"shape\":[256,256]", "\"shape\":[256,255]"))
                .find("bad: tensor 'table/compute' is F32 [256, 255], the bundle expects F32 [256, 256]"),
            std::string::npos);
  EXPECT_NE(loadError(altered(good, "\"F32\"", "\"I32\"")).find("is I32 [256, 256], the bundle expects F32"),
            std::string::npos);
  EXPECT_NE(loadError(altered(good, "\"/step\"", "\"/stop\"")).find("has no tensor '/step'"), std::string::npos);
  EXPECT_NE(loadError(altered(good, "table/compute", "tible/compute")).find("has no tensor 'table/compute'"),
            std::string::npos);
  EXPECT_NE(loadError(file({{"table/compute", json::object()}}, "")).find("expects a field 'dtype'"),
            std::string::npos);
  EXPECT_NE(loadError(altered(good, "\"data_offsets\":[0,8]", "\"data_offsets\":[0,7]")).find("but has 7 bytes"),
            std::string::npos);
  EXPECT_NE(loadStateFile(path("absent"), plan, arena).status().message().find("cannot open"), std::string::npos);
  EXPECT_EQ(entryBytes("", "step"), step);
  EXPECT_EQ(entryBytes("table", "compute"), table);
}

TEST_F(StateFileTest, UnknownTensorsAreErrors) {
  json entry = {{"dtype", "F32"}, {"shape", {1}}, {"data_offsets", {0, 4}}};
  std::string table = entryBytes("table", "compute");
  json header = {{"table/compute", {{"dtype", "F32"}, {"shape", {256, 256}}, {"data_offsets", {0, table.size()}}}},
                 {"extra/compute", entry}};
  EXPECT_NE(loadError(file(header, table)).find("no state entry for tensor 'extra/compute' (F32 [1])"),
            std::string::npos);
}

/// A write that fails halfway leaves the old file, and no temporary one.
TEST_F(StateFileTest, AFullDiskLeavesTheOldFile) {
  std::string before = saved();
  long files = fileCount();
  *arena.at(0) = std::byte(99);
  rlimit old, limit;
  getrlimit(RLIMIT_FSIZE, &old);
  limit = {4096, old.rlim_max};
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  Status status = writeStateFile(*AtomicFile::create(path("s")), plan, arena, StateSelection::persistent);
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("cannot write " + path("s")), std::string::npos);
  EXPECT_EQ(readText(path("s")), before);
  EXPECT_EQ(fileCount(), files);
}

} // namespace
