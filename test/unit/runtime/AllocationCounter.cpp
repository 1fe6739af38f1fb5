//===- AllocationCounter.cpp - counts allocations between training steps -----------===//
//
// Preloaded into trainc-run: interposes the allocating calls of the whole process, BLAS and C++ runtime included. A
// step ends with one write(2) of a line {"step":N,...} to the metrics file; what is counted between the first such
// write and the last is what steps 2 to N allocated. The count is printed at exit.
//
//===-----------------------------------------------------------------------===//
#include <atomic>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
}

static std::atomic<long> calls{0};
static long steps = 0, callsAtFirst = 0, callsAtLast = 0;

template <typename Function> static Function next(Function, const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

extern "C" {
void *malloc(size_t bytes) { return ++calls, __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) { return ++calls, __libc_calloc(count, bytes); }
void *realloc(void *old, size_t bytes) { return ++calls, __libc_realloc(old, bytes); }
void *memalign(size_t alignment, size_t bytes) { return ++calls, __libc_memalign(alignment, bytes); }
void *aligned_alloc(size_t alignment, size_t bytes) { return ++calls, __libc_memalign(alignment, bytes); }
int posix_memalign(void **result, size_t alignment, size_t bytes) {
  *result = (++calls, __libc_memalign(alignment, bytes));
  return *result ? 0 : 12;
}
void *mmap(void *address, size_t bytes, int protection, int flags, int descriptor, off_t offset) noexcept {
  static auto real = next(&mmap, "mmap");
  return ++calls, real(address, bytes, protection, flags, descriptor, offset);
}
void *mmap64(void *address, size_t bytes, int protection, int flags, int descriptor, off64_t offset) noexcept {
  static auto real = next(&mmap64, "mmap64");
  return ++calls, real(address, bytes, protection, flags, descriptor, offset);
}
int brk(void *address) noexcept {
  static auto real = next(&brk, "brk");
  return ++calls, real(address);
}
void *sbrk(intptr_t increment) noexcept {
  static auto real = next(&sbrk, "sbrk");
  return ++calls, real(increment);
}
ssize_t write(int descriptor, const void *data, size_t bytes) {
  static auto real = next(&write, "write");
  if (bytes > 8 && std::memcmp(data, "{\"step\":", 8) == 0) {
    callsAtLast = calls;
    if (steps++ == 0)
      callsAtFirst = calls;
  }
  return real(descriptor, data, bytes);
}
}

__attribute__((destructor)) static void report() {
  std::fprintf(stderr, "allocation counter: %ld calls before, %ld in steps 2 to %ld\n", callsAtFirst,
               callsAtLast - callsAtFirst, steps);
}
