include "dialects/Train/TrainDialect.td"

def Train_ReshapeOp : Train_PureOp<"reshape", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface, ["localizeAttributes"]>, DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    A view: it moves no bytes.

    Constraints:
    * (C1) `shape` has as many elements as `input`.

    ```mlir
    %y = train.reshape %x to [4, 8] : tensor<32xf32>
    ```
  }];
  let arguments = (ins Train_AnyTensor:$input, DenseI64ArrayAttr:$shape);
  let results = (outs Train_AnyTensor:$result);
  let assemblyFormat = "$input `to` $shape attr-dict `:` type($input)";
  let hasFolder = 1;
}
