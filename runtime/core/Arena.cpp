//===- Arena.cpp - the one block of memory ----------------------------------------===//
//
// One anonymous mapping; huge pages where the system offers them, since a step walks the whole arena.
//
//===-----------------------------------------------------------------------===//
#include "runtime/core/Arena.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>

using namespace trainc;

Result<Arena> Arena::create(int64_t bytes) {
  void *address = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    return makeError("cannot reserve the plan's arena of {} bytes: {}; compile with a smaller --micro-batch", bytes,
                     std::strerror(errno));
  madvise(address, static_cast<size_t>(bytes), MADV_HUGEPAGE);
  std::memset(address, 0, static_cast<size_t>(bytes));
  return Arena(static_cast<std::byte *>(address), bytes);
}

Arena::~Arena() {
  if (base)
    munmap(base, static_cast<size_t>(byteCount));
}
