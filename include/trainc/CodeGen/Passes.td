//===- Passes.td - passes from kernels to loops ---------------------------===//
#ifndef TRAINC_CODEGEN_PASSES_TD
#define TRAINC_CODEGEN_PASSES_TD
include "mlir/Pass/PassBase.td"

def ConvertKernelToLoopsPass : Pass<"convert-kernel-to-loops", "::mlir::ModuleOp"> {
  let summary = "lower every `kernel.func` to a function of loops over a range of work items";
  let description = [{
    `kernel.func @k(memrefs)` becomes `func.func @k(flat memrefs, begin: index, end: index)`, which computes the work items
    [begin, end). Items are independent. What one item is, KernelSchedule.h says: a row, a block of columns or an element.

    Reductions are grouped into passes over the inner dimension; stores come last, so that an in-place element is written after its
    last read. Inner-level values that are dear and needed by several passes are kept in a scratch row on the stack.
    i1 is stored as one byte, so buffers of i1 become buffers of i8. Only the accumulation of a sum carries `reassoc`.

    ```mlir
    kernel.func @k(%x: memref<8x16xf32>, %s: memref<8xf32>) outer [8] inner 16 { %s = reduce add of the load of %x, stored }
    // becomes
    func.func @k(%x: memref<128xf32> {llvm.noalias}, %s: memref<8xf32> {llvm.noalias}, %begin: index, %end: index) {
      scf.for %row = %begin to %end step %c1 {
        %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%a = %zero) -> f32 { ... }
        memref.store %sum, %s[%row] : memref<8xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def ExpandMathPass : Pass<"expand-math", "::mlir::func::FuncOp"> {
  let summary = "replace transcendental functions by branch-free arithmetic";
  let description = [{
    `math.exp`, `log`, `tanh`, `sin`, `cos` and `rsqrt` on f32 and f64 become polynomials in `arith` and `math.fma`, without calls, tables
    or branches, so that loops around them vectorize. Functions that are one instruction (`sqrt`, `fma`, `absf`, `floor`, `ceil`,
    `roundeven`, `trunc`, `copysign`) stay. Fails, naming the op, on any other `math` op and any other type.

    Errors against the exact result are stated in ExpandMath.cpp and held by tests. Infinities, NaN, signed zeros and
    subnormals are treated as libm does; sin and cos give NaN where the argument is too large to reduce (2^28).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif
