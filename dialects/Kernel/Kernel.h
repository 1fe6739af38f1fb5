//===- Kernel.h - the `kernel` dialect --------------------------*- C++ -*-===//
//
// Ops of the dialect and what its verifiers and its lowering both need to know about a kernel: the level of a value and
// the shape of an access.
//
//===----------------------------------------------------------------------===//
#ifndef TRAINC_KERNEL_KERNEL_H
#define TRAINC_KERNEL_KERNEL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Kernel/KernelDialect.h.inc"
#include "dialects/Kernel/KernelEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Kernel/KernelAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/Kernel/KernelOps.h.inc"

namespace trainc::kernel {

/// The inner-level values of a kernel: those that depend on its inner dimension other than through `kernel.reduce`.
llvm::DenseSet<mlir::Value> getInnerLevelValues(FuncOp kernel);

/// Closed interval of the values that `expr` takes over dimensions 0 <= d < size, or an over-estimate where terms are
/// correlated. Nothing where it is not bounded (a division by zero or a non-constant, or a symbol).
std::optional<std::pair<int64_t, int64_t>> getInterval(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> sizes);

/// By how many elements the address of an access moves when dimension `dim` grows by one; nothing where that is not a
/// constant (the dimension stands under floordiv or mod).
std::optional<int64_t> getStride(mlir::AffineMap map, mlir::MemRefType buffer, unsigned dim);

} // namespace trainc::kernel

#endif
