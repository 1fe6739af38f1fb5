//===- BundleJson.cpp - a placed module as JSON ---------------------------===//
#include "BundleJson.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Plan/Plan.h"
#include "dialects/Train/Train.h"
#include "trainc/CodeGen/CpuCodegen.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace trainc;
using nlohmann::json;

namespace {
int64_t intOf(Attribute attribute) { return cast<IntegerAttr>(attribute).getInt(); }
std::string textOf(Attribute attribute) { return cast<StringAttr>(attribute).str(); }

std::string dtypeOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << getElementTypeOrSelf(type);
  return text;
}

json typeJson(Type type) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  return {{"dtype", dtypeOf(type)}, {"shape", std::vector<int64_t>(shape.begin(), shape.end())}};
}

/// Numbers, booleans, strings, and dictionaries of them.
json attributeJson(Attribute attribute) {
  if (auto boolean = dyn_cast<BoolAttr>(attribute))
    return boolean.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getInt();
  if (auto real = dyn_cast<FloatAttr>(attribute))
    return real.getValueAsDouble();
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    json object = json::object();
    for (NamedAttribute entry : dictionary)
      object[entry.getName().str()] = attributeJson(entry.getValue());
    return object;
  }
  return textOf(attribute);
}

/// "scope file:line" of an op, from the innermost name and file of its location.
std::string locationText(Location location) {
  std::string scope, file;
  location->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part); name && scope.empty())
      scope = name.getName().str();
    if (auto line = dyn_cast<FileLineColLoc>(part); line && file.empty())
      file = (line.getFilename().getValue() + ":" + Twine(line.getLine())).str();
    return WalkResult::advance();
  });
  return scope.empty() || file.empty() ? scope + file : scope + " " + file;
}

json placeJson(Attribute place) {
  if (isa<IntegerAttr>(place))
    return {{"offset", intOf(place)}};
  return attributeJson(place);
}

/// One function of the placed module.
class BodyJson {
public:
  explicit BodyJson(func::FuncOp function) : function(function) {
    for (BlockArgument argument : function.getArguments())
      addValue(argument, function.getArgAttr(argument.getArgNumber(), plan::kAtAttr));
    for (Operation &op : function.front().without_terminator())
      addInstruction(&op);
  }

  json body() {
    return {
        {"name", function.getName().str()}, {"values", values}, {"instructions", instructions}, {"results", results()}};
  }
  /// Which value is the new one of which state entry.
  json results() {
    json list = json::array();
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (auto key = function.getResultAttrOfType<ArrayAttr>(i, train::kStateAttr))
        list.push_back({{"scope", textOf(key[0])},
                        {"role", textOf(key[1])},
                        {"value", numbers.lookup(function.front().getTerminator()->getOperand(i))}});
    return list;
  }
  /// Results that the host reads.
  void addMetrics(json &metrics) {
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (auto name = function.getResultAttrOfType<StringAttr>(i, train::kResultAttr))
        metrics.push_back({{"name", name.str()},
                           {"body", function.getName().str()},
                           {"value", numbers.lookup(function.front().getTerminator()->getOperand(i))}});
  }
  bool usesSlot(StringRef slot) const {
    return llvm::any_of(
        values, [&](const json &value) { return value["at"].contains("slot") && value["at"]["slot"] == slot.str(); });
  }

private:
  void addValue(Value value, Attribute place) {
    numbers[value] = values.size();
    json entry = typeJson(value.getType());
    entry["at"] = placeJson(place);
    values.push_back(entry);
  }

