include "dialects/Train/TrainDialect.td"

def Train_DropoutOp : Train_PureOp<"dropout", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface>, DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>, DeclareOpInterfaceMethods<DecomposeOpInterface>]> {
  let summary = "zero a random share of the elements and scale up the rest";
  let description = [{
    `result = u < rate ? 0 : input / (1 - rate)` with u from `train.random uniform` of the same stream and shape.
    Source: Srivastava et al. 2014 (inverted form).

    Constraints:
    * (C1) `0 <= rate < 1`.
    * (C2) `samples` is 0 (no batch) or divides the first dimension.

    ```mlir
    %y = train.dropout %x rate 1.0e-01 stream 7 samples 8 %seed, %step, %sample : tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$input, Train_Counter:$seed, Train_Counter:$step, Train_Counter:$sample, F64Attr:$rate,
                       I64Attr:$stream, I64Attr:$samples);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "$input `rate` $rate `stream` $stream `samples` $samples $seed `,` $step `,` $sample attr-dict `:` type($input)";
}
