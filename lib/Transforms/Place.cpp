//===- Place.cpp - calls, views and the bytes of every value --------------===//
//
// The arena, in order: state, the constants that schedule rows bind, one batch
// slot for each micro-batch of a step, then temporaries. Bodies run one after the
// other and share the space of their temporaries.
//
//===----------------------------------------------------------------------===//
#include "InPlace.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Plan/Plan.h"
#include "dialects/Train/Train.h"
#include "trainc/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace trainc {
#define GEN_PASS_DEF_PLACEPASS
#include "trainc/Transforms/Passes.h.inc"
} // namespace trainc

using namespace mlir;
using namespace trainc;

/// Cache lines; also enough for any vector load.
static constexpr int64_t kAlignmentBytes = 64;

static int64_t alignedBytes(Type type) {
  return llvm::alignTo(std::max<int64_t>(train::tensorBytes(type), 1), kAlignmentBytes);
}

namespace {
//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Fails where `fuse-kernels` has not run.
LogicalResult convertToInstructions(func::FuncOp function, int64_t threads) {
  if (!function.getBody().hasOneBlock())
    return function.emitError() << "cannot place function '" << function.getName() << "': expects a body of one block";
  for (Operation &op : llvm::make_early_inc_range(function.front())) {
    OpBuilder builder(&op);
    Operation *instruction = nullptr;
    if (auto reshape = dyn_cast<train::ReshapeOp>(op)) {
      instruction = plan::ViewOp::create(builder, op.getLoc(), reshape.getType(), reshape.getInput());
    } else if (auto call = dyn_cast<train::LibraryCallOpInterface>(op)) {
      SmallVector<int64_t> inPlace;
      if (op.hasAttr(kInPlaceMark))
        inPlace = {0, call.getInPlaceOperand()};
      instruction =
          plan::CallOp::create(builder, op.getLoc(), op.getResultTypes(), call.getCallee(), call.getCallOperands(),
                               call.getCallAttributes(), call.getWorkspaceBytes(threads), inPlace);
    } else if (isa<plan::LaunchOp, plan::CallOp, plan::ViewOp, func::ReturnOp>(op)) {
      continue;
    } else {
      return op.emitError() << "cannot place '" << op.getName()
                            << "': expects launches and library ops, as fuse-kernels leaves them";
    }
    op.replaceAllUsesWith(instruction);
    op.erase();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Layout of what outlives a body
//===----------------------------------------------------------------------===//

/// Assigns consecutive offsets to named things.
class Region {
public:
  int64_t add(Attribute key, int64_t bytes) {
    auto [it, isNew] = offsets.insert({key, end});
    if (isNew)
      end += llvm::alignTo(bytes, kAlignmentBytes);
    return it->second;
  }
  std::optional<int64_t> find(Attribute key) const {
    auto it = offsets.find(key);
    return it == offsets.end() ? std::nullopt : std::optional(it->second);
  }
  int64_t end = 0;

private:
  llvm::MapVector<Attribute, int64_t> offsets;
};

struct Layout {
  Region state;
  Region batch; // offsets within the slot
  int64_t arenaBytes = 0;
};

/// An input keeps one place in the batch slot in every function; the largest shape decides its size.
void layoutInputs(ArrayRef<func::FuncOp> functions, Layout &layout) {
  llvm::MapVector<Attribute, int64_t> bytes;
  for (func::FuncOp function : functions)
    for (BlockArgument argument : function.getArguments())
      if (auto input = function.getArgAttrOfType<DictionaryAttr>(argument.getArgNumber(), train::kInputAttr)) {
        int64_t &size = bytes[input.get("name")];
        size = std::max(size, alignedBytes(argument.getType()));
      }
  for (auto &[name, size] : bytes)
    layout.batch.add(name, size);
}

//===----------------------------------------------------------------------===//
// Temporaries
//===----------------------------------------------------------------------===//

struct Temporary {
  int64_t bytes, first, last; // positions of the first write and the last read
  int64_t offset = -1;
};

/// Largest first, each at the lowest offset that is free while it lives.
int64_t placeTemporaries(MutableArrayRef<Temporary> temporaries, int64_t base) {
  SmallVector<Temporary *> order = llvm::map_to_vector(temporaries, [](Temporary &t) { return &t; });
  llvm::stable_sort(order, [](Temporary *a, Temporary *b) { return a->bytes > b->bytes; });
  SmallVector<Temporary *> placed; // by offset
  int64_t end = base;
  for (Temporary *temporary : order) {
    int64_t offset = base;
    for (Temporary *other : placed) {
      bool meets = other->first <= temporary->last && temporary->first <= other->last;
      if (!meets)
        continue;
      if (offset + temporary->bytes <= other->offset)
        break;
      offset = std::max(offset, other->offset + other->bytes);
    }
    temporary->offset = offset;
    placed.insert(
        llvm::upper_bound(placed, temporary, [](Temporary *a, Temporary *b) { return a->offset < b->offset; }),
        temporary);
    end = std::max(end, offset + temporary->bytes);
  }
  return end;
}

//===----------------------------------------------------------------------===//
// One body
//===----------------------------------------------------------------------===//

class BodyPlacer {
public:
  BodyPlacer(func::FuncOp function, const Layout &layout)
      : function(function), layout(layout), bytes(function.front()), builder(function) {}

  /// Returns the end of the temporaries.
  FailureOr<int64_t> run(int64_t temporariesBase) {
    shareBytes();
    if (failed(placeArguments()) || failed(placeState()))
      return failure();
    int64_t end = placeRest(temporariesBase);
    attach();
    return end;
  }

private:
  void shareBytes() {
    for (Operation &op : function.front().without_terminator())
      for (OpResult result : op.getResults())
        if (Value operand = plan::inPlaceOperand(&op, result.getResultNumber()))
          bytes.share(result, operand);
  }

  LogicalResult placeArguments() {
    for (BlockArgument argument : function.getArguments()) {
      unsigned number = argument.getArgNumber();
      if (Attribute key = function.getArgAttr(number, train::kStateAttr))
        places[argument] = builder.getI64IntegerAttr(*layout.state.find(key));
      else if (auto input = function.getArgAttrOfType<DictionaryAttr>(number, train::kInputAttr))
        places[argument] = slotPlace("batch", *layout.batch.find(input.get("name")));
      else if (function.getArgAttr(number, train::kMicroAttr))
        places[argument] = slotPlace("micro", 0);
      else
        return function.emitError() << "argument " << number << " of '" << function.getName()
                                    << "' has no bytes: expects train.state, train.input or train.micro";
    }
    return success();
  }

  Attribute slotPlace(StringRef slot, int64_t offset) {
    return builder.getDictionaryAttr({builder.getNamedAttr("slot", builder.getStringAttr(slot)),
                                      builder.getNamedAttr("offset", builder.getI64IntegerAttr(offset))});
  }

  /// New values of the state lie in the state.
  LogicalResult placeState() {
    Operation *terminator = function.front().getTerminator();
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      Attribute key = function.getResultAttr(i, train::kStateAttr);
      if (!key)
        continue;
      Value root = bytes.rootOf(terminator->getOperand(i));
      Attribute place = builder.getI64IntegerAttr(*layout.state.find(key));
      auto [it, isNew] = places.try_emplace(root, place);
      if (!isNew && it->second != place)
        return function.emitError() << "the new value of state " << key << " lies in other bytes";
      if (isNew && failed(checkOldValueIsDead(key, root)))
        return failure();
    }
    return success();
  }

  /// A new value written to the state directly must come after all reads of the old one.
  LogicalResult checkOldValueIsDead(Attribute key, Value root) {
    for (BlockArgument argument : function.getArguments())
      if (function.getArgAttr(argument.getArgNumber(), train::kStateAttr) == key &&
          bytes.lastUse(argument) >= bytes.position(root.getDefiningOp()))
        return function.emitError() << "state " << key << " is read after its new value is written";
    return success();
  }

  int64_t placeRest(int64_t base) {
    SmallVector<Temporary> temporaries;
    SmallVector<std::pair<Value, Operation *>> owners; // a value, or the op whose scratch it is
    for (Operation &op : function.front().without_terminator()) {
      int64_t position = bytes.position(&op);
      for (Value result : op.getResults())
        if (bytes.rootOf(result) == result && !places.count(result)) {
          temporaries.push_back({alignedBytes(result.getType()), position, std::max(position, bytes.lastUse(result))});
          owners.push_back({result, nullptr});
        }
      if (auto call = dyn_cast<plan::CallOp>(op); call && call.getWorkspace() > 0) {
        temporaries.push_back({int64_t(llvm::alignTo(call.getWorkspace(), kAlignmentBytes)), position, position});
        owners.push_back({Value(), &op});
      }
    }
    int64_t end = placeTemporaries(temporaries, base);
    for (auto [temporary, owner] : llvm::zip_equal(temporaries, owners)) {
      IntegerAttr offset = builder.getI64IntegerAttr(temporary.offset);
      if (owner.first)
        places[owner.first] = offset;
      else
        owner.second->setAttr(plan::kWorkspaceAttr, offset);
    }
    return end;
  }

  void attach() {
    for (BlockArgument argument : function.getArguments())
      function.setArgAttr(argument.getArgNumber(), plan::kAtAttr, places.lookup(argument));
    for (Operation &op : function.front().without_terminator())
      op.setAttr(plan::kAtAttr, builder.getArrayAttr(llvm::map_to_vector(op.getResults(), [&](Value result) {
        return places.lookup(bytes.rootOf(result));
      })));
  }

  func::FuncOp function;
  const Layout &layout;
  ByteSharing bytes;
  OpBuilder builder;
  llvm::DenseMap<Value, Attribute> places;
};

struct PlacePass : trainc::impl::PlacePassBase<PlacePass> {
  using PlacePassBase::PlacePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (failed(convertToInstructions(function, threads)))
        return signalPassFailure();

    Layout layout;
    SmallVector<Attribute> state = layoutState(functions, layout);
    layoutInputs(functions, layout);
    int64_t end = layout.state.end;
    end = attachSlots(module, layout, end);
    int64_t arenaBytes = end;
    for (func::FuncOp function : functions) {
      FailureOr<int64_t> bodyEnd = BodyPlacer(function, layout).run(end);
      if (failed(bodyEnd))
        return signalPassFailure();
      arenaBytes = std::max(arenaBytes, *bodyEnd);
    }
    Builder builder(&getContext());
    module->setAttr(plan::kStateAttr, builder.getArrayAttr(state));
    module->setAttr(plan::kArenaBytesAttr, builder.getI64IntegerAttr(arenaBytes));
  }

  /// Entries in order of appearance: {scope, role, type, offset}.
  SmallVector<Attribute> layoutState(ArrayRef<func::FuncOp> functions, Layout &layout) {
    SmallVector<Attribute> entries;
    Builder builder(&getContext());
    auto add = [&](Attribute key, Type type) {
      if (!key || layout.state.find(key))
        return;
      int64_t offset = layout.state.add(key, alignedBytes(type));
      auto names = cast<ArrayAttr>(key);
      entries.push_back(
          builder.getDictionaryAttr({builder.getNamedAttr("scope", names[0]), builder.getNamedAttr("role", names[1]),
                                     builder.getNamedAttr("type", TypeAttr::get(type)),
                                     builder.getNamedAttr("offset", builder.getI64IntegerAttr(offset))}));
    };
    for (func::FuncOp function : functions) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        add(function.getArgAttr(i, train::kStateAttr), function.getArgumentTypes()[i]);
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        add(function.getResultAttr(i, train::kStateAttr), function.getResultTypes()[i]);
    }
    return entries;
  }

