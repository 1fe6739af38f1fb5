//===- TestBundle.cpp - a bundle written by hand -------------------------------------===//
//
// The arena is laid out by the enum below; each body is a list of values and a list of instructions.
//
//===-----------------------------------------------------------------------===//
#include "test/unit/runtime/TestBundle.h"

#include "runtime/core/Sha256.h"
#include "test/unit/runtime/TestFiles.h"

using namespace trainc;
using nlohmann::json;

namespace {

/// Offsets of the arena, each a multiple of 64.
enum : int64_t {
  kStep = 0,
  kSeed = 64,
  kCursor = 128,
  kCount = 192,
  kLossSum = 256,
  kMicro0 = 320,
  kMicro1 = 384,
  kBatch0 = 448,
  kBatch1 = 576,
  kTable = 1024,
  kTableBytes = kVocabulary * kVocabulary * 4,
  kGradient = kTable + kTableBytes,
  kTemporaries = kGradient + kTableBytes,
  kLoss = kTemporaries,
  kLse = kLoss + 64,
  kLossGradient = kLse + 64,
  kMetrics = kLossGradient + 64,
  kLogits = kMetrics + 192,
  kArena = kLogits + kTokens * kVocabulary * 4,
};

json value(const char *dtype, json shape, int64_t offset) {
  return {{"dtype", dtype}, {"shape", shape}, {"at", {{"offset", offset}}}};
}

json batchValue(json shape, int64_t offset) {
  return {{"dtype", "i32"}, {"shape", shape}, {"at", {{"slot", "batch"}, {"offset", offset}}}};
}

json scalar(int64_t offset) { return value("f32", json::array(), offset); }
json table(int64_t offset) { return value("f32", {kVocabulary, kVocabulary}, offset); }

json launch(const char *kernel, json in, json out, json inPlace = json::array()) {
  return {
      {"kernel", kernel}, {"in", in}, {"out", out}, {"inplace", inPlace}, {"loc", std::string("bigram test.cpp:1")}};
}

json call(const char *routine, json attributes, json in, json out, json inPlace = json::array()) {
  return {{"call", routine}, {"attrs", attributes}, {"in", in},
          {"out", out},      {"inplace", inPlace},  {"loc", "bigram test.cpp:2"}};
}

json body(const char *name, json values, json instructions, json results = json::array()) {
  return {{"name", name}, {"values", values}, {"instructions", instructions}, {"results", results}};
}

json newState(const char *scope, const char *role, int value) {
  return {{"scope", scope}, {"role", role}, {"value", value}};
}

json embedding(int64_t count) { return {{"rows", kVocabulary}, {"width", kVocabulary}, {"count", count}}; }

json microBatchBody() {
  json values = {table(kTable),                                              // 0
                 batchValue({kMicroBatch, kLength}, 0),                      // 1 tokens
                 batchValue({kMicroBatch, kLength}, 64),                     // 2 targets
                 scalar(kCount),                                             // 3
                 scalar(kLossSum),                                           // 4
                 table(kGradient),                                           // 5
                 value("f32", {kMicroBatch, kLength, kVocabulary}, kLogits), // 6 logits
                 value("f32", {kTokens}, kLoss),                             // 7
                 value("f32", {kTokens}, kLse),                              // 8
                 scalar(kLossSum),                                           // 9
                 value("f32", {kTokens}, kLossGradient),                     // 10
                 value("f32", {kTokens, kVocabulary}, kLogits),              // 11 logits, flat
                 value("f32", {kTokens, kVocabulary}, kLogits),              // 12 their gradient
                 table(kGradient)};                                          // 13
  json classes = {{"count", kTokens}, {"classes", kVocabulary}};
  return body("micro_batch", values,
              {call("embedding_forward", embedding(kTokens), {0, 1}, {6}),
               {{"view", true}, {"in", {6}}, {"out", {11}}, {"loc", "bigram test.cpp:3"}},
               call("cross_entropy_forward", classes, {11, 2}, {7, 8}),
               launch("add_loss", {7, 4}, {9}, {{0, 1}}),
               launch("seed_loss", {3}, {10}),
               call("cross_entropy_backward", classes, {11, 2, 8, 10}, {12}, {{0, 0}}),
               call("embedding_backward", embedding(kTokens), {12, 1, 5}, {13}, {{0, 2}})},
              {newState("loss", "loss", 9), newState("table", "gradient", 13)});
}

json updateBody() {
  json values = {table(kTable),
                 table(kGradient),
                 value("i64", json::array(), kStep),
                 value("i64", json::array(), kCursor),
                 scalar(kLossSum),
                 scalar(kCount),
                 table(kTable), // 6: new values from here
                 table(kGradient),
                 value("i64", json::array(), kStep),
                 value("i64", json::array(), kCursor),
                 scalar(kLossSum),
                 scalar(kCount),
                 scalar(kMetrics), // 12
                 scalar(kMetrics + 64),
                 scalar(kMetrics + 128)};
  return body("update", values,
              {launch("sgd", {0, 1}, {6, 7}, {{0, 0}, {1, 1}}),
               launch("finish_step", {2, 3, 4, 5}, {8, 9, 10, 11, 12, 13, 14}, {{0, 0}, {1, 1}, {2, 2}, {3, 3}})},
              {newState("table", "compute", 6), newState("table", "gradient", 7), newState("", "step", 8),
               newState("", "cursor", 9), newState("loss", "loss", 10), newState("loss", "count", 11)});
}

json evalBody() {
  json values = {table(kTable),
                 batchValue({kMicroBatch, kLength}, 0),
                 batchValue({kMicroBatch, kLength}, 64),
                 value("f32", {kTokens, kVocabulary}, kLogits),
                 value("f32", {kTokens}, kLoss),
                 value("f32", {kTokens}, kLse),
                 scalar(kMetrics),
                 scalar(kMetrics + 64)};
  return body("eval", values,
              {call("embedding_forward", embedding(kTokens), {0, 1}, {3}),
               call("cross_entropy_forward", {{"count", kTokens}, {"classes", kVocabulary}}, {3, 2}, {4, 5}),
               launch("sum_loss", {4}, {6, 7})});
}

json bodies() {
  json count = body("count", {scalar(kCount), scalar(kCount)}, {launch("count_tokens", {0}, {1}, {{0, 0}})},
                    json::array({newState("loss", "count", 1)}));
  json init = body("init", {value("i64", json::array(), kSeed), table(kTable)}, {launch("init_table", {0}, {1})},
                   json::array({newState("table", "compute", 1)}));
  json logits =
      body("logits", {table(kTable), batchValue({1, kLength}, 0), value("f32", {1, kLength, kVocabulary}, kLogits)},
           {call("embedding_forward", embedding(kLength), {0, 1}, {2})});
  return {init, count, microBatchBody(), updateBody(), evalBody(), logits};
}

json programs() {
  auto row = [](const char *body, int micro, bool usesBatch) {
    json bind = {{"micro", micro ? kMicro1 : kMicro0}};
    if (usesBatch)
      bind["batch"] = micro ? kBatch1 : kBatch0;
    return json{{"body", body}, {"micro_batch", micro}, {"bind", bind}};
  };
  auto program = [](const char *name, json rows) { return json{{"name", name}, {"rows", rows}}; };
  return {program("init", json::array({row("init", 0, false)})),
          program("train", {row("count", 0, false), row("count", 1, false), row("micro_batch", 0, true),
                            row("micro_batch", 1, true), row("update", 0, false)}),
          program("eval", json::array({row("eval", 0, true)})),
          program("logits", json::array({row("logits", 0, true)}))};
}

json state() {
  auto entry = [](const char *scope, const char *role, const char *dtype, json shape, int64_t offset) {
    return json{{"scope", scope}, {"role", role}, {"dtype", dtype}, {"shape", shape}, {"offset", offset}};
  };
  return {entry("", "step", "i64", json::array(), kStep),
          entry("", "seed", "i64", json::array(), kSeed),
          entry("", "cursor", "i64", json::array(), kCursor),
          entry("loss", "count", "f32", json::array(), kCount),
          entry("loss", "loss", "f32", json::array(), kLossSum),
          entry("table", "compute", "f32", {kVocabulary, kVocabulary}, kTable),
          entry("table", "gradient", "f32", {kVocabulary, kVocabulary}, kGradient)};
}

json kernels() {
  auto kernel = [](const char *name, int64_t items, int64_t grain, json arguments) {
    return json{{"name", name}, {"work_items", items}, {"grain", grain}, {"args", arguments}};
  };
  auto argument = [](const char *access, int64_t elements = 1, const char *dtype = "f32") {
    return json{{"dtype", dtype}, {"elements", elements}, {"access", access}};
  };
  int64_t elements = kVocabulary * kVocabulary;
  json updated = argument("read_write"), written = argument("write"), updatedTable = argument("read_write", elements),
       updatedInteger = argument("read_write", 1, "i64"), loss = argument("read", kTokens);
  return {kernel("init_table", elements, 1024, {argument("read", 1, "i64"), argument("write", elements)}),
          kernel("count_tokens", 1, 1, json::array({updated})),
          kernel("seed_loss", kTokens, 4, {argument("read"), argument("write", kTokens)}),
          kernel("add_loss", 1, 1, {loss, updated}),
          kernel("sgd", elements, 1024, {updatedTable, updatedTable}),
          kernel("finish_step", 1, 1, {updatedInteger, updatedInteger, updated, updated, written, written, written}),
          kernel("sum_loss", 1, 1, {loss, written, written})};
}

} // namespace

