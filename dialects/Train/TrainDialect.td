//===- TrainDialect.td - the `train` dialect ------------------------------===//
#ifndef TRAINC_TRAIN_DIALECT_TD
#define TRAINC_TRAIN_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/Train/TrainInterfaces.td"

def Train_Dialect : Dialect {
  let name = "train";
  let cppNamespace = "::trainc::train";
  let summary = "the one-device meaning of a training step";
  let description = [{
    Tensor operations, parameters and optimizer updates of one training step, with global (logical) shapes.

    It can express what a model computes and how its parameters are updated; elementwise arithmetic on tensors is
    `arith` and `math`, to which the interfaces of this dialect are attached. It cannot express where anything runs,
    how it is sharded, or where it lies in memory. The frontend produces it; `differentiate` adds the backward pass and
    the update; `fuse` turns everything but library calls into `kernel` functions; `place` consumes the rest.

    All shapes are static. Element types are f32, f64, i32, i64 and i1.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

class Train_Op<string mnemonic, list<Trait> traits = []> : Op<Train_Dialect, mnemonic, traits>;

/// An op whose result types follow from operands and attributes.
class Train_PureOp<string mnemonic, list<Trait> traits = []>
    : Train_Op<mnemonic, [Pure, InferTypeOpAdaptor] # traits>;

def Train_Float : AnyTypeOf<[F32, F64]>;
def Train_FloatTensor : StaticShapeTensorOf<[Train_Float]>;
def Train_IndexTensor : StaticShapeTensorOf<[I32]>;
def Train_AnyTensor : StaticShapeTensorOf<[F32, F64, I32, I64, I1]>;
def Train_Counter : Type<And<[0DTensorOf<[I64]>.predicate]>, "a scalar tensor<i64>", "::mlir::RankedTensorType">,
                    BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI64Type())">;

#endif
