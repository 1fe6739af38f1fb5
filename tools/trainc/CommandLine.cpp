// Parsing of command lines from a table of options.
#include "CommandLine.h"
#include "llvm/ADT/StringRef.h"
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

using namespace trainc;

CommandLine::CommandLine(std::string usage, std::string summary, std::vector<CommandOption> options)
    : usage(std::move(usage)), summary(std::move(summary)), options(std::move(options)) {}

std::string CommandLine::help() const {
  std::string text = fmt::format("usage: {}\n{}\n\n", usage, summary);
  for (const CommandOption &option : options)
    text += fmt::format("  {:<28} {}\n", option.name + (option.value.empty() ? "" : " " + option.value), option.help);
  return text;
}

std::string trainc::closest(const std::string &name, const std::vector<std::string> &candidates) {
  std::string best;
  unsigned bestDistance = static_cast<unsigned>(name.size()) / 2 + 1;
  for (const std::string &candidate : candidates) {
    unsigned distance = llvm::StringRef(name).edit_distance(candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

const CommandOption &CommandLine::find(const std::string &name) const {
  std::vector<std::string> names;
  for (const CommandOption &option : options) {
    if (option.name == name)
      return option;
    names.push_back(option.name);
  }
  std::string best = closest(name, names);
  throw UsageError(fmt::format("unknown option '{}'{}; --help lists all", name,
                               best.empty() ? "" : ", did you mean '" + best + "'"));
}

std::vector<std::string> CommandLine::parse(const std::vector<std::string> &arguments) const {
  std::vector<std::string> others;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      std::fputs(help().c_str(), stdout);
      std::exit(0);
    }
    if (argument.size() < 2 || argument[0] != '-') {
      others.push_back(argument);
      continue;
    }
    size_t equals = argument.find('=');
    const CommandOption &option = find(argument.substr(0, equals));
    if (option.value.empty()) {
      if (equals != std::string::npos)
        throw UsageError(fmt::format("option '{}' takes no value", option.name));
      option.apply("");
    } else if (equals != std::string::npos) {
      option.apply(argument.substr(equals + 1));
    } else if (i + 1 < arguments.size()) {
      option.apply(arguments[++i]);
    } else {
      throw UsageError(fmt::format("option '{}' expects a value: {}", option.name, option.value));
    }
  }
  return others;
}

int64_t trainc::parseInteger(const std::string &option, const std::string &text, int64_t least) {
  int64_t value;
  if (llvm::StringRef(text).getAsInteger(10, value) || value < least)
    throw UsageError(fmt::format("option '{}' expects an integer of at least {}, got '{}'", option, least, text));
  return value;
}
