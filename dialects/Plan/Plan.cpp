//===- Plan.cpp - verifiers of the `plan` dialect -------------------------===//
#include "dialects/Plan/Plan.h"
#include "dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace trainc::plan;

#include "dialects/Plan/PlanDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Plan/PlanOps.cpp.inc"

void PlanDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Plan/PlanOps.cpp.inc"
      >();
}

static LogicalResult verifyInPlace(Operation *op, ArrayRef<int64_t> pairs, StringRef label) {
  if (pairs.size() % 2 != 0)
    return op->emitOpError(label) << " expects pairs (result, operand), got " << pairs.size() << " numbers";
  llvm::SmallDenseSet<int64_t> results, operands;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    int64_t result = pairs[i], operand = pairs[i + 1];
    if (result < 0 || result >= op->getNumResults() || operand < 0 || operand >= op->getNumOperands())
      return op->emitOpError(label) << " expects a result and an operand of the op, got pair (" << result << ", "
                                    << operand << ")";
    if (op->getResult(result).getType() != op->getOperand(operand).getType())
      return op->emitOpError(label) << " expects equal types, got " << op->getResult(result).getType()
                                    << " in place with " << op->getOperand(operand).getType();
    if (!results.insert(result).second || !operands.insert(operand).second)
      return op->emitOpError(label) << " expects each result and operand once, got pair (" << result << ", " << operand
                                    << ") again";
  }
  return success();
}

LogicalResult LaunchOp::verify() { return verifyInPlace(*this, getInPlace(), "(C3)"); }

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<kernel::FuncOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("(C1) expects the name of a kernel.func, got ") << getKernelAttr();
  SmallVector<Type> types(getOperandTypes());
  for (OpResult result : (*this)->getResults())
    if (!inPlaceOperand(*this, result.getResultNumber()))
      types.push_back(result.getType());
  if (kernel.getBody().front().getNumArguments() != types.size())
    return emitOpError("(C2) expects ") << kernel.getBody().front().getNumArguments() << " operands and results for "
                                        << getKernelAttr() << ", got " << types.size();
  for (auto [i, type] : llvm::enumerate(types)) {
    auto expected = cast<MemRefType>(kernel.getBody().front().getArgument(i).getType());
    auto tensor = cast<RankedTensorType>(type);
    if (expected.getElementType() != tensor.getElementType() || expected.getNumElements() != tensor.getNumElements())
      return emitOpError("(C2) expects argument ")
             << i << " of " << getKernelAttr() << " to hold " << expected << ", got " << tensor;
  }
  return success();
}

LogicalResult CallOp::verify() {
  if (int64_t(getWorkspace()) < 0)
    return emitOpError("(C2) expects workspace >= 0, got ") << int64_t(getWorkspace());
  return verifyInPlace(*this, getInPlace(), "(C1)");
}

LogicalResult ViewOp::verify() {
  auto from = cast<RankedTensorType>(getInput().getType()), to = cast<RankedTensorType>(getType());
  if (from.getElementType() != to.getElementType() || from.getNumElements() != to.getNumElements())
    return emitOpError("(C1) expects as many elements of the same type, got ") << from << " and " << to;
  return success();
}

Value trainc::plan::inPlaceOperand(Operation *instruction, unsigned index) {
  if (auto view = dyn_cast<ViewOp>(instruction))
    return view.getInput();
  ArrayRef<int64_t> pairs;
  if (auto launch = dyn_cast<LaunchOp>(instruction))
    pairs = launch.getInPlace();
  else if (auto call = dyn_cast<CallOp>(instruction))
    pairs = call.getInPlace();
  for (size_t i = 0; i < pairs.size(); i += 2)
    if (pairs[i] == int64_t(index))
      return instruction->getOperand(pairs[i + 1]);
  return {};
}
