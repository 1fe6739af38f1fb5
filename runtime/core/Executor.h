//===- Executor.h - run the programs of a plan ----------------------------------------===//
//
// Loading resolves everything: kernels to addresses, values to pointers, calls to checked parameters. Running a row
// then patches the pointers that depend on a slot and walks a flat list of steps; it allocates nothing, looks up
// nothing.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Arena.h"
#include "runtime/core/Plan.h"
#include "runtime/cpu/ThreadPool.h"
#include "runtime/kernels/Routines.h"

#include <memory>

namespace trainc {

/// A value the host reads after a program; null if the program has no such metric.
struct MetricView {
  const std::byte *data = nullptr;
  TensorType type{};
  explicit operator bool() const { return data; }
  /// Element `index` as a double.
  double at(int64_t index) const;
};

/// Time spent in one kernel or one kind of library call.
struct ProfileEntry {
  std::string name;
  bool isKernel;
  int64_t calls = 0, nanoseconds = 0;
};

/// One plan in memory, with its arena and its threads. Not thread-safe: one caller.
class Executor {
public:
  struct Options {
    bool profile = false; ///< measure each instruction
  };

  /// Reserves the arena, opens the kernels, writes the constants. `plan` comes from loadBundle.
  /// Errors: no memory; a kernel library without the plan's kernels; a BLAS with threads of its own.
  static Result<std::unique_ptr<Executor>> create(Plan plan, Options options);
  ~Executor();
  Executor(const Executor &) = delete;
  Executor &operator=(const Executor &) = delete;

  const Plan &plan() const { return bundle; }
  const Arena &arena() const { return memory; }

  /// The scalar (scope "", role): step, seed or cursor.
  int64_t &stateScalar(std::string_view role);

  /// Runs rows [begin, end) of `program`. Errors: a token or target outside its table, naming instruction and position.
  Status runRows(const Program &program, size_t begin, size_t end);
  Status run(const Program &program) { return runRows(program, 0, program.rows.size()); }

  /// Where the host writes `input` for `microBatch` before it runs `program`; null if no row takes it.
  int32_t *inputData(const Program &program, int64_t microBatch, const Input &input);

  /// The value called `name` of a body of `program`.
  MetricView metric(const Program &program, std::string_view name) const;

  const std::vector<ProfileEntry> &profile() const { return profileEntries; }

private:
  using KernelEntry = void (*)(void *const *arguments, int64_t begin, int64_t end);

  /// One instruction, ready to run: a kernel if `kernel` is set, else a library call.
  struct Step {
    KernelEntry kernel = nullptr;
    int64_t workItems = 0, grain = 0;
    const Routine *routine = nullptr;
    PreparedCall call{};
    size_t firstPointer = 0, inputCount = 0; ///< into BodyCode::pointers: operands, then results
    void *workspace = nullptr;
    size_t instruction = 0, profileEntry = 0;
  };
  /// A pointer that a row's binding of `slot` decides.
  struct Fixup {
    size_t pointer;
    Place place;
  };
  struct BodyCode {
    std::vector<Step> steps;
    std::vector<void *> pointers;
    std::vector<Fixup> fixups;
  };

  Executor(Plan plan, Options options, Arena arena);
  Status openKernels();
  Status buildBody(const Body &body, BodyCode &code);
  Status buildCall(const Body &body, const Instruction &instruction, Step &step);
  void addPointer(const Value &value, BodyCode &code);
  size_t profileEntryFor(const std::string &name, bool isKernel);
  RoutineFault runStep(const Step &step, const BodyCode &code);
  Status faultError(const Body &body, const Step &step, const RoutineFault &fault) const;

  Plan bundle;
  Options options;
  Arena memory;
  ThreadPool pool;
  void *library = nullptr;
  std::vector<KernelEntry> kernels;
  std::vector<BodyCode> code; ///< one per body
  std::vector<ProfileEntry> profileEntries;
};

} // namespace trainc
