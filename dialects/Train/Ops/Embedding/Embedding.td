include "dialects/Train/TrainDialect.td"

def Train_EmbeddingOp : Train_PureOp<"embedding", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface>, DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>, DeclareOpInterfaceMethods<LibraryCallOpInterface>]> {
  let summary = "rows of a table";
  let description = [{
    `result[i..., :] = table[ids[i...], :]`. An id outside `[0, rows)` is undefined; inputs are checked where they are read.

    Constraints:
    * (C1) `table` has two dimensions.

    ```mlir
    %y = train.embedding %table, %ids : tensor<256x64xf32>, tensor<8x16xi32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$table, Train_IndexTensor:$ids);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "$table `,` $ids attr-dict `:` type($table) `,` type($ids)";
}

def Train_EmbeddingBackwardOp : Train_PureOp<"embedding_backward", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface>, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<LibraryCallOpInterface, ["getInPlaceOperand"]>,
    DeclareOpInterfaceMethods<AccumulateOpInterface>]> {
  let summary = "gradient of `train.embedding` with respect to its table";
  let description = [{
    `result[r, :] = accumulator[r, :] + sum of cotangent[i..., :] over i with ids[i...] = r`.

    Constraints:
    * (C1) `cotangent` has the shape of `ids` followed by the width.
    * (C2) `accumulator`, if given, has the result's type.

    ```mlir
    %dtable = train.embedding_backward %dy, %ids rows 256 : tensor<8x16x64xf32>, tensor<8x16xi32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$cotangent, Train_IndexTensor:$ids, Optional<Train_FloatTensor>:$accumulator, I64Attr:$rows);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "$cotangent `,` $ids (`plus` $accumulator^)? `rows` $rows attr-dict `:` type($cotangent) `,` type($ids) (`,` type($accumulator)^)?";
}
