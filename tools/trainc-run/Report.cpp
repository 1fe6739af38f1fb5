//===- Report.cpp - what a run shows while it goes on ------------------------------------===//
//
// JSON has no NaN or infinity: a metric that is not finite is written as null.
//
//===-----------------------------------------------------------------------===//
#include "tools/trainc-run/Report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fcntl.h>
#include <map>
#include <tuple>
#include <unistd.h>

using namespace trainc;
using namespace trainc::run;

/// Time between progress lines: on a terminal, and in a log.
static constexpr std::chrono::milliseconds kTerminalInterval{100}, kLogInterval{5000};
static constexpr size_t kLineBytes = 512;
/// Kernels listed by name in a profile.
static constexpr size_t kTopKernels = 10;

Result<MetricsFile> MetricsFile::create(const std::string &path) {
  int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return systemError("create", path);
  return MetricsFile(path, descriptor);
}

MetricsFile::~MetricsFile() {
  if (descriptor >= 0)
    close(descriptor);
}

namespace {
/// A number as JSON, in a buffer of its own.
struct JsonNumber {
  explicit JsonNumber(double value) {
    std::snprintf(text, sizeof(text), std::isfinite(value) ? "%.9g" : "null", value);
  }
  char text[32];
};
} // namespace

Status MetricsFile::append(const StepRecord &record) {
  char line[kLineBytes], heldOut[64] = "";
  if (record.heldOutLoss)
    std::snprintf(heldOut, sizeof(heldOut), ",\"held_out_loss\":%s", JsonNumber(*record.heldOutLoss).text);
  const StepResult &r = record.result;
  int length =
      std::snprintf(line, sizeof(line),
                    "{\"step\":%lld,\"loss\":%s,\"grad_norm\":%s,\"lr\":%s,\"tokens\":%lld,\"tokens_per_s\":%s%s}\n",
                    static_cast<long long>(r.step), JsonNumber(r.loss).text, JsonNumber(r.gradientNorm).text,
                    JsonNumber(r.learningRate).text, static_cast<long long>(record.tokens),
                    JsonNumber(static_cast<double>(record.tokens) / record.seconds).text, heldOut);
  Status status = writeFully(descriptor, {line, static_cast<size_t>(length)}, path);
  if (status.ok())
    bytes += length;
  else if (ftruncate(descriptor, bytes) != 0)
    return makeError("{}; its last line may be incomplete", status.message());
  return status;
}

Progress::Progress(bool enabled, int64_t lastStep)
    : enabled(enabled), terminal(isatty(STDERR_FILENO)), lastStep(lastStep) {}

void Progress::show(const StepRecord &record) {
  ++stepsDone;
  secondsDone += record.seconds;
  Clock::time_point now = Clock::now();
  bool last = record.result.step == lastStep, due = now - shown >= (terminal ? kTerminalInterval : kLogInterval);
  if (!enabled || (!last && !due && !record.heldOutLoss))
    return;
  shown = now;
  char line[kLineBytes], heldOut[64] = "";
  if (record.heldOutLoss)
    std::snprintf(heldOut, sizeof(heldOut), "  held-out %.4f", *record.heldOutLoss);
  auto left = static_cast<long long>(secondsDone / stepsDone * (lastStep - record.result.step));
  int length = std::snprintf(line, sizeof(line), "%sstep %lld/%lld  loss %.4f  %.0f tokens/s  %lld:%02lld left%s%s",
                             terminal ? "\r\x1b[K" : "", static_cast<long long>(record.result.step),
                             static_cast<long long>(lastStep), record.result.loss,
                             static_cast<double>(record.tokens) * stepsDone / secondsDone, left / 60, left % 60,
                             heldOut, terminal && !record.heldOutLoss ? "" : "\n");
  open = terminal && !record.heldOutLoss;
  (void)!write(STDERR_FILENO, line, static_cast<size_t>(length));
}

void Progress::finish() {
  if (open)
    (void)!write(STDERR_FILENO, "\n", 1);
  open = false;
}

std::string run::byteText(int64_t bytes) {
  static constexpr const char *kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  auto size = static_cast<double>(bytes);
  for (; size >= 1024 && unit + 1 < std::size(kUnits); ++unit)
    size /= 1024;
  return fmt::format("{:.{}f} {}", size, unit > 0 && size < 10 ? 1 : 0, kUnits[unit]);
}

static std::string profileLine(const std::string &name, int64_t calls, int64_t nanoseconds, double total) {
  return fmt::format("  {:<26} {:>9} {:>11.3f} {:>6.1f}%\n", name, calls, nanoseconds * 1e-9,
                     100 * nanoseconds / total);
}

std::string run::profileText(const std::vector<ProfileEntry> &entries) {
  std::map<std::string, ProfileEntry> classes;
  std::vector<ProfileEntry> kernels;
  double total = 0;
  for (const ProfileEntry &entry : entries) {
    ProfileEntry &sum = classes[entry.isKernel ? "generated kernels" : entry.name];
    sum.calls += entry.calls;
    sum.nanoseconds += entry.nanoseconds;
    total += entry.nanoseconds;
    if (entry.isKernel && entry.calls)
      kernels.push_back(entry);
  }
  std::string text = fmt::format("  {:<26} {:>9} {:>11} {:>7}\n", "instructions", "calls", "seconds", "share");
  auto slower = [](const ProfileEntry &a, const ProfileEntry &b) {
    return std::tie(b.nanoseconds, a.name) < std::tie(a.nanoseconds, b.name);
  };
  std::vector<ProfileEntry> rows;
  for (auto &[name, sum] : classes)
    rows.push_back({name, false, sum.calls, sum.nanoseconds});
  std::sort(rows.begin(), rows.end(), slower);
  for (const ProfileEntry &row : rows)
    text += profileLine(row.name, row.calls, row.nanoseconds, total);
  std::sort(kernels.begin(), kernels.end(), slower);
  kernels.resize(std::min(kernels.size(), kTopKernels));
  text += "  slowest kernels\n";
  for (const ProfileEntry &kernel : kernels)
    text += profileLine(kernel.name, kernel.calls, kernel.nanoseconds, total);
  return text;
}
