//===- CompareTest.cpp - The comparison fails when it must ----------------===//
//
// Other tests trust trainc-compare: each way in which two runs can differ is made once here, and must be reported.
//
//===----------------------------------------------------------------------===//

#include "test/tools/compare/Compare.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>

using namespace trainc::test;
using nlohmann::json;
using Tensors = std::map<std::string, FileTensor>;

static FileTensor floats(const std::vector<float> &values) {
  FileTensor tensor{"F32", {static_cast<int64_t>(values.size())}, std::vector<char>(values.size() * sizeof(float))};
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

static Tensors reference() { return {{"big/compute", floats({300, 400})}, {"small/compute", floats({0.01f, 0})}}; }

static bool equal(const Tensors &expected, const Tensors &actual, TensorOptions options = {}) {
  return compareTensors(expected, actual, options).failures.empty();
}

TEST(CompareTensors, EqualFilesPass) {
  Comparison result = compareTensors(reference(), reference(), {});
  EXPECT_TRUE(result.failures.empty());
  EXPECT_EQ(result.compared, 2u);
  EXPECT_EQ(result.worst, 0);
}

// The norm of big is 500, so the tolerance of 1e-5 allows 5e-3.
TEST(CompareTensors, ErrorIsMeasuredAgainstTheTensorsNorm) {
  Tensors actual = reference();
  actual["big/compute"] = floats({300.004f, 400});
  EXPECT_TRUE(equal(reference(), actual));
  actual["big/compute"] = floats({300.006f, 400});
  EXPECT_FALSE(equal(reference(), actual));
}

// small is measured against a hundredth of the norm of all: 5, so 5e-5 is allowed.
TEST(CompareTensors, SmallTensorIsMeasuredAgainstTheGlobalNorm) {
  Tensors actual = reference();
  actual["small/compute"] = floats({0.01004f, 0});
  EXPECT_TRUE(equal(reference(), actual));
  actual["small/compute"] = floats({0.01006f, 0});
  Comparison result = compareTensors(reference(), actual, {});
  ASSERT_EQ(result.failures.size(), 1u);
  EXPECT_EQ(result.worstName, "small/compute");
}

TEST(CompareTensors, NanFails) {
  Tensors actual = reference();
  actual["big/compute"] = floats({std::numeric_limits<float>::quiet_NaN(), 400});
  EXPECT_FALSE(equal(reference(), actual));
}

TEST(CompareTensors, MissingAndAdditionalTensorsFail) {
  Tensors fewer = reference();
  fewer.erase("small/compute");
  EXPECT_FALSE(equal(reference(), fewer));
  EXPECT_FALSE(equal(fewer, reference()));
  TensorOptions subset;
  subset.subset = true;
  EXPECT_TRUE(equal(fewer, reference(), subset));
  EXPECT_FALSE(equal(reference(), fewer, subset));
}

TEST(CompareTensors, NothingToCompareFails) {
  TensorOptions subset;
  subset.subset = true;
  EXPECT_FALSE(equal({}, reference(), subset));
}

TEST(CompareTensors, ShapeAndDtypeMustAgree) {
  Tensors actual = reference();
  actual["big/compute"].shape = {2, 1};
  EXPECT_FALSE(equal(reference(), actual));
  actual = reference();
  actual["big/compute"].dtype = "I32";
  EXPECT_FALSE(equal(reference(), actual));
}

TEST(CompareTensors, IntegersMustBeEqual) {
  Tensors expected = {{"/step", {"I64", {}, {10, 0, 0, 0, 0, 0, 0, 0}}}}, actual = expected;
  EXPECT_TRUE(equal(expected, actual));
  actual["/step"].bytes[0] = 11;
  EXPECT_FALSE(equal(expected, actual));
}

TEST(CompareTensors, BitwiseSeesTheSignOfZero) {
  TensorOptions bitwise;
  bitwise.bitwise = true;
  EXPECT_TRUE(equal(reference(), reference(), bitwise));
  Tensors actual = reference();
  actual["small/compute"] = floats({0.01f, -0.0f});
  EXPECT_TRUE(equal(reference(), actual));
  EXPECT_FALSE(equal(reference(), actual, bitwise));
}

TEST(CompareMetrics, ChecksEveryValueOfEveryStep) {
  json expected = {{"steps", {{{"step", 1}, {"loss", 4.0}}, {{"step", 2}, {"loss", 2.0}}}}};
  std::string first = "{\"step\": 1, \"loss\": 4.0001, \"lr\": 0.1}\n";
  auto failures = [&](const std::string &lines) { return compareMetrics(expected, lines, 1e-4).failures.size(); };
  EXPECT_EQ(failures(first + "{\"step\": 2, \"loss\": 2.0}\n"), 0u);
  EXPECT_EQ(failures(first + "{\"step\": 2, \"loss\": 2.001}\n"), 1u);
  EXPECT_EQ(failures(first + "{\"step\": 3, \"loss\": 2.0}\n"), 1u);
  EXPECT_EQ(failures(first + "{\"step\": 2}\n"), 1u);
  EXPECT_EQ(failures(first + "{\"step\": 2, \"loss\": null}\n"), 1u);
  EXPECT_EQ(failures(first), 1u);
  EXPECT_THROW(failures(first + "{\"step\": 2,"), std::runtime_error);
  EXPECT_THROW(compareMetrics(json::object(), first, 1e-4), std::runtime_error);
}

/// Writes `header` and `dataBytes` zeros as a safetensors file; returns its path.
static std::string writeFile(const std::string &header, size_t dataBytes) {
  std::string path = testing::TempDir() + "trainc-compare-test.safetensors";
  uint64_t headerBytes = header.size();
  std::ofstream stream(path, std::ios::binary);
  stream.write(reinterpret_cast<const char *>(&headerBytes), sizeof(headerBytes));
  stream << header << std::string(dataBytes, '\0');
  return path;
}

TEST(ReadSafeTensors, ReadsWhatIsThere) {
  auto tensors = readSafeTensors(
      writeFile(R"({"__metadata__":{"a":"b"},"w/compute":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}})", 24));
  ASSERT_EQ(tensors.size(), 1u);
  EXPECT_EQ(tensors["w/compute"].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(tensors["w/compute"].toDoubles(), std::vector<double>(6, 0.0));
}

TEST(ReadSafeTensors, DamagedFilesAreErrors) {
  auto fails = [](const std::string &entry, size_t dataBytes) {
    EXPECT_THROW(readSafeTensors(writeFile(entry, dataBytes)), std::runtime_error) << entry;
  };
  fails(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 7); // truncated data
  fails(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 9); // bytes of no tensor
  fails(R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8); // shape and size differ
  fails(R"({"w":{"dtype":"Q32","shape":[2],"data_offsets":[0,8]}})", 8); // unknown dtype
  fails(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8); // offsets swapped
  fails("[1]", 0);
  EXPECT_THROW(readSafeTensors("/nonexistent/file"), std::runtime_error);
}
