include "dialects/Train/TrainDialect.td"

def Train_GeluOp : Train_PureOp<"gelu", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface>, DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>, DeclareOpInterfaceMethods<DecomposeOpInterface>]> {
  let summary = "Gaussian error linear unit, tanh form";
  let description = [{
    `result = input / 2 * (1 + tanh(sqrt(2/pi) * (input + 0.044715 * input^3)))`.
    Source: Hendrycks, Gimpel 2016, arXiv:1606.08415.

    ```mlir
    %y = train.gelu %x : tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$input);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}
