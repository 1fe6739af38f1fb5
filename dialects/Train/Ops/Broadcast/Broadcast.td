include "dialects/Train/TrainDialect.td"

def Train_BroadcastOp : Train_PureOp<"broadcast", [
    DeclareOpInterfaceMethods<ShardingRuleOpInterface, ["localizeAttributes"]>, DeclareOpInterfaceMethods<DifferentiableOpInterface>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "repeat a tensor along new or size-1 dimensions";
  let description = [{
    `result[i0, ..., in] = input[i_dims[0], ..., i_dims[k]]`, index 0 where the input's size is 1.

    Constraints:
    * (C1) `dims` has one entry per dimension of `input`, strictly increasing, each below the rank of `shape`.
    * (C2) `input`'s size along i is 1 or `shape[dims[i]]`.

    ```mlir
    %y = train.broadcast %bias to [8, 16] dims [1] : tensor<16xf32>
    ```
  }];
  let arguments = (ins Train_AnyTensor:$input, DenseI64ArrayAttr:$shape, DenseI64ArrayAttr:$dims);
  let results = (outs Train_AnyTensor:$result);
  let assemblyFormat = "$input `to` $shape `dims` $dims attr-dict `:` type($input)";
  let hasFolder = 1;
}
