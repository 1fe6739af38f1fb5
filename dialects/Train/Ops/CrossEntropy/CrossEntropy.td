include "dialects/Train/TrainDialect.td"

def Train_CrossEntropyOp : Train_PureOp<"cross_entropy", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface>, DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>, DeclareOpInterfaceMethods<LibraryCallOpInterface>]> {
  let summary = "negative log-likelihood of a target class under softmax(logits)";
  let description = [{
    `lse = log(sum(exp(logits)))` over the last dimension, `loss = lse - logits[target]`.
    Shapes: logits `[..., V]`; targets, loss and lse `[...]`; lse is for the backward pass only. A target outside `[0, V)` gives loss 0 and no gradient.

    Constraints:
    * (C1) `targets` has the shape of `logits` without its last dimension.

    ```mlir
    %loss, %lse = train.cross_entropy %logits, %targets : tensor<8x16x256xf32>, tensor<8x16xi32>
    ```
  }];
  let arguments = (ins Train_FloatTensor:$logits, Train_IndexTensor:$targets);
  let results = (outs Train_FloatTensor:$loss, Train_FloatTensor:$lse);
  let assemblyFormat = "$logits `,` $targets attr-dict `:` type($logits) `,` type($targets)";
}

def Train_CrossEntropyBackwardOp : Train_PureOp<"cross_entropy_backward", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface>, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<LibraryCallOpInterface, ["getInPlaceOperand"]>]> {
  let summary = "gradient of `train.cross_entropy` with respect to the logits";
  let description = [{
    `result[..., v] = cotangent * (exp(logits[..., v] - lse) - (v == target))`. It may overwrite the logits.

    Constraints:
    * (C1) `targets`, `lse` and `cotangent` have the shape of `logits` without its last dimension.
  }];
  let arguments = (ins Train_FloatTensor:$logits, Train_IndexTensor:$targets, Train_FloatTensor:$lse, Train_FloatTensor:$cotangent);
  let results = (outs Train_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` type(operands)";
}
