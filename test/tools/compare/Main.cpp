//===- Main.cpp - trainc-compare ------------------------------------------===//
//
// Compares what two training runs left behind; prints the largest difference and fails if it is too large.
//
//===----------------------------------------------------------------------===//

#include "test/tools/compare/Compare.h"

#include <fmt/format.h>

using namespace trainc::test;

static constexpr const char *kUsage =
    "usage: trainc-compare tensors EXPECTED ACTUAL [--tolerance X | --bitwise] [--subset]\n"
    "       trainc-compare metrics EXPECTED.json ACTUAL.jsonl [--tolerance X]\n"
    "  --tolerance X  largest relative error, default 1e-5\n"
    "  --bitwise      every byte of every tensor equal\n"
    "  --subset       ACTUAL may have tensors that EXPECTED lacks\n";

/// Says what was compared and the first failures; returns the exit code.
static int report(const Comparison &result) {
  constexpr size_t kShown = 10;
  for (size_t i = 0; i < std::min(result.failures.size(), kShown); ++i)
    fmt::print(stderr, "error: {}\n", result.failures[i]);
  if (result.failures.size() > kShown)
    fmt::print(stderr, "error: and {} more\n", result.failures.size() - kShown);
  fmt::print("compared {}, failed {}, largest relative error {:.3g}{}\n", result.compared, result.failures.size(),
             result.worst, result.worstName.empty() ? "" : " at " + result.worstName);
  return result.failures.empty() ? 0 : 1;
}

static int run(const std::vector<std::string> &arguments) {
  std::vector<std::string> positional;
  TensorOptions options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--bitwise")
      options.bitwise = true;
    else if (arguments[i] == "--subset")
      options.subset = true;
    else if (arguments[i] == "--tolerance" && i + 1 < arguments.size())
      options.tolerance = std::stod(arguments[++i]);
    else
      positional.push_back(arguments[i]);
  }
  if (positional.size() == 3 && positional[0] == "tensors")
    return report(compareTensors(readSafeTensors(positional[1]), readSafeTensors(positional[2]), options));
  if (positional.size() == 3 && positional[0] == "metrics")
    return report(
        compareMetrics(nlohmann::json::parse(readFile(positional[1])), readFile(positional[2]), options.tolerance));
  fmt::print(stderr, "{}", kUsage);
  return 1;
}

int main(int argc, char **argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception &error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
