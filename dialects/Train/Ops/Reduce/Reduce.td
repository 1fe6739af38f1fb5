include "dialects/Train/TrainDialect.td"

def Train_ReductionKind : I32EnumAttr<"ReductionKind", "how elements are combined",
    [I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">]> {
  let cppNamespace = "::trainc::train";
}

def Train_ReduceOp : Train_PureOp<"reduce", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface>, DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "sum or maximum over dimensions, which disappear";
  let description = [{
    `result = reduce(input over dims)`; the order of the sum is unspecified but fixed for one compiled plan.
    The gradient of a maximum goes in equal parts to all elements that attain it.

    Constraints:
    * (C1) `dims` is not empty, strictly increasing, each below the rank of `input`.

    ```mlir
    %s = train.reduce add %x dims [1] : tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$input, Train_ReductionKind:$kind, DenseI64ArrayAttr:$dims);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "$kind $input `dims` $dims attr-dict `:` type($input)";
}
