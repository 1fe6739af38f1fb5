#include "Commands.h"
void trainc::runData(const std::vector<std::string> &) { throw UsageError("not yet"); }