  void addInstruction(Operation *op) {
    json entry = {{"loc", locationText(op->getLoc())}, {"in", json::array()}, {"out", json::array()}};
    for (Value operand : op->getOperands())
      entry["in"].push_back(numbers.lookup(operand));
    for (auto [result, place] : llvm::zip_equal(op->getResults(), op->getAttrOfType<ArrayAttr>(plan::kAtAttr))) {
      addValue(result, place);
      entry["out"].push_back(numbers.lookup(result));
    }
    ArrayRef<int64_t> inPlace;
    if (auto launch = dyn_cast<plan::LaunchOp>(op)) {
      entry["kernel"] = launch.getKernel().str();
      inPlace = launch.getInPlace();
    } else if (auto call = dyn_cast<plan::CallOp>(op)) {
      entry["call"] = call.getCallee().str();
      entry["attrs"] = attributeJson(call.getOptions());
      inPlace = call.getInPlace();
      if (call.getWorkspace() > 0)
        entry["workspace"] = {{"offset", intOf(call->getAttr(plan::kWorkspaceAttr))},
                              {"bytes", int64_t(call.getWorkspace())}};
    } else {
      entry["view"] = true;
    }
    if (!isa<plan::ViewOp>(op)) {
      entry["inplace"] = json::array();
      for (size_t i = 0; i < inPlace.size(); i += 2)
        entry["inplace"].push_back({inPlace[i], inPlace[i + 1]});
    }
    instructions.push_back(entry);
  }

  func::FuncOp function;
  llvm::DenseMap<Value, size_t> numbers;
  json values = json::array(), instructions = json::array();
};

/// What programs there are and which bodies they run: once a step, or once a micro-batch.
struct ProgramPart {
  const char *program, *body;
  bool everyMicroBatch;
};
constexpr ProgramPart kPrograms[] = {
    {"init", "init", false},    {"train", "count", true}, {"train", "micro_batch", true},
    {"train", "update", false}, {"eval", "eval", false},  {"logits", "logits", false},
};

json programsJson(ModuleOp module, const llvm::MapVector<StringRef, BodyJson> &bodies) {
  json programs = json::array();
  auto slots = module->getAttrOfType<ArrayAttr>(plan::kSlotsAttr);
  for (const ProgramPart &part : kPrograms) {
    auto body = bodies.find(part.body);
    if (body == bodies.end())
      continue;
    if (programs.empty() || programs.back()["name"] != part.program)
      programs.push_back({{"name", part.program}, {"rows", json::array()}});
    size_t count = 1;
    for (Attribute slot : slots)
      if (part.everyMicroBatch)
        count = cast<DenseI64ArrayAttr>(cast<DictionaryAttr>(slot).get("offsets")).size();
    for (size_t micro = 0; micro < count; ++micro) {
      json bind = json::object();
      for (Attribute attribute : slots) {
        auto slot = cast<DictionaryAttr>(attribute);
        if (body->second.usesSlot(textOf(slot.get("name"))))
          bind[textOf(slot.get("name"))] = cast<DenseI64ArrayAttr>(slot.get("offsets"))[micro];
      }
      programs.back()["rows"].push_back({{"body", part.body}, {"micro_batch", micro}, {"bind", bind}});
    }
  }
  return programs;
}

/// Inputs of the functions, each once, with the shape of a micro-batch.
json inputsJson(ModuleOp module) {
  llvm::MapVector<Attribute, json> inputs;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto input = function.getArgAttrOfType<DictionaryAttr>(i, train::kInputAttr);
      if (!input)
        continue;
      json entry = typeJson(function.getArgumentTypes()[i]);
      entry.update(attributeJson(input));
      entry.update(placeJson(function.getArgAttr(i, plan::kAtAttr)));
      auto [it, isNew] = inputs.insert({input.get("name"), entry});
      if (!isNew && entry["shape"] > it->second["shape"])
        it->second = entry;
    }
  json list = json::array();
  for (auto &[name, entry] : inputs)
    list.push_back(entry);
  return list;
}

/// Arguments of a kernel, in order: element type, number of elements, and how they are accessed.
json argumentsJson(kernel::FuncOp kernel) {
  json arguments = json::array();
  for (BlockArgument argument : kernel.getArguments()) {
    auto type = cast<MemRefType>(argument.getType());
    bool isRead = llvm::any_of(argument.getUsers(), [](Operation *user) { return isa<kernel::LoadOp>(user); });
    bool isWritten = llvm::any_of(argument.getUsers(), [](Operation *user) { return isa<kernel::StoreOp>(user); });
    arguments.push_back({{"dtype", dtypeOf(type)},
                         {"elements", type.getNumElements()},
                         {"access", isRead && isWritten ? "read_write"
                                    : isWritten         ? "write"
                                                        : "read"}});
  }
  return arguments;
}

