//===- Report.h - what a run shows while it goes on ------------------------------------===//
//
// Progress on stderr and the metrics file. Both are formatted into fixed buffers and written with write(2): a step
// allocates nothing.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Trainer.h"

#include <chrono>

namespace trainc::run {

using Clock = std::chrono::steady_clock;

/// One finished step.
struct StepRecord {
  StepResult result;
  int64_t tokens;
  double seconds;
  std::optional<double> heldOutLoss; ///< if it was evaluated after this step
};

/// A file of one JSON object a line. Ends at a line's end even if the disk is full.
class MetricsFile {
public:
  static Result<MetricsFile> create(const std::string &path);
  MetricsFile(MetricsFile &&other) noexcept
      : path(std::move(other.path)), descriptor(std::exchange(other.descriptor, -1)), bytes(other.bytes) {}
  MetricsFile &operator=(MetricsFile &&) = delete;
  ~MetricsFile();
  Status append(const StepRecord &record);

private:
  MetricsFile(std::string path, int descriptor) : path(std::move(path)), descriptor(descriptor) {}
  std::string path;
  int descriptor;
  int64_t bytes = 0; ///< whole lines written
};

/// A line on stderr: rewritten in place on a terminal, else a new one every few seconds.
class Progress {
public:
  /// `lastStep`: the step the run ends at.
  Progress(bool enabled, int64_t lastStep);
  void show(const StepRecord &record);
  /// Ends the line that is being rewritten.
  void finish();

private:
  bool enabled, terminal, open = false;
  int64_t lastStep, stepsDone = 0;
  double secondsDone = 0;
  Clock::time_point shown{};
};

/// `bytes` in the largest unit that leaves at least 1: "640 KiB".
std::string byteText(int64_t bytes);

/// The table of --profile: time by class of instruction, then the slowest kernels.
std::string profileText(const std::vector<ProfileEntry> &entries);

} // namespace trainc::run
