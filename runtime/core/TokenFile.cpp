//===- TokenFile.cpp - a text as numbers, memory-mapped -----------------------------===//
//
// The header is copied field by field, so that the file's layout does not depend on a struct's.
//
//===-----------------------------------------------------------------------===//
#include "runtime/core/TokenFile.h"

using namespace trainc;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "token files are read in place");

/// Largest vocabulary of 2-byte tokens.
static constexpr uint32_t kMaxShortVocabulary = 1 << 16;
/// Bytes collected before a write.
static constexpr size_t kBufferBytes = 1 << 20;

namespace {
struct Header {
  uint32_t tokenBytes, vocabulary;
  uint64_t count, zero;
};
} // namespace

Result<TokenFile> TokenFile::open(const std::string &path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file.ok())
    return file.status();
  std::string_view bytes = file->bytes();
  if (bytes.empty())
    return makeError("{} is empty; expects a token file made by 'trainc data'", path);
  if (bytes.substr(0, kTokenFileMagic.size()) != kTokenFileMagic)
    return makeError("{} is not a token file; make one with 'trainc data TEXT -o FILE.bin'", path);
  Header header{};
  if (bytes.size() < kTokenFileHeaderBytes)
    return makeError("{} is truncated: the header has {} bytes, got {}", path, kTokenFileHeaderBytes, bytes.size());
  std::memcpy(&header, bytes.data() + kTokenFileMagic.size(), sizeof(header));
  if ((header.tokenBytes != 2 && header.tokenBytes != 4) || header.zero)
    return makeError("{} has an unknown header: expects 2 or 4 bytes per token and a zero, got {} and {}", path,
                     header.tokenBytes, header.zero);
  uint64_t present = (bytes.size() - kTokenFileHeaderBytes) / header.tokenBytes;
  if (header.count != present || (bytes.size() - kTokenFileHeaderBytes) % header.tokenBytes)
    return makeError("{} is {}: the header says {} tokens, the file has {}", path,
                     header.count > present ? "truncated" : "damaged", header.count, present);
  if (header.count == 0)
    return makeError("{} has no tokens", path);
  return TokenFile(std::move(*file), path, header.tokenBytes, header.vocabulary, static_cast<int64_t>(header.count));
}

template <typename Token> static int64_t findOutsideAs(const char *data, int64_t count, int64_t bound) {
  for (int64_t i = 0; i < count; ++i) {
    Token token;
    std::memcpy(&token, data + i * static_cast<int64_t>(sizeof(Token)), sizeof(Token));
    if (token >= bound)
      return i;
  }
  return -1;
}

int64_t TokenFile::findOutside(int64_t bound) const {
  const char *data = file.bytes().data() + kTokenFileHeaderBytes;
  return tokenBytes == 2 ? findOutsideAs<uint16_t>(data, tokenCount, bound)
                         : findOutsideAs<uint32_t>(data, tokenCount, bound);
}

Result<TokenFileWriter> TokenFileWriter::create(const std::string &path, uint32_t vocabulary, uint64_t count) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file.ok())
    return file.status();
  TokenFileWriter writer(std::move(*file), path, vocabulary, count);
  Header header{vocabulary <= kMaxShortVocabulary ? 2u : 4u, vocabulary, count, 0};
  writer.buffer = kTokenFileMagic;
  writer.buffer.append(reinterpret_cast<const char *>(&header), sizeof(header));
  return writer;
}

Status TokenFileWriter::append(const uint32_t *tokens, size_t tokenCount) {
  size_t tokenBytes = vocabulary <= kMaxShortVocabulary ? 2 : 4;
  for (size_t i = 0; i < tokenCount; ++i, ++written) {
    if (tokens[i] >= vocabulary)
      return makeError("{}: token {} is {}, outside the vocabulary of {}", path, written, tokens[i], vocabulary);
    buffer.append(reinterpret_cast<const char *>(&tokens[i]), tokenBytes);
    if (buffer.size() < kBufferBytes)
      continue;
    TRAINC_RETURN_IF_ERROR(file.write(buffer.data(), buffer.size()));
    buffer.clear();
  }
  return {};
}

Status TokenFileWriter::finish() {
  if (written != announced)
    return makeError("{}: {} tokens were announced, {} written", path, announced, written);
  TRAINC_RETURN_IF_ERROR(file.write(buffer.data(), buffer.size()));
  return file.commit();
}
