// Recording of what a program is for: the loss, outputs, the optimizer and the learning rate; and finishing a program.
#include "Recorder.h"
#include "dialects/Train/Train.h"
#include "llvm/ADT/SetVector.h"
#include <fmt/format.h>

using namespace trainc;

namespace {
/// Puts the ops of a finished block into the order in which its results need them, operands first, and drops the
/// others. C++ leaves open in which order a call's arguments are evaluated, so two compilers may record one model in
/// two orders.
void sortOps(mlir::Block &block) {
  mlir::Operation *terminator = block.getTerminator();
  llvm::DenseSet<mlir::Operation *> sorted;
  llvm::SmallVector<std::pair<mlir::Operation *, unsigned>> path = {{terminator, 0}};
  while (!path.empty()) {
    auto &[op, nextOperand] = path.back();
    if (nextOperand < op->getNumOperands()) {
      mlir::Operation *producer = op->getOperand(nextOperand++).getDefiningOp();
      if (producer && !sorted.contains(producer))
        path.push_back({producer, 0});
      continue;
    }
    if (op != terminator && sorted.insert(op).second)
      op->moveBefore(terminator);
    path.pop_back();
  }
  for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (&op != terminator && !sorted.contains(&op))
      op.erase();
}
} // namespace

std::vector<const Recorder::Argument *> Recorder::dependencies(mlir::Value value) const {
  llvm::SetVector<mlir::Value> reached;
  reached.insert(value);
  std::vector<const Argument *> found;
  for (size_t i = 0; i < reached.size(); ++i) { // grows while it is walked
    if (mlir::Operation *op = reached[i].getDefiningOp())
      reached.insert(op->operand_begin(), op->operand_end());
    else if (const Argument *argument = findArgument(reached[i]))
      found.push_back(argument);
  }
  return found;
}

void Recorder::checkLossScalar(const char *what, ValueId value, Source at) {
  TypeView view = type(value);
  if (!isFloat(view.dtype))
    fail(fmt::format("the {} of a loss has to be a float; convert it with cast(x, m.floatType())", what).c_str(),
         {&value, 1}, at);
  if (view.shape.count != 0)
    fail(fmt::format("the {} of a loss has to be a scalar; reduce it with sum(x)", what).c_str(), {&value, 1}, at);
}

void Recorder::checkCount(ValueId count, Source at) {
  for (const Argument *argument : dependencies(values.at(count).value)) {
    if (argument->kind == ArgumentKind::Tokens)
      continue;
    if (argument->kind != ArgumentKind::Parameter)
      state.fail("the count of a loss may depend on inputs only, but this one is random", at,
                 {{values.at(count).at, "counted here"}});
    const ParameterRecord &parameter = state.parameters[argument->index];
    state.fail(fmt::format("the count of a loss may depend on inputs only, but this one depends on parameter '{}'",
                           parameter.name),
               at, {{values.at(count).at, "counted here"}, {parameter.at, "parameter defined here"}});
  }
}

void Recorder::loss(ValueId sum, ValueId count, Source at) {
  if (losses)
    state.fail("the model gives a second loss; add the sums of both, or the counts", at,
               {{losses->at, "first loss here"}});
  checkLossScalar("sum", sum, at);
  checkLossScalar("count", count, at);
  checkCount(count, at);
  bool trains = false;
  for (const Argument *argument : dependencies(values.at(sum).value))
    trains |= argument->kind == ArgumentKind::Parameter;
  if (!trains)
    fail("the loss depends on no parameter, so there is nothing to train", {&sum, 1}, at);
  losses = {{values.at(sum).value, values.at(count).value}, at};
}

void Recorder::output(const char *name, ValueId value, Source at) {
  if (std::string(name) != "logits")
    state.fail(fmt::format("expects the output name 'logits', the only one that a program reads, got '{}'", name), at);
  if (logits)
    state.fail("the output 'logits' is given twice", at, {{logits->at, "first given here"}});
  TypeView view = type(value);
  if (!isFloat(view.dtype) || view.shape.count != 3 || view.shape.data[0] != samples)
    fail("the output 'logits' has to be a float tensor [batch, sequence, vocabulary]", {&value, 1}, at);
  logits = {values.at(value).value, at};
}

void Recorder::optimizer(const char *op, Span<Attribute> attributes, Source at) {
  OptimizerRecord record{op, convert(attributes, op, at), at};
  if (hasOptimizer)
    state.fail("the model sets a second optimizer", at, {{state.optimizer->at, "first set here"}});
  hasOptimizer = true;
  if (!state.isDefined)
    state.optimizer = record;
}

void Recorder::clipGradientNorm(double norm, Source at) {
  if (!(norm > 0))
    state.fail(fmt::format("clipping expects a norm above 0, got {}", norm), at);
  if (hasClipNorm)
    state.fail("the gradient norm is clipped twice", at, {{state.clipNorm->at, "first set here"}});
  hasClipNorm = true;
  if (!state.isDefined)
    state.clipNorm = {norm, at};
}

