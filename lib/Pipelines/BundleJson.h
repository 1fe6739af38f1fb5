//===- BundleJson.h - a placed module as JSON -------------------*- C++ -*-===//
#ifndef TRAINC_LIB_PIPELINES_BUNDLEJSON_H
#define TRAINC_LIB_PIPELINES_BUNDLEJSON_H

#include "trainc/Pipelines/Pipelines.h"
#include <nlohmann/json.hpp>

namespace trainc {

/// stage-0.json: state, constants, slots, inputs, kernels, bodies, programs, metrics.
nlohmann::json stageJson(mlir::ModuleOp module);
/// plan.json without `files` and `content_hash`.
nlohmann::json planJson(mlir::ModuleOp module, const CompileOptions &options);

} // namespace trainc

#endif
