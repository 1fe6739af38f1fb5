//===- File.h - whole files in, whole files out -------------------------------===//
//
// Reading maps or loads a file; writing goes to a temporary name beside the target and is renamed when every byte is on
// disk, so a path holds the old file or the new one, never a part. Errors name the path and the system's reason.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Status.h"

#include <string_view>

namespace trainc {

/// Read-only mapping of a file; unmapped on destruction. Safe from several threads.
class MappedFile {
public:
  static Result<MappedFile> open(const std::string &path);
  MappedFile(MappedFile &&other) noexcept
      : address(std::exchange(other.address, nullptr)), byteCount(std::exchange(other.byteCount, 0)) {}
  MappedFile &operator=(MappedFile &&other) noexcept {
    std::swap(address, other.address);
    std::swap(byteCount, other.byteCount);
    return *this;
  }
  ~MappedFile();
  std::string_view bytes() const { return {static_cast<const char *>(address), byteCount}; }

private:
  MappedFile(void *address, size_t byteCount) : address(address), byteCount(byteCount) {}
  void *address;
  size_t byteCount;
};

/// A file that appears at its path only when complete. Without commit(), or after an error, nothing is left behind.
class AtomicFile {
public:
  /// Opens a temporary file beside `path` whose name no other writer has. Errors: no such folder, no permission, `path`
  /// is a folder.
  static Result<AtomicFile> create(const std::string &path);
  AtomicFile(AtomicFile &&other) noexcept
      : path(std::move(other.path)), temporary(std::move(other.temporary)),
        descriptor(std::exchange(other.descriptor, -1)) {}
  AtomicFile &operator=(AtomicFile &&) = delete;
  ~AtomicFile();
  Status write(const void *data, size_t byteCount);
  /// Flushes to disk and renames.
  Status commit();

private:
  AtomicFile(std::string path, std::string temporary, int descriptor)
      : path(std::move(path)), temporary(std::move(temporary)), descriptor(descriptor) {}
  std::string path, temporary;
  int descriptor;
};

/// write(2) until all of `bytes` is written. Allocates nothing on success.
Status writeFully(int descriptor, std::string_view bytes, const std::string &path);

/// "cannot <verb> <path>: <reason of errno>".
Status systemError(std::string_view verb, const std::string &path);

} // namespace trainc
