//===- BundleTest.cpp - the loader accepts the bundle and refuses each alteration -----===//
//
// One table row per check: what is altered in a correct bundle, and words that the message must have. A check that is
// removed fails its row.
//
//===-----------------------------------------------------------------------===//
#include "runtime/core/Bundle.h"
#include "test/unit/runtime/TestBundle.h"
#include "test/unit/runtime/TestFiles.h"

#include <functional>

using namespace trainc;
using nlohmann::json;

namespace {

class BundleTest : public FilesTest {
protected:
  std::string loadError() {
    Result<Plan> plan = loadBundle(path("b.plan"));
    return plan.ok() ? "" : plan.status().message();
  }
};

TEST_F(BundleTest, AcceptsTheBundle) {
  TestBundle().write(path("b.plan"));
  EXPECT_EQ(loadError(), "");
}

/// An alteration before the bundle is sealed: the hashes hold, the content is wrong.
struct Mutation {
  const char *message;
  std::function<void(TestBundle &)> alter;
};

void set(json &object, const char *pointer, json value) { object[json::json_pointer(pointer)] = std::move(value); }

/// Makes `init` write the table to value 2 too, as instruction `at`.
void writeTableTwice(json &init, size_t at) {
  init["values"].push_back(init["values"][1]);
  json second = init["instructions"][0];
  second["out"] = {2};
  init["instructions"].insert(init["instructions"].begin() + at, second);
}

const Mutation kMutations[] = {
    // plan.json
    {"plan.json: format: expects \"trainc-plan\", got \"zip\"", [](TestBundle &b) { b.plan["format"] = "zip"; }},
    {"the bundle has version 2, this runtime reads version 1: use a newer trainc-run",
     [](TestBundle &b) { b.plan["version"] = 2; }},
    {"expects a field 'threads'", [](TestBundle &b) { b.plan.erase("threads"); }},
    {"threads: expects 1 <= value", [](TestBundle &b) { b.plan["threads"] = 0; }},
    {"arena_bytes: expects an integer, got \"big\"", [](TestBundle &b) { b.plan["arena_bytes"] = "big"; }},
    {"expects global_batch = micro_batch * micro_batches", [](TestBundle &b) { b.plan["global_batch"] = 5; }},
    {"target.device: expects \"cpu\"", [](TestBundle &b) { set(b.plan, "/target/device", "abacus"); }},
    {"needs the cpu feature 'avx9'", [](TestBundle &b) { set(b.plan, "/target/features", {"avx9"}); }},
    // Schema and references of stage-0.json
    {"stage-0.json: bodies[2].values[0].dtype: expects one of f32",
     [](TestBundle &b) { set(b.stage, "/bodies/2/values/0/dtype", "f16"); }},
    {"bodies[2].values[0].shape[0]: expects 1 <= value", [](TestBundle &b) { set(b.stage, "/bodies/2/values/0/shape/0", 0); }},
    {"the tensor is too large", [](TestBundle &b) { set(b.stage, "/bodies/2/values/0/shape", {1 << 30, 1 << 30}); }},
    {"no slot 'badge' (known: batch, micro)", [](TestBundle &b) { set(b.stage, "/inputs/0/slot", "badge"); }},
    {"inputs[0].source: expects \"tokens\"", [](TestBundle &b) { set(b.stage, "/inputs/0/source", "images"); }},
    {"input 'tokens' expects i32 [samples, tokens]", [](TestBundle &b) { set(b.stage, "/inputs/0/dtype", "i64"); }},
    {"no kernel 'k9'", [](TestBundle &b) { b.instruction("update", 0)["kernel"] = "k9"; }},
    {"no body 'micro'", [](TestBundle &b) { set(b.stage, "/programs/1/rows/2/body", "micro"); }},
    {"no slot has this name", [](TestBundle &b) { set(b.stage, "/programs/1/rows/2/bind/extra", 0); }},
    {"in[0]: expects 0 <= value <= 14, got 15", [](TestBundle &b) { b.instruction("update", 0)["in"][0] = 15; }},
    {"inplace[0]: expects [result position", [](TestBundle &b) { b.instruction("update", 0)["inplace"] = {{0, 0, 0}}; }},
    {"inplace[0][1]: expects 0 <= value <= 1", [](TestBundle &b) { b.instruction("update", 0)["inplace"] = {{0, 2}}; }},
    {"expects one of the fields 'kernel', 'call', 'view'", [](TestBundle &b) { b.instruction("update", 0).erase("kernel"); }},
    {"metrics[0].value: expects 0 <= value <= 14", [](TestBundle &b) { set(b.stage, "/metrics/0/value", 99); }},
    {"constants[0].data: expects 1 elements", [](TestBundle &b) { set(b.stage, "/constants/0/data", {0, 1}); }},
    // Names
    {"kernel 'sgd' occurs twice", [](TestBundle &b) { b.stage["kernels"].push_back(b.stage["kernels"][4]); }},
    {"body 'count' occurs twice", [](TestBundle &b) { b.stage["bodies"].push_back(b.body("count")); }},
    {"state entry 'table/compute' occurs twice", [](TestBundle &b) { b.stage["state"].push_back(b.stage["state"][5]); }},
    {"metric 'loss' of body 'update' occurs twice", [](TestBundle &b) { set(b.stage, "/metrics/1/name", "loss"); }},
    {"unknown slot 'scratch'", [](TestBundle &b) { b.stage["slots"].push_back({{"name", "scratch"}, {"bytes", 8}}); }},
    // Tables
    {"state entry 'table/compute' ends at byte", [](TestBundle &b) { set(b.stage, "/state/5/offset", 1 << 20); }},
    {"state entry 'table/compute' is at byte 1025", [](TestBundle &b) { set(b.stage, "/state/5/offset", 1025); }},
    {"state entry '/seed' overlaps state entry '/step'", [](TestBundle &b) { set(b.stage, "/state/1/offset", 0); }},
    {"the state expects a scalar i64 entry '/cursor'", [](TestBundle &b) {
       set(b.stage, "/state/2/role", "course"); set(b.body("update"), "/results/3/role", "course"); }},
    {"the constant at byte 0 overlaps", [](TestBundle &b) { set(b.stage, "/constants/0/offset", 0); }},
    {"the constant at byte 99999999 ends", [](TestBundle &b) { set(b.stage, "/constants/0/offset", 99999999); }},
    {"input 'targets' (i32[2, 8]) is not in slot 'batch'", [](TestBundle &b) { set(b.stage, "/inputs/1/slot", "micro"); }},
    {"input 'targets' (i32[2, 8]) ends beyond slot", [](TestBundle &b) { set(b.stage, "/inputs/1/offset", 96); }},
    {"input 'targets' (i32[2, 8]) overlaps input 'tokens'", [](TestBundle &b) { set(b.stage, "/inputs/1/offset", 32); }},
    {"expects shape [2, 8]", [](TestBundle &b) { set(b.stage, "/inputs/1/shape", {2, 7}); }},
    // Values and assignments of a body
    {"body 'eval': value 3 (f32[16, 256]) ends at byte", [](TestBundle &b) { set(b.body("eval"), "/values/3/at/offset", 1 << 20); }},
    {"body 'eval': value 3 (f32[16, 256]) is at byte 1026, which", [](TestBundle &b) { set(b.body("eval"), "/values/3/at/offset", 1026); }},
    {"value 3 (f32[16, 256]) is assigned twice, first by instruction 0",
     [](TestBundle &b) { b.instruction("eval", 1)["out"][0] = 3; }},
    {"value 4 (f32[16]) is read before instruction 2 assigns it",
     [](TestBundle &b) { std::swap(b.instruction("eval", 1), b.instruction("eval", 2)), std::swap(b.instruction("eval", 0), b.instruction("eval", 1)); }},
    {"is never assigned and is no state entry, constant or input",
     [](TestBundle &b) { set(b.body("count"), "/values/0/at/offset", 448); }},
    {"metric 'loss' is value 0 (f32[256, 256]), which no instruction assigns", [](TestBundle &b) { set(b.stage, "/metrics/0/value", 0); }},
    {"a view expects value 11", [](TestBundle &b) { set(b.body("micro_batch"), "/values/11/shape", {kTokens, 128}); }},
    {"a view expects one operand and one result", [](TestBundle &b) { b.instruction("micro_batch", 1)["in"] = {6, 6}; }},
    // In place
    {"value 9 (f32[]) overlaps operand 1, value 4 (f32[]), without being declared in place",
     [](TestBundle &b) { b.instruction("micro_batch", 3)["inplace"] = json::array(); }},
    {"is declared in place with value 7 (f32[16]), but they are not the same bytes",
     [](TestBundle &b) { b.instruction("micro_batch", 3)["inplace"] = {{0, 0}}; }},
    {"are in more than one in-place pair", [](TestBundle &b) { b.instruction("micro_batch", 3)["inplace"] = {{0, 1}, {0, 1}}; }},
    {"overlaps operand 1, value 0", [](TestBundle &b) { b.instruction("update", 0)["in"] = {0, 0}; b.instruction("update", 0)["inplace"] = {{0, 0}}; }},
    // Lifetimes
    {"body 'micro_batch', instruction 4 (bigram test.cpp:1): value 10 (f32[16]) overwrites value 8 (f32[16]), which is still to be "
     "read by instruction 5",
     [](TestBundle &b) { set(b.body("micro_batch"), "/values/10/at/offset", b.body("micro_batch")["values"][8]["at"]["offset"]); }},
    {"overwrites value 6 (f32[2, 8, 256]), which is still to be read by instruction 2",
     [](TestBundle &b) {
       // The launch between the logits and their view now writes over them.
       json &instructions = b.body("micro_batch")["instructions"];
       json seed = instructions[4];
       instructions.erase(4);
       instructions.insert(instructions.begin() + 1, seed);
       set(b.body("micro_batch"), "/values/10/at/offset", b.body("micro_batch")["values"][6]["at"]["offset"]);
       instructions[1]["loc"] = "";
       instructions[2]["in"] = {6};
     }},
    {"overwrites value 3 (f32[]), which is still to be read by instruction 1", // old state, read after its update
     [](TestBundle &b) { b.body("count")["values"].push_back(b.body("count")["values"][0]); b.body("count")["values"].push_back(b.body("eval")["values"][6]);
       b.body("count")["values"][2] = b.body("count")["values"][0];
       b.body("count")["values"].push_back(b.body("count")["values"][3]);
       b.body("count")["values"][3] = b.body("count")["values"][0];
       b.body("count")["instructions"].push_back({{"kernel", "seed_loss"}, {"in", {3}}, {"out", {4}}}); }},
    {"overwrites value 12 (f32[]), which is still to be read by the host as a metric",
     [](TestBundle &b) {
       b.body("update")["values"].push_back(b.body("update")["values"][12]);
       b.body("update")["instructions"].push_back({{"kernel", "sgd"}, {"in", json::array()}, {"out", {15}}});
     }},
    {"overwrites a part of the state entry 'table/compute'", [](TestBundle &b) { set(b.body("eval"), "/values/4/at/offset", 1024 + 64); }},
    {"overwrites the constant at byte 320", [](TestBundle &b) { set(b.body("eval"), "/values/6/at/offset", 320); }},
    {"is written to slot 'batch', which only the host writes",
     [](TestBundle &b) { set(b.body("eval"), "/values/4/at", {{"slot", "batch"}, {"offset", 0}}); }},
    {"value 5 (f32[16]) overlaps value 4 (f32[16]), another result",
     [](TestBundle &b) { set(b.body("eval"), "/values/5/at/offset", b.body("eval")["values"][4]["at"]["offset"]); }},
    {"the workspace overlaps value 3", [](TestBundle &b) {
       b.instruction("eval", 0)["workspace"] = {{"offset", b.body("eval")["values"][3]["at"]["offset"]}, {"bytes", 64}}; }},
    {"the workspace overlaps operand 0", [](TestBundle &b) {
       b.instruction("eval", 1)["workspace"] = {{"offset", b.body("eval")["values"][3]["at"]["offset"]}, {"bytes", 64}}; }},
    {"the workspace overwrites a part of the state entry", [](TestBundle &b) {
       b.instruction("eval", 2)["workspace"] = {{"offset", 1024}, {"bytes", 64}};
       b.instruction("eval", 2).erase("kernel"); b.instruction("eval", 2)["call"] = "gemm"; b.instruction("eval", 2)["attrs"] = json::object(); }},
    {"is not in the arena at a multiple of 64", [](TestBundle &b) {
       b.instruction("eval", 0)["workspace"] = {{"offset", 1 << 30}, {"bytes", 64}}; }},
    {"metric 'count' is value 8 (i32[2, 8]), which lies in slot 'batch'; expects a value in the arena", [](TestBundle &b) {
       b.body("eval")["values"].push_back(b.body("eval")["values"][1]);
       b.body("eval")["instructions"].push_back({{"view", true}, {"in", {1}}, {"out", {8}}});
       set(b.stage, "/metrics/4/value", 8); }},
    // New values of the state
    {"bodies[3].results[0]: no state entry 'table/master'", [](TestBundle &b) { set(b.body("update"), "/results/0/role", "master"); }},
    {"results[0].value: expects 0 <= value <= 14", [](TestBundle &b) { set(b.body("update"), "/results/0/value", 15); }},
    {"the new value of the state entry 'table/compute' expects f32[256, 256] in its bytes, got value 7 (f32[256, 256])",
     [](TestBundle &b) { set(b.body("update"), "/results/0/value", 7); }},
    {"the new value of the state entry 'table/compute' expects f32[256, 256] in its bytes, got value 2 (f32[65536])",
     [](TestBundle &b) {
       b.body("init")["values"].push_back(b.body("init")["values"][1]);
       set(b.body("init"), "/values/2/shape", {65536});
       b.body("init")["instructions"].push_back({{"view", true}, {"in", {1}}, {"out", {2}}});
       set(b.body("init"), "/results/0/value", 2); }},
    {"value 6 (f32[256, 256]) overwrites value 0 (f32[256, 256]), which is still to be read by later bodies as the state",
     [](TestBundle &b) { set(b.body("update"), "/results/0/value", 0); }},
    {"the state entry 'table/compute' has two new values", [](TestBundle &b) { b.body("init")["results"].push_back(b.body("init")["results"][0]); }},
    {"the new value of the state entry 'table/compute' is value 1 (f32[256, 256]), which no instruction writes",
     [](TestBundle &b) { b.body("init")["instructions"] = json::array(); }},
    {"value 4 (f32[]) and value 9 (f32[]) are both the state entry 'loss/loss' and no instruction assigns either",
     [](TestBundle &b) { b.body("micro_batch")["instructions"].erase(3); }},
    {"value 6 (f32[]) overwrites the state entry 'loss/count', whose new value is not among the body's results",
     [](TestBundle &b) { set(b.body("eval"), "/values/6/at/offset", 192); }},
    {"value 2 (f32[256, 256]) overwrites the state entry 'table/compute', whose new value is value 1 (f32[256, 256])",
     [](TestBundle &b) { writeTableTwice(b.body("init"), 0); }},
    {"value 2 (f32[256, 256]) overwrites value 1 (f32[256, 256]), which is still to be read by later bodies as the state",
     [](TestBundle &b) { writeTableTwice(b.body("init"), 1); }},
    // Kernels
    {"kernels[4]: expects a field 'args'", [](TestBundle &b) { b.stage["kernels"][4].erase("args"); }},
    {"args[1].access: expects one of read, write, read_write, got \"see\"", [](TestBundle &b) { set(b.stage, "/kernels/4/args/1/access", "see"); }},
    {"args[1].elements: expects 1 <= value", [](TestBundle &b) { set(b.stage, "/kernels/4/args/1/elements", 0); }},
    {"body 'update', instruction 0 (bigram test.cpp:1): kernel 'sgd' takes 1 arguments, got 2: 2 operands and 2 results, 2 of them in place",
     [](TestBundle &b) { b.stage["kernels"][4]["args"].erase(1); }},
    {"kernel 'init_table' takes 1 elements of i32 as argument 0, got value 0 (i64[])", [](TestBundle &b) { set(b.stage, "/kernels/0/args/0/dtype", "i32"); }},
    {"kernel 'seed_loss' takes 15 elements of f32 as argument 1, got value 10 (f32[16])", [](TestBundle &b) { set(b.stage, "/kernels/2/args/1/elements", 15); }},
    {"kernel 'finish_step' takes 1 elements of f32 as argument 1, got value 3 (i64[])", [](TestBundle &b) { set(b.stage, "/kernels/5/args/1/dtype", "f32"); }},
    {"kernel 'add_loss' has access 'read' to argument 1, value 4 (f32[]) expects 'read_write'", [](TestBundle &b) { set(b.stage, "/kernels/3/args/1/access", "read"); }},
    {"kernel 'add_loss' has access 'read_write' to argument 0, value 7 (f32[16]) expects 'read'", [](TestBundle &b) { set(b.stage, "/kernels/3/args/0/access", "read_write"); }},
    {"kernel 'sum_loss' has access 'read' to argument 2, value 7 (f32[]) expects 'write'", [](TestBundle &b) { set(b.stage, "/kernels/6/args/2/access", "read"); }},
    // Library calls
    {"no library routine 'conv' (known: attention_backward", [](TestBundle &b) { b.instruction("eval", 0)["call"] = "conv"; }},
    {"embedding_forward expects attribute 'rows' to be an integer", [](TestBundle &b) { b.instruction("eval", 0)["attrs"].erase("rows"); }},
    {"expects 1 <= rows", [](TestBundle &b) { b.instruction("eval", 0)["attrs"]["rows"] = -4; }},
    {"expects operand 0 to have 32768 elements of f32, got f32[256, 256]", [](TestBundle &b) { b.instruction("eval", 0)["attrs"]["rows"] = 128; }},
    {"expects 2 operands, got 1", [](TestBundle &b) { b.instruction("eval", 0)["in"] = {0}; }},
    {"expects 2 results, got 1", [](TestBundle &b) { b.instruction("eval", 1)["out"] = {4}; }},
    {"embedding_backward expects result 0 in place with operand 2", [](TestBundle &b) {
       b.instruction("micro_batch", 6)["inplace"] = json::array(); set(b.body("micro_batch"), "/values/13/at/offset", 1024);
       set(b.body("micro_batch"), "/values/0/at/offset", 1024); }},
    // Rows
    {"row 2 (body 'micro_batch'): slot 'batch' is used but not bound", [](TestBundle &b) { set(b.stage, "/programs/1/rows/2/bind", json::object()); }},
    {"row 2 (body 'micro_batch'): slot 'batch' is bound to byte 4", [](TestBundle &b) { set(b.stage, "/programs/1/rows/2/bind/batch", 4); }},
    {"row 0 (body 'count'): expects micro_batch < 2, got 2", [](TestBundle &b) { set(b.stage, "/programs/1/rows/0/micro_batch", 2); }},
    {"slot 'micro' expects to be bound to an i64 constant of value 0", [](TestBundle &b) { set(b.stage, "/programs/1/rows/0/bind/micro", 384); }},
    {"the inputs of micro-batch 1 overlaps program 'train': the inputs of micro-batch 0", [](TestBundle &b) { set(b.stage, "/programs/1/rows/3/bind/batch", 448 + 64); }},
    {"program 'train': the inputs of micro-batch 0 overlaps", [](TestBundle &b) { set(b.stage, "/programs/1/rows/2/bind/batch", 1024); }},
    {"micro-batch 0 is bound to byte 448 and to byte 704", [](TestBundle &b) {
       set(b.stage, "/programs/1/rows/3/micro_batch", 0); set(b.stage, "/programs/1/rows/3/bind", {{"batch", 704}}); }},
    {"overwrites the inputs of micro-batch 0 of program 'train'", [](TestBundle &b) { set(b.body("micro_batch"), "/values/10/at/offset", 448); }},
    {"metric 'loss_sum' belongs to body 'eval', which is not only the last row", [](TestBundle &b) {
       json &rows = b.stage["programs"][2]["rows"]; rows.push_back(rows[0]); }},
};

TEST_F(BundleTest, RefusesEachMutation) {
  for (const Mutation &mutation : kMutations) {
    TestBundle bundle;
    mutation.alter(bundle);
    bundle.write(path("b.plan"));
    EXPECT_NE(loadError().find(mutation.message), std::string::npos)
        << "expected: " << mutation.message << "\ngot: " << loadError();
  }
}

/// No instruction and no new value of the state can go missing.
TEST_F(BundleTest, MissesWhateverIsRemovedFromABody) {
  const TestBundle complete;
  for (size_t body = 0; body < complete.stage["bodies"].size(); ++body)
    for (const char *part : {"instructions", "results"})
      for (size_t i = 0; i < complete.stage["bodies"][body][part].size(); ++i) {
        TestBundle bundle;
        bundle.stage["bodies"][body][part].erase(i);
        bundle.write(path("b.plan"));
        EXPECT_NE(loadError(), "") << "body " << body << ", " << part << " without " << i;
      }
}

/// The bytes of an entry may hold other values between its old and its new one.
TEST_F(BundleTest, AcceptsIntermediateValuesInTheState) {
  TestBundle bundle;
  json &init = bundle.body("init");
  init["values"].push_back(init["values"][1]); // 2: the old table
  init["values"].push_back(init["values"][1]); // 3: in place with it
  init["values"].push_back(init["values"][1]); // 4: in place with the new table
  json launch = {{"kernel", "scale"}, {"in", {2}}, {"out", {3}}, {"inplace", {{0, 0}}}};
  init["instructions"].insert(init["instructions"].begin(), launch);
  launch["in"] = {1}, launch["out"] = {4};
  init["instructions"].push_back(launch);
  set(init, "/results/0/value", 4);
  bundle.stage["kernels"].push_back({{"name", "scale"},
                                     {"work_items", 1},
                                     {"grain", 1},
                                     {"args", {{{"dtype", "f32"}, {"elements", 65536}, {"access", "read_write"}}}}});
  bundle.write(path("b.plan"));
  EXPECT_EQ(loadError(), "");
}

/// An alteration after sealing.
TEST_F(BundleTest, RefusesAlteredFiles) {
  struct Alteration {
    const char *message, *file;
    std::function<std::string(std::string)> alter;
  };
  const Alteration alterations[] = {
      {"plan.json: expects JSON; the file is truncated", "plan.json",
       [](std::string s) { return s.substr(0, s.size() / 2); }},
      {"plan.json: expects JSON", "plan.json", [](std::string) { return ""; }},
      {"content_hash does not match", "plan.json",
       [](std::string s) { return s.replace(s.find("\"threads\": 2"), 12, "\"threads\": 1"); }},
      {"stage-0.json: the SHA-256 is not the one in plan.json", "stage-0.json", [](std::string s) { return s + " "; }},
      {"kernels.cpu.so: the SHA-256", "kernels.cpu.so", [](std::string s) { return s.substr(0, s.size() - 1); }},
  };
  for (const Alteration &alteration : alterations) {
    TestBundle().write(path("b.plan"));
    std::string file = path("b.plan") + "/" + alteration.file;
    writeText(file, alteration.alter(readText(file)));
    EXPECT_NE(loadError().find(alteration.message), std::string::npos) << loadError();
  }
}

TEST_F(BundleTest, RefusesMissingFilesAndNonBundles) {
  EXPECT_NE(loadError().find("cannot open bundle"), std::string::npos);
  for (const char *file : {"plan.json", "stage-0.json", "kernels.cpu.so"}) {
    TestBundle().write(path("b.plan"));
    std::filesystem::remove(path("b.plan") + "/" + file);
    EXPECT_NE(loadError().find(file), std::string::npos) << loadError();
  }
  std::filesystem::remove_all(path("b.plan"));
  writeText(path("b.plan"), "text");
  EXPECT_NE(loadError().find("is not a bundle: expects a folder"), std::string::npos) << loadError();
}

/// Any field replaced by a value of another kind is an error or harmless, never a crash.
TEST_F(BundleTest, SurvivesWrongKindsEverywhere) {
  const json kinds[] = {"x", -1, int64_t(1) << 40, nullptr, json::object()};
  size_t next = 0;
  json fields = TestBundle().stage.flatten();
  for (auto &[pointer, old] : fields.items()) {
    TestBundle bundle;
    bundle.stage[json::json_pointer(pointer)] = kinds[next++ % std::size(kinds)];
    bundle.write(path("b.plan"));
    (void)loadError();
  }
}

} // namespace
