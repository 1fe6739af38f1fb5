//===- PointEmitter.h - scalar code of a kernel at one point ----*- C++ -*-===//
//
// Turns values of a kernel into scalar code at a point of its iteration space: loads become loads of flat buffers,
// coordinates become loop variables, other ops are cloned. The loops around are ConvertKernelToLoops.cpp's business.
//
//===----------------------------------------------------------------------===//
#ifndef TRAINC_LIB_CODEGEN_POINTEMITTER_H
#define TRAINC_LIB_CODEGEN_POINTEMITTER_H

#include "mlir/IR/IRMapping.h"
#include "trainc/CodeGen/KernelSchedule.h"

namespace trainc {

/// A point, or the part of it that is fixed so far, and the values known at it.
struct Point {
  llvm::SmallVector<mlir::Value> coordinates; ///< of each dimension; the inner one is null outside inner loops
  mlir::Value lane;                           ///< Column: position within the block
  mlir::IRMapping values;
  Point *enclosing = nullptr; ///< Row: the item's point, which holds the outer-level values
};

/// `expr` over index values: every result is an index. Subexpressions that cannot be negative use unsigned division.
mlir::Value emitIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::AffineExpr expr,
                      llvm::ArrayRef<mlir::Value> dims, llvm::ArrayRef<int64_t> sizes);

/// The four words of Philox-4x32-10; see kernel.philox.
llvm::SmallVector<mlir::Value> emitPhilox(mlir::OpBuilder &builder, mlir::Location loc,
                                          llvm::ArrayRef<mlir::Value> counter, llvm::ArrayRef<mlir::Value> key);

class PointEmitter {
public:
  PointEmitter(mlir::OpBuilder &builder, kernel::FuncOp kernel, const KernelSchedule &schedule)
      : builder(builder), kernel(kernel), schedule(schedule), sizes(kernel.getSizes()) {}

  /// `value` at `point` in pass `pass`, emitting what is not known yet at the builder's insertion point.
  mlir::Value resolve(mlir::Value value, Point &point, unsigned pass);

  /// Makes `value` known to every point as `array[index]`, where the index is the lane (Column) or the inner coordinate
  /// (Row).
  void setArray(mlir::Value value, mlir::Value array) { arrays[value] = array; }

  bool hasArray(mlir::Value value) const { return arrays.count(value); }

  /// Writes `scalar` into such an array at `point`.
  void storeToArray(mlir::Value array, mlir::Value scalar, const Point &point);

  /// The flat buffer of each argument of the kernel.
  void setBuffer(mlir::Value argument, mlir::Value buffer) { buffers[argument] = buffer; }

  void emitStore(kernel::StoreOp store, mlir::Value scalar, Point &point);

private:
  mlir::Value loadFromArray(mlir::Value value, const Point &point);
  mlir::Value emitLoad(kernel::LoadOp load, Point &point);
  mlir::Value getAddress(mlir::Location loc, mlir::AffineMap map, mlir::Value buffer, const Point &point);

  mlir::OpBuilder &builder;
  kernel::FuncOp kernel;
  const KernelSchedule &schedule;
  llvm::SmallVector<int64_t> sizes;
  llvm::DenseMap<mlir::Value, mlir::Value> arrays, buffers;
};

} // namespace trainc

#endif
