// RUN: trainc-check %s --gradients --sharding | FileCheck %s
// CHECK: 13 functions, 0 failures

func.func @broadcast_column(%x: tensor<6xf64>) -> tensor<4x6xf64> {
  %y = train.broadcast %x to [4, 6] dims [1] : tensor<6xf64>
  return %y : tensor<4x6xf64>
}
func.func @broadcast_row(%x: tensor<4xf64>) -> tensor<4x6xf64> {
  %y = train.broadcast %x to [4, 6] dims [0] : tensor<4xf64>
  return %y : tensor<4x6xf64>
}
func.func @broadcast_unit(%x: tensor<4x1x2xf64>) -> tensor<4x3x2xf64> {
  %y = train.broadcast %x to [4, 3, 2] dims [0, 1, 2] : tensor<4x1x2xf64>
  return %y : tensor<4x3x2xf64>
}
func.func @broadcast_scalar(%x: tensor<f64>) -> tensor<4x6xf64> {
  %y = train.broadcast %x to [4, 6] dims [] : tensor<f64>
  return %y : tensor<4x6xf64>
}
func.func @sum_last(%x: tensor<4x6xf64>) -> tensor<4xf64> {
  %y = train.reduce add %x dims [1] : tensor<4x6xf64>
  return %y : tensor<4xf64>
}
func.func @sum_first(%x: tensor<4x6xf64>) -> tensor<6xf64> {
  %y = train.reduce add %x dims [0] : tensor<4x6xf64>
  return %y : tensor<6xf64>
}
func.func @sum_outer_and_inner(%x: tensor<4x3x6xf64>) -> tensor<3xf64> {
  %y = train.reduce add %x dims [0, 2] : tensor<4x3x6xf64>
  return %y : tensor<3xf64>
}
func.func @sum_all(%x: tensor<4x6xf64>) -> tensor<f64> {
  %y = train.reduce add %x dims [0, 1] : tensor<4x6xf64>
  return %y : tensor<f64>
}
func.func @max_last(%x: tensor<4x6xf64>) -> tensor<4xf64> {
  %y = train.reduce max %x dims [1] : tensor<4x6xf64>
  return %y : tensor<4xf64>
}
func.func @reshape_merge(%x: tensor<4x6xf64>) -> tensor<2x12xf64> {
  %y = train.reshape %x to [2, 12] : tensor<4x6xf64>
  return %y : tensor<2x12xf64>
}
func.func @reshape_split(%x: tensor<4x6xf64>) -> tensor<4x3x2xf64> {
  %y = train.reshape %x to [4, 3, 2] : tensor<4x6xf64>
  return %y : tensor<4x3x2xf64>
}
// The batch splits although the other dimensions do not nest.
func.func @reshape_does_not_nest(%x: tensor<8x6x4xf64>) -> tensor<8x8x3xf64> {
  %y = train.reshape %x to [8, 8, 3] : tensor<8x6x4xf64>
  return %y : tensor<8x8x3xf64>
}
func.func @reshape_units(%x: tensor<1x4x1x6xf64>) -> tensor<4x1x2x3x1xf64> {
  %y = train.reshape %x to [4, 1, 2, 3, 1] : tensor<1x4x1x6xf64>
  return %y : tensor<4x1x2x3x1xf64>
}