  /// Slots with the offsets that the rows of each micro-batch bind. `micro` points to constants that hold its index.
  int64_t attachSlots(ModuleOp module, const Layout &layout, int64_t base) {
    Builder builder(&getContext());
    auto global = module->getAttrOfType<IntegerAttr>("train.global_batch"),
         micro = module->getAttrOfType<IntegerAttr>("train.micro_batch");
    int64_t count = global && micro ? global.getInt() / micro.getInt() : 1;
    SmallVector<Attribute> constants, slots;
    SmallVector<int64_t> microOffsets, batchOffsets;
    for (int64_t i = 0; i < count; ++i, base += kAlignmentBytes) {
      microOffsets.push_back(base);
      constants.push_back(builder.getDictionaryAttr({builder.getNamedAttr("offset", builder.getI64IntegerAttr(base)),
                                                     builder.getNamedAttr("value", builder.getI64IntegerAttr(i))}));
    }
    for (int64_t i = 0; i < count; ++i, base += layout.batch.end)
      batchOffsets.push_back(base);
    auto addSlot = [&](StringRef name, int64_t bytes, ArrayRef<int64_t> offsets) {
      slots.push_back(
          builder.getDictionaryAttr({builder.getNamedAttr("name", builder.getStringAttr(name)),
                                     builder.getNamedAttr("bytes", builder.getI64IntegerAttr(bytes)),
                                     builder.getNamedAttr("offsets", builder.getDenseI64ArrayAttr(offsets))}));
    };
    addSlot("micro", sizeof(int64_t), microOffsets);
    if (layout.batch.end > 0)
      addSlot("batch", layout.batch.end, batchOffsets);
    module->setAttr(plan::kSlotsAttr, builder.getArrayAttr(slots));
    module->setAttr(plan::kConstantsAttr, builder.getArrayAttr(constants));
    return base;
  }
};
} // namespace
