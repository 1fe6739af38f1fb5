//===- Plan.h - the `plan` dialect ------------------------------*- C++ -*-===//
#ifndef TRAINC_PLAN_PLAN_H
#define TRAINC_PLAN_PLAN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

#include "dialects/Plan/PlanDialect.h.inc"
#define GET_OP_CLASSES
#include "dialects/Plan/PlanOps.h.inc"

namespace trainc::plan {

constexpr llvm::StringLiteral kAtAttr = "plan.at";               ///< bytes of an argument, or of each result
constexpr llvm::StringLiteral kWorkspaceAttr = "plan.workspace"; ///< offset of a call's scratch
constexpr llvm::StringLiteral kArenaBytesAttr = "plan.arena_bytes";
constexpr llvm::StringLiteral kStateAttr = "plan.state";         ///< on the module: list of {scope, role, type, offset}
constexpr llvm::StringLiteral kSlotsAttr = "plan.slots";         ///< on the module: list of {name, bytes, offsets}
constexpr llvm::StringLiteral kConstantsAttr = "plan.constants"; ///< on the module: list of {offset, value}

/// The operand that result `index` of an instruction shares its bytes with, or null.
mlir::Value inPlaceOperand(mlir::Operation *instruction, unsigned index);

} // namespace trainc::plan

#endif