TestBundle::TestBundle() {
  auto input = [](const char *name, int64_t offset, int shift) {
    return json{{"name", name},    {"dtype", "i32"},      {"shape", {kMicroBatch, kLength}},
                {"slot", "batch"}, {"offset", offset},    {"source", "tokens"},
                {"shift", shift},  {"bound", kVocabulary}};
  };
  auto metric = [](const char *name, const char *body, int value) {
    return json{{"name", name}, {"body", body}, {"value", value}};
  };
  auto constant = [](int64_t offset, int64_t data) {
    return json{{"dtype", "i64"}, {"shape", json::array()}, {"offset", offset}, {"data", {data}}};
  };
  stage = {{"inputs", {input("tokens", 0, 0), input("targets", 64, 1)}},
           {"state", state()},
           {"constants", {constant(kMicro0, 0), constant(kMicro1, 1)}},
           {"slots", {{{"name", "batch"}, {"bytes", 128}}, {{"name", "micro"}, {"bytes", 8}}}},
           {"kernels", kernels()},
           {"bodies", bodies()},
           {"programs", programs()},
           {"metrics",
            {metric("loss", "update", 12), metric("grad_norm", "update", 13), metric("lr", "update", 14),
             metric("loss_sum", "eval", 6), metric("count", "eval", 7), metric("logits", "logits", 2)}}};
  plan = {{"format", "trainc-plan"},
          {"version", 1},
          {"model", {{"name", "bigram"}, {"source", "bigram.cpp"}, {"config", json::object()}}},
          {"target", {{"device", "cpu"}, {"cpu", "x86-64"}, {"features", {"sse2"}}}},
          {"threads", 2},
          {"global_batch", 2 * kMicroBatch},
          {"micro_batch", kMicroBatch},
          {"micro_batches", 2},
          {"arena_bytes", int64_t(kArena)}};
}

json &TestBundle::body(const std::string &name) {
  for (json &body : stage["bodies"])
    if (body["name"] == name)
      return body;
  throw std::out_of_range(name);
}

void TestBundle::write(const std::string &path) const {
  std::filesystem::create_directory(path);
  std::string stageText = stage.dump(1) + "\n", kernelText = readText(TRAINC_TEST_KERNELS);
  json sealed = plan;
  sealed["files"] = {{"stage-0.json", sha256Hex(stageText)}, {"kernels.cpu.so", sha256Hex(kernelText)}};
  sealed["content_hash"] = sha256Hex(sealed.dump());
  writeText(path + "/stage-0.json", stageText);
  writeText(path + "/kernels.cpu.so", kernelText);
  writeText(path + "/plan.json", sealed.dump(1) + "\n");
}
