//===- TestBundle.h - a bundle written by hand -------------------------------------===//
//
// A bigram model over bytes: logits[t] = table[token[t]], mean cross-entropy, SGD. Two micro-batches of two samples of
// eight tokens, two threads. All kinds of instructions, in-place updates of the state, slots, all four programs. Tests
// run it, and alter it to see that the loader refuses.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace trainc {

inline constexpr int64_t kVocabulary = 256, kLength = 8, kMicroBatch = 2, kTokens = kMicroBatch * kLength;

struct TestBundle {
  TestBundle();
  /// Writes the bundle's files, with the hashes they need, to the folder `path`.
  void write(const std::string &path) const;

  /// The body called `name`.
  nlohmann::json &body(const std::string &name);
  nlohmann::json &instruction(const std::string &bodyName, size_t index) {
    return body(bodyName)["instructions"][index];
  }

  nlohmann::json plan, stage;
};

} // namespace trainc
