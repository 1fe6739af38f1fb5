//===- ThreadPool.h - the one pool of worker threads -------------------------===//
//
// Kernels and library routines share this pool. Work is split statically, so a result never depends on timing. Workers
// spin for a short while after a job, since the next one usually follows within microseconds, then sleep on a futex.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace trainc {

/// `threads` workers, the calling thread being worker 0. One job at a time, from one caller; jobs may not nest.
/// Running a job allocates nothing.
class ThreadPool {
public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int threads() const { return threadCount; }

  /// Calls `body(worker, begin, end)` on up to threads() contiguous parts of [0, items), none but the only one smaller
  /// than `grain`; returns when all are done. Parts depend on items, grain and threads() alone.
  template <typename Body> void parallelFor(int64_t items, int64_t grain, const Body &body) {
    if (items <= 0)
      return;
    int64_t parts = std::max<int64_t>(1, std::min<int64_t>(threadCount, items / std::max<int64_t>(grain, 1)));
    if (parts == 1)
      return body(0, int64_t(0), items);
    run({[](const void *context, int worker, int64_t begin, int64_t end) {
           (*static_cast<const Body *>(context))(worker, begin, end);
         },
         &body, items, parts});
  }

private:
  struct Job {
    void (*call)(const void *context, int worker, int64_t begin, int64_t end);
    const void *context;
    int64_t items, parts;
    void runPart(int worker) const {
      if (worker < parts)
        call(context, worker, items * worker / parts, items * (worker + 1) / parts);
    }
  };
  void run(const Job &job);
  void workerLoop(int worker);

  int threadCount;
  Job current{};
  std::atomic<bool> stopping{false};
  alignas(64) std::atomic<uint32_t> generation{0}; ///< one more for each job; workers wait for it to change
  alignas(64) std::atomic<uint32_t> pending{0};    ///< workers that have not finished the current job
  std::vector<std::thread> workers;
};

} // namespace trainc
