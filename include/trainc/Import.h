// Importing a model: a C++ file in the DSL becomes a module of the `train` dialect.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>
#include <utility>
#include <vector>

namespace trainc {

/// What a model is recorded with.
struct ImportOptions {
  std::string modelPath;
  /// JSON files of configuration keys, later ones win; then `key`, `value` pairs as text, later ones win.
  std::vector<std::string> configPaths;
  std::vector<std::pair<std::string, std::string>> settings;
  /// Samples per step and per micro-batch. The former is a multiple of the latter.
  int64_t globalBatch = 16;
  int64_t microBatch = 8;
  /// Parameters and float constants are f64 instead of f32.
  bool isDoublePrecision = false;
};

/// Compiles the model file with $CXX (else c++, clang++-22, g++), loads it and records its programs @loss, @eval and,
/// where the model names an output "logits", @logits. The context's registry has to hold the dialects `train` and
/// `func`. Takes no lock and writes only to a temporary folder, which is gone when it returns. Errors: throws
/// ModelError with a finished report (which may have several lines); what the C++ compiler says goes to stderr.
mlir::OwningOpRef<mlir::ModuleOp> importModel(mlir::MLIRContext &context, const ImportOptions &options);

} // namespace trainc
