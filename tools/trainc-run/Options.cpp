//===- Options.cpp - trainc-run's command line --------------------------------------===//
//
// An option is a row: name, what its value is called, help, and the member it sets.
//
//===-----------------------------------------------------------------------===//
#include "tools/trainc-run/Options.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <fmt/ranges.h>
#include <unistd.h>
#include <variant>
#include <vector>

using namespace trainc;
using namespace trainc::run;

namespace {

struct SeedMember {};
using Member = std::variant<bool Options::*, int64_t Options::*, double Options::*, std::string Options::*, SeedMember>;

struct OptionRow {
  const char *name, *value, *help;
  Member member;
};

const OptionRow kOptions[] = {
    {"--data", "FILE", "token file to train on (made by 'trainc data')", &Options::data},
    {"--steps", "N", "training steps to run", &Options::steps},
    {"--seed", "S", "seed of initial values, masks and data order (default 0)", SeedMember()},
    {"--no-shuffle", nullptr, "take the samples in the order of the file", &Options::noShuffle},
    {"--eval-data", "FILE", "held-out token file; its loss is printed at the end", &Options::evalData},
    {"--eval-every", "K", "also evaluate after every K steps", &Options::evalEvery},
    {"--eval-batches", "N", "evaluate on the first N micro-batches only (default: all)", &Options::evalBatches},
    {"--sample", "N", "at the end, print N tokens drawn from the model", &Options::sample},
    {"--prompt", "TEXT", "text that sampling continues (default: a line end)", &Options::prompt},
    {"--temperature", "X", "sampling temperature, 0 takes the likeliest token (default 1)", &Options::temperature},
    {"--load", "FILE", "state file to start from", &Options::load},
    {"--save", "FILE", "write the state here at the end", &Options::save},
    {"--metrics", "FILE", "write one JSON object a step here", &Options::metrics},
    {"--dump-gradients", "FILE", "write the first step's gradients here", &Options::dumpGradients},
    {"--force", nullptr, "replace output files that exist", &Options::force},
    {"--no-progress", nullptr, "no progress on stderr", &Options::noProgress},
    {"--profile", nullptr, "print where the time went", &Options::profile},
    {"--help", nullptr, "print this", &Options::help},
};

const OptionRow *findOption(std::string_view name) {
  for (const OptionRow &row : kOptions)
    if (row.name == name)
      return &row;
  return nullptr;
}

Status parseInteger(const OptionRow &row, const std::string &text, int64_t least, int64_t &result) {
  char *end = nullptr;
  errno = 0;
  result = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || errno || result < least)
    return makeError("{} expects an integer >= {}, got '{}'", row.name, least, text);
  return {};
}

Status setNumber(const OptionRow &row, const std::string &text, double &result) {
  char *end = nullptr;
  result = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !(result >= 0) || std::isinf(result))
    return makeError("{} expects a number >= 0, got '{}'", row.name, text);
  return {};
}

/// Sets the option's member from `text`; a flag has none.
Status setOption(const OptionRow &row, const std::string &text, Options &options) {
  if (auto *flag = std::get_if<bool Options::*>(&row.member))
    options.**flag = true;
  else if (auto *string = std::get_if<std::string Options::*>(&row.member))
    options.**string = text;
  else if (auto *integer = std::get_if<int64_t Options::*>(&row.member))
    return parseInteger(row, text, 1, options.**integer);
  else if (auto *number = std::get_if<double Options::*>(&row.member))
    return setNumber(row, text, options.**number);
  else
    return parseInteger(row, text, 0, options.seed.emplace());
  return {};
}

Status checkCombination(const Options &options) {
  if (options.bundle.empty())
    return makeError("expects a bundle: trainc-run BUNDLE [options]; see trainc-run --help");
  if (options.data.empty() != (options.steps == 0))
    return makeError("training expects both --data FILE and --steps N");
  for (auto [given, name] :
       {std::make_pair(options.evalEvery, "--eval-every"), std::make_pair(options.evalBatches, "--eval-batches")})
    if (given && options.evalData.empty())
      return makeError("{} expects --eval-data FILE", name);
  if (options.steps == 0)
    for (auto [given, name] : {std::make_pair(!options.metrics.empty(), "--metrics"),
                               std::make_pair(!options.dumpGradients.empty(), "--dump-gradients"),
                               std::make_pair(options.evalEvery > 0, "--eval-every")})
      if (given)
        return makeError("{} expects training: --data FILE and --steps N", name);
  if (options.sample && options.prompt.empty())
    return makeError("--prompt expects at least one character");
  return {};
}

Status checkOutputs(const Options &options) {
  std::vector<std::string> outputs;
  for (const std::string &path : {options.metrics, options.save, options.dumpGradients}) {
    if (path.empty())
      continue;
    for (const std::string &other : outputs)
      if (other == path)
        return makeError("{} is named as two outputs", path);
    if (!options.force && access(path.c_str(), F_OK) == 0)
      return makeError("{} exists; --force replaces it", path);
    outputs.push_back(path);
  }
  return {};
}

std::string knownOptions() {
  std::vector<std::string_view> names;
  for (const OptionRow &row : kOptions)
    names.push_back(row.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace

Result<Options> run::parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.empty() || argument[0] != '-') {
      if (!options.bundle.empty())
        return makeError("expects one bundle, got '{}' and '{}'", options.bundle, argument);
      options.bundle = argument;
      continue;
    }
    size_t equals = argument.find('=');
    const OptionRow *row = findOption(argument.substr(0, equals));
    if (!row)
      return makeError("unknown option '{}' (options: {})", argument, knownOptions());
    if (!row->value && equals != std::string::npos)
      return makeError("{} expects no value, got '{}'", row->name, argument.substr(equals + 1));
    if (row->value && equals == std::string::npos && i + 1 == argc)
      return makeError("{} expects {}", row->name, row->value);
    std::string value = !row->value ? "" : equals != std::string::npos ? argument.substr(equals + 1) : argv[++i];
    if (Status status = setOption(*row, value, options); !status.ok())
      return status;
  }
  if (options.help)
    return options;
  if (Status status = checkCombination(options); !status.ok())
    return status;
  if (Status status = checkOutputs(options); !status.ok())
    return status;
  return options;
}

std::string run::helpText() {
  std::string text = "trainc-run BUNDLE [options]: run the plan that 'trainc compile' made\n\n";
  for (const OptionRow &row : kOptions)
    text += fmt::format("  {:<22} {}\n", row.value ? fmt::format("{} {}", row.name, row.value) : row.name, row.help);
  return text;
}
