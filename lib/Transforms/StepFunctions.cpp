//===- StepFunctions.cpp - building the functions of a step ---------------===//
#include "StepFunctions.h"

using namespace mlir;
using namespace trainc;

FailureOr<ModelFunctions> ModelFunctions::find(ModuleOp module) {
  ModelFunctions model;
  model.module = module;
  model.loss = module.lookupSymbol<func::FuncOp>("loss");
  model.learningRate = module.lookupSymbol<func::FuncOp>("learning_rate");
  llvm::append_range(model.parameters, module.getOps<train::ParameterOp>());
  auto optimizers = module.getOps<train::OptimizerOp>();
  auto micro = module->getAttrOfType<IntegerAttr>("train.micro_batch"),
       global = module->getAttrOfType<IntegerAttr>("train.global_batch");
  auto isScalarFloat = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 0 && isa<FloatType>(tensor.getElementType());
  };
  auto isStraight = [](func::FuncOp function) { return function && function.getBody().hasOneBlock(); };
  if (!isStraight(model.loss) || model.loss.getNumResults() != 2 ||
      !llvm::all_of(model.loss.getResultTypes(), isScalarFloat))
    return module.emitError("expects a function @loss of one block with scalar float results loss_sum and count");
  if (!isStraight(model.learningRate) || model.learningRate.getNumArguments() != 1 ||
      model.learningRate.getNumResults() != 1 || !isScalarFloat(model.learningRate.getArgumentTypes()[0]) ||
      !isScalarFloat(model.learningRate.getResultTypes()[0]))
    return module.emitError("expects a function @learning_rate of one block from a scalar float to a scalar float");
  if (optimizers.empty())
    return module.emitError("expects a train.optimizer");
  if (!micro || !global)
    return module.emitError("expects the attributes train.micro_batch and train.global_batch");
  model.optimizer = *optimizers.begin();
  model.microBatch = micro.getInt();
  model.globalBatch = global.getInt();
  if (model.microBatch < 1 || model.globalBatch < 1 || model.globalBatch % model.microBatch != 0)
    return module.emitError("expects train.micro_batch to divide train.global_batch, got ")
           << model.microBatch << " and " << model.globalBatch;
  return model;
}

RankedTensorType ModelFunctions::wideScalar() {
  return RankedTensorType::get({}, Float64Type::get(module.getContext()));
}

StepFunction::StepFunction(ModelFunctions &model, StringRef name) : builder(model.module.getContext()), model(model) {
  builder.setInsertionPoint(model.loss);
  function = func::FuncOp::create(builder, model.loss.getLoc(), name, builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
}

ArrayAttr StepFunction::key(StringRef scope, StringRef role) {
  Builder b(function.getContext());
  return b.getStrArrayAttr({scope, role});
}

Value StepFunction::addArgument(Type type, NamedAttribute attribute, Location loc) {
  argumentAttrs.push_back(DictionaryAttr::get(function.getContext(), attribute));
  return function.front().addArgument(type, loc);
}

Value StepFunction::findStateArgument(StringRef scope, StringRef role) {
  ArrayAttr wanted = key(scope, role);
  for (auto [i, attributes] : llvm::enumerate(argumentAttrs))
    if (attributes.get(train::kStateAttr) == wanted)
      return function.front().getArgument(i);
  return {};
}

Value StepFunction::stateArgument(StringRef scope, StringRef role, RankedTensorType type) {
  if (Value argument = findStateArgument(scope, role))
    return argument;
  return addArgument(type, builder.getNamedAttr(train::kStateAttr, key(scope, role)), function.getLoc());
}

void StepFunction::stateResult(StringRef scope, StringRef role, Value value) {
  results.push_back(value);
  resultAttrs.push_back(
      DictionaryAttr::get(function.getContext(), builder.getNamedAttr(train::kStateAttr, key(scope, role))));
}

void StepFunction::hostResult(StringRef name, Value value) {
  results.push_back(value);
  resultAttrs.push_back(DictionaryAttr::get(function.getContext(),
                                            builder.getNamedAttr(train::kResultAttr, builder.getStringAttr(name))));
}

/// cursor + index of the micro-batch * its size.
Value StepFunction::firstSample(Location loc) {
  auto scalar = RankedTensorType::get({}, builder.getI64Type());
  Value cursor = stateArgument("", "cursor", scalar);
  Value micro = addArgument(scalar, builder.getNamedAttr(train::kMicroAttr, builder.getUnitAttr()), loc);
  Value offset =
      arith::MulIOp::create(builder, loc, micro, train::splat(builder, loc, scalar, double(model.microBatch)));
  return arith::AddIOp::create(builder, loc, cursor, offset);
}

void StepFunction::mapArguments(func::FuncOp loss, IRMapping &mapping, const llvm::SetVector<Operation *> &slice) {
  for (BlockArgument argument : loss.getArguments()) {
    bool isUsed = llvm::any_of(argument.getUsers(), [&](Operation *user) { return slice.contains(user); });
    if (!isUsed)
      continue;
    DictionaryAttr attributes = loss.getArgAttrDict(argument.getArgNumber());
    if (auto state = attributes.getAs<ArrayAttr>(train::kStateAttr)) {
      mapping.map(argument, stateArgument(cast<StringAttr>(state[0]), cast<StringAttr>(state[1]), argument.getType()));
    } else if (attributes.contains(train::kSampleAttr)) {
      mapping.map(argument, firstSample(argument.getLoc()));
    } else {
      argumentAttrs.push_back(attributes);
      mapping.map(argument, function.front().addArgument(argument.getType(), argument.getLoc()));
    }
  }
}

Value StepFunction::widen(Value value) {
  Type wide = model.wideScalar();
  return value.getType() == wide ? value : arith::ExtFOp::create(builder, value.getLoc(), wide, value).getResult();
}

Value StepFunction::narrow(Value value, Type type) {
  return value.getType() == type ? value : arith::TruncFOp::create(builder, value.getLoc(), type, value).getResult();
}

void StepFunction::finish() {
  func::ReturnOp::create(builder, function.getLoc(), results);
  function.setFunctionType(
      builder.getFunctionType(function.front().getArgumentTypes(), ValueRange(results).getTypes()));
  function.setAllArgAttrs(argumentAttrs);
  function.setAllResultAttrs(resultAttrs);
}
