// The command line of a tool: one table states every option, and help, parsing and error messages read it.
#pragma once
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace trainc {

/// A wrong command line, or a mistake that ends a tool. what() is the message.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct CommandOption {
  std::string name;  ///< with its dashes
  std::string value; ///< what the help calls the value; empty for a switch
  std::string help;
  std::function<void(const std::string &)> apply;
};

class CommandLine {
public:
  /// `usage` is the line after "usage: ", `summary` one sentence.
  CommandLine(std::string usage, std::string summary, std::vector<CommandOption> options);

  /// Applies every option in order (`--name value` or `--name=value`) and returns the other arguments.
  /// Prints the help and exits 0 at --help. Errors: UsageError for an unknown option (names the closest), a missing
  /// value.
  std::vector<std::string> parse(const std::vector<std::string> &arguments) const;
  std::string help() const;

private:
  const CommandOption &find(const std::string &name) const;

  std::string usage, summary;
  std::vector<CommandOption> options;
};

/// The candidate closest to `name`, or empty if none is close.
std::string closest(const std::string &name, const std::vector<std::string> &candidates);

/// `text` as an integer of at least `least`. Errors: UsageError that names the option.
int64_t parseInteger(const std::string &option, const std::string &text, int64_t least);

} // namespace trainc
