#include "Runner.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <random>

using namespace mlir;
using namespace trainc;

static DictionaryAttr stateAttribute(MLIRContext *context, StringRef scope) {
  Builder b(context);
  return b.getDictionaryAttr(b.getNamedAttr(train::kStateAttr, b.getStrArrayAttr({scope, "compute"})));
}

void check::addCounters(ModuleOp module) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto function = func::FuncOp::create(builder, module.getLoc(), "init", builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  SmallVector<Value> zeros;
  SmallVector<DictionaryAttr> attributes;
  for (StringRef role : {"step", "seed", "cursor"}) {
    zeros.push_back(train::splat(builder, module.getLoc(), RankedTensorType::get({}, builder.getI64Type()), 0));
    attributes.push_back(
        builder.getDictionaryAttr(builder.getNamedAttr(train::kStateAttr, builder.getStrArrayAttr({"", role}))));
  }
  func::ReturnOp::create(builder, module.getLoc(), zeros);
  function.setFunctionType(builder.getFunctionType({}, ValueRange(zeros).getTypes()));
  function.setAllResultAttrs(attributes);
}

void check::addFunction(ModuleOp module, StringRef name, ArrayRef<std::pair<std::string, Type>> arguments,
                        StringRef resultPrefix, llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> build) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto function = func::FuncOp::create(builder, module.getLoc(), name, builder.getFunctionType({}, {}));
  Block *block = function.addEntryBlock();
  SmallVector<DictionaryAttr> argumentAttrs, resultAttrs;
  for (auto &[scope, type] : arguments) {
    block->addArgument(type, module.getLoc());
    argumentAttrs.push_back(stateAttribute(module.getContext(), scope));
  }
  builder.setInsertionPointToEnd(block);
  SmallVector<Value> results = build(builder, block->getArguments());
  for (size_t i = 0; i < results.size(); ++i)
    resultAttrs.push_back(stateAttribute(module.getContext(), (resultPrefix + Twine(i)).str()));
  func::ReturnOp::create(builder, module.getLoc(), results);
  function.setFunctionType(builder.getFunctionType(block->getArgumentTypes(), ValueRange(results).getTypes()));
  function.setAllArgAttrs(argumentAttrs);
  function.setAllResultAttrs(resultAttrs);
}

check::Data check::randomData(int64_t count, uint64_t seed) {
  std::mt19937_64 engine(seed);
  Data data(count);
  for (double &value : data)
    value = static_cast<double>(engine() >> 11) * 0x1p-52 - 1.0;
  return data;
}

check::Data check::argumentData(func::FuncOp function, unsigned index) {
  auto type = cast<RankedTensorType>(function.getArgumentTypes()[index]);
  auto real = [&](StringRef name, double otherwise) {
    auto attribute = function.getArgAttrOfType<FloatAttr>(index, name);
    return attribute ? attribute.getValueAsDouble() : otherwise;
  };
  Data data = randomData(type.getNumElements(), 1000 + index);
  if (isa<FloatType>(type.getElementType())) {
    double low = real("check.min", -1.0), high = real("check.max", 1.0);
    for (double &value : data)
      value = low + (high - low) * (value + 1) / 2;
    return data;
  }
  auto bound = function.getArgAttrOfType<IntegerAttr>(index, "check.bound");
  for (double &value : data)
    value = std::floor((value + 1) / 2 * double(bound ? bound.getInt() : 2));
  return data;
}
