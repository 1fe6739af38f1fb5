// Recording of values: configuration, scopes, inputs, parameters and ops.
//
// MLIR is built without exceptions, so nothing here throws while a frame of MLIR is below it: diagnostics are collected
// by a handler, the call returns, and then the error is thrown.
#include "Recorder.h"
#include "dialects/Train/Train.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"
#include <cmath>
#include <fmt/format.h>

using namespace trainc;

namespace {
std::string typeText(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return text;
}
} // namespace

Recorder::Recorder(ModelState &state, Program program, int64_t batchSize, Source modelAt)
    : state(state), program(program), samples(batchSize), modelAt(modelAt), builder(&state.context) {
  const char *name = program == Program::Loss ? "loss" : program == Program::Eval ? "eval" : "logits";
  function = mlir::func::FuncOp::create(state.location("", modelAt), name, builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function->addEntryBlock());
}

int64_t Recorder::configInt(const char *name, int64_t value, const char *description, Source at) {
  return state.config.get(name, value, description, at).get<int64_t>();
}
double Recorder::configFloat(const char *name, double value, const char *description, Source at) {
  return state.config.get(name, value, description, at).get<double>();
}
bool Recorder::configBool(const char *name, bool value, const char *description, Source at) {
  return state.config.get(name, value, description, at).get<bool>();
}
const char *Recorder::configString(const char *name, const char *value, const char *description, Source at) {
  return state.config.get(name, value, description, at).get_ref<const std::string &>().c_str();
}

template <typename T>
void Recorder::define(std::map<std::string, Setting<T>> &settings, const std::string &what, const std::string &name,
                      const T &value, Source at) {
  auto [entry, isNew] = settings.try_emplace(name, Setting<T>{value, at});
  if (!isNew && entry->second.value != value)
    state.fail(fmt::format("{} '{}' is {} here and {} before", what, name, value, entry->second.value), at,
               {{entry->second.at, "first given here"}});
}

void Recorder::dimension(const char *name, int64_t size, Source at) {
  if (size < 1)
    state.fail(fmt::format("dimension '{}' expects a size of at least 1, got {}", name, size), at);
  define(state.dimensions, "dimension", name, size, at);
}

void Recorder::shard(const char *name, const char *axis, Source at) {
  define<std::string>(state.shardings, "the sharding of dimension", name, axis, at);
}

void Recorder::decayGroup(const char *group, double weightDecay, Source at) {
  define(state.decayGroups, "the weight decay of group", group, weightDecay, at);
}

std::string Recorder::scopedName(const std::string &name) const {
  return scopes.empty() ? name : scopes.back() + "." + name;
}

void Recorder::pushScope(const char *name, Source at) {
  if (!*name)
    state.fail("expects a name for a scope", at);
  scopes.push_back(scopedName(name));
}

ValueId Recorder::keep(mlir::Value value, Source at) {
  values.push_back({value, at});
  return static_cast<ValueId>(values.size() - 1);
}

const Recorder::Argument *Recorder::findArgument(mlir::Value value) const {
  for (const Argument &argument : arguments)
    if (argument.value == value)
      return &argument;
  return nullptr;
}

ValueId Recorder::argument(ArgumentKind kind, size_t index, mlir::Type type, Source at, const std::string &scope) {
  for (const Argument &argument : arguments)
    if (argument.kind == kind && argument.index == index)
      return keep(argument.value, at);
  arguments.push_back({kind, index, function->front().addArgument(type, state.location(scope, at))});
  return keep(arguments.back().value, at);
}

ValueId Recorder::runScalar(RunScalar scalar) {
  auto kind = static_cast<ArgumentKind>(static_cast<int>(ArgumentKind::Seed) + static_cast<int>(scalar));
  return argument(kind, 0, mlir::RankedTensorType::get({}, builder.getI64Type()), modelAt, "");
}

ValueId Recorder::tokens(const char *name, Span<int64_t> shape, int64_t vocabulary, int64_t shift, Source at) {
  if (shift != 0 && shift != 1)
    state.fail(fmt::format("tokens '{}' expects a shift of 0 or 1, got {}", name, shift), at);
  TokensRecord record{name, shape.data[1], vocabulary, shift, at};
  size_t index = 0;
  while (index < state.inputs.size() && state.inputs[index].name != record.name)
    ++index;
  if (index == state.inputs.size())
    state.inputs.push_back(record);
  const TokensRecord &first = state.inputs[index];
  if (first.vocabulary != vocabulary || first.shift != shift || first.sequence != record.sequence)
    state.fail(fmt::format("tokens '{}' is defined twice differently", name), at, {{first.at, "first defined here"}});
  if (state.inputs[0].sequence != record.sequence)
    state.fail(fmt::format("all inputs read windows of one length, got {} for '{}' and {} for '{}'", record.sequence,
                           name, state.inputs[0].sequence, state.inputs[0].name),
               at, {{state.inputs[0].at, "first input defined here"}});
  return argument(ArgumentKind::Tokens, index, state.tensorType({I32, shape}), at, name);
}

