// trainc: compiles a model into a plan bundle, and prepares its data.
//
// Exit codes: 0 done, 1 a mistake in the input, which is named on stderr.
#include "Commands.h"
#include "trainc/frontend/Source.h"
#include <cstdio>
#include <exception>
#include <fmt/format.h>

using namespace trainc;

namespace {
struct Command {
  const char *name, *summary;
  void (*run)(const std::vector<std::string> &arguments);
};

/// Every subcommand.
constexpr Command kCommands[] = {
    {"compile", "compile a model file into a plan bundle", runCompile},
    {"data", "turn text into a token file", runData},
};

std::string usage() {
  std::string text = "usage: trainc COMMAND ...\n\n";
  for (const Command &command : kCommands)
    text += fmt::format("  {:<10} {}\n", command.name, command.summary);
  return text + "\n`trainc COMMAND --help` shows a command's options\n";
}

const Command &findCommand(const std::string &name) {
  std::vector<std::string> names;
  for (const Command &command : kCommands) {
    if (name == command.name)
      return command;
    names.push_back(command.name);
  }
  std::string best = closest(name, names);
  throw UsageError(fmt::format("unknown command '{}'{}; trainc has: {}", name,
                               best.empty() ? "" : ", did you mean '" + best + "'", fmt::join(names, ", ")));
}

int run(const std::vector<std::string> &arguments) {
  if (arguments.empty()) {
    std::fputs(usage().c_str(), stderr);
    return 1;
  }
  if (arguments[0] == "--help" || arguments[0] == "-h") {
    std::fputs(usage().c_str(), stdout);
    return 0;
  }
  findCommand(arguments[0]).run({arguments.begin() + 1, arguments.end()});
  return 0;
}
} // namespace

int main(int argc, char **argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const ModelError &error) {
    std::fprintf(stderr, "%s\n", error.what());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "trainc: error: %s\n", error.what());
  }
  return 1;
}
