//===- Bundle.h - names and element types of the plan bundle ---------------===//
//
// What the compiler writes and the runtime reads must spell alike: file names, format and version, roles, program and
// body names, element types. docs/Bundle.md describes the schema. Headers only: both sides include this file.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace trainc {

inline constexpr std::string_view kBundleFormat = "trainc-plan";
inline constexpr int64_t kBundleVersion = 1;
inline constexpr std::string_view kPlanFile = "plan.json";
inline constexpr std::string_view kStageFile = "stage-0.json";
inline constexpr std::string_view kKernelFile = "kernels.cpu.so";

/// Slots that the runtime knows. `batch` holds one micro-batch of inputs, filled by the host; `micro` is bound to an
/// i64 constant, the index of the micro-batch in its step. Bodies only read both.
inline constexpr std::string_view kBatchSlot = "batch";
inline constexpr std::string_view kMicroSlot = "micro";

/// Programs, and the body of the training step that consumes the accumulated gradients.
inline constexpr std::string_view kInitProgram = "init";
inline constexpr std::string_view kTrainProgram = "train";
inline constexpr std::string_view kEvalProgram = "eval";
inline constexpr std::string_view kLogitsProgram = "logits";
inline constexpr std::string_view kUpdateBody = "update";

/// Scalars of scope "", all i64.
inline constexpr std::string_view kStepRole = "step";
inline constexpr std::string_view kSeedRole = "seed";
inline constexpr std::string_view kCursorRole = "cursor";

inline constexpr std::string_view kComputeRole = "compute";
inline constexpr std::string_view kMasterRole = "master";
inline constexpr std::string_view kGradientRole = "gradient";
inline constexpr std::string_view kCountRole = "count";
inline constexpr std::string_view kLossRole = "loss";

/// Values the host reads. After `train`: loss, grad_norm, lr. After `eval`: loss_sum, count. After `logits`: the tensor
/// [1, T, V], the only one that is not a scalar.
inline constexpr std::string_view kLossMetric = "loss";
inline constexpr std::string_view kGradientNormMetric = "grad_norm";
inline constexpr std::string_view kLearningRateMetric = "lr";
inline constexpr std::string_view kLossSumMetric = "loss_sum";
inline constexpr std::string_view kCountMetric = "count";
inline constexpr std::string_view kLogitsMetric = "logits";

/// Element types. `i1` is stored as one byte, 0 or 1.
enum class Dtype { f32, f64, i32, i64, i1 };

inline constexpr int64_t sizeOf(Dtype dtype) {
  return dtype == Dtype::i1 ? 1 : dtype == Dtype::f32 || dtype == Dtype::i32 ? 4 : 8;
}

inline constexpr bool isFloat(Dtype dtype) { return dtype == Dtype::f32 || dtype == Dtype::f64; }

inline constexpr std::string_view nameOf(Dtype dtype) {
  constexpr std::string_view kNames[] = {"f32", "f64", "i32", "i64", "i1"};
  return kNames[static_cast<int>(dtype)];
}

/// The element type called `name` in a bundle, or nothing.
inline std::optional<Dtype> parseDtype(std::string_view name) {
  for (Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::i32, Dtype::i64, Dtype::i1})
    if (nameOf(dtype) == name)
      return dtype;
  return std::nullopt;
}

} // namespace trainc
