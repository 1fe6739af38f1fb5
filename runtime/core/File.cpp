//===- File.cpp - whole files in, whole files out -------------------------------===//
//
// POSIX calls, each checked; close() too, since a full disk may show only there.
//
//===-----------------------------------------------------------------------===//
#include "runtime/core/File.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace trainc;

Status trainc::systemError(std::string_view verb, const std::string &path) {
  return makeError("cannot {} {}: {}", verb, path, std::strerror(errno));
}

Status trainc::writeFully(int descriptor, std::string_view bytes, const std::string &path) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return systemError("write", path);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Result<MappedFile> MappedFile::open(const std::string &path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return systemError("open", path);
  struct stat info{};
  void *address = nullptr;
  size_t byteCount = 0;
  Status failure;
  if (fstat(descriptor, &info) != 0)
    failure = systemError("read", path);
  else if (!S_ISREG(info.st_mode))
    failure = makeError("cannot read {}: expects a regular file", path);
  else if (info.st_size > 0) {
    byteCount = static_cast<size_t>(info.st_size);
    address = mmap(nullptr, byteCount, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (address == MAP_FAILED)
      failure = systemError("map", path);
  }
  close(descriptor);
  if (!failure.ok())
    return failure;
  return MappedFile(address, byteCount);
}

MappedFile::~MappedFile() {
  if (address)
    munmap(address, byteCount);
}

Result<AtomicFile> AtomicFile::create(const std::string &path) {
  struct stat info{};
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    return makeError("cannot create {}: it is a folder", path);
  // Not mkstemp, whose files only their owner may read.
  for (int attempt = 0;; ++attempt) {
    std::string temporary = fmt::format("{}.{}-{}.tmp", path, getpid(), attempt);
    int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0)
      return AtomicFile(path, std::move(temporary), descriptor);
    if (errno != EEXIST)
      return systemError("create", path);
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor < 0)
    return;
  close(descriptor);
  unlink(temporary.c_str());
}

Status AtomicFile::write(const void *data, size_t byteCount) {
  return writeFully(descriptor, {static_cast<const char *>(data), byteCount}, path);
}

Status AtomicFile::commit() {
  if (fsync(descriptor) != 0)
    return systemError("write", path);
  int closed = close(std::exchange(descriptor, -1));
  if (closed == 0 && rename(temporary.c_str(), path.c_str()) == 0)
    return {};
  Status failure = systemError("write", path);
  unlink(temporary.c_str());
  return failure;
}
