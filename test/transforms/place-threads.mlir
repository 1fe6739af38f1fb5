// Each thread of a routine has scratch of its own.
// RUN: trainc-opt %s --place | FileCheck %s --check-prefix=ONE
// RUN: trainc-opt %s --place=threads=2 | FileCheck %s --check-prefix=TWO
// ONE: workspace 448
// TWO: workspace 896
func.func @attention(%q: tensor<1x8x2x4xf32> {train.state = ["q", "compute"]}) -> (tensor<1x8x2x4xf32>, tensor<1x2x8xf32>) {
  %o, %l = train.attention %q, %q, %q causal true scale 0.5 : tensor<1x8x2x4xf32>, tensor<1x8x2x4xf32>, tensor<1x8x2x4xf32>
  return %o, %l : tensor<1x8x2x4xf32>, tensor<1x2x8xf32>
}