json stateJson(ModuleOp module) {
  json state = json::array();
  for (Attribute attribute : module->getAttrOfType<ArrayAttr>(plan::kStateAttr)) {
    auto entry = cast<DictionaryAttr>(attribute);
    json object = typeJson(cast<TypeAttr>(entry.get("type")).getValue());
    object.update({{"scope", textOf(entry.get("scope"))},
                   {"role", textOf(entry.get("role"))},
                   {"offset", intOf(entry.get("offset"))}});
    state.push_back(object);
  }
  return state;
}

json constantsJson(ModuleOp module) {
  json constants = json::array();
  for (Attribute attribute : module->getAttrOfType<ArrayAttr>(plan::kConstantsAttr)) {
    auto entry = cast<DictionaryAttr>(attribute);
    constants.push_back({{"dtype", "i64"},
                         {"shape", json::array()},
                         {"offset", intOf(entry.get("offset"))},
                         {"data", {intOf(entry.get("value"))}}});
  }
  return constants;
}
} // namespace

json trainc::stageJson(ModuleOp module) {
  json stage = {{"inputs", inputsJson(module)}, {"state", stateJson(module)}, {"constants", constantsJson(module)},
                {"slots", json::array()},       {"kernels", json::array()},   {"bodies", json::array()},
                {"metrics", json::array()}};
  for (Attribute attribute : module->getAttrOfType<ArrayAttr>(plan::kSlotsAttr)) {
    auto slot = cast<DictionaryAttr>(attribute);
    stage["slots"].push_back({{"name", textOf(slot.get("name"))}, {"bytes", intOf(slot.get("bytes"))}});
  }
  for (kernel::FuncOp kernel : module.getOps<kernel::FuncOp>()) {
    WorkShape work = getWorkShape(kernel);
    stage["kernels"].push_back({{"name", kernel.getSymName().str()},
                                {"work_items", work.workItems},
                                {"grain", work.grain},
                                {"args", argumentsJson(kernel)}});
  }
  llvm::MapVector<StringRef, BodyJson> bodies;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    bodies.insert({function.getName(), BodyJson(function)});
  for (auto &[name, body] : bodies) {
    stage["bodies"].push_back(body.body());
    body.addMetrics(stage["metrics"]);
  }
  stage["programs"] = programsJson(module, bodies);
  return stage;
}

json trainc::planJson(ModuleOp module, const CompileOptions &options) {
  auto text = [&](StringRef name) -> std::string {
    auto attribute = module->getAttrOfType<StringAttr>(name);
    return attribute ? attribute.str() : "";
  };
  auto number = [&](StringRef name) -> int64_t {
    auto attribute = module->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : 1;
  };
  CpuTarget target;
  target.cpu = options.targetCpu;
  auto config = module->getAttrOfType<DictionaryAttr>("train.config");
  int64_t global = number("train.global_batch"), micro = number("train.micro_batch");
  return {{"format", "trainc-plan"},
          {"version", 1},
          {"model",
           {{"name", text("train.model")},
            {"source", text("train.source")},
            {"config", config ? attributeJson(config) : json::object()}}},
          {"target", {{"device", "cpu"}, {"cpu", target.cpu}, {"features", target.features()}}},
          {"threads", options.threads},
          {"global_batch", global},
          {"micro_batch", micro},
          {"micro_batches", global / micro},
          {"arena_bytes", number(plan::kArenaBytesAttr)}};
}

std::string trainc::planSummary(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  int64_t kernels = std::distance(module.getOps<kernel::FuncOp>().begin(), module.getOps<kernel::FuncOp>().end()),
          launches = 0;
  llvm::MapVector<StringRef, int64_t> calls;
  module.walk([&](Operation *op) {
    launches += isa<plan::LaunchOp>(op);
    if (auto call = dyn_cast<plan::CallOp>(op))
      ++calls[call.getCallee()];
  });
  stream << kernels << " kernels in " << launches << " launches; library calls:";
  for (auto &[callee, count] : calls)
    stream << " " << count << " " << callee;
  stream << "; arena " << module->getAttrOfType<IntegerAttr>(plan::kArenaBytesAttr).getInt() << " bytes";
  return text;
}
