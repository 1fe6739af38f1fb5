//===- Sampler.cpp - which sample comes when ------------------------------------------===//
//
// A permutation by Feistel network with cycle walking, and the copy from tokens to a micro-batch's inputs.
//
//===-----------------------------------------------------------------------===//
#include "runtime/core/Sampler.h"

#include "runtime/abi/Philox.h"

using namespace trainc;

/// Rounds of the Feistel network. Four make a pseudo-random permutation of a pseudo-random function (Luby & Rackoff
/// 1988); two more because the halves are small.
static constexpr uint32_t kRounds = 6;

int64_t trainc::permuteIndex(int64_t index, int64_t count, uint64_t seed, uint64_t epoch) {
  int halfBits = 1;
  while (halfBits < 31 && (int64_t(1) << 2 * halfBits) < count)
    ++halfBits;
  uint32_t mask = uint32_t((uint64_t(1) << halfBits) - 1);
  PhiloxKey key = {uint32_t(seed), uint32_t(seed >> 32)};
  auto value = static_cast<uint64_t>(index);
  do {
    uint32_t left = uint32_t(value >> halfBits), right = uint32_t(value) & mask;
    for (uint32_t round = 0; round < kRounds; ++round) {
      uint32_t mixed = left ^ (philox4x32({right, round, uint32_t(epoch), uint32_t(epoch >> 32)}, key)[0] & mask);
      left = right;
      right = mixed;
    }
    value = uint64_t(left) << halfBits | right;
  } while (value >= static_cast<uint64_t>(count));
  return static_cast<int64_t>(value);
}

Result<Sampler> Sampler::create(const TokenFile &tokens, int64_t length, Order order) {
  int64_t samples = (tokens.count() - 1) / length;
  if (samples < 1)
    return makeError("{} has {} tokens; expects at least {}: one sequence of {} and the token that follows",
                     tokens.path(), tokens.count(), length + 1, length);
  return Sampler(tokens, length, samples, order);
}

int64_t Sampler::sampleAt(int64_t cursor, uint64_t seed) const {
  int64_t epoch = cursor / sampleCount, index = cursor % sampleCount;
  return order == Order::sequential ? index : permuteIndex(index, sampleCount, seed, static_cast<uint64_t>(epoch));
}

static Status outsideError(const TokenFile &tokens, int64_t position, const Input &input) {
  return makeError("{}: token {} is {}, outside the vocabulary of {} that input '{}' was compiled for", tokens.path(),
                   position, tokens[position], input.bound, input.name);
}

Status Sampler::checkTokens(const std::vector<Input> &inputs) const {
  int64_t checked = INT64_MAX; // least bound that the file is known to keep
  for (const Input &input : inputs) {
    if (input.bound >= checked)
      continue;
    if (int64_t position = tokens->findOutside(input.bound); position >= 0)
      return outsideError(*tokens, position, input);
    checked = input.bound;
  }
  return {};
}

Status Sampler::fill(const Input &input, int64_t cursor, int64_t rows, uint64_t seed, int32_t *destination) const {
  for (int64_t row = 0; row < rows; ++row) {
    int64_t first = sampleAt(cursor + row, seed) * length + input.shift;
    for (int64_t t = 0; t < length; ++t) {
      uint32_t token = (*tokens)[first + t];
      if (token >= input.bound)
        return outsideError(*tokens, first + t, input);
      destination[row * length + t] = static_cast<int32_t>(token);
    }
  }
  return {};
}
