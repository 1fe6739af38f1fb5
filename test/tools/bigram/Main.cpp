//===- Main.cpp - trainc-bigram -------------------------------------------===//
//
// The loss of a bigram model on held-out text: what a trained model must beat to have learned more than which byte
// follows which. Counts the pairs of the first token file, smooths them by adding a constant to every pair's count, and
// prints the mean negative log-likelihood of the second file's tokens, in nats a token. The constant is the best one
// for the second file of a short list, which favours the bigram model.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

static constexpr size_t kVocabulary = 256;
static constexpr size_t kHeaderBytes = 32;
static constexpr char kMagic[] = "TRNCTOK1";

/// The tokens of a file of 16-bit tokens below 256. Errors: std::runtime_error naming the file.
static std::vector<uint16_t> readTokens(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(stream), {}};
  uint32_t tokenBytes = 0;
  if (content.size() <= kHeaderBytes || content.compare(0, 8, kMagic) != 0)
    throw std::runtime_error(path + ": not a token file");
  std::memcpy(&tokenBytes, content.data() + 8, sizeof(tokenBytes));
  if (tokenBytes != sizeof(uint16_t))
    throw std::runtime_error(fmt::format("{}: expects 2 bytes a token, got {}", path, tokenBytes));
  std::vector<uint16_t> tokens((content.size() - kHeaderBytes) / sizeof(uint16_t));
  std::memcpy(tokens.data(), content.data() + kHeaderBytes, tokens.size() * sizeof(uint16_t));
  if (*std::max_element(tokens.begin(), tokens.end()) >= kVocabulary)
    throw std::runtime_error(path + ": has a token above 255");
  return tokens;
}

static double heldOutLoss(const std::vector<double> &counts, const std::vector<uint16_t> &tokens, double added) {
  std::vector<double> rowSums(kVocabulary, added * kVocabulary);
  for (size_t i = 0; i < counts.size(); ++i)
    rowSums[i / kVocabulary] += counts[i];
  double loss = 0;
  for (size_t i = 1; i < tokens.size(); ++i)
    loss -= std::log((counts[tokens[i - 1] * kVocabulary + tokens[i]] + added) / rowSums[tokens[i - 1]]);
  return loss / static_cast<double>(tokens.size() - 1);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: trainc-bigram TRAIN.bin HELD-OUT.bin\n");
    return 1;
  }
  try {
    std::vector<uint16_t> train = readTokens(argv[1]), heldOut = readTokens(argv[2]);
    std::vector<double> counts(kVocabulary * kVocabulary, 0);
    for (size_t i = 1; i < train.size(); ++i)
      ++counts[train[i - 1] * kVocabulary + train[i]];
    double best = INFINITY;
    for (double added : {1.0, 0.1, 0.01, 0.001})
      best = std::min(best, heldOutLoss(counts, heldOut, added));
    fmt::print("{:.4f}\n", best);
  } catch (const std::exception &error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
