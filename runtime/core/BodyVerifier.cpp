//===- BodyVerifier.cpp - the proof of one body -------------------------------------===//
//
// A body is straight-line code over values that are assigned once. A value that no instruction assigns is live in: it
// must be a state entry, a constant or an input. The instructions are walked in order with each value's last read
// known; a write to bytes of a value that is still to be read is the error this file exists for.
//
//===-----------------------------------------------------------------------===//
#include "runtime/core/PlanVerifier.h"
#include "runtime/kernels/Routines.h"

#include <algorithm>

using namespace trainc;

namespace {

constexpr int kLiveIn = -1, kNever = -1;

class BodyVerifier {
public:
  BodyVerifier(const Plan &plan, const Body &body)
      : plan(plan), body(body), definedAt(body.values.size(), kLiveIn), lastRead(body.values.size(), kNever) {}

  Status verify() {
    TRAINC_RETURN_IF_ERROR(checkPlaces());
    TRAINC_RETURN_IF_ERROR(checkAssignments());
    TRAINC_RETURN_IF_ERROR(checkReads());
    for (size_t i = 0; i < body.instructions.size(); ++i) {
      const Instruction &instruction = body.instructions[i];
      if (instruction.kind == Instruction::Kind::view) {
        TRAINC_RETURN_IF_ERROR(checkView(i));
        continue;
      }
      TRAINC_RETURN_IF_ERROR(checkInPlace(i));
      TRAINC_RETURN_IF_ERROR(checkWrites(i));
      TRAINC_RETURN_IF_ERROR(instruction.kind == Instruction::Kind::call ? checkCall(i) : checkLaunch(i));
    }
    return verifyNewState(plan, body);
  }

private:
  std::string name(int value) const { return fmt::format("value {} ({})", value, body.values[value].type.str()); }
  template <typename... Args> Status errorAt(size_t index, fmt::format_string<Args...> format, Args &&...args) const {
    return makeError("{}: {}", plan.describe(body, index), fmt::format(format, std::forward<Args>(args)...));
  }

  Status checkPlaces() const {
    for (size_t v = 0; v < body.values.size(); ++v) {
      ByteRange range = rangeOf(body.values[v]);
      int64_t limit = range.slot < 0 ? plan.arenaBytes : plan.slots[range.slot].bytes;
      if (range.offset + range.bytes > limit)
        return makeError("body '{}': {} ends at byte {}, beyond {} of {} bytes", body.name, name(v),
                         range.offset + range.bytes, range.slot < 0 ? "the arena" : plan.slots[range.slot].name, limit);
      if (range.offset % sizeOf(body.values[v].type.dtype))
        return makeError("body '{}': {} is at byte {}, which is not a multiple of its element's size", body.name,
                         name(v), range.offset);
    }
    return {};
  }

  Status checkAssignments() {
    for (size_t i = 0; i < body.instructions.size(); ++i)
      for (int v : body.instructions[i].out) {
        if (definedAt[v] != kLiveIn)
          return errorAt(i, "{} is assigned twice, first by instruction {}", name(v), definedAt[v]);
        definedAt[v] = static_cast<int>(i);
      }
    return {};
  }

  Status checkReads() {
    for (size_t i = 0; i < body.instructions.size(); ++i)
      for (int v : body.instructions[i].in) {
        if (definedAt[v] >= static_cast<int>(i))
          return errorAt(i, "{} is read before instruction {} assigns it", name(v), definedAt[v]);
        if (definedAt[v] == kLiveIn && !hasHome(body.values[v]))
          return errorAt(i, "{} is never assigned and is no state entry, constant or input", name(v));
        lastRead[v] = static_cast<int>(i);
      }
    // What must hold when the body is done: new values of the state, and metrics, which the host reads.
    for (const NewState &result : body.results)
      lastRead[result.value] = static_cast<int>(body.instructions.size()) + 1;
    for (const Metric &metric : plan.metrics)
      if (&plan.bodies[metric.body] == &body) {
        if (definedAt[metric.value] == kLiveIn)
          return makeError("body '{}': metric '{}' is {}, which no instruction assigns", body.name, metric.name,
                           name(metric.value));
        if (int slot = body.values[metric.value].at.slot; slot >= 0)
          return makeError("body '{}': metric '{}' is {}, which lies in slot '{}'; expects a value in the arena",
                           body.name, metric.name, name(metric.value), plan.slots[slot].name);
        lastRead[metric.value] = std::max(lastRead[metric.value], static_cast<int>(body.instructions.size()));
      }
    return {};
  }

