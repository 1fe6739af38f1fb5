//===- PlanDialect.td - the `plan` dialect --------------------------------===//
#ifndef TRAINC_PLAN_DIALECT_TD
#define TRAINC_PLAN_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::trainc::plan";
  let summary = "what one rank executes";
  let description = [{
    The instructions of a task body, in order: kernel launches, library calls and views on typed values that are assigned
    once. `fuse-kernels` produces launches; `place` produces calls and views and attaches the bytes of every
    value as `plan.at`; the emitter writes them to the bundle. It cannot express control flow: a body is a straight line.

    Attributes: `plan.at` on a function argument, and a list of them, one a result, on an instruction: the byte offset in the arena,
    or `{slot = "batch", offset = 0}` relative to a slot that the schedule binds.
  }];
}

class Plan_Op<string mnemonic, list<Trait> traits = []> : Op<Plan_Dialect, mnemonic, traits>;

/// Pairs (result, operand) that share their bytes; flat list of even length.
class Plan_Instruction<string mnemonic, list<Trait> traits = []> : Plan_Op<mnemonic, [Pure] # traits>;

def Plan_LaunchOp : Plan_Instruction<"launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "launch a generated kernel";
  let description = [{
    The kernel's arguments are all operands in order, then the results that are not in place.

    Constraints:
    * (C1) `kernel` names a `kernel.func`.
    * (C2) its arguments have the element counts and element types of the operands and of the results not in place.
    * (C3) `in_place` holds pairs (result, operand) of equal types, each result and operand at most once.

    ```mlir
    %y = plan.launch @k0(%x, %b) in_place [0, 0] : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyRankedTensor>:$operands, DenseI64ArrayAttr:$in_place);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = "$kernel `(` $operands `)` `in_place` $in_place attr-dict `:` functional-type($operands, $results)";
  let hasVerifier = 1;
}

def Plan_CallOp : Plan_Instruction<"call"> {
  let summary = "call a routine of the runtime";
  let description = [{
    `callee` is a name of runtime/abi/Library.h, `options` its attributes. `workspace` bytes of scratch lie at `plan.workspace`.

    Constraints:
    * (C1) `in_place` holds pairs (result, operand) of equal types, each result and operand at most once.
    * (C2) `workspace >= 0`.

    ```mlir
    %c = plan.call "gemm"(%a, %b) {k = 8 : i64, m = 4 : i64, n = 2 : i64, ...} workspace 0 in_place [] : (...) -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins StrAttr:$callee, Variadic<AnyRankedTensor>:$operands, DictionaryAttr:$options, I64Attr:$workspace,
                       DenseI64ArrayAttr:$in_place);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = "$callee `(` $operands `)` $options `workspace` $workspace `in_place` $in_place attr-dict `:` functional-type($operands, $results)";
  let hasVerifier = 1;
}

def Plan_ViewOp : Plan_Instruction<"view"> {
  let summary = "the same bytes under another shape";
  let description = [{
    Constraints:
    * (C1) operand and result have the same element type and number of elements.

    ```mlir
    %y = plan.view %x : tensor<32xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif
