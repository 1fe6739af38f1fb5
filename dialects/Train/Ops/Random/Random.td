include "dialects/Train/TrainDialect.td"

def Train_Distribution : I32EnumAttr<"Distribution", "distribution of random numbers",
    [I32EnumAttrCase<"Uniform", 0, "uniform">, I32EnumAttrCase<"Normal", 1, "normal">]> {
  let cppNamespace = "::trainc::train";
}

def Train_RandomOp : Train_PureOp<"random", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface>, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "random numbers as a function of seed, step, stream and element";
  let description = [{
    Element i (row-major, counted over the global batch) is word `i mod 4` of Philox-4x32-10 with key `seed` and counter
    `(i div 4 low, i div 4 high, step, stream)`. `uniform` maps a word w to `(w div 2^9 + 1/2) * 2^-23`, in (0, 1); `normal`
    applies the inverse of the normal distribution function to that. If dimension 0 carries `samples` samples of the batch,
    the global index adds `sample * (elements / samples)`: micro-batches of any size draw the same numbers.
    Source: Salmon et al. 2011 (Philox); Wichura 1988, Applied Statistics 37, AS 241, PPND7 (normal).

    Constraints:
    * (C1) `samples` is 0 (no batch) or divides the first dimension.
    * (C2) `stream` fits 32 bits.

    ```mlir
    %u = train.random uniform [8, 16] stream 7 samples 8 %seed, %step, %sample : f32
    ```
  }];
  let arguments = (ins Train_Counter:$seed, Train_Counter:$step, Train_Counter:$sample, Train_Distribution:$distribution,
                       DenseI64ArrayAttr:$shape, I64Attr:$stream, I64Attr:$samples, TypeAttr:$elementType);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "$distribution $shape `stream` $stream `samples` $samples $seed `,` $step `,` $sample attr-dict `:` $elementType";
}
