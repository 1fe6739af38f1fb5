//===- Routines.cpp - the table of library routines -----------------------------===//
//
// Each routine has a `prepare…` that reads its attributes and checks its operands, and a `run…` that unpacks addresses
// and picks the element type. Shapes are compared by element count: tensors are dense, so a reshape changes nothing.
//
//===-----------------------------------------------------------------------===//
#include "runtime/kernels/Routines.h"

#include "runtime/kernels/cpu/Kernels.h"

#include <climits>

using namespace trainc;

namespace {

/// Collects the first complaint about a call.
class CallChecker {
public:
  explicit CallChecker(const CallSite &site) : site(site) {}

  int64_t size(std::string_view name) {
    const int64_t *value = get<int64_t>(name, "an integer");
    if (!value)
      return 1;
    // BLAS counts in 32 bits.
    if (*value < 1 || *value > INT_MAX)
      complain(fmt::format("expects 1 <= {} <= {}, got {}", name, INT_MAX, *value));
    return *value;
  }
  bool flag(std::string_view name) {
    const bool *value = get<bool>(name, "true or false");
    return value && *value;
  }
  double number(std::string_view name) {
    const double *value = get<double>(name, "a number with a decimal point");
    return value ? *value : 0;
  }
  void operandCount(size_t least, size_t most, size_t results) {
    if (site.in.size() < least || site.in.size() > most)
      complain(fmt::format("expects {} operands, got {}",
                           least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most),
                           site.in.size()));
    if (site.out.size() != results)
      complain(fmt::format("expects {} results, got {}", results, site.out.size()));
  }
  void operand(size_t index, Dtype dtype, int64_t elements) { tensor("operand", site.in, index, dtype, elements); }
  void result(size_t index, Dtype dtype, int64_t elements) { tensor("result", site.out, index, dtype, elements); }
  /// Result 0 must be in place with `operand`, and nothing else.
  void requireInPlace(int operand) {
    if (site.inPlace.size() != 1 || site.inPlace[0].result != 0 || site.inPlace[0].operand != operand)
      complain(fmt::format("expects result 0 in place with operand {}", operand));
  }
  void allowInPlace(int operand) {
    if (!site.inPlace.empty())
      requireInPlace(operand);
  }
  void forbidInPlace() {
    if (!site.inPlace.empty())
      complain("expects no operand in place");
  }
  /// The element type of the call: that of result 0.
  Dtype dtype() {
    if (site.out.empty() || !isFloat(site.out[0].dtype)) {
      complain("expects an f32 or f64 result");
      return Dtype::f32;
    }
    return site.out[0].dtype;
  }
  Result<PreparedCall> finish(PreparedCall call) {
    if (!problem.empty())
      return Status::error(problem);
    return call;
  }

private:
  template <typename T> const T *get(std::string_view name, std::string_view what) {
    auto found = site.attributes.find(name);
    const T *value = found == site.attributes.end() ? nullptr : std::get_if<T>(&found->second);
    if (!value)
      complain(fmt::format("expects attribute '{}' to be {}", name, what));
    return value;
  }
  void tensor(const char *kind, const std::vector<TensorType> &types, size_t index, Dtype dtype, int64_t elements) {
    if (index < types.size() && (types[index].dtype != dtype || types[index].elements() != elements))
      complain(fmt::format("expects {} {} to have {} elements of {}, got {}", kind, index, elements, nameOf(dtype),
                           types[index].str()));
  }
  void complain(std::string text) {
    if (problem.empty())
      problem = std::move(text);
  }

  const CallSite &site;
  std::string problem;
};

/// Typed pointers of one call.
template <typename T> struct Pointers {
  explicit Pointers(const CallBuffers &buffers) : buffers(buffers) {}
  const T *in(int i) const { return static_cast<const T *>(buffers.in[i]); }
  const int32_t *ids(int i) const { return static_cast<const int32_t *>(buffers.in[i]); }
  T *out(int i) const { return static_cast<T *>(buffers.out[i]); }
  const CallBuffers &buffers;
};

/// Calls `body` with pointers of the call's element type.
template <typename Body> RoutineFault withElementType(const PreparedCall &call, const CallBuffers &buffers, Body body) {
  return call.dtype == Dtype::f64 ? body(Pointers<double>(buffers)) : body(Pointers<float>(buffers));
}