ValueId Recorder::parameter(const char *name, TypeView type, Initializer initializer, Source at) {
  ParameterRecord record{scopedName(name), state.tensorType(type), initializer, "default", at};
  if (!isFloat(type.dtype))
    state.fail(fmt::format("parameter '{}' expects a float type, got {}", record.name, typeText(record.type)), at);
  size_t index = 0;
  while (index < state.parameters.size() && state.parameters[index].name != record.name)
    ++index;
  if (index == state.parameters.size()) {
    if (state.isDefined)
      state.fail(fmt::format("parameter '{}' exists only when not training", record.name), at);
    state.parameters.push_back(record);
  }
  const ParameterRecord &first = state.parameters[index];
  if (first.type != record.type || std::string(first.initializer.kind) != initializer.kind ||
      first.initializer.first != initializer.first || first.initializer.second != initializer.second)
    state.fail(fmt::format("parameter '{}' is defined twice differently: {} with {}({}, {}) here", record.name,
                           typeText(record.type), initializer.kind, initializer.first, initializer.second),
               at,
               {{first.at, fmt::format("first defined here: {} with {}({}, {})", typeText(first.type),
                                       first.initializer.kind, first.initializer.first, first.initializer.second)}});
  return argument(ArgumentKind::Parameter, index, record.type, first.at, record.name);
}

void Recorder::parameterGroup(ValueId parameter, const char *group, Source at) {
  const Argument *argument = findArgument(values.at(parameter).value);
  ParameterRecord &record = state.parameters[argument->index];
  if (record.group != "default" && record.group != group)
    state.fail(fmt::format("parameter '{}' is put into group '{}' and was in '{}'", record.name, group, record.group),
               at, {{record.at, "parameter defined here"}});
  record.group = group;
}

ValueId Recorder::constant(TypeView type, double value, Source at) {
  mlir::RankedTensorType tensor = state.tensorType(type);
  if (!isFloat(type.dtype) && value != std::floor(value))
    state.fail(fmt::format("expects a whole number for {}, got {}", typeText(tensor), value), at);
  return keep(train::splat(builder, state.location(scopeName(), at), tensor, value), at);
}

int64_t Recorder::randomStream(Source at) {
  std::string name = fmt::format("{}#{}", scopeName(), streamCounts[scopeName()]++);
  // FNV-1a, 32 bits.
  uint32_t hash = 2166136261u;
  for (unsigned char byte : name)
    hash = (hash ^ byte) * 16777619u;
  auto [entry, isNew] = state.streams.try_emplace(hash, name);
  if (!isNew && entry->second != name)
    state.fail(fmt::format("the random streams '{}' and '{}' collide; rename a scope", name, entry->second), at);
  return hash;
}

mlir::Attribute Recorder::convert(const Attribute &attribute, const char *op, Source at) {
  switch (attribute.kind) {
  case Attribute::Kind::Int:
    return builder.getI64IntegerAttr(attribute.integer);
  case Attribute::Kind::Float:
    return builder.getF64FloatAttr(attribute.number);
  case Attribute::Kind::Bool:
    return builder.getBoolAttr(attribute.integer != 0);
  case Attribute::Kind::String:
    return builder.getStringAttr(attribute.string);
  case Attribute::Kind::Ints:
    return builder.getDenseI64ArrayAttr({attribute.integers.data, attribute.integers.count});
  case Attribute::Kind::Text:
    break;
  }
  mlir::Attribute parsed;
  {
    mlir::ScopedDiagnosticHandler silence(&state.context, [](mlir::Diagnostic &) { return mlir::success(); });
    parsed = mlir::parseAttribute(attribute.string, &state.context);
  }
  if (!parsed)
    state.fail(fmt::format("{}: attribute '{}' is no MLIR attribute: {}", op, attribute.name, attribute.string), at);
  return parsed;
}

mlir::DictionaryAttr Recorder::convert(Span<Attribute> attributes, const char *op, Source at) {
  mlir::NamedAttrList list;
  for (const Attribute &attribute : attributes)
    list.set(attribute.name, convert(attribute, op, at));
  return list.getDictionary(&state.context);
}

