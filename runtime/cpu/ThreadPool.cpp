//===- ThreadPool.cpp - the one pool of worker threads -----------------------===//
//
// A job is published by `generation`, its end by `pending` reaching zero. Both waits spin first: a futex round trip
// costs several microseconds, as much as a small kernel.
//
//===-----------------------------------------------------------------------===//
#include "runtime/cpu/ThreadPool.h"

#include <climits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace trainc;

/// Polls before sleeping: about 50 microseconds, several times the gap between two instructions of a plan.
static constexpr int kSpins = 2000;

static void pauseCpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Returns once `word` differs from `value`.
static void waitWhileEqual(std::atomic<uint32_t> &word, uint32_t value) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (word.load(std::memory_order_acquire) != value)
      return;
    pauseCpu();
  }
  while (word.load(std::memory_order_acquire) == value)
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

static void wakeAll(std::atomic<uint32_t> &word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

ThreadPool::ThreadPool(int threads) : threadCount(threads) {
  for (int worker = 1; worker < threads; ++worker)
    workers.emplace_back([this, worker] { workerLoop(worker); });
}

ThreadPool::~ThreadPool() {
  stopping.store(true, std::memory_order_relaxed);
  generation.fetch_add(1, std::memory_order_release);
  wakeAll(generation);
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::run(const Job &job) {
  current = job;
  pending.store(static_cast<uint32_t>(threadCount - 1), std::memory_order_relaxed);
  generation.fetch_add(1, std::memory_order_release);
  wakeAll(generation);
  job.runPart(0);
  while (uint32_t left = pending.load(std::memory_order_acquire))
    waitWhileEqual(pending, left);
}

void ThreadPool::workerLoop(int worker) {
  // Workers start at generation 0, which no job has: a job published before this line is seen.
  uint32_t seen = 0;
  while (true) {
    waitWhileEqual(generation, seen);
    ++seen;
    if (stopping.load(std::memory_order_relaxed))
      return;
    current.runPart(worker);
    if (pending.fetch_sub(1, std::memory_order_acq_rel) == 1)
      wakeAll(pending);
  }
}
