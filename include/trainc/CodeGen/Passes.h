//===- Passes.h - passes from kernels to loops ------------------*- C++ -*-===//
#ifndef TRAINC_CODEGEN_PASSES_H
#define TRAINC_CODEGEN_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace trainc {
#define GEN_PASS_DECL
#include "trainc/CodeGen/Passes.h.inc"

/// Registers the passes of this header for pass pipelines in text.
void registerCodegenPasses();
} // namespace trainc

#endif
