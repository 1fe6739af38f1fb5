//===- KernelDialect.td - the `kernel` dialect ----------------------------===//
//
// One fused kernel as a program over one element: what is computed at a point of an implicit iteration space. How the
// points are visited (loops, vectors, threads, GPU blocks) is the lowering's choice and is not stated here.
//
//===----------------------------------------------------------------------===//
#ifndef TRAINC_KERNEL_DIALECT_TD
#define TRAINC_KERNEL_DIALECT_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::trainc::kernel";
  let useDefaultAttributePrinterParser = 1;
  let summary = "one fused elementwise or reduction kernel over an implicit iteration space";
  let description = [{
    A `kernel.func` is a straight-line program of scalar `arith` and `math` ops that is run at every point
    `(outer..., inner)` of its iteration space. It reads and writes static memrefs through affine maps of the point, and may reduce
    over the inner dimension. It cannot express control flow, reductions over outer dimensions, or values that pass
    between outer points. `fuse-kernels` produces it; `convert-kernel-to-loops` consumes it.

    A value is *inner-level* if it depends on the inner dimension other than through `kernel.reduce`; every other value is
    *outer-level* and is the same along the inner dimension.
  }];
}

def Kernel_ReduceKind : I32EnumAttr<"ReduceKind", "how `kernel.reduce` combines two values", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"max", 1>, I32EnumAttrCase<"min", 2>]> {
  let cppNamespace = "::trainc::kernel";
  let genSpecializedAttr = 0;
}
def Kernel_ReduceKindAttr : EnumAttr<Kernel_Dialect, Kernel_ReduceKind, "reduce_kind">;

def Kernel_Scalar : AnyTypeOf<[F32, F64, I1, I32, I64], "f32, f64, i1, i32 or i64">;
def Kernel_Number : AnyTypeOf<[F32, F64, I32, I64], "f32, f64, i32 or i64">;
def Kernel_Buffer : MemRefOf<[F32, F64, I1, I32, I64]>;

class Kernel_Op<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, mnemonic, traits>;

