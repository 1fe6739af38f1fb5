//===- StepUpdate.cpp - initialization and the optimizer ------------------===//
#include "StepFunctions.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace trainc;

namespace {
/// FNV-1a, 32 bits: the stream of a parameter's initial values.
uint32_t hashName(StringRef name) {
  uint32_t hash = 2166136261u;
  for (unsigned char c : name)
    hash = (hash ^ c) * 16777619u;
  return hash;
}

RankedTensorType counterType(MLIRContext *context) { return RankedTensorType::get({}, IntegerType::get(context, 64)); }

Value initialValue(StepFunction &step, train::ParameterOp parameter, Value seed) {
  OpBuilder &b = step.builder;
  Location loc = parameter.getLoc();
  auto type = cast<RankedTensorType>(parameter.getType());
  double first = parameter.getA().convertToDouble(), second = parameter.getB().convertToDouble();
  if (parameter.getInitializer() == "constant")
    return train::splat(b, loc, type, first);
  bool isNormal = parameter.getInitializer() == "normal";
  Value zero = train::splat(b, loc, counterType(b.getContext()), 0);
  Value random = train::RandomOp::create(b, loc, seed, zero, zero,
                                         isNormal ? train::Distribution::Normal : train::Distribution::Uniform,
                                         type.getShape(), hashName(parameter.getSymName()), 0, type.getElementType());
  double scale = isNormal ? second : second - first;
  Value scaled = arith::MulFOp::create(b, loc, random, train::splat(b, loc, type, scale));
  return arith::AddFOp::create(b, loc, scaled, train::splat(b, loc, type, first));
}

SmallVector<StringRef> momentRoles(train::OptimizerOp optimizer) {
  auto name = RegisteredOperationName::lookup(optimizer.getRule(), optimizer.getContext());
  return name->getInterface<train::OptimizerOpInterface>()->getMomentRoles();
}

/// The rule's options with the weight decay of the parameter's group.
DictionaryAttr optionsFor(train::OptimizerOp optimizer, train::ParameterOp parameter) {
  NamedAttrList options(optimizer.getOptions());
  if (Attribute decay = optimizer.getGroups().get(parameter.getGroup()))
    options.set("weight_decay", decay);
  return options.getDictionary(optimizer.getContext());
}

/// sqrt of the sum of squares of all gradients, summed in f64.
Value gradientNorm(StepFunction &step, ArrayRef<Value> gradients, ModelFunctions &model) {
  OpBuilder &b = step.builder;
  Location loc = model.optimizer.getLoc();
  Value total = train::splat(b, loc, model.wideScalar(), 0.0);
  for (Value gradient : gradients) {
    auto type = cast<RankedTensorType>(gradient.getType());
    Value square = arith::MulFOp::create(b, loc, gradient, gradient);
    if (type.getRank() > 0)
      square = train::ReduceOp::create(b, loc, square, train::ReductionKind::Add,
                                       llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
    total = arith::AddFOp::create(b, loc, total, step.widen(square));
  }
  return math::SqrtOp::create(b, loc, total);
}

/// min(1, limit / (norm + 1e-6)), as torch.nn.utils.clip_grad_norm_.
Value clipFactor(StepFunction &step, Value norm, double limit) {
  OpBuilder &b = step.builder;
  Location loc = norm.getLoc();
  auto constant = [&](double value) { return train::splat(b, loc, norm.getType(), value); };
  Value ratio = arith::DivFOp::create(b, loc, constant(limit), arith::AddFOp::create(b, loc, norm, constant(1e-6)));
  return arith::MinimumFOp::create(b, loc, ratio, constant(1.0));
}

/// Inlines @learning_rate, a function of the step counted from 1.
Value learningRate(StepFunction &step, ModelFunctions &model, Value stepNumber) {
  IRMapping mapping;
  BlockArgument argument = model.learningRate.getArgument(0);
  mapping.map(argument, arith::SIToFPOp::create(step.builder, argument.getLoc(), argument.getType(), stepNumber));
  for (Operation &op : model.learningRate.front().without_terminator())
    step.builder.clone(op, mapping);
  return mapping.lookupOrDefault(model.learningRate.front().getTerminator()->getOperand(0));
}

/// Adds `amount` to a counter of the state and returns the new value.
Value advance(StepFunction &step, StringRef role, int64_t amount) {
  auto type = counterType(step.builder.getContext());
  Location loc = step.function.getLoc();
  Value next = arith::AddIOp::create(step.builder, loc, step.stateArgument("", role, type),
                                     train::splat(step.builder, loc, type, double(amount)));
  step.stateResult("", role, next);
  return next;
}

Value cast(StepFunction &step, Value value, Type type) {
  unsigned from = getElementTypeOrSelf(value).getIntOrFloatBitWidth(),
           to = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (from == to)
    return value;
  return from > to ? arith::TruncFOp::create(step.builder, value.getLoc(), type, value).getResult()
                   : arith::ExtFOp::create(step.builder, value.getLoc(), type, value).getResult();
}

/// New parameter and moments.
void updateParameter(StepFunction &step, ModelFunctions &model, train::ParameterOp parameter, Value gradient,
                     Value rate, Value stepNumber) {
  auto type = llvm::cast<RankedTensorType>(parameter.getType());
  StringRef scope = parameter.getSymName();
  SmallVector<StringRef> roles = momentRoles(model.optimizer);
  Value scalarRate = cast(step, rate, RankedTensorType::get({}, type.getElementType()));
  OperationState state(parameter.getLoc(), model.optimizer.getRule());
  state.addOperands({step.stateArgument(scope, "compute", type), gradient, scalarRate, stepNumber});
  for (StringRef role : roles)
    state.addOperands(step.stateArgument(scope, role, type));
  state.addAttributes(optionsFor(model.optimizer, parameter).getValue());
  state.addTypes(SmallVector<Type>(1 + roles.size(), type));
  Operation *update = step.builder.create(state);
  step.stateResult(scope, "compute", update->getResult(0));
  // Of the update's result, so that the clearing joins the update's kernel, the last to read the gradient.
  step.stateResult(scope, "gradient",
                   train::ZerosLikeOp::create(step.builder, parameter.getLoc(), update->getResult(0)));
  for (auto [i, role] : llvm::enumerate(roles))
    step.stateResult(scope, role, update->getResult(i + 1));
}

/// loss / count of the step, 0 where nothing was counted.
Value meanLoss(StepFunction &step, Value loss, Value count) {
  OpBuilder &b = step.builder;
  Location loc = loss.getLoc();
  Value zero = train::splat(b, loc, loss.getType(), 0.0), one = train::splat(b, loc, loss.getType(), 1.0);
  Value empty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, count, zero);
  return arith::DivFOp::create(b, loc, loss, arith::SelectOp::create(b, loc, empty, one, count));
}
} // namespace

