//===- KernelSchedule.h - how a kernel's points are visited -----*- C++ -*-===//
//
// The decisions of the CPU lowering as an analysis: which loop form, what a work item is, which reductions share a pass
// over the inner dimension, and which values are kept between passes. `convert-kernel-to-loops` only carries them out.
//
//===----------------------------------------------------------------------===//
#ifndef TRAINC_CODEGEN_KERNELSCHEDULE_H
#define TRAINC_CODEGEN_KERNELSCHEDULE_H

#include "dialects/Kernel/Kernel.h"

namespace trainc {

/// The three loop forms. An item is
/// * Element: one inner point of a kernel without outer dimensions and reductions;
/// * Row: one outer point; the loop over the inner dimension is vectorized;
/// * Column: a block of the last outer dimension at one point of the others; chosen where memory is contiguous along
/// that
///   dimension (sums over rows), and vectorized along it.
enum class LoopForm { Element, Row, Column };

struct KernelSchedule {
  LoopForm form;
  /// Column: outer points in a full block.
  int64_t block = 1;
  /// Reductions by the pass over the inner dimension that computes them; a reduction of a value that depends on another
  /// reduction is in a later pass. The stores follow in one more pass.
  llvm::SmallVector<llvm::SmallVector<kernel::ReduceOp>> passes;
  /// Values that vary along the inner dimension.
  llvm::DenseSet<mlir::Value> innerLevel;
  /// Row: inner-level values kept in a scratch row from the pass that computes them first, in the order of the kernel.
  llvm::MapVector<mlir::Value, unsigned> kept;
  int64_t workItems = 1;
  /// Weighted scalar operations of one item: an addition is 1, a load 1, an exponential 12, ...
  int64_t itemCost = 1;

  bool isInner(mlir::Value value) const { return innerLevel.contains(value); }
};

KernelSchedule getKernelSchedule(kernel::FuncOp kernel);

/// How a kernel's work may be divided over threads.
struct WorkShape {
  int64_t workItems; ///< items are [0, workItems)
  int64_t grain;     ///< fewest items worth giving to a thread; at least 1
};

WorkShape getWorkShape(kernel::FuncOp kernel);

} // namespace trainc

#endif
