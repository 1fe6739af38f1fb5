include "dialects/Train/TrainDialect.td"

def Train_IdentityOp : Train_PureOp<"identity", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface>, DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>, DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "the same value in bytes of its own";
  let description = [{
    `result = input`. Needed where one value is written to two places of the state, or a constant to one.

    ```mlir
    %y = train.identity %x : tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Train_AnyTensor:$input);
  let results = (outs Train_AnyTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}