void trainc::buildInit(ModelFunctions &model) {
  StepFunction step(model, "init");
  Location loc = step.function.getLoc();
  RankedTensorType counter = counterType(step.builder.getContext());
  Value seed = step.stateArgument("", "seed", counter);
  for (StringRef role : {"step", "cursor"})
    step.stateResult("", role, train::splat(step.builder, loc, counter, 0));
  for (StringRef role : {"count", "loss"})
    step.stateResult("", role, train::splat(step.builder, loc, model.wideScalar(), 0));
  for (train::ParameterOp parameter : model.parameters) {
    step.stateResult(parameter.getSymName(), "compute", initialValue(step, parameter, seed));
    SmallVector<StringRef> zeroed = momentRoles(model.optimizer);
    zeroed.push_back("gradient");
    for (StringRef role : zeroed)
      step.stateResult(parameter.getSymName(), role,
                       train::splat(step.builder, parameter.getLoc(), parameter.getType(), 0));
  }
  step.finish();
}

void trainc::buildUpdate(ModelFunctions &model) {
  StepFunction step(model, "update");
  OpBuilder &b = step.builder;
  Location loc = model.optimizer.getLoc();
  Value stepNumber = advance(step, "step", 1);
  advance(step, "cursor", model.globalBatch);

  SmallVector<Value> gradients;
  for (train::ParameterOp parameter : model.parameters)
    gradients.push_back(step.stateArgument(parameter.getSymName(), "gradient", parameter.getType()));
  Value norm = gradientNorm(step, gradients, model);
  Value rate = learningRate(step, model, stepNumber);
  Value factor;
  if (auto limit = model.module->getAttrOfType<FloatAttr>("train.clip_norm"))
    factor = clipFactor(step, norm, limit.getValueAsDouble());

  for (auto [parameter, gradient] : llvm::zip_equal(model.parameters, gradients)) {
    auto type = llvm::cast<RankedTensorType>(parameter.getType());
    Value clipped = gradient;
    if (factor) {
      Value scale = cast(step, factor, RankedTensorType::get({}, type.getElementType()));
      clipped = arith::MulFOp::create(b, loc, gradient, train::broadcastScalar(b, loc, scale, type.getShape()));
    }
    updateParameter(step, model, parameter, clipped, rate, stepNumber);
  }

  Value count = step.stateArgument("", "count", model.wideScalar()),
        loss = step.stateArgument("", "loss", model.wideScalar());
  step.hostResult("loss", meanLoss(step, loss, count));
  step.hostResult("grad_norm", norm);
  step.hostResult("lr", rate);
  step.stateResult("", "count", train::ZerosLikeOp::create(b, loc, count));
  step.stateResult("", "loss", train::ZerosLikeOp::create(b, loc, loss));
  step.finish();
}
