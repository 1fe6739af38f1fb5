//===- Parameter.cpp - train.parameter and train.optimizer ----------------===//
#include "dialects/Train/Train.h"

using namespace mlir;
using namespace trainc::train;

LogicalResult ParameterOp::verify() {
  if (!llvm::is_contained({"constant", "normal", "uniform"}, getInitializer()))
    return emitOpError("(C1) expects the initializer constant, normal or uniform, got ") << getInitializer();
  return success();
}

LogicalResult OptimizerOp::verify() {
  auto rule = RegisteredOperationName::lookup(getRule(), getContext());
  if (!rule || !rule->hasInterface<OptimizerOpInterface>())
    return emitOpError("(C1) expects the name of an optimizer op, got ") << getRuleAttr();
  for (NamedAttribute group : getGroups())
    if (!isa<FloatAttr>(group.getValue()))
      return emitOpError("(C2) expects a weight decay for group ") << group.getName() << ", got " << group.getValue();
  return success();
}
