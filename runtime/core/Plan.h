//===- Plan.h - a bundle in memory -------------------------------------------===//
//
// Plain structures with the shape of docs/Bundle.md. References between parts are indices into the vectors here, all
// checked when the bundle is read. Nothing in here is written after load.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include "runtime/abi/Bundle.h"

#include <cstddef>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace trainc {

/// Attributes of a library call, by name.
using Attributes = std::map<std::string, std::variant<int64_t, double, bool>, std::less<>>;

/// Element type and shape of a dense row-major tensor; no dimensions: a scalar.
struct TensorType {
  Dtype dtype;
  std::vector<int64_t> shape;

  int64_t elements() const {
    int64_t product = 1;
    for (int64_t size : shape)
      product *= size;
    return product;
  }
  int64_t bytes() const { return elements() * sizeOf(dtype); }
  /// As messages show it: "f32[8, 128]".
  std::string str() const;
  bool operator==(const TensorType &other) const { return dtype == other.dtype && shape == other.shape; }
};

/// Bytes in the arena, or in whatever arena region a row binds `slot` to.
struct Place {
  int slot = -1; ///< index into Plan::slots; -1: the arena itself
  int64_t offset = 0;
};

struct StateEntry {
  std::string scope, role;
  TensorType type;
  int64_t offset;
  /// Its name in state files: "<scope>/<role>".
  std::string key() const { return scope + "/" + role; }
};

/// Written into the arena once, at load.
struct Constant {
  TensorType type;
  int64_t offset;
  std::vector<std::byte> data;
};

struct Slot {
  std::string name;
  int64_t bytes;
};

/// One input of a micro-batch [samples, T], i32, filled from the token stream: element t is the sample's token t +
/// shift.
struct Input {
  std::string name;
  TensorType type;
  Place at;
  int64_t shift, bound; ///< tokens at or above `bound` are refused
};

/// One pointer that a kernel takes.
struct KernelArgument {
  enum class Access { read, write, readWrite };
  Dtype dtype;
  int64_t elements;
  Access access;
};

/// How a bundle spells `access`.
inline constexpr std::string_view nameOf(KernelArgument::Access access) {
  constexpr std::string_view kNames[] = {"read", "write", "read_write"};
  return kNames[static_cast<int>(access)];
}

struct Kernel {
  std::string name;
  int64_t workItems, grain;
  std::vector<KernelArgument> arguments;
};

struct Value {
  TensorType type;
  Place at;
};

/// A result that shares its bytes with an operand.
struct InPlacePair {
  int result, operand;
};

struct Instruction {
  enum class Kind { kernel, call, view };
  Kind kind;
  int kernel = -1;     ///< index into Plan::kernels
  std::string routine; ///< a name of runtime/abi/Library.h
  Attributes attributes;
  std::vector<int> in, out; ///< value numbers
  std::vector<InPlacePair> inPlace;
  int64_t workspaceOffset = 0, workspaceBytes = 0;
  std::string loc;

  /// The operand's position that result `result` is in place with, or -1.
  int inPlaceOperand(int result) const {
    for (const InPlacePair &pair : inPlace)
      if (pair.result == result)
        return pair.operand;
    return -1;
  }
  /// The result's position that is in place with operand `operand`, or -1.
  int inPlaceResult(int operand) const {
    for (const InPlacePair &pair : inPlace)
      if (pair.operand == operand)
        return pair.result;
    return -1;
  }
};

/// What a state entry is when a body has run.
struct NewState {
  int state; ///< index into Plan::state
  int value;
};

struct Body {
  std::string name;
  std::vector<Value> values;
  std::vector<Instruction> instructions;
  std::vector<NewState> results;
};

struct Row {
  int body;
  int64_t microBatch;
  std::vector<int64_t> bind; ///< arena offset per slot; -1 where the row binds none
};

struct Program {
  std::string name;
  std::vector<Row> rows;
};

struct Metric {
  std::string name;
  int body, value;
};

struct Plan {
  std::string folder, model, source, device, cpu;
  std::vector<std::string> features;
  int64_t threads, globalBatch, microBatch, microBatches, arenaBytes;
  std::string contentHash;

  std::vector<Input> inputs;
  std::vector<StateEntry> state;
  std::vector<Constant> constants;
  std::vector<Slot> slots;
  std::vector<Kernel> kernels;
  std::vector<Body> bodies;
  std::vector<Program> programs;
  std::vector<Metric> metrics;

  /// The program called `name`, or null.
  const Program *findProgram(std::string_view name) const;
  /// The state entry (scope, role), or null.
  const StateEntry *findState(std::string_view scope, std::string_view role) const;
  /// The index of the slot called `name`, or -1.
  int findSlot(std::string_view name) const;
  /// "body 'update', instruction 12 (wte gpt2.cpp:31)", for messages.
  std::string describe(const Body &body, size_t instruction) const;
};

} // namespace trainc
