//===- FuseKernels.cpp - outline groups of ops as kernels -----------------===//
//
// For each function: prepare (constants and repeated values get ops of their
// own where they must have bytes), group, outline, order, and let results take over
// operands' bytes. At the end equal kernels become one.
//
//===----------------------------------------------------------------------===//
#include "InPlace.h"
#include "KernelBuilder.h"
#include "dialects/Plan/Plan.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "trainc/Transforms/Passes.h"

namespace trainc {
#define GEN_PASS_DEF_FUSEKERNELSPASS
#include "trainc/Transforms/Passes.h.inc"
} // namespace trainc

using namespace mlir;
using namespace trainc;

namespace {
/// Ops that need their operands and results in memory.
bool isBoundary(Operation *op) { return isa<train::LibraryCallOpInterface, train::ReshapeOp, func::ReturnOp>(op); }

bool isSupportedTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getNumElements() == 0)
    return false;
  Type element = tensor.getElementType();
  return element.isF32() || element.isF64() || element.isInteger(1) || element.isInteger(32) || element.isInteger(64);
}

LogicalResult verifyTypes(Operation *op, TypeRange types) {
  for (Type type : types)
    if (!isSupportedTensor(type))
      return op->emitError() << "cannot lower a value of type " << type
                             << ": expects tensors of static shape, not empty, of f32, f64, i32, i64 or i1";
  return success();
}

/// A straight line of ops on tensors, each of which becomes a kernel or a call.
LogicalResult verifyLowerable(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError() << "cannot lower function '" << function.getName() << "': expects a body of one block";
  if (failed(verifyTypes(function, function.getArgumentTypes())))
    return failure();
  for (Operation &op : function.front()) {
    if (!isGenerated(&op) && !isBoundary(&op) && !isSplatConstant(&op))
      return op.emitError() << "cannot lower '" << op.getName()
                            << "': it is neither elementwise, a reduction nor a library call";
    if (isGenerated(&op) && op.getNumResults() != 1)
      return op.emitError() << "cannot lower '" << op.getName() << "': expects one result, got " << op.getNumResults();
    if (failed(verifyTypes(&op, op.getResultTypes())))
      return failure();
  }
  return success();
}

/// Gives a value its own op where it would otherwise share bytes: constants that must be stored, and values returned
/// twice or straight from an argument.
void separateStoredValues(func::FuncOp function) {
  llvm::DenseSet<Value> returned;
  SmallVector<OpOperand *> uses;
  for (Operation &op : function.front())
    if (isBoundary(&op))
      for (OpOperand &use : op.getOpOperands())
        uses.push_back(&use);
  for (OpOperand *use : uses) {
    bool isReturn = isa<func::ReturnOp>(use->getOwner());
    bool repeats = isReturn && (isa<BlockArgument>(use->get()) || use->get().getDefiningOp<train::ReshapeOp>() ||
                                !returned.insert(use->get()).second);
    if (!repeats && !isSplatConstant(use->get().getDefiningOp()))
      continue;
    OpBuilder builder(use->getOwner());
    use->set(train::IdentityOp::create(builder, use->getOwner()->getLoc(), use->get()));
  }
}

/// Calls that were given an accumulator whose bytes they may not write add in a kernel instead.
void separateSharedAccumulators(func::FuncOp function) {
  function.walk([](train::AccumulateOpInterface op) {
    if (!op.hasAccumulator())
      return;
    auto call = cast<train::LibraryCallOpInterface>(op.getOperation());
    Value accumulator = call.getCallOperands()[call.getInPlaceOperand()];
    if (mayAccumulate(accumulator, op->getResult(0)))
      return;
    op.setAccumulator(Value());
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value result = op->getResult(0);
    Value sum = arith::AddFOp::create(builder, op->getLoc(), accumulator, result);
    result.replaceAllUsesExcept(sum, sum.getDefiningOp());
  });
}

