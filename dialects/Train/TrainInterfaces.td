//===- TrainInterfaces.td - what an op implements to join the compiler ----===//
#ifndef TRAINC_TRAIN_INTERFACES_TD
#define TRAINC_TRAIN_INTERFACES_TD

include "mlir/IR/OpBase.td"

def ShardingRuleOpInterface : OpInterface<"ShardingRuleOpInterface"> {
  let cppNamespace = "::trainc::train";
  let description = [{
    How the dimensions of operands and results correspond. A rule is enough to shard the op, to run it piece by piece and
    to prove that the pieces are the whole.
  }];
  let methods = [
    InterfaceMethod<"the rule of this op for its operands' shapes", "::trainc::train::ShardingRule", "getShardingRule">,
    InterfaceMethod<"adapts attributes that state a shape to operands and a result of local shapes", "void", "localizeAttributes",
      (ins "::llvm::ArrayRef<int64_t>":$localResultShape), "", [{ (void)localResultShape; }]>
  ];
}

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::trainc::train";
  let description = [{ Ops that can build their own vector-Jacobian product. }];
  let methods = [
    InterfaceMethod<[{
      Builds the cotangent of each operand from the cotangents of the results and appends it to `operandCotangents`;
      a null value means zero. `cotangents` has one value a result, null where no gradient arrives.
      Fails, with an error on this op, where a gradient arrives that it cannot propagate.
    }], "::llvm::LogicalResult", "buildVjp",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$cotangents,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$operandCotangents)>
  ];
}

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::trainc::train";
  let description = [{ Work of one execution of the op, for reports and for search. }];
  let methods = [
    InterfaceMethod<"floating-point operations; a fused multiply-add counts two", "int64_t", "getFlops">,
    InterfaceMethod<"bytes read and written when nothing is fused", "int64_t", "getBytes", (ins), "",
      [{ return ::trainc::train::operandAndResultBytes($_op); }]>
  ];
}

def DecomposeOpInterface : OpInterface<"DecomposeOpInterface"> {
  let cppNamespace = "::trainc::train";
  let description = [{ Lowering by other ops of this level: `arith`, `math`, broadcasts, reductions, random numbers. }];
  let methods = [
    InterfaceMethod<"builds the replacement and appends one value a result", "void", "decompose",
      (ins "::mlir::OpBuilder &":$builder, "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>
  ];
}

def KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::trainc::train";
  let description = [{
    Lowering into a generated kernel. Ops of `arith` and `math` need no implementation: they are cloned with scalar types.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the element of the result from the operands' elements. `linearIndex` builds the row-major index of the element
      in the result, as an i64.
    }], "::mlir::Value", "emitElement",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$elements,
           "::llvm::function_ref<::mlir::Value()>":$linearIndex)>,
    InterfaceMethod<"relative work for one element; 1 is an addition", "int64_t", "getElementWork">
  ];
}

def LibraryCallOpInterface : OpInterface<"LibraryCallOpInterface"> {
  let cppNamespace = "::trainc::train";
  let description = [{ Lowering to a named routine of the runtime (runtime/abi/Library.h). }];
  let methods = [
    InterfaceMethod<"the routine's name", "::llvm::StringRef", "getCallee">,
    InterfaceMethod<"the operands in the routine's order", "::llvm::SmallVector<::mlir::Value>", "getCallOperands", (ins), "",
      [{ return ::llvm::SmallVector<::mlir::Value>($_op->getOperands()); }]>,
    InterfaceMethod<"its attributes: integers, booleans and doubles", "::mlir::DictionaryAttr", "getCallAttributes">,
    InterfaceMethod<"scratch bytes the routine needs with so many threads", "int64_t", "getWorkspaceBytes",
      (ins "int64_t":$threads), "", [{ return 0; }]>,
    InterfaceMethod<[{
      The call operand whose bytes result 0 may take over, or -1. An operand that the routine accumulates into must be taken over.
    }], "int64_t", "getInPlaceOperand", (ins), "", [{ return -1; }]>
  ];
}

def AccumulateOpInterface : OpInterface<"AccumulateOpInterface"> {
  let cppNamespace = "::trainc::train";
  let description = [{ Library calls that can add their result to an operand instead of starting from zero. }];
  let methods = [
    InterfaceMethod<"whether the op accumulates already", "bool", "hasAccumulator">,
    InterfaceMethod<"makes the op add to `accumulator`, of the result's type, or, where it is null, start from zero", "void", "setAccumulator",
      (ins "::mlir::Value":$accumulator)>
  ];
}

def OptimizerOpInterface : OpInterface<"OptimizerOpInterface"> {
  let cppNamespace = "::trainc::train";
  let description = [{
    An update rule. Operands: parameter, gradient, learning rate, step (counted from 1), then one moment a role; results:
    the new parameter, then the new moments. Moments start at zero.
  }];
  let methods = [
    StaticInterfaceMethod<"roles of the moments in the state table", "::llvm::SmallVector<::llvm::StringRef>", "getMomentRoles">
  ];
}

#endif
