//===- TokenFile.h - a text as numbers, memory-mapped -----------------------------===//
//
// Little-endian: 32 bytes of header (magic "TRNCTOK1", u32 bytes per token, u32 vocabulary, u64 token count, u64 zero),
// then the tokens, 2 or 4 bytes each. `trainc data` writes it, trainc-run reads it in place.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/File.h"

#include <cstdint>
#include <cstring>

namespace trainc {

inline constexpr std::string_view kTokenFileMagic = "TRNCTOK1";
inline constexpr int64_t kTokenFileHeaderBytes = 32;

/// The tokens of one file. Safe from several threads; reading allocates nothing.
class TokenFile {
public:
  /// Errors: unreadable, empty, of another format, truncated; all name the file.
  static Result<TokenFile> open(const std::string &path);

  int64_t count() const { return tokenCount; }
  /// Tokens are below this, says the writer.
  int64_t vocabulary() const { return tokenVocabulary; }
  const std::string &path() const { return filePath; }
  /// Token `index` of [0, count()).
  uint32_t operator[](int64_t index) const {
    const char *data = file.bytes().data() + kTokenFileHeaderBytes + index * tokenBytes;
    uint32_t token = 0;
    std::memcpy(&token, data, static_cast<size_t>(tokenBytes));
    return token;
  }

  /// The first token at or above `bound`, or -1. Reads the whole file.
  int64_t findOutside(int64_t bound) const;

private:
  TokenFile(MappedFile file, std::string path, int64_t bytes, int64_t vocabulary, int64_t count)
      : file(std::move(file)), filePath(std::move(path)), tokenBytes(bytes), tokenVocabulary(vocabulary),
        tokenCount(count) {}
  MappedFile file;
  std::string filePath;
  int64_t tokenBytes, tokenVocabulary, tokenCount;
};

/// Writes a token file; it appears at `path` when finish() has succeeded, and not at all before.
class TokenFileWriter {
public:
  /// `count` tokens of [0, vocabulary) will follow; 2 bytes each if the vocabulary allows it.
  static Result<TokenFileWriter> create(const std::string &path, uint32_t vocabulary, uint64_t count);
  /// Errors: a token outside the vocabulary; the disk is full.
  Status append(const uint32_t *tokens, size_t tokenCount);
  /// Errors: not as many tokens as announced; the disk is full.
  Status finish();

private:
  TokenFileWriter(AtomicFile file, std::string path, uint32_t vocabulary, uint64_t count)
      : file(std::move(file)), path(std::move(path)), vocabulary(vocabulary), announced(count) {}
  AtomicFile file;
  std::string path, buffer;
  uint32_t vocabulary;
  uint64_t announced, written = 0;
};

} // namespace trainc
