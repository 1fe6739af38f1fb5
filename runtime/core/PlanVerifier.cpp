//===- PlanVerifier.cpp - the proof of a plan ---------------------------------------===//
//
// Tables first (state, constants, inputs, names), then each body alone (BodyVerifier.cpp), then the rows that bind
// slots: what the host writes for a program must survive until its last row.
//
//===-----------------------------------------------------------------------===//
#include "runtime/core/PlanVerifier.h"
#include "runtime/core/Bundle.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace trainc;

namespace {

/// A named region that nothing else may overlap.
struct Owned {
  ByteRange range;
  std::string name;
};

Status checkDisjoint(std::vector<Owned> regions) {
  std::sort(regions.begin(), regions.end(), [](const Owned &a, const Owned &b) {
    return std::make_tuple(a.range.slot, a.range.offset) < std::make_tuple(b.range.slot, b.range.offset);
  });
  for (size_t i = 1; i < regions.size(); ++i)
    if (regions[i - 1].range.overlaps(regions[i].range))
      return makeError("{} overlaps {}", regions[i].name, regions[i - 1].name);
  return {};
}

template <typename Entry, typename Name>
Status checkUnique(std::string_view kind, const std::vector<Entry> &entries, Name name) {
  std::set<std::string> seen;
  for (const Entry &entry : entries)
    if (!seen.insert(name(entry)).second)
      return makeError("{} '{}' occurs twice", kind, name(entry));
  return {};
}

Status checkNames(const Plan &plan) {
  auto name = [](const auto &entry) { return entry.name; };
  TRAINC_RETURN_IF_ERROR(checkUnique("input", plan.inputs, name));
  TRAINC_RETURN_IF_ERROR(checkUnique("slot", plan.slots, name));
  TRAINC_RETURN_IF_ERROR(checkUnique("kernel", plan.kernels, name));
  TRAINC_RETURN_IF_ERROR(checkUnique("body", plan.bodies, name));
  TRAINC_RETURN_IF_ERROR(checkUnique("program", plan.programs, name));
  TRAINC_RETURN_IF_ERROR(checkUnique("state entry", plan.state, [](const StateEntry &entry) { return entry.key(); }));
  return checkUnique("metric", plan.metrics,
                     [&](const Metric &metric) { return metric.name + "' of body '" + plan.bodies[metric.body].name; });
}

Status checkInArena(const Plan &plan, const ByteRange &range, const std::string &name, Dtype dtype) {
  if (range.offset + range.bytes > plan.arenaBytes)
    return makeError("{} ends at byte {}, beyond the arena of {} bytes", name, range.offset + range.bytes,
                     plan.arenaBytes);
  if (range.offset % sizeOf(dtype))
    return makeError("{} is at byte {}, which is not a multiple of its element's size", name, range.offset);
  return {};
}

std::string describe(const StateEntry &entry) { return fmt::format("state entry '{}'", entry.key()); }
std::string describe(const Constant &constant) { return fmt::format("the constant at byte {}", constant.offset); }

/// What keeps its bytes for the whole run.
std::vector<Owned> permanentRegions(const Plan &plan) {
  std::vector<Owned> regions;
  for (const StateEntry &entry : plan.state)
    regions.push_back({rangeOf(entry), describe(entry)});
  for (const Constant &constant : plan.constants)
    regions.push_back({rangeOf(constant), describe(constant)});
  return regions;
}

Status checkTables(const Plan &plan) {
  for (const StateEntry &entry : plan.state)
    TRAINC_RETURN_IF_ERROR(checkInArena(plan, rangeOf(entry), describe(entry), entry.type.dtype));
  for (const Constant &constant : plan.constants)
    TRAINC_RETURN_IF_ERROR(checkInArena(plan, rangeOf(constant), describe(constant), constant.type.dtype));
  for (std::string_view role : {kStepRole, kSeedRole, kCursorRole}) {
    const StateEntry *entry = plan.findState("", role);
    if (!entry || !(entry->type == TensorType{Dtype::i64, {}}))
      return makeError("the state expects a scalar i64 entry '/{}'", role);
  }
  return checkDisjoint(permanentRegions(plan));
}

Status checkInputs(const Plan &plan) {
  std::vector<Owned> regions;
  for (const Input &input : plan.inputs) {
    std::string name = fmt::format("input '{}' ({})", input.name, input.type.str());
    if (input.at.slot < 0 || plan.slots[input.at.slot].name != kBatchSlot)
      return makeError("{} is not in slot '{}'", name, kBatchSlot);
    if (input.at.offset + input.type.bytes() > plan.slots[input.at.slot].bytes)
      return makeError("{} ends beyond slot '{}' of {} bytes", name, kBatchSlot, plan.slots[input.at.slot].bytes);
    if (input.type.shape[0] != plan.microBatch || input.type.shape[1] != plan.inputs[0].type.shape[1])
      return makeError("{} expects shape [{}, {}]: a micro-batch of samples, as long as those of input '{}'", name,
                       plan.microBatch, plan.inputs[0].type.shape[1], plan.inputs[0].name);
    regions.push_back({rangeOf(input), name});
  }
  for (const Slot &slot : plan.slots)
    if (slot.name != kBatchSlot && slot.name != kMicroSlot)
      return makeError("unknown slot '{}' (known: {}, {})", slot.name, kBatchSlot, kMicroSlot);
  return checkDisjoint(std::move(regions));
}

/// Proves the rows of one program.
class ProgramVerifier {
public:
  ProgramVerifier(const Plan &plan, const Program &program)
      : plan(plan), program(program), batchSlot(plan.findSlot(kBatchSlot)), microSlot(plan.findSlot(kMicroSlot)) {}