def Kernel_FuncOp : Kernel_Op<"func", [IsolatedFromAbove, Symbol, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "one fused kernel";
  let description = [{
    Runs its body at every point of `outer... x inner`, the inner dimension last. The arguments are static memrefs that do not
    overlap. An argument that is loaded and stored is *in place*: each of its elements is read before it is written.

    Constraints:
    * (C1) `inner >= 1` and every outer size is at least 1.
    * (C2) arguments are static memrefs of f32, f64, i1, i32 or i64 with identity layout.
    * (C3) the body holds `kernel` ops and pure scalar ops without regions only, and every value in it is a scalar or an index.
    * (C4) all maps of an in-place argument are equal.
    * (C5) no argument is stored twice.

    ```mlir
    // y = x - mean(x), rows of 128
    kernel.func @k0(%x: memref<2048x128xf32>, %y: memref<2048x128xf32>) outer [2048] inner 128 {
      %e = kernel.load %x [affine_map<(d0, d1) -> (d0, d1)>] : memref<2048x128xf32>
      %s = kernel.reduce add %e : f32
      %n = arith.constant 7.8125e-03 : f32
      %m = arith.mulf %s, %n : f32
      %c = arith.subf %e, %m : f32
      kernel.store %c, %y [affine_map<(d0, d1) -> (d0, d1)>] : memref<2048x128xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, DenseI64ArrayAttr:$outer, I64Attr:$inner);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::ArrayRef<::mlir::Type>":$arguments,
                                 "::mlir::ArrayRef<int64_t>":$outer, "int64_t":$inner), [{}]>];
  let extraClassDeclaration = [{
    /// Sizes of all dimensions, the inner one last.
    ::llvm::SmallVector<int64_t> getSizes();
    /// Number of outer dimensions; also the position of the inner dimension in maps.
    unsigned getOuterRank() { return getOuter().size(); }
    /// Number of outer points.
    int64_t getOuterPoints();
    ::mlir::Block::BlockArgListType getArguments() { return getBody().getArguments(); }
  }];
}

class Kernel_Access<string mnemonic, list<Trait> traits = []> : Kernel_Op<mnemonic, traits # [HasParent<"FuncOp">]>;

def Kernel_LoadOp : Kernel_Access<"load", [
    TypesMatchWith<"result has the element type of the buffer", "buffer", "result",
                   "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">]> {
  let summary = "the element of a buffer that belongs to the point";
  let description = [{
    `result = buffer[map(point)]`.

    Constraints:
    * (C1) `buffer` is an argument of the kernel.
    * (C2) the map has one dimension for each dimension of the iteration space, no symbols, and one result for each
      dimension of the buffer.
    * (C3) the map stays within the buffer at every point (shown by interval arithmetic on its results).

    ```mlir
    %e = kernel.load %bias [affine_map<(d0, d1) -> (d1)>] : memref<128xf32>
    ```
  }];
  let arguments = (ins Arg<Kernel_Buffer, "", [MemRead]>:$buffer, AffineMapAttr:$map);
  let results = (outs Kernel_Scalar:$result);
  let assemblyFormat = "$buffer `[` $map `]` attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Kernel_StoreOp : Kernel_Access<"store", [
    TypesMatchWith<"value has the element type of the buffer", "buffer", "value",
                   "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">]> {
  let summary = "write the element of a buffer that belongs to the point";
  let description = [{
    `buffer[map(point)] = value`, after every load of that element. An outer-level value whose map does not use the inner dimension is
    written once for each outer point.

    Constraints:
    * (C1) to (C3) as `kernel.load`.
    * (C4) the map of an inner-level value uses the inner dimension.
    * (C5) the map uses every outer dimension whose size is not 1, so that outer points write different elements.
    * (C6) the buffer has at least as many elements as the dimensions that the map uses have points, so that no element is
      written twice.

    ```mlir
    kernel.store %mean, %means [affine_map<(d0, d1) -> (d0)>] : memref<2048xf32>
    ```
  }];
  let arguments = (ins Kernel_Scalar:$value, Arg<Kernel_Buffer, "", [MemWrite]>:$buffer, AffineMapAttr:$map);
  let assemblyFormat = "$value `,` $buffer `[` $map `]` attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Kernel_ReduceOp : Kernel_Access<"reduce", [Pure, SameOperandsAndResultType]> {
  let summary = "combine a value over the inner dimension";
  let description = [{
    `result = value(0) o value(1) o ... o value(inner - 1)`, with `o` addition, maximum or minimum (signed; a NaN wins). The result is
    outer-level. The order of a sum is the lowering's choice, fixed by the kernel's shape alone: how the work is split over threads
    does not change it. The rounding error of a sum does not grow with `inner` in proportion: long sums are formed in blocks.

    ```mlir
    %s = kernel.reduce add %e : f32
    ```
  }];
  let arguments = (ins Kernel_ReduceKindAttr:$kind, Kernel_Number:$value);
  let results = (outs Kernel_Number:$result);
  let assemblyFormat = "$kind $value attr-dict `:` type($value)";
}

def Kernel_IndexOp : Kernel_Access<"index", [Pure]> {
  let summary = "a coordinate of the point";
  let description = [{
    `result = point[dim]`; the inner dimension is the last.

    Constraints:
    * (C1) `0 <= dim <= number of outer dimensions`.

    ```mlir
    %column = kernel.index 1
    ```
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict";
  let hasVerifier = 1;
}

def Kernel_PhiloxOp : Kernel_Access<"philox", [Pure]> {
  let summary = "four random words from a counter and a key";
  let description = [{
    Philox-4x32-10: ten rounds of two 32 x 32 -> 64 bit products with the constants 0xD2511F53 and 0xCD9E8D57, the key
    raised by 0x9E3779B9 and 0xBB67AE85 between rounds. Source: Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011.

    ```mlir
    %r0, %r1, %r2, %r3 = kernel.philox counter(%c0, %c1, %c2, %c3) key(%k0, %k1)
    ```
  }];
  let arguments = (ins I32:$counter0, I32:$counter1, I32:$counter2, I32:$counter3, I32:$key0, I32:$key1);
  let results = (outs I32:$word0, I32:$word1, I32:$word2, I32:$word3);
  let assemblyFormat = [{
    `counter` `(` $counter0 `,` $counter1 `,` $counter2 `,` $counter3 `)` `key` `(` $key0 `,` $key1 `)` attr-dict
  }];
}

def Kernel_ReturnOp : Kernel_Access<"return", [Pure, Terminator]> {
  let summary = "the end of a kernel";
  let description = "Implicit: it may be left out in text.";
  let assemblyFormat = "attr-dict";
}

#endif
