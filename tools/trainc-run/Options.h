//===- Options.h - trainc-run's command line --------------------------------------===//
//
// One table (Options.cpp) states every option: parsing, --help and the message for an unknown option read it.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Status.h"

#include <cstdint>
#include <optional>

namespace trainc::run {

struct Options {
  std::string bundle, data, evalData, prompt = "\n", metrics, save, load, dumpGradients;
  int64_t steps = 0, evalEvery = 0, evalBatches = 0, sample = 0;
  std::optional<int64_t> seed;
  double temperature = 1;
  bool noShuffle = false, noProgress = false, force = false, profile = false, help = false;
};

/// Errors: unknown options (lists all), missing or malformed values, options that contradict each other, outputs that
/// exist without --force.
Result<Options> parseOptions(int argc, char **argv);

/// The text of --help.
std::string helpText();

} // namespace trainc::run
