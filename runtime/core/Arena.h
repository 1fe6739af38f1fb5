//===- Arena.h - the one block of memory ----------------------------------------===//
//
// Everything a plan computes with lies in here, at offsets the compiler chose. Reserved once, zero-filled,
// page-aligned; pages are touched at once, so that a step never waits for one and a machine without the memory fails at
// the start.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Status.h"

#include <cstddef>
#include <cstdint>

namespace trainc {

/// Owns `bytes` of memory for its lifetime.
class Arena {
public:
  /// Errors: names the bytes asked for if the system does not give them.
  static Result<Arena> create(int64_t bytes);
  Arena(Arena &&other) noexcept : base(std::exchange(other.base, nullptr)), byteCount(other.byteCount) {}
  Arena &operator=(Arena &&) = delete;
  ~Arena();

  int64_t bytes() const { return byteCount; }
  /// The byte at `offset`; the plan's verification has checked that it lies inside.
  std::byte *at(int64_t offset) const { return base + offset; }

private:
  Arena(std::byte *base, int64_t byteCount) : base(base), byteCount(byteCount) {}
  std::byte *base;
  int64_t byteCount;
};

} // namespace trainc
