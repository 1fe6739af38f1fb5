//===- StateFile.h - a model's state on disk ----------------------------------------===//
//
// The safetensors format: u64 header length, JSON header, data; little-endian. Tensors are named "<scope>/<role>", so
// "/step" is the step counter. Keys are sorted and the header is padded to 8 bytes: equal states are equal files.
//
// Loading matches names, element types and shapes, all of them. One exception: a file with nothing but `compute`
// entries may initialise a model if it has every one; the other roles keep what the `init` program gave them, so
// training starts at step 0 from those weights. A plan with `master` entries cannot start so: its masters would not be
// those weights.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Arena.h"
#include "runtime/core/File.h"
#include "runtime/core/Plan.h"

namespace trainc {

/// Which entries a file holds.
enum class StateSelection {
  persistent, ///< all but the accumulators of one step: roles gradient, count, loss
  gradients,  ///< role gradient only
};

/// Whether `entry` belongs to `selection`.
bool isSelected(const StateEntry &entry, StateSelection selection);

/// Writes the selected entries of `plan` from `arena` to `file`, and commits it.
Status writeStateFile(AtomicFile &file, const Plan &plan, const Arena &arena, StateSelection selection);

/// What a state file covered.
enum class LoadedState { everything, computeOnly };

/// Copies the file's tensors into `arena`, none if there is an error.
/// Errors: unreadable or damaged files; an entry missing, unknown, or of another type: names file, tensor, both types.
Result<LoadedState> loadStateFile(const std::string &path, const Plan &plan, const Arena &arena);

} // namespace trainc
