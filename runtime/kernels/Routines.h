//===- Routines.h - the table of library routines -----------------------------===//
//
// One table maps the names of runtime/abi/Library.h to a check, run when a bundle is loaded, and an implementation, run
// at each step. The check turns attributes and operand types into typed parameters; nothing is looked up later.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include "runtime/abi/Library.h"
#include "runtime/core/Plan.h"
#include "runtime/core/Status.h"
#include "runtime/cpu/ThreadPool.h"

#include <variant>

namespace trainc {

using RoutineParameters =
    std::variant<GemmParameters, EmbeddingParameters, AttentionParameters, CrossEntropyParameters>;

/// What a call looks like in a bundle, for the check.
struct CallSite {
  const Attributes &attributes;
  std::vector<TensorType> in, out;
  std::vector<InPlacePair> inPlace;
};

/// A checked call: everything but the addresses.
struct PreparedCall {
  RoutineParameters parameters;
  Dtype dtype; ///< f32 or f64
  int64_t workspaceBytes = 0;
};

/// Addresses of one call: operands in order, results in order, and the workspace reserved for it.
struct CallBuffers {
  void *const *in;
  void *const *out;
  void *workspace;
};

/// A value in the data that a routine cannot take; `what` is null if there is none.
struct RoutineFault {
  const char *what = nullptr;
  int64_t position = 0, value = 0, limit = 0;
};

struct Routine {
  std::string_view name;
  /// Checks operands, results and attributes. Errors: what is expected and what the call has.
  Result<PreparedCall> (*prepare)(const CallSite &, int threads);
  /// Computes the results. Allocates nothing.
  RoutineFault (*run)(const PreparedCall &, const CallBuffers &, ThreadPool &);
};

/// The routine called `name`, or null.
const Routine *findRoutine(std::string_view name);

/// The names of all routines, comma-separated, for messages.
std::string routineNames();

} // namespace trainc
