//===- Kernel.cpp - syntax and verifiers of the `kernel` dialect ----------===//
//
// The labels (Cn) in messages are those of the op descriptions in KernelDialect.td.
//
//===----------------------------------------------------------------------===//
#include "dialects/Kernel/Kernel.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace trainc::kernel;

#include "dialects/Kernel/KernelDialect.cpp.inc"
#include "dialects/Kernel/KernelEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Kernel/KernelAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Kernel/KernelOps.cpp.inc"

void KernelDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Kernel/KernelAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Kernel/KernelOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// kernel.func
//===----------------------------------------------------------------------===//

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name, ArrayRef<Type> arguments,
                   ArrayRef<int64_t> outer, int64_t inner) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getOuterAttrName(state.name), builder.getDenseI64ArrayAttr(outer));
  state.addAttribute(getInnerAttrName(state.name), builder.getI64IntegerAttr(inner));
  Region *body = state.addRegion();
  Block &block = body->emplaceBlock();
  block.addArguments(arguments, SmallVector<Location>(arguments.size(), state.location));
  ensureTerminator(*body, builder, state.location);
}

SmallVector<int64_t> FuncOp::getSizes() {
  SmallVector<int64_t> sizes(getOuter());
  sizes.push_back(getInner());
  return sizes;
}

int64_t FuncOp::getOuterPoints() {
  int64_t points = 1;
  for (int64_t size : getOuter())
    points *= size;
  return points;
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<int64_t> outer;
  int64_t inner;
  auto parseSize = [&] { return parser.parseInteger(outer.emplace_back()); };
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseKeyword("outer") || parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseSize) ||
      parser.parseKeyword("inner") || parser.parseInteger(inner) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addAttribute(getOuterAttrName(result.name), parser.getBuilder().getDenseI64ArrayAttr(outer));
  result.addAttribute(getInnerAttrName(result.name), parser.getBuilder().getI64IntegerAttr(inner));
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void FuncOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") outer [" << getOuter() << "] inner " << getInner();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getSymNameAttrName(), getOuterAttrName(), getInnerAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

LogicalResult FuncOp::verify() {
  for (int64_t size : getSizes())
    if (size < 1)
      return emitOpError("(C1) expects sizes of at least 1, got ") << size;
  for (BlockArgument argument : getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity() || type.getMemorySpace() ||
        !(type.getElementType().isF32() || type.getElementType().isF64() || type.getElementType().isInteger(1) ||
          type.getElementType().isInteger(32) || type.getElementType().isInteger(64)))
      return emitOpError("(C2) expects static memrefs of f32, f64, i1, i32 or i64 with identity layout, argument ")
             << argument.getArgNumber() << " is " << argument.getType();
  }
  return success();
}

static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

/// (C3)
static LogicalResult verifyBodyOp(FuncOp kernel, Operation &op) {
  bool known = isa_and_nonnull<KernelDialect>(op.getDialect()) || (isPure(&op) && op.getNumRegions() == 0);
  if (!known || isa<FuncOp>(op))
    return op.emitError("(C3) a kernel holds `kernel` ops and pure scalar ops only, got '") << op.getName() << "'";
  for (Type type : op.getResultTypes())
    if (!isScalar(type))
      return op.emitError("(C3) values in a kernel are scalars, '") << op.getName() << "' gives " << type;
  return success();
}

/// (C4) and (C5)
static LogicalResult verifyAccesses(FuncOp kernel, BlockArgument argument) {
  SmallVector<StoreOp> stores;
  for (Operation *user : argument.getUsers())
    if (auto store = dyn_cast<StoreOp>(user))
      stores.push_back(store);
  if (stores.empty())
    return success();
  if (stores.size() > 1)
    return kernel.emitOpError("(C5) stores argument ") << argument.getArgNumber() << " twice";
  for (Operation *user : argument.getUsers())
    if (auto load = dyn_cast<LoadOp>(user))
      if (load.getMap() != stores.front().getMap())
        return load.emitOpError("(C4 of kernel.func) argument ")
               << argument.getArgNumber() << " is in place, so it must be loaded with the map of its store, "
               << stores.front().getMapAttr() << ", got " << load.getMapAttr();
  return success();
}

LogicalResult FuncOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (failed(verifyBodyOp(*this, op)))
      return failure();
  for (BlockArgument argument : getArguments())
    if (failed(verifyAccesses(*this, argument)))
      return failure();
  DenseSet<Value> inner = getInnerLevelValues(*this);
  for (auto store : getBody().getOps<StoreOp>())
    if (inner.contains(store.getValue()) && !store.getMap().isFunctionOfDim(getOuterRank()))
      return store.emitOpError("(C4) stores a value that depends on the inner dimension through a map that does not: ")
             << store.getMapAttr() << "; reduce the value first";
  return success();
}

//===----------------------------------------------------------------------===//
// kernel.load, kernel.store, kernel.index
//===----------------------------------------------------------------------===//

/// (C1) to (C3) of `kernel.load` and `kernel.store`.
static LogicalResult verifyAccess(Operation *op, Value buffer, AffineMap map) {
  auto kernel = cast<FuncOp>(op->getParentOp());
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument || argument.getOwner() != &kernel.getBody().front())
    return op->emitOpError("(C1) expects an argument of the kernel as its buffer");
  auto type = cast<MemRefType>(buffer.getType());
  if (map.getNumDims() != kernel.getOuterRank() + 1 || map.getNumSymbols() != 0 ||
      map.getNumResults() != type.getRank())
    return op->emitOpError("(C2) expects a map from ") << kernel.getOuterRank() + 1 << " dimensions to "
                                                       << type.getRank() << " results, got " << AffineMapAttr::get(map);
  SmallVector<int64_t> sizes = kernel.getSizes();
  if (llvm::any_of(sizes, [](int64_t size) { return size < 1; }) || !type.hasStaticShape())
    return success(); // reported by the kernel
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto interval = getInterval(expr, sizes);
    if (!interval || interval->first < 0 || interval->second >= type.getDimSize(i)) {
      InFlightDiagnostic error = op->emitOpError("(C3) expects result ")
                                 << i << " of " << AffineMapAttr::get(map) << " to stay within [0, "
                                 << type.getDimSize(i) << ")";
      if (interval)
        error << ", it may take [" << interval->first << ", " << interval->second << "]";
      return error;
    }
  }
  return success();
}

LogicalResult LoadOp::verify() { return verifyAccess(*this, getBuffer(), getMap()); }

LogicalResult StoreOp::verify() {
  if (failed(verifyAccess(*this, getBuffer(), getMap())))
    return failure();
  SmallVector<int64_t> sizes = cast<FuncOp>((*this)->getParentOp()).getSizes();
  int64_t points = 1;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    bool isUsed = getMap().isFunctionOfDim(i), isInner = i + 1 == sizes.size();
    if (size != 1 && !isUsed && !isInner)
      return emitOpError("(C5) expects a map that uses outer dimension ")
             << i << " of size " << size << ", got " << getMapAttr();
    points *= isUsed ? size : 1;
  }
  int64_t elements = cast<MemRefType>(getBuffer().getType()).getNumElements();
  if (elements < points)
    return emitOpError("(C6) writes ") << points << " points to a buffer of " << elements << " elements through "
                                       << getMapAttr();
  return success();
}

LogicalResult IndexOp::verify() {
  auto kernel = cast<FuncOp>((*this)->getParentOp());
  if (int64_t(getDim()) < 0 || getDim() > kernel.getOuterRank())
    return emitOpError("(C1) expects a dimension between 0 and ")
           << kernel.getOuterRank() << ", got " << int64_t(getDim());
  return success();
}
