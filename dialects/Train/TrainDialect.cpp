//===- TrainDialect.cpp - registration and helpers of the `train` dialect -===//
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace trainc::train;

#include "dialects/Train/TrainDialect.cpp.inc"
#include "dialects/Train/TrainEnums.cpp.inc"
#include "dialects/Train/TrainInterfaces.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Train/TrainOps.cpp.inc"

void TrainDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Train/TrainOps.cpp.inc"
      >();
}

void trainc::train::registerTrainDialect(DialectRegistry &registry) {
  registry.insert<TrainDialect, arith::ArithDialect, math::MathDialect>();
  registerElementwiseModels(registry);
}

ShardingRule ShardingRule::elementwise(ArrayRef<int64_t> shape, unsigned numOperands, unsigned numResults,
                                       FactorKind kind) {
  ShardingRule rule;
  TensorFactors dims;
  for (int64_t size : shape)
    dims.push_back({rule.addFactor(size, kind)});
  rule.operands.assign(numOperands, dims);
  rule.results.assign(numResults, dims);
  return rule;
}

int64_t trainc::train::tensorBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * ((tensor.getElementTypeBitWidth() + 7) / 8);
}

int64_t trainc::train::operandAndResultBytes(Operation *op) {
  int64_t bytes = 0;
  for (Type type : op->getOperandTypes())
    bytes += tensorBytes(type);
  for (Type type : op->getResultTypes())
    bytes += tensorBytes(type);
  return bytes;
}

Value trainc::train::splat(OpBuilder &builder, Location loc, Type type, double value) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  Attribute scalar = isa<FloatType>(element) ? Attribute(builder.getFloatAttr(element, value))
                                             : Attribute(builder.getIntegerAttr(element, int64_t(value)));
  return arith::ConstantOp::create(builder, loc, SplatElementsAttr::get(tensor, scalar));
}

Value trainc::train::broadcast(OpBuilder &builder, Location loc, Value input, ArrayRef<int64_t> shape,
                               ArrayRef<int64_t> dims) {
  return BroadcastOp::create(builder, loc, input, shape, dims);
}

Value trainc::train::broadcastScalar(OpBuilder &builder, Location loc, Value scalar, ArrayRef<int64_t> shape) {
  return shape.empty() ? scalar : broadcast(builder, loc, scalar, shape, {});
}
