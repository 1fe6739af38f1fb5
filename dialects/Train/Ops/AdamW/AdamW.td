include "dialects/Train/TrainDialect.td"

def Train_AdamWOp : Train_PureOp<"adamw", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface>, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DecomposeOpInterface>, DeclareOpInterfaceMethods<OptimizerOpInterface>]> {
  let summary = "one AdamW step";
  let description = [{
    ```
    m' = beta1 m + (1 - beta1) g          v' = beta2 v + (1 - beta2) g^2
    p' = p (1 - lr weight_decay) - lr (m' / (1 - beta1^step)) / (sqrt(v' / (1 - beta2^step)) + epsilon)
    ```
    Source: Loshchilov, Hutter 2019, arXiv:1711.05101, Algorithm 2; weight decay is multiplied by the learning rate, as in
    torch.optim.AdamW. `step` counts from 1.

    Constraints:
    * (C1) `parameter`, `gradient`, `m`, `v` have the same type; `learning_rate` is a scalar of its element type.
    * (C2) `0 <= beta1, beta2 < 1`, `epsilon > 0`, `weight_decay >= 0`.
  }];
  let arguments = (ins Train_FloatTensor:$parameter, Train_FloatTensor:$gradient, Train_FloatTensor:$learning_rate, Train_Counter:$step,
                       Train_FloatTensor:$m, Train_FloatTensor:$v, F64Attr:$beta1, F64Attr:$beta2, F64Attr:$epsilon, F64Attr:$weight_decay);
  let results = (outs Train_FloatTensor:$new_parameter, Train_FloatTensor:$new_m, Train_FloatTensor:$new_v);
  let assemblyFormat = "operands `beta1` $beta1 `beta2` $beta2 `epsilon` $epsilon `weight_decay` $weight_decay attr-dict `:` type(operands)";
}