namespace {
/// Adds the result types that the op infers from its operands and attributes. Errors go to the context's handlers.
mlir::LogicalResult inferTypes(mlir::OperationState &operation) {
  mlir::RegisteredOperationName info = *operation.name.getRegisteredInfo();
  mlir::MLIRContext *context = info.getContext();
  auto emitError = [&] { return mlir::emitError(operation.location); };
  if (mlir::failed(info.verifyInherentAttrs(operation.attributes, emitError)))
    return mlir::failure();
  auto *inference = info.getInterface<mlir::InferTypeOpInterface>();
  if (!inference)
    return emitError() << "its result types cannot be inferred; state them";
  mlir::DictionaryAttr attributes = operation.attributes.getDictionary(context);
  std::unique_ptr<char[]> storage(new char[info.getOpPropertyByteSize() + 1]);
  mlir::OpaqueProperties properties(nullptr);
  if (info.getOpPropertyByteSize()) {
    properties = mlir::OpaqueProperties(storage.get());
    info.initOpProperties(properties, mlir::OpaqueProperties(nullptr));
  }
  mlir::LogicalResult result = mlir::success();
  if (properties && !attributes.empty())
    result = info.setOpPropertiesFromAttribute(operation.name, properties, attributes, emitError);
  if (mlir::succeeded(result))
    result = inference->inferReturnTypes(context, operation.location, operation.operands, attributes, properties, {},
                                         operation.types);
  if (properties)
    info.destroyOpProperties(properties);
  return result;
}
} // namespace

mlir::Operation *Recorder::create(mlir::OperationState &operation, std::string &problem) {
  mlir::ScopedDiagnosticHandler collect(&state.context, [&](mlir::Diagnostic &diagnostic) {
    if (problem.empty())
      problem = diagnostic.str();
    return mlir::success();
  });
  if (operation.types.empty() && mlir::failed(inferTypes(operation)))
    return nullptr;
  mlir::Operation *op = builder.create(operation);
  if (mlir::succeeded(mlir::verify(op)))
    return op;
  op->erase();
  return nullptr;
}

void Recorder::op(const char *name, Span<ValueId> operands, Span<Attribute> attributes, Span<TypeView> resultTypes,
                  ValueId *results, size_t resultCount, Source at) {
  mlir::OperationState operation(state.location(scopeName(), at), name);
  if (!operation.name.isRegistered())
    fail(fmt::format("there is no op '{}'", name).c_str(), operands, at);
  for (ValueId operand : operands) {
    operation.operands.push_back(values.at(operand).value);
    if (values.at(operand).value.getParentBlock() != builder.getInsertionBlock())
      fail("a learning-rate schedule computes with the step and numbers only, and nothing else with its values",
           operands, at);
  }
  operation.attributes = convert(attributes, name, at);
  for (TypeView type : resultTypes)
    operation.types.push_back(state.tensorType(type));
  std::string problem;
  mlir::Operation *op = create(operation, problem);
  if (!op) {
    llvm::StringRef text = problem;
    text.consume_front(fmt::format("'{}' op ", name));
    fail(fmt::format("{}: {}", name, text.str()).c_str(), operands, at);
  }
  if (op->getNumResults() != resultCount)
    fail(fmt::format("{}: its frontend function expects {} results, the op has {}", name, resultCount,
                     op->getNumResults())
             .c_str(),
         operands, at);
  for (size_t i = 0; i < resultCount; ++i)
    results[i] = keep(op->getResult(i), at);
}

TypeView Recorder::type(ValueId value) const {
  auto tensor = mlir::cast<mlir::RankedTensorType>(values.at(value).value.getType());
  TypeView view;
  view.shape = {tensor.getShape().data(), tensor.getShape().size()};
  for (Dtype dtype : {F32, F64, I32, I64, I1})
    if (state.elementType(dtype) == tensor.getElementType())
      view.dtype = dtype;
  return view;
}

void Recorder::fail(const char *message, Span<ValueId> operands, Source at) {
  std::vector<std::pair<Source, std::string>> notes;
  for (ValueId id : operands) {
    const Recorded &operand = values.at(id);
    const Argument *argument = findArgument(operand.value);
    std::string name = !argument ? ""
                       : argument->kind == ArgumentKind::Parameter
                           ? fmt::format(", parameter '{}',", state.parameters[argument->index].name)
                       : argument->kind == ArgumentKind::Tokens
                           ? fmt::format(", tokens '{}',", state.inputs[argument->index].name)
                           : "";
    notes.push_back(
        {operand.at, fmt::format("operand {}{} is {}", notes.size(), name, typeText(operand.value.getType()))});
  }
  state.fail(message, at, notes);
}