  /// Whether a live-in value is where something of its type lives. A reshape is allowed; of an input, also the first
  /// samples only.
  bool hasHome(const Value &value) const {
    auto matches = [&](const auto &entry) {
      return entry.type.dtype == value.type.dtype && rangeOf(entry) == rangeOf(value);
    };
    if (value.at.slot < 0)
      return std::any_of(plan.state.begin(), plan.state.end(), matches) ||
             std::any_of(plan.constants.begin(), plan.constants.end(), matches);
    if (plan.slots[value.at.slot].name == kMicroSlot)
      return value.type.dtype == Dtype::i64 && value.type.elements() == 1 && value.at.offset == 0;
    return std::any_of(plan.inputs.begin(), plan.inputs.end(), [&](const Input &input) {
      return input.type.dtype == value.type.dtype && input.at.offset == value.at.offset &&
             value.type.bytes() <= input.type.bytes();
    });
  }

  Status checkView(size_t i) const {
    const Instruction &view = body.instructions[i];
    if (view.in.size() != 1 || view.out.size() != 1)
      return errorAt(i, "a view expects one operand and one result, got {} and {}", view.in.size(), view.out.size());
    const Value &from = body.values[view.in[0]], &to = body.values[view.out[0]];
    if (from.type.dtype != to.type.dtype || !(rangeOf(from) == rangeOf(to)))
      return errorAt(i, "a view expects {} to be the bytes and the type of {}", name(view.out[0]), name(view.in[0]));
    return {};
  }

  Status checkInPlace(size_t i) const {
    const Instruction &instruction = body.instructions[i];
    for (const InPlacePair &pair : instruction.inPlace) {
      int result = instruction.out[pair.result], operand = instruction.in[pair.operand];
      if (!(rangeOf(body.values[result]) == rangeOf(body.values[operand])))
        return errorAt(i, "{} is declared in place with {}, but they are not the same bytes", name(result),
                       name(operand));
      for (const InPlacePair &other : instruction.inPlace)
        if (&other != &pair && (other.result == pair.result || other.operand == pair.operand))
          return errorAt(i, "{} and {} are in more than one in-place pair", name(result), name(operand));
    }
    return {};
  }

  Status checkWrites(size_t i) const {
    const Instruction &instruction = body.instructions[i];
    for (size_t r = 0; r < instruction.out.size(); ++r) {
      ByteRange range = rangeOf(body.values[instruction.out[r]]);
      std::string what = name(instruction.out[r]);
      TRAINC_RETURN_IF_ERROR(checkOwner(i, range, what, body.values[instruction.out[r]].type.dtype));
      TRAINC_RETURN_IF_ERROR(checkOperands(i, range, what, static_cast<int>(r)));
      TRAINC_RETURN_IF_ERROR(checkLaterReads(i, range, what));
      for (size_t other = 0; other < r; ++other)
        if (range.overlaps(rangeOf(body.values[instruction.out[other]])))
          return errorAt(i, "{} overlaps {}, another result", what, name(instruction.out[other]));
    }
    return instruction.workspaceBytes ? checkWorkspace(i) : Status();
  }

  Status checkWorkspace(size_t i) const {
    const Instruction &instruction = body.instructions[i];
    ByteRange range{-1, instruction.workspaceOffset, instruction.workspaceBytes};
    if (range.offset + range.bytes > plan.arenaBytes || range.offset % kWorkspaceAlignment)
      return errorAt(i, "the workspace at byte {} of {} bytes is not in the arena at a multiple of {}", range.offset,
                     range.bytes, kWorkspaceAlignment);
    TRAINC_RETURN_IF_ERROR(checkOwner(i, range, "the workspace", std::nullopt));
    TRAINC_RETURN_IF_ERROR(checkOperands(i, range, "the workspace", -1));
    for (int v : instruction.out)
      if (range.overlaps(rangeOf(body.values[v])))
        return errorAt(i, "the workspace overlaps {}, a result", name(v));
    return checkLaterReads(i, range, "the workspace");
  }

  /// Inputs and constants are never written; a state entry only as a whole, by a value of its type (`dtype` is absent
  /// for a workspace).
  Status checkOwner(size_t i, const ByteRange &range, std::string_view what, std::optional<Dtype> dtype) const {
    if (range.slot >= 0)
      return errorAt(i, "{} is written to slot '{}', which only the host writes", what, plan.slots[range.slot].name);
    for (const Constant &constant : plan.constants)
      if (range.overlaps(rangeOf(constant)))
        return errorAt(i, "{} overwrites the constant at byte {}", what, constant.offset);
    for (const StateEntry &entry : plan.state)
      if (range.overlaps(rangeOf(entry)) && !(dtype == entry.type.dtype && range == rangeOf(entry)))
        return errorAt(i, "{} overwrites a part of the state entry '{}' ({})", what, entry.key(), entry.type.str());
    return {};
  }

