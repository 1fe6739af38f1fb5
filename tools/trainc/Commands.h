// The subcommands of trainc. Each takes its arguments and throws UsageError or ModelError for a mistake in them.
#pragma once
#include "CommandLine.h"

namespace trainc {

void runCompile(const std::vector<std::string> &arguments);
void runData(const std::vector<std::string> &arguments);

} // namespace trainc
