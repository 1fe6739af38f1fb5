include "dialects/Train/TrainDialect.td"

def Train_ZerosLikeOp : Train_PureOp<"zeros_like", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface>, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "zeros of a tensor's type";
  let description = [{
    Clears state in place. It names the tensor it clears, so that it joins the kernel that reads that tensor last.

    ```mlir
    %z = train.zeros_like %gradient : tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Train_AnyTensor:$input);
  let results = (outs Train_AnyTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}
