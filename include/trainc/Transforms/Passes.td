//===- Passes.td - passes that stay within the compiler's levels ----------===//
#ifndef TRAINC_TRANSFORMS_PASSES_TD
#define TRAINC_TRANSFORMS_PASSES_TD
include "mlir/Pass/PassBase.td"

def DifferentiatePass : Pass<"differentiate", "::mlir::ModuleOp"> {
  let summary = "build the functions of one training step from the recorded model";
  let description = [{
    Consumes `@loss`, `@learning_rate`, the parameters and the optimizer, and produces

    * `@init`: the state from the seed;
    * `@count`: adds the loss count of one micro-batch to the step's (the part of `@loss` that the count needs);
    * `@micro_batch`: forward and backward; the seed of the loss is 1 / count, 0 where the count is 0; gradients are added to
      the accumulators in the state;
    * `@update`: gradient norm, clipping, optimizer; clears the accumulators, advances the step and the data cursor.

    `@eval` and `@logits` stay as they are; a module without `@loss` does too. Backward code is built only from DifferentiableOpInterface. Fails, naming the op,
    where a gradient reaches an op that cannot be differentiated.

    ```mlir
    func.func @loss(%w: tensor<4xf32> {train.state = ["w", "compute"]}, %x: tensor<4xi32> {...}) -> (loss_sum, count)
    // becomes
    func.func @micro_batch(%w, %x, %count: ... ["", "count"], %loss: ... ["", "loss"], %dw: tensor<4xf32> {train.state = ["w", "gradient"]})
      -> (tensor<f64> {train.state = ["", "loss"]}, tensor<4xf32> {train.state = ["w", "gradient"]})
    ```
  }];
  let dependentDialects = ["::trainc::train::TrainDialect", "::mlir::func::FuncDialect"];
}

def DecomposePass : Pass<"decompose", "::mlir::func::FuncOp"> {
  let summary = "replace composite ops by arithmetic, broadcasts, reductions and random numbers";
  let description = [{
    Every op with DecomposeOpInterface is replaced by what it says. A sum over all of a tensor of two or more dimensions becomes a
    sum over the last dimension and a sum of the rest, so that it runs in parallel and its rounding error grows more slowly.
  }];
  let dependentDialects = ["::trainc::train::TrainDialect"];
}

def FoldAccumulationPass : Pass<"fold-accumulation", "::mlir::func::FuncOp"> {
  let summary = "let library calls add to their accumulator";
  let description = [{
    `acc + call(...)` becomes `call(... plus acc)` where the call can accumulate, its result has no other use and `acc` is not read
    later.

    ```mlir
    %d = train.contract "mk,kn->mn" %a, %b
    %s = arith.addf %acc, %d
    // becomes
    %s = train.contract "mk,kn->mn" %a, %b plus %acc
    ```
  }];
  let statistics = [Statistic<"numFolded", "num-folded", "additions folded into a call">];
}

def FuseKernelsPass : Pass<"fuse-kernels", "::mlir::ModuleOp"> {
  let summary = "outline elementwise arithmetic and reductions as kernels";
  let description = [{
    Groups elementwise ops, broadcasts and reductions that share an iteration space and outlines each group as a
    `kernel.func` with a `plan.launch`. Cheap values are computed again in each kernel that needs them instead of being stored.
    Equal kernels become one. Decides which results take over the bytes of an operand; a new value of the state that is ready
    before the old one is last read is copied into the state at the end. Afterwards a function holds launches, library ops and
    reshapes only.

    Fails, naming the op, where an op is neither elementwise nor a library call.
  }];
  let dependentDialects = ["::trainc::train::TrainDialect", "::trainc::kernel::KernelDialect", "::trainc::plan::PlanDialect"];
  let statistics = [Statistic<"numKernels", "num-kernels", "kernels after merging equal ones">,
                    Statistic<"numLaunches", "num-launches", "kernel launches">,
                    Statistic<"numRecomputed", "num-recomputed", "values computed again instead of stored">];
}

def PlacePass : Pass<"place", "::mlir::ModuleOp"> {
  let summary = "turn library ops into calls and give every value its bytes";
  let description = [{
    Replaces library ops by `plan.call` and reshapes by `plan.view`, orders the state in the arena, finds the lifetime of each value
    and attaches `plan.at` to every function argument and every instruction. A value that is written back to the
    state lies in the state; the pass fails where the old value is still read later.

    The pass is quadratic in the number of values alive in one function.
  }];
  let options = [Option<"threads", "threads", "int64_t", "1", "threads that library routines reserve scratch for">];
  let dependentDialects = ["::trainc::plan::PlanDialect"];
}

#endif