  Status verify() {
    for (size_t i = 0; i < program.rows.size(); ++i)
      TRAINC_RETURN_IF_ERROR(checkRow(i));
    std::vector<Owned> regions = permanentRegions(plan);
    for (const Batch &batch : batches)
      regions.push_back(
          {range(batch), fmt::format("program '{}': the inputs of micro-batch {}", program.name, batch.microBatch)});
    TRAINC_RETURN_IF_ERROR(checkDisjoint(std::move(regions)));
    for (const Row &row : program.rows)
      TRAINC_RETURN_IF_ERROR(checkSurvival(plan.bodies[row.body]));
    return checkMetrics();
  }

private:
  struct Batch {
    int64_t microBatch, offset;
  };
  ByteRange range(const Batch &batch) const { return {-1, batch.offset, plan.slots[batchSlot].bytes}; }

  Status checkRow(size_t index) {
    const Row &row = program.rows[index];
    const Body &body = plan.bodies[row.body];
    std::string name = fmt::format("program '{}', row {} (body '{}')", program.name, index, body.name);
    if (row.microBatch >= plan.microBatches)
      return makeError("{}: expects micro_batch < {}, got {}", name, plan.microBatches, row.microBatch);
    for (const Value &value : body.values)
      if (value.at.slot >= 0 && row.bind[value.at.slot] < 0)
        return makeError("{}: slot '{}' is used but not bound", name, plan.slots[value.at.slot].name);
    for (size_t slot = 0; slot < plan.slots.size(); ++slot)
      if (row.bind[slot] >= 0 &&
          (row.bind[slot] + plan.slots[slot].bytes > plan.arenaBytes || row.bind[slot] % sizeOf(Dtype::i64)))
        return makeError("{}: slot '{}' is bound to byte {}, expects a multiple of {} with {} bytes in the arena", name,
                         plan.slots[slot].name, row.bind[slot], sizeOf(Dtype::i64), plan.slots[slot].bytes);
    if (microSlot >= 0 && row.bind[microSlot] >= 0 && !isMicroConstant(row))
      return makeError("{}: slot '{}' expects to be bound to an i64 constant of value {}", name, kMicroSlot,
                       row.microBatch);
    return batchSlot >= 0 && row.bind[batchSlot] >= 0 ? addBatch(name, row) : Status();
  }

  bool isMicroConstant(const Row &row) const {
    for (const Constant &constant : plan.constants)
      if (constant.offset == row.bind[microSlot] && constant.type == TensorType{Dtype::i64, {}})
        return std::memcmp(constant.data.data(), &row.microBatch, sizeof(row.microBatch)) == 0;
    return false;
  }

  Status addBatch(const std::string &name, const Row &row) {
    for (const Batch &batch : batches)
      if (batch.microBatch == row.microBatch)
        return batch.offset == row.bind[batchSlot] ? Status()
                                                   : makeError("{}: micro-batch {} is bound to byte {} and to byte {}",
                                                               name, row.microBatch, batch.offset, row.bind[batchSlot]);
    batches.push_back({row.microBatch, row.bind[batchSlot]});
    return {};
  }

  /// The host fills all inputs before the first row: no body of the program may write there.
  Status checkSurvival(const Body &body) const {
    for (size_t i = 0; i < body.instructions.size(); ++i) {
      const Instruction &instruction = body.instructions[i];
      if (instruction.kind == Instruction::Kind::view)
        continue;
      std::vector<ByteRange> writes{{-1, instruction.workspaceOffset, instruction.workspaceBytes}};
      for (int v : instruction.out)
        writes.push_back(rangeOf(body.values[v]));
      for (const ByteRange &write : writes)
        for (const Batch &batch : batches)
          if (write.bytes && write.overlaps(range(batch)))
            return makeError("{}: overwrites the inputs of micro-batch {} of program '{}'", plan.describe(body, i),
                             batch.microBatch, program.name);
    }
    return {};
  }

  /// A later body could overwrite what the host reads after the program.
  Status checkMetrics() const {
    for (const Metric &metric : plan.metrics)
      for (size_t i = 0; i + 1 < program.rows.size(); ++i)
        if (program.rows[i].body == metric.body)
          return makeError("metric '{}' belongs to body '{}', which is not only the last row of program '{}'",
                           metric.name, plan.bodies[metric.body].name, program.name);
    return {};
  }

  const Plan &plan;
  const Program &program;
  int batchSlot, microSlot;
  std::vector<Batch> batches;
};

} // namespace

Status trainc::verifyPlan(const Plan &plan) {
  TRAINC_RETURN_IF_ERROR(checkNames(plan));
  TRAINC_RETURN_IF_ERROR(checkTables(plan));
  TRAINC_RETURN_IF_ERROR(checkInputs(plan));
  for (const Body &body : plan.bodies)
    TRAINC_RETURN_IF_ERROR(verifyBody(plan, body));
  for (const Program &program : plan.programs)
    TRAINC_RETURN_IF_ERROR(ProgramVerifier(plan, program).verify());
  return {};
}
