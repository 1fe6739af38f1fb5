include "dialects/Train/TrainDialect.td"

def Train_ContractOp : Train_PureOp<"contract", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface>, DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<LibraryCallOpInterface, ["getCallOperands", "getInPlaceOperand"]>,
    DeclareOpInterfaceMethods<AccumulateOpInterface>]> {
  let summary = "contraction of two tensors";
  let description = [{
    `result = accumulator + sum over the letters missing in the result of lhs * rhs`. The specification is Einstein's
    notation, `lhs,rhs->result`, one lower-case letter a dimension. It is executed as one matrix product.

    Constraints:
    * (C1) the specification reads `letters,letters->letters`, without a repeated letter within one tensor.
    * (C2) each tensor has as many dimensions as its letters, and a letter has one size everywhere.
    * (C3) each letter stands in exactly two of the three tensors.
    * (C4) within each tensor the letters shared with one other tensor stand together, in the same order in both.
    * (C5) `accumulator`, if given, has the result's type.

    ```mlir
    %y = train.contract "btk,kn->btn" %x, %w : tensor<8x16x32xf32>, tensor<32x64xf32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$lhs, Train_FloatTensor:$rhs, Optional<Train_FloatTensor>:$accumulator, StrAttr:$spec);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "$spec $lhs `,` $rhs (`plus` $accumulator^)? attr-dict `:` type($lhs) `,` type($rhs) (`,` type($accumulator)^)?";
}
