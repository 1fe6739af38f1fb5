// RUN: trainc-check %s --gradients --sharding | FileCheck %s
// CHECK: 6 functions, 0 failures

func.func @linear(%x: tensor<2x3x4xf64>, %w: tensor<4x6xf64>) -> tensor<2x3x6xf64> {
  %y = train.contract "btk,kn->btn" %x, %w : tensor<2x3x4xf64>, tensor<4x6xf64>
  return %y : tensor<2x3x6xf64>
}

func.func @transposed_weight(%x: tensor<2x3x4xf64>, %w: tensor<6x4xf64>) -> tensor<2x3x6xf64> {
  %y = train.contract "btk,nk->btn" %x, %w : tensor<2x3x4xf64>, tensor<6x4xf64>
  return %y : tensor<2x3x6xf64>
}

func.func @transposed_input(%x: tensor<4x6xf64>, %w: tensor<4x8xf64>) -> tensor<6x8xf64> {
  %y = train.contract "km,kn->mn" %x, %w : tensor<4x6xf64>, tensor<4x8xf64>
  return %y : tensor<6x8xf64>
}

// The result's groups in the other order: the operands change places.
func.func @swapped(%x: tensor<2x3x4xf64>, %w: tensor<6x4xf64>) -> tensor<6x2x3xf64> {
  %y = train.contract "btk,nk->nbt" %x, %w : tensor<2x3x4xf64>, tensor<6x4xf64>
  return %y : tensor<6x2x3xf64>
}

func.func @two_summed(%x: tensor<2x3x4xf64>, %w: tensor<2x3x6xf64>) -> tensor<4x6xf64> {
  %y = train.contract "btm,btn->mn" %x, %w : tensor<2x3x4xf64>, tensor<2x3x6xf64>
  return %y : tensor<4x6xf64>
}

func.func @vector(%x: tensor<4xf64>, %w: tensor<4x6xf64>) -> tensor<6xf64> {
  %y = train.contract "k,kn->n" %x, %w : tensor<4xf64>, tensor<4x6xf64>
  return %y : tensor<6xf64>
}
