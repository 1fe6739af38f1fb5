//===- Philox.h - counter-based random numbers ------------------------------===//
//
// Philox-4x32-10: a pure function of counter and key, so that every random number is a function of (seed, step, stream,
// index) and no generator has a state. Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3".
//
//===-----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>

namespace trainc {

using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

/// Four uniform 32-bit words for (counter, key).
inline constexpr PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53u) * counter[0];
    uint64_t second = uint64_t(0xCD9E8D57u) * counter[2];
    counter = {uint32_t(second >> 32) ^ counter[1] ^ key[0], uint32_t(second),
               uint32_t(first >> 32) ^ counter[3] ^ key[1], uint32_t(first)};
    key = {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
  }
  return counter;
}

} // namespace trainc
