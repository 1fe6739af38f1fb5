//===- InPlace.h - results that take over an operand's bytes ----*- C++ -*-===//
#ifndef TRAINC_LIB_TRANSFORMS_INPLACE_H
#define TRAINC_LIB_TRANSFORMS_INPLACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace trainc {

/// Set on a library op whose result 0 takes over the bytes of its in-place operand.
constexpr llvm::StringLiteral kInPlaceMark = "trainc.in_place";

/// Whether the bytes of `value` may be written: it is computed here, or it is state whose new value the function
/// returns.
bool mayOverwrite(mlir::Value value);

/// Whether a library call may add its result `sum` onto the bytes of `accumulator`: nothing else reads those, and where
/// they belong to the state, `sum` (or what further calls add onto it) is the entry's new value.
bool mayAccumulate(mlir::Value accumulator, mlir::Value sum);

/// Values of a straight line of ops that share bytes, and when those bytes are last read.
class ByteSharing {
public:
  explicit ByteSharing(mlir::Block &block);

  /// Makes `value` share the bytes of `operand`.
  void share(mlir::Value value, mlir::Value operand);
  /// The value that stands for all that share bytes with `value`.
  mlir::Value rootOf(mlir::Value value) const;
  /// Position, in the block, of the last op that reads the bytes of `value`.
  int64_t lastUse(mlir::Value value) const { return last.lookup(rootOf(value)); }
  int64_t position(mlir::Operation *op) const { return positions.lookup(op); }

private:
  llvm::DenseMap<mlir::Operation *, int64_t> positions;
  llvm::DenseMap<mlir::Value, mlir::Value> roots;
  llvm::DenseMap<mlir::Value, int64_t> last;
};

/// Lets results of launches and library ops take over the bytes of operands that are not read again, and ties new
/// values of the state to the old ones. Kernels are changed, so each launch must have its own.
/// Returns the operands of the terminator that are computed before the old value of their state is last read: they need
/// bytes of their own until then.
llvm::SmallVector<mlir::OpOperand *> shareBytesInPlace(mlir::func::FuncOp function);

} // namespace trainc

#endif
