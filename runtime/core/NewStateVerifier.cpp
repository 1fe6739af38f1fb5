//===- NewStateVerifier.cpp - the proof of what a body does to the state -------------------===//
//
// The bytes of a state entry outlive the body, so a write that is missing or one too many shows only steps later. A
// body therefore declares the value that each entry has afterwards. Two ways lead there: back from the new value over
// in-place pairs and views, and forward from the old value over in-place pairs (its bytes may hold intermediate values
// before the new one is written). Nothing else may write the entry.
//
//===-----------------------------------------------------------------------===//
#include "runtime/core/PlanVerifier.h"

using namespace trainc;

namespace {

constexpr int kNone = -1;

class NewStateVerifier {
public:
  NewStateVerifier(const Plan &plan, const Body &body)
      : plan(plan), body(body), definedAt(body.values.size(), kNone), oldValue(plan.state.size(), kNone),
        newValue(plan.state.size(), kNone), leadsTo(body.values.size(), kNone) {
    for (size_t i = 0; i < body.instructions.size(); ++i)
      for (int v : body.instructions[i].out)
        definedAt[v] = static_cast<int>(i);
  }

  Status verify() {
    TRAINC_RETURN_IF_ERROR(findOldValues());
    for (const NewState &result : body.results)
      TRAINC_RETURN_IF_ERROR(addResult(result));
    followOldValues();
    return checkWrites();
  }

private:
  std::string name(int value) const { return fmt::format("value {} ({})", value, body.values[value].type.str()); }

  /// The entry that has `value`'s bytes, or kNone.
  int entryOf(int value) const {
    for (size_t s = 0; s < plan.state.size(); ++s)
      if (rangeOf(body.values[value]) == rangeOf(plan.state[s]))
        return static_cast<int>(s);
    return kNone;
  }

  /// A second value that is an entry before the body runs would be one whose instruction is missing.
  Status findOldValues() {
    for (size_t v = 0; v < body.values.size(); ++v) {
      int value = static_cast<int>(v), entry = definedAt[v] == kNone ? entryOf(value) : kNone;
      if (entry == kNone)
        continue;
      if (oldValue[entry] != kNone)
        return makeError("body '{}': {} and {} are both the state entry '{}' and no instruction assigns either",
                         body.name, name(oldValue[entry]), name(value), plan.state[entry].key());
      oldValue[entry] = value;
    }
    return {};
  }

  Status addResult(const NewState &result) {
    const StateEntry &entry = plan.state[result.state];
    if (newValue[result.state] != kNone)
      return makeError("body '{}': the state entry '{}' has two new values, {} and {}", body.name, entry.key(),
                       name(newValue[result.state]), name(result.value));
    if (!(body.values[result.value].type == entry.type) || !(rangeOf(body.values[result.value]) == rangeOf(entry)))
      return makeError("body '{}': the new value of the state entry '{}' expects {} in its bytes, got {}", body.name,
                       entry.key(), entry.type.str(), name(result.value));
    newValue[result.state] = result.value;
    bool isWritten = false;
    for (int value = result.value; value != kNone; value = source(value)) {
      leadsTo[value] = result.state;
      isWritten |= definedAt[value] != kNone && body.instructions[definedAt[value]].kind != Instruction::Kind::view;
    }
    if (!isWritten)
      return makeError("body '{}': the new value of the state entry '{}' is {}, which no instruction writes", body.name,
                       entry.key(), name(result.value));
    return {};
  }

  /// The value whose bytes `value`'s instruction took over, or kNone.
  int source(int value) const {
    if (definedAt[value] == kNone)
      return kNone;
    const Instruction &instruction = body.instructions[definedAt[value]];
    if (instruction.kind == Instruction::Kind::view)
      return instruction.in[0];
    for (size_t r = 0; r < instruction.out.size(); ++r)
      if (instruction.out[r] == value)
        if (int operand = instruction.inPlaceOperand(static_cast<int>(r)); operand >= 0)
          return instruction.in[operand];
    return kNone;
  }

  /// Marks what is in place with the old value of an entry that gets a new one.
  void followOldValues() {
    for (size_t s = 0; s < plan.state.size(); ++s)
      if (oldValue[s] != kNone && newValue[s] != kNone)
        leadsTo[oldValue[s]] = static_cast<int>(s);
    for (const Instruction &instruction : body.instructions)
      for (int v : instruction.out)
        if (int from = source(v); from != kNone && leadsTo[v] == kNone)
          leadsTo[v] = leadsTo[from];
  }

  Status checkWrites() const {
    for (size_t i = 0; i < body.instructions.size(); ++i)
      for (int v : body.instructions[i].out) {
        int entry = body.instructions[i].kind == Instruction::Kind::view ? kNone : entryOf(v);
        if (entry == kNone || leadsTo[v] == entry)
          continue;
        return makeError("{}: {} overwrites the state entry '{}', whose new value is {}", plan.describe(body, i),
                         name(v), plan.state[entry].key(),
                         newValue[entry] == kNone ? "not among the body's results" : name(newValue[entry]));
      }
    return {};
  }

  const Plan &plan;
  const Body &body;
  std::vector<int> definedAt;          ///< instruction per value
  std::vector<int> oldValue, newValue; ///< per state entry
  std::vector<int> leadsTo;            ///< state entry per value
};

} // namespace

Status trainc::verifyNewState(const Plan &plan, const Body &body) { return NewStateVerifier(plan, body).verify(); }
