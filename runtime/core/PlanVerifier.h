//===- PlanVerifier.h - what the verifier's two halves share ---------------------===//
//
// Byte ranges, and the proof of one body. PlanVerifier.cpp proves the tables and the rows around it.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Plan.h"
#include "runtime/core/Status.h"

namespace trainc {

/// Bytes [offset, offset + bytes) of the arena (slot -1) or of a slot.
struct ByteRange {
  int slot;
  int64_t offset, bytes;
  bool overlaps(const ByteRange &other) const {
    return slot == other.slot && offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
  bool operator==(const ByteRange &other) const {
    return slot == other.slot && offset == other.offset && bytes == other.bytes;
  }
};

inline ByteRange rangeOf(const Value &value) { return {value.at.slot, value.at.offset, value.type.bytes()}; }
inline ByteRange rangeOf(const StateEntry &entry) { return {-1, entry.offset, entry.type.bytes()}; }
inline ByteRange rangeOf(const Constant &constant) { return {-1, constant.offset, constant.type.bytes()}; }
inline ByteRange rangeOf(const Input &input) { return {input.at.slot, input.at.offset, input.type.bytes()}; }

/// Proves that every write of `body` to the state is of a value that leads to the entry's new value, that each new
/// value is written, of its entry's type and in its bytes. verifyBody proves that the bytes still hold it when the body
/// ends.
Status verifyNewState(const Plan &plan, const Body &body);

/// Proves places, single assignment, in-place pairs, lifetimes and library calls of `body`.
Status verifyBody(const Plan &plan, const Body &body);

} // namespace trainc
