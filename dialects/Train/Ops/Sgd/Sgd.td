include "dialects/Train/TrainDialect.td"

def Train_SgdOp : Train_PureOp<"sgd", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface>, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DecomposeOpInterface>, DeclareOpInterfaceMethods<OptimizerOpInterface>]> {
  let summary = "one step of stochastic gradient descent";
  let description = [{
    `p' = p - lr (g + weight_decay p)`.

    Constraints:
    * (C1) `parameter` and `gradient` have the same type; `learning_rate` is a scalar of its element type.
    * (C2) `weight_decay >= 0`.
  }];
  let arguments = (ins Train_FloatTensor:$parameter, Train_FloatTensor:$gradient, Train_FloatTensor:$learning_rate, Train_Counter:$step,
                       F64Attr:$weight_decay);
  let results = (outs Train_FloatTensor:$new_parameter);
  let assemblyFormat = "operands `weight_decay` $weight_decay attr-dict `:` type(operands)";
}
