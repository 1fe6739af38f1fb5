//===- Sampler.h - which sample comes when ------------------------------------------===//
//
// The data cursor is one global sample number: epoch = cursor / samples, and inside an epoch a keyed permutation of the
// samples that is evaluated per index. No list, no state: a run goes on anywhere from (seed, cursor) alone.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Plan.h"
#include "runtime/core/TokenFile.h"

namespace trainc {

/// The place of `index` of [0, count) in the order of `epoch`: a bijection of [0, count) for each (seed, epoch). A
/// Feistel network with Philox as round function on the next even number of bits, walked until the result is in range
/// (Black & Rogaway 2002, "Ciphers with arbitrary finite domains"): fewer than 4 evaluations on average.
int64_t permuteIndex(int64_t index, int64_t count, uint64_t seed, uint64_t epoch);

/// Windows of one token file. Sample s is tokens [s * T, s * T + T], T + 1 of them; neighbours share one token.
class Sampler {
public:
  enum class Order { shuffled, sequential };

  /// Errors: `tokens` is shorter than one window of `length` + 1 tokens. `tokens` must outlive the sampler.
  static Result<Sampler> create(const TokenFile &tokens, int64_t length, Order order);

  int64_t samples() const { return sampleCount; }
  /// The token file.
  const std::string &path() const { return tokens->path(); }
  /// Whether every token of the file is below the bounds of all `inputs`. Errors: one is not, with file and position.
  Status checkTokens(const std::vector<Input> &inputs) const;
  /// The sample that global sample number `cursor` is, for `seed`.
  int64_t sampleAt(int64_t cursor, uint64_t seed) const;
  /// Writes the rows of `input` for global samples [cursor, cursor + rows) to `destination` [rows, T].
  /// Errors: a token at or above the input's bound, with file and position. Allocates nothing on success.
  Status fill(const Input &input, int64_t cursor, int64_t rows, uint64_t seed, int32_t *destination) const;

private:
  Sampler(const TokenFile &tokens, int64_t length, int64_t samples, Order order)
      : tokens(&tokens), length(length), sampleCount(samples), order(order) {}
  const TokenFile *tokens;
  int64_t length, sampleCount;
  Order order;
};

} // namespace trainc