  /// A result (`result` >= 0) or workspace may share bytes with an operand only as a declared pair: kernels take their
  /// pointers as not aliasing.
  Status checkOperands(size_t i, const ByteRange &range, std::string_view what, int result) const {
    const Instruction &instruction = body.instructions[i];
    for (size_t operand = 0; operand < instruction.in.size(); ++operand) {
      bool declared = false;
      for (const InPlacePair &pair : instruction.inPlace)
        declared |= pair.result == result && pair.operand == static_cast<int>(operand);
      if (!declared && range.overlaps(rangeOf(body.values[instruction.in[operand]])))
        return errorAt(i, "{} overlaps operand {}, {}, without being declared in place", what, operand,
                       name(instruction.in[operand]));
    }
    return {};
  }

  Status checkLaterReads(size_t i, const ByteRange &range, std::string_view what) const {
    int index = static_cast<int>(i);
    for (size_t v = 0; v < body.values.size(); ++v)
      if (definedAt[v] < index && lastRead[v] > index && range.overlaps(rangeOf(body.values[v])))
        return errorAt(i, "{} overwrites {}, which is still to be read by {}", what, name(v), reader(lastRead[v]));
    return {};
  }

  std::string reader(int index) const {
    int count = static_cast<int>(body.instructions.size());
    return index < count    ? fmt::format("instruction {}", index)
           : index == count ? "the host as a metric"
                            : "later bodies as the state";
  }

  /// The launch's pointers are the kernel's arguments: all operands, then the results that are not in place.
  Status checkLaunch(size_t i) const {
    using Access = KernelArgument::Access;
    const Instruction &launch = body.instructions[i];
    const Kernel &kernel = plan.kernels[launch.kernel];
    size_t count = launch.in.size() + launch.out.size() - launch.inPlace.size();
    if (count != kernel.arguments.size())
      return errorAt(i, "kernel '{}' takes {} arguments, got {}: {} operands and {} results, {} of them in place",
                     kernel.name, kernel.arguments.size(), count, launch.in.size(), launch.out.size(),
                     launch.inPlace.size());
    for (size_t operand = 0; operand < launch.in.size(); ++operand) {
      int result = launch.inPlaceResult(static_cast<int>(operand));
      TRAINC_RETURN_IF_ERROR(
          checkArgument(i, operand, launch.in[operand], result < 0 ? Access::read : Access::readWrite));
      if (result >= 0)
        TRAINC_RETURN_IF_ERROR(checkArgument(i, operand, launch.out[result], Access::readWrite));
    }
    size_t argument = launch.in.size();
    for (size_t r = 0; r < launch.out.size(); ++r)
      if (launch.inPlaceOperand(static_cast<int>(r)) < 0)
        TRAINC_RETURN_IF_ERROR(checkArgument(i, argument++, launch.out[r], Access::write));
    return {};
  }

  Status checkArgument(size_t i, size_t position, int value, KernelArgument::Access access) const {
    const Kernel &kernel = plan.kernels[body.instructions[i].kernel];
    const KernelArgument &argument = kernel.arguments[position];
    const TensorType &type = body.values[value].type;
    if (type.dtype != argument.dtype || type.elements() != argument.elements)
      return errorAt(i, "kernel '{}' takes {} elements of {} as argument {}, got {}", kernel.name, argument.elements,
                     nameOf(argument.dtype), position, name(value));
    if (argument.access != access)
      return errorAt(i, "kernel '{}' has access '{}' to argument {}, {} expects '{}'", kernel.name,
                     nameOf(argument.access), position, name(value), nameOf(access));
    return {};
  }

  Status checkCall(size_t i) const {
    const Instruction &call = body.instructions[i];
    const Routine *routine = findRoutine(call.routine);
    if (!routine)
      return errorAt(i, "no library routine '{}' (known: {})", call.routine, routineNames());
    CallSite site{call.attributes, {}, {}, call.inPlace};
    for (int v : call.in)
      site.in.push_back(body.values[v].type);
    for (int v : call.out)
      site.out.push_back(body.values[v].type);
    Result<PreparedCall> prepared = routine->prepare(site, static_cast<int>(plan.threads));
    if (!prepared.ok())
      return errorAt(i, "{} {}", call.routine, prepared.status().message());
    if (prepared->workspaceBytes > call.workspaceBytes)
      return errorAt(i, "{} expects a workspace of {} bytes for {} threads, got {}", call.routine,
                     prepared->workspaceBytes, plan.threads, call.workspaceBytes);
    return {};
  }

  const Plan &plan;
  const Body &body;
  std::vector<int> definedAt, lastRead; ///< instruction index per value
};

} // namespace

Status trainc::verifyBody(const Plan &plan, const Body &body) { return BodyVerifier(plan, body).verify(); }
