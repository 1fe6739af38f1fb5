include "dialects/Train/TrainDialect.td"

def Train_ParameterOp : Train_Op<"parameter", [Symbol]> {
  let summary = "declaration of a trainable parameter";
  let description = [{
    A named tensor of the state. Initial values: `constant(a, b)` is a everywhere, `normal(a, b)` has mean a and standard
    deviation b, `uniform(a, b)` lies in (a, b); they depend on the seed and the parameter's name only.

    Constraints:
    * (C1) `initializer` is `constant`, `normal` or `uniform`.

    ```mlir
    train.parameter @"layers.0.query.weight" : tensor<64x64xf32> init normal(0.0, 2.0e-02) group "default"
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Train_FloatTensor>:$type, StrAttr:$initializer, F64Attr:$a, F64Attr:$b, StrAttr:$group);
  let assemblyFormat = "$sym_name `:` $type `init` $initializer `(` $a `,` $b `)` `group` $group attr-dict";
  let hasVerifier = 1;
}

def Train_OptimizerOp : Train_Op<"optimizer"> {
  let summary = "the update rule of the model and its weight-decay groups";
  let description = [{
    `rule` names an op that implements OptimizerOpInterface, `options` are its attributes, `groups` maps the name of a group of
    parameters to its weight decay; other groups take the rule's own.

    Constraints:
    * (C1) `rule` names a registered optimizer op.
    * (C2) every value of `groups` is a float.

    ```mlir
    train.optimizer "train.sgd" {weight_decay = 0.1 : f64} groups {no_decay = 0.0 : f64}
    ```
  }];
  let arguments = (ins StrAttr:$rule, DictionaryAttr:$options, DictionaryAttr:$groups);
  let assemblyFormat = "$rule $options `groups` $groups attr-dict";
  let hasVerifier = 1;
}