ValueId Recorder::beginLearningRate(Source at) {
  if (hasLearningRate)
    state.fail("the model sets a second learning rate", at);
  hasLearningRate = true;
  auto scalar = mlir::RankedTensorType::get({}, state.elementType(floatType()));
  mlir::Location location = state.location("learning_rate", at);
  learningRate = mlir::func::FuncOp::create(location, "learning_rate", builder.getFunctionType({scalar}, {scalar}));
  builder.setInsertionPointToStart(learningRate->addEntryBlock());
  return keep(learningRate->getArgument(0), at);
}

void Recorder::endLearningRate(ValueId rate, Source at) {
  mlir::Value value = values.at(rate).value;
  if (value.getType() != learningRate->getArgument(0).getType())
    fail("a learning rate has to be a float scalar", {&rate, 1}, at);
  if (value.getParentBlock() != builder.getInsertionBlock())
    fail("a learning-rate schedule computes with the step and numbers only", {&rate, 1}, at);
  mlir::func::ReturnOp::create(builder, learningRate->getLoc(), value);
  sortOps(learningRate->front());
  builder.setInsertionPointToEnd(&function->front());
  if (!state.isDefined)
    state.learningRate = std::move(learningRate);
}

mlir::DictionaryAttr Recorder::argumentAttributes(const Argument &argument) const {
  mlir::Builder b(&state.context);
  auto attributes = [&](llvm::StringRef name, mlir::Attribute value) {
    return b.getDictionaryAttr(b.getNamedAttr(name, value));
  };
  switch (argument.kind) {
  case ArgumentKind::Seed:
    return attributes(train::kStateAttr, b.getStrArrayAttr({"", "seed"}));
  case ArgumentKind::Step:
    return attributes(train::kStateAttr, b.getStrArrayAttr({"", "step"}));
  case ArgumentKind::Sample:
    return attributes(train::kSampleAttr, b.getUnitAttr());
  case ArgumentKind::Parameter:
    return attributes(train::kStateAttr, b.getStrArrayAttr({state.parameters[argument.index].name, "compute"}));
  case ArgumentKind::Tokens:
    break;
  }
  const TokensRecord &input = state.inputs[argument.index];
  return attributes(train::kInputAttr,
                    b.getDictionaryAttr({b.getNamedAttr("name", b.getStringAttr(input.name)),
                                         b.getNamedAttr("source", b.getStringAttr("tokens")),
                                         b.getNamedAttr("shift", b.getI64IntegerAttr(input.shift)),
                                         b.getNamedAttr("bound", b.getI64IntegerAttr(input.vocabulary))}));
}

void Recorder::sortArguments() {
  mlir::Block &block = function->front();
  size_t recordedCount = block.getNumArguments();
  llvm::sort(arguments, [](const Argument &a, const Argument &b) {
    return std::pair(a.kind, a.index) < std::pair(b.kind, b.index);
  });
  llvm::SmallVector<mlir::DictionaryAttr> attributes;
  for (Argument &argument : arguments) {
    if (argument.value.use_empty())
      continue;
    mlir::Value sorted = block.addArgument(argument.value.getType(), argument.value.getLoc());
    argument.value.replaceAllUsesWith(sorted);
    attributes.push_back(argumentAttributes(argument));
  }
  block.eraseArguments(0, recordedCount);
  function->setFunctionType(
      builder.getFunctionType(block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
  function->setAllArgAttrs(attributes);
}

mlir::OwningOpRef<mlir::func::FuncOp> Recorder::finish() {
  if (!losses)
    state.fail("the model gives no loss; call m.loss(sum, count)", modelAt);
  if (!hasOptimizer)
    state.fail("the model sets no optimizer; call m.optimizer(adamw()) or m.optimizer(sgd())", modelAt);
  if (!hasLearningRate)
    state.fail("the model sets no learning rate; call m.learningRate(constantRate(1e-3)) or another schedule", modelAt);
  std::vector<std::pair<const char *, mlir::Value>> results = {{"loss_sum", losses->value.first},
                                                               {"count", losses->value.second}};
  if (program == Program::Logits) {
    results = {{"logits", logits->value}};
    for (const Argument *argument : dependencies(logits->value))
      if (argument->kind == ArgumentKind::Tokens && state.inputs[argument->index].shift != 0)
        state.fail(fmt::format("the output 'logits' depends on tokens '{}', which are not known while sampling",
                               state.inputs[argument->index].name),
                   logits->at, {{state.inputs[argument->index].at, "tokens defined here"}});
  }
  llvm::SmallVector<mlir::Value> resultValues;
  llvm::SmallVector<mlir::DictionaryAttr> resultAttributes;
  for (auto [name, value] : results) {
    resultValues.push_back(value);
    resultAttributes.push_back(
        builder.getDictionaryAttr(builder.getNamedAttr(train::kResultAttr, builder.getStringAttr(name))));
  }
  mlir::func::ReturnOp::create(builder, function->getLoc(), resultValues);
  sortOps(function->front());
  sortArguments();
  function->setAllResultAttrs(resultAttributes);
  return std::move(function);
}
