//===- Compare.cpp - Compare tensors and metrics --------------------------===//
//
// Every test of the form "no larger than" is written so that NaN fails it.
//
//===----------------------------------------------------------------------===//

#include "test/tools/compare/Compare.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <stdexcept>

using namespace trainc::test;
using nlohmann::json;

/// How much of the norm of all tensors a small tensor is measured against.
static constexpr double kGlobalNormShare = 0.01;

static double l2Norm(const std::vector<double> &values) {
  double sum = 0;
  for (double value : values)
    sum += value * value;
  return std::sqrt(sum);
}

static double globalNorm(const std::map<std::string, FileTensor> &tensors) {
  std::vector<double> norms;
  for (const auto &[name, tensor] : tensors)
    if (tensor.isFloat())
      norms.push_back(l2Norm(tensor.toDoubles()));
  return l2Norm(norms);
}

/// Records `error` under `name`, and a failure if it is above `limit` or not a number.
static void record(Comparison &result, const std::string &name, double error, double limit) {
  ++result.compared;
  if (!(error <= result.worst)) {
    result.worst = error;
    result.worstName = name;
  }
  if (!(error <= limit))
    result.failures.push_back(fmt::format("{}: relative error {:.3g}, allowed {:.3g}", name, error, limit));
}

static double relativeError(const FileTensor &expected, const FileTensor &actual, double minimumNorm) {
  std::vector<double> difference = actual.toDoubles();
  std::vector<double> reference = expected.toDoubles();
  for (size_t i = 0; i < difference.size(); ++i)
    difference[i] -= reference[i];
  double error = l2Norm(difference);
  return error == 0 ? 0 : error / std::max(l2Norm(reference), minimumNorm);
}

static std::string describe(const FileTensor &tensor) {
  return fmt::format("{} [{}]", tensor.dtype, fmt::join(tensor.shape, ", "));
}

Comparison trainc::test::compareTensors(const std::map<std::string, FileTensor> &expected,
                                        const std::map<std::string, FileTensor> &actual, const TensorOptions &options) {
  Comparison result;
  double minimumNorm = kGlobalNormShare * globalNorm(expected);
  for (const auto &[name, reference] : expected) {
    auto it = actual.find(name);
    if (it == actual.end()) {
      result.failures.push_back(fmt::format("{}: missing", name));
      continue;
    }
    const FileTensor &tensor = it->second;
    if (tensor.dtype != reference.dtype || tensor.shape != reference.shape)
      result.failures.push_back(fmt::format("{}: expects {}, got {}", name, describe(reference), describe(tensor)));
    else if (options.bitwise || !reference.isFloat())
      record(result, name, tensor.bytes == reference.bytes ? 0 : INFINITY, 0);
    else
      record(result, name, relativeError(reference, tensor, minimumNorm), options.tolerance);
  }
  for (const auto &[name, tensor] : actual)
    if (!options.subset && !expected.count(name))
      result.failures.push_back(fmt::format("{}: not expected", name));
  if (expected.empty())
    result.failures.push_back("nothing to compare");
  return result;
}

static std::vector<json> parseLines(const std::string &lines) {
  std::vector<json> objects;
  std::stringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    objects.push_back(json::parse(line, nullptr, /*allow_exceptions=*/false));
    if (!objects.back().is_object())
      throw std::runtime_error(fmt::format("metrics line {} is not a JSON object: {}", objects.size(), line));
  }
  return objects;
}

Comparison trainc::test::compareMetrics(const json &expected, const std::string &actualLines, double tolerance) {
  if (!expected.is_object() || !expected.contains("steps") || expected["steps"].empty())
    throw std::runtime_error("the expected metrics have no steps");
  std::vector<json> actual = parseLines(actualLines);
  const json &steps = expected["steps"];
  Comparison result;
  if (actual.size() != steps.size())
    result.failures.push_back(fmt::format("expects {} steps, got {}", steps.size(), actual.size()));
  for (size_t i = 0; i < std::min(actual.size(), steps.size()); ++i)
    for (const auto &[key, value] : steps[i].items()) {
      std::string name = fmt::format("step {} {}", i + 1, key);
      if (!actual[i].contains(key) || !actual[i][key].is_number()) {
        result.failures.push_back(fmt::format("{}: missing", name));
        continue;
      }
      double reference = value, error = std::abs(actual[i][key].get<double>() - reference);
      record(result, name, error == 0 ? 0 : error / std::abs(reference), tolerance);
    }
  return result;
}
