include "dialects/Train/TrainDialect.td"

def Train_AttentionOp : Train_PureOp<"attention", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface>, DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<LibraryCallOpInterface, ["getWorkspaceBytes"]>]> {
  let summary = "multi-head scaled dot-product attention";
  let description = [{
    For each batch b and head h, with `S = scale * query key^T` (masked above the diagonal if `causal`):
    `result = softmax(S) value` and `lse = log(sum(exp(S)))` over the keys. The scores are never stored.
    Shapes: query, key, value, result `[B, T, H, D]`; lse `[B, H, T]`, for the backward pass only.
    Source: Dao 2023, arXiv:2307.08691.

    Constraints:
    * (C1) `query`, `key` and `value` have the same type, of four dimensions.

    ```mlir
    %o, %lse = train.attention %q, %k, %v causal true scale 1.25e-01 : tensor<8x16x4x64xf32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$query, Train_FloatTensor:$key, Train_FloatTensor:$value, BoolAttr:$causal, F64Attr:$scale);
  let results = (outs Train_FloatTensor:$result, Train_FloatTensor:$lse);
  let assemblyFormat = "$query `,` $key `,` $value `causal` $causal `scale` $scale attr-dict `:` type($query) `,` type($key) `,` type($value)";
}

def Train_AttentionBackwardOp : Train_PureOp<"attention_backward", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface>, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<LibraryCallOpInterface, ["getWorkspaceBytes"]>]> {
  let summary = "gradient of `train.attention`";
  let description = [{
    The cotangents of query, key and value from the cotangent of the result; the scores are computed again, tile by tile.
    Source: Dao 2023, arXiv:2307.08691, Algorithm 2.

    Constraints:
    * (C1) `query`, `key`, `value`, `output` and `cotangent` have the same type, of four dimensions.
    * (C2) `lse` is `[B, H, T]`.
  }];
  let arguments = (ins Train_FloatTensor:$query, Train_FloatTensor:$key, Train_FloatTensor:$value, Train_FloatTensor:$output,
                       Train_FloatTensor:$lse, Train_FloatTensor:$cotangent, BoolAttr:$causal, F64Attr:$scale);
  let results = (outs Train_FloatTensor:$dquery, Train_FloatTensor:$dkey, Train_FloatTensor:$dvalue);
  let assemblyFormat = "operands `causal` $causal `scale` $scale attr-dict `:` type(operands)";
}