Result<PreparedCall> prepareGemm(const CallSite &site, int) {
  CallChecker check(site);
  GemmParameters p{check.size("m"),       check.size("n"),       check.size("k"),
                   check.flag("trans_a"), check.flag("trans_b"), site.in.size() == 3};
  Dtype dtype = check.dtype();
  check.operandCount(2, 3, 1);
  check.operand(0, dtype, p.m * p.k);
  check.operand(1, dtype, p.k * p.n);
  check.operand(2, dtype, p.m * p.n);
  check.result(0, dtype, p.m * p.n);
  p.accumulate ? check.requireInPlace(2) : check.forbidInPlace();
  return check.finish({p, dtype});
}

RoutineFault runGemm(const PreparedCall &call, const CallBuffers &buffers, ThreadPool &pool) {
  return withElementType(call, buffers, [&](auto t) {
    cpu::gemm(std::get<GemmParameters>(call.parameters), t.in(0), t.in(1), t.out(0), pool);
    return RoutineFault{};
  });
}

Result<PreparedCall> prepareEmbedding(const CallSite &site, bool backward) {
  CallChecker check(site);
  EmbeddingParameters p{check.size("rows"), check.size("width"), check.size("count"), backward && site.in.size() == 3};
  Dtype dtype = check.dtype();
  int64_t tableSize = p.rows * p.width, rowsSize = p.count * p.width;
  check.operandCount(2, backward ? 3 : 2, 1);
  check.operand(0, dtype, backward ? rowsSize : tableSize);
  check.operand(1, Dtype::i32, p.count);
  check.operand(2, dtype, tableSize);
  check.result(0, dtype, backward ? tableSize : rowsSize);
  p.accumulate ? check.requireInPlace(2) : check.forbidInPlace();
  return check.finish({p, dtype});
}

Result<PreparedCall> prepareEmbeddingForward(const CallSite &site, int) { return prepareEmbedding(site, false); }
Result<PreparedCall> prepareEmbeddingBackward(const CallSite &site, int) { return prepareEmbedding(site, true); }

RoutineFault runEmbeddingForward(const PreparedCall &call, const CallBuffers &buffers, ThreadPool &pool) {
  return withElementType(call, buffers, [&](auto t) {
    return cpu::embeddingForward(std::get<EmbeddingParameters>(call.parameters), t.in(0), t.ids(1), t.out(0), pool);
  });
}

RoutineFault runEmbeddingBackward(const PreparedCall &call, const CallBuffers &buffers, ThreadPool &pool) {
  return withElementType(call, buffers, [&](auto t) {
    return cpu::embeddingBackward(std::get<EmbeddingParameters>(call.parameters), t.in(0), t.ids(1), t.out(0), pool);
  });
}

AttentionParameters attentionParameters(CallChecker &check) {
  return {check.size("batch"), check.size("sequence"), check.size("heads"),
          check.size("width"), check.flag("causal"),   check.number("scale")};
}

Result<PreparedCall> prepareAttentionForward(const CallSite &site, int threads) {
  CallChecker check(site);
  AttentionParameters p = attentionParameters(check);
  Dtype dtype = check.dtype();
  int64_t rows = p.batch * p.sequence * p.heads;
  check.operandCount(3, 3, 2);
  for (int i = 0; i < 3; ++i)
    check.operand(i, dtype, rows * p.width);
  check.result(0, dtype, rows * p.width);
  check.result(1, dtype, rows);
  check.forbidInPlace();
  return check.finish({p, dtype, attentionForwardWorkspaceBytes(p, threads, sizeOf(dtype))});
}

RoutineFault runAttentionForward(const PreparedCall &call, const CallBuffers &buffers, ThreadPool &pool) {
  return withElementType(call, buffers, [&](auto t) {
    cpu::attentionForward(std::get<AttentionParameters>(call.parameters), t.in(0), t.in(1), t.in(2), t.out(0), t.out(1),
                          buffers.workspace, pool);
    return RoutineFault{};
  });
}

