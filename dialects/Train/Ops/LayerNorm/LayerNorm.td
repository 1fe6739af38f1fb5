include "dialects/Train/TrainDialect.td"

def Train_LayerNormOp : Train_PureOp<"layer_norm", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface>, DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>, DeclareOpInterfaceMethods<DecomposeOpInterface>]> {
  let summary = "normalization over the last dimension, scaled and shifted";
  let description = [{
    `result = (input - mean) / sqrt(variance + epsilon) * weight + bias`, mean and (biased) variance over the last dimension.
    Source: Ba, Kiros, Hinton 2016, arXiv:1607.06450.

    Constraints:
    * (C1) `weight` and `bias` have one dimension, of the size of `input`'s last.
    * (C2) `epsilon > 0`.

    ```mlir
    %y = train.layer_norm %x, %w, %b epsilon 1.0e-05 : tensor<8x16x64xf32>, tensor<64xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$input, Train_FloatTensor:$weight, Train_FloatTensor:$bias, F64Attr:$epsilon);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "$input `,` $weight `,` $bias `epsilon` $epsilon attr-dict `:` type($input) `,` type($weight) `,` type($bias)";
}
