//===- Passes.h - passes that stay within the compiler's levels -*- C++ -*-===//
#ifndef TRAINC_TRANSFORMS_PASSES_H
#define TRAINC_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace trainc {
#define GEN_PASS_DECL
#include "trainc/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "trainc/Transforms/Passes.h.inc"
} // namespace trainc

#endif