Result<PreparedCall> prepareAttentionBackward(const CallSite &site, int threads) {
  CallChecker check(site);
  AttentionParameters p = attentionParameters(check);
  Dtype dtype = check.dtype();
  int64_t rows = p.batch * p.sequence * p.heads;
  check.operandCount(6, 6, 3);
  for (int i : {0, 1, 2, 3, 5})
    check.operand(i, dtype, rows * p.width);
  check.operand(4, dtype, rows);
  for (int i = 0; i < 3; ++i)
    check.result(i, dtype, rows * p.width);
  check.forbidInPlace();
  return check.finish({p, dtype, attentionBackwardWorkspaceBytes(p, threads, sizeOf(dtype))});
}

template <typename T> cpu::AttentionBackwardTensors<T> backwardTensors(const Pointers<T> &t) {
  return {t.in(0), t.in(1), t.in(2), t.in(3), t.in(4), t.in(5), t.out(0), t.out(1), t.out(2)};
}

RoutineFault runAttentionBackward(const PreparedCall &call, const CallBuffers &buffers, ThreadPool &pool) {
  return withElementType(call, buffers, [&](auto t) {
    cpu::attentionBackward(std::get<AttentionParameters>(call.parameters), backwardTensors(t), buffers.workspace, pool);
    return RoutineFault{};
  });
}

Result<PreparedCall> prepareCrossEntropyForward(const CallSite &site, int) {
  CallChecker check(site);
  CrossEntropyParameters p{check.size("count"), check.size("classes")};
  Dtype dtype = check.dtype();
  check.operandCount(2, 2, 2);
  check.operand(0, dtype, p.count * p.classes);
  check.operand(1, Dtype::i32, p.count);
  check.result(0, dtype, p.count);
  check.result(1, dtype, p.count);
  check.forbidInPlace();
  return check.finish({p, dtype});
}

RoutineFault runCrossEntropyForward(const PreparedCall &call, const CallBuffers &buffers, ThreadPool &pool) {
  return withElementType(call, buffers, [&](auto t) {
    return cpu::crossEntropyForward(std::get<CrossEntropyParameters>(call.parameters), t.in(0), t.ids(1), t.out(0),
                                    t.out(1), pool);
  });
}

Result<PreparedCall> prepareCrossEntropyBackward(const CallSite &site, int) {
  CallChecker check(site);
  CrossEntropyParameters p{check.size("count"), check.size("classes")};
  Dtype dtype = check.dtype();
  check.operandCount(4, 4, 1);
  check.operand(0, dtype, p.count * p.classes);
  check.operand(1, Dtype::i32, p.count);
  check.operand(2, dtype, p.count);
  check.operand(3, dtype, p.count);
  check.result(0, dtype, p.count * p.classes);
  check.allowInPlace(0);
  return check.finish({p, dtype});
}

RoutineFault runCrossEntropyBackward(const PreparedCall &call, const CallBuffers &buffers, ThreadPool &pool) {
  return withElementType(call, buffers, [&](auto t) {
    return cpu::crossEntropyBackward(std::get<CrossEntropyParameters>(call.parameters), t.in(0), t.ids(1), t.in(2),
                                     t.in(3), t.out(0), pool);
  });
}

constexpr Routine kRoutines[] = {
    {kAttentionBackward, prepareAttentionBackward, runAttentionBackward},
    {kAttentionForward, prepareAttentionForward, runAttentionForward},
    {kCrossEntropyBackward, prepareCrossEntropyBackward, runCrossEntropyBackward},
    {kCrossEntropyForward, prepareCrossEntropyForward, runCrossEntropyForward},
    {kEmbeddingBackward, prepareEmbeddingBackward, runEmbeddingBackward},
    {kEmbeddingForward, prepareEmbeddingForward, runEmbeddingForward},
    {kGemm, prepareGemm, runGemm},
};

} // namespace

const Routine *trainc::findRoutine(std::string_view name) {
  for (const Routine &routine : kRoutines)
    if (routine.name == name)
      return &routine;
  return nullptr;
}

std::string trainc::routineNames() {
  std::string names;
  for (const Routine &routine : kRoutines)
    names += (names.empty() ? "" : ", ") + std::string(routine.name);
  return names;
}
