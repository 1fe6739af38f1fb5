// RUN: trainc-check %s --gradients --sharding | FileCheck %s
// CHECK: 3 functions, 0 failures

func.func @causal(%q: tensor<2x5x2x4xf64>, %k: tensor<2x5x2x4xf64>, %v: tensor<2x5x2x4xf64>)
    -> (tensor<2x5x2x4xf64>, tensor<2x2x5xf64> {check.auxiliary}) {
  %o, %lse = train.attention %q, %k, %v causal true scale 5.0e-1 : tensor<2x5x2x4xf64>, tensor<2x5x2x4xf64>, tensor<2x5x2x4xf64>
  return %o, %lse : tensor<2x5x2x4xf64>, tensor<2x2x5xf64>
}

func.func @full(%q: tensor<1x3x2x4xf64>, %k: tensor<1x3x2x4xf64>, %v: tensor<1x3x2x4xf64>)
    -> (tensor<1x3x2x4xf64>, tensor<1x2x3xf64> {check.auxiliary}) {
  %o, %lse = train.attention %q, %k, %v causal false scale 1.0 : tensor<1x3x2x4xf64>, tensor<1x3x2x4xf64>, tensor<1x3x2x4xf64>
  return %o, %lse : tensor<1x3x2x4xf64>, tensor<1x2x3xf64>
}

// More positions than one tile holds.
func.func @tiles(%q: tensor<1x67x2x2xf64>, %k: tensor<1x67x2x2xf64>, %v: tensor<1x67x2x2xf64>)
    -> (tensor<1x67x2x2xf64>, tensor<1x2x67xf64> {check.auxiliary}) {
  %o, %lse = train.attention %q, %k, %v causal true scale 7.0e-1 : tensor<1x67x2x2xf64>, tensor<1x67x2x2xf64>, tensor<1x67x2x2xf64>
  return %o, %lse : tensor<1x67x2x2xf64>, tensor<1x2x67xf64>
}