/// A kernel that copies a tensor of `type`.
kernel::FuncOp buildCopy(OpBuilder &builder, Location loc, StringRef name, RankedTensorType type) {
  Type buffer = MemRefType::get({type.getNumElements()}, type.getElementType());
  auto kernel = kernel::FuncOp::create(builder, loc, name, {buffer, buffer}, {}, type.getNumElements());
  Block &body = kernel.getBody().front();
  OpBuilder inside = OpBuilder::atBlockBegin(&body);
  AffineMap map = builder.getMultiDimIdentityMap(1);
  Value element = kernel::LoadOp::create(inside, loc, body.getArgument(0), map);
  kernel::StoreOp::create(inside, loc, element, body.getArgument(1), map);
  return kernel;
}

/// Text of a kernel without its name: equal texts are equal kernels.
std::string fingerprint(kernel::FuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  StringAttr name = kernel.getSymNameAttr();
  kernel.setSymName("kernel");
  kernel.print(stream, OpPrintingFlags().useLocalScope());
  kernel.setSymNameAttr(name);
  return text;
}

struct FuseKernelsPass : trainc::impl::FuseKernelsPassBase<FuseKernelsPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      if (failed(verifyLowerable(function)))
        return signalPassFailure();
      separateStoredValues(function);
      separateSharedAccumulators(function);
      outlineGroups(function);
      for (OpOperand *use : shareBytesInPlace(function))
        copyLate(*use, function);
    }
    mergeEqualKernels();
  }

  /// Writes a new value of the state at the end of the function, from bytes of its own.
  void copyLate(OpOperand &use, func::FuncOp function) {
    OpBuilder builder(function);
    auto type = cast<RankedTensorType>(use.get().getType());
    std::string name = ("k" + Twine(nextKernel++)).str();
    buildCopy(builder, use.get().getLoc(), name, type);
    builder.setInsertionPoint(use.getOwner());
    use.set(plan::LaunchOp::create(builder, use.get().getLoc(), TypeRange(type), name, use.get(),
                                   builder.getDenseI64ArrayAttr({}))
                .getResult(0));
    ++numLaunches;
  }

  void outlineGroups(func::FuncOp function) {
    Block &block = function.front();
    FusionGroups groups(block);
    numRecomputed += groups.numRecomputed();
    for (int group = 0; group < int(groups.groups().size()); ++group)
      outline(groups, group, function);
    // Only now: groups are looked up by the original values.
    for (auto [original, result] : replacements)
      original.replaceAllUsesWith(result);
    replacements.clear();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (op.use_empty() && (isGenerated(&op) || isSplatConstant(&op)))
        op.erase();
    sortTopologically(&block);
  }

  void outline(const FusionGroups &groups, int group, func::FuncOp function) {
    SmallVector<Value> outputs;
    for (Operation *op : groups.groups()[group].ops)
      if (groups.isStored(op->getResult(0)))
        outputs.push_back(op->getResult(0));
    if (outputs.empty())
      return;
    OpBuilder builder(function);
    std::string name = ("k" + Twine(nextKernel++)).str();
    KernelBuilder kernelBuilder(groups, group, builder, name);
    kernelBuilder.build(outputs);

    builder.setInsertionPointAfter(groups.groups()[group].ops.back());
    auto launch = plan::LaunchOp::create(builder, outputs.front().getLoc(), ValueRange(outputs).getTypes(), name,
                                         kernelBuilder.operands(), builder.getDenseI64ArrayAttr({}));
    ++numLaunches;
    for (auto [output, result] : llvm::zip_equal(outputs, launch.getResults()))
      replacements.push_back({output, result});
  }

  void mergeEqualKernels() {
    llvm::StringMap<StringAttr> firstOf;
    llvm::DenseMap<StringAttr, StringAttr> renamed;
    int64_t next = 0;
    for (kernel::FuncOp kernel : llvm::make_early_inc_range(getOperation().getOps<kernel::FuncOp>())) {
      StringAttr old = kernel.getSymNameAttr();
      auto [it, isNew] = firstOf.try_emplace(fingerprint(kernel), StringAttr::get(&getContext(), "k" + Twine(next)));
      renamed[old] = it->second;
      if (!isNew) {
        kernel.erase();
        continue;
      }
      kernel.setSymNameAttr(it->second);
      ++next;
    }
    numKernels += next;
    getOperation().walk(
        [&](plan::LaunchOp launch) { launch.setKernel(renamed.lookup(launch.getKernelAttr().getAttr())); });
  }

  int64_t nextKernel = 0;
  SmallVector<std::pair<Value, Value>> replacements;
};
} // namespace
