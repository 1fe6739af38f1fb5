//===- CpuFeatures.h - what this processor can execute --------------------------===//
//
// A bundle names the instruction sets its kernels use; running it elsewhere would be an illegal instruction in the
// middle of a step. The names are LLVM's target features.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Status.h"

#include <vector>

namespace trainc {

/// Error if this processor, or the operating system on it, lacks one of `features`, or one has an unknown name.
/// `what` needs them, as in "kernels.cpu.so".
Status checkCpuFeatures(const std::vector<std::string> &features, std::string_view what);

} // namespace trainc
