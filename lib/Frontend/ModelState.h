// What all programs of a model share while it is recorded: configuration, parameters, inputs, hints, the optimizer.
//
// The first run (training) defines it; later runs have to say the same again, and are checked against it.
#pragma once
#include "Config.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "trainc/frontend/Builder.h"
#include <filesystem>

namespace trainc {

/// Turns the compiler's spelling of a path into one that does not depend on where the model lies.
class SourcePaths {
public:
  SourcePaths(const std::string &modelPath, std::vector<std::string> includeFolders);
  /// Relative to the model's folder, or `trainc/frontend/...`. For locations.
  std::string relative(const char *file) const;
  /// As the user would type it. For messages: `file:line`.
  std::string display(Source at) const;

private:
  std::filesystem::path typedFolder, folder;
  std::vector<std::string> includeFolders;
};

struct ParameterRecord {
  std::string name;
  mlir::RankedTensorType type;
  Initializer initializer;
  std::string group;
  Source at;
};

struct TokensRecord {
  std::string name;
  int64_t sequence, vocabulary, shift;
  Source at;
};

struct OptimizerRecord {
  std::string rule;
  mlir::DictionaryAttr options;
  Source at;
};

/// A named setting and the line that made it.
template <typename T> struct Setting {
  T value;
  Source at;
};

struct ModelState {
  ModelState(mlir::MLIRContext &context, const ImportOptions &options, std::vector<std::string> includeFolders)
      : context(context), options(options), config(options), paths(options.modelPath, std::move(includeFolders)) {}

  /// Throws a ModelError at `at`, with a note for each of `others`: the lines it collides with.
  [[noreturn]] void fail(const std::string &message, Source at,
                         const std::vector<std::pair<Source, std::string>> &notes = {}) const;
  mlir::Location location(const std::string &scope, Source at) const;
  mlir::Type elementType(Dtype dtype) const;
  mlir::RankedTensorType tensorType(TypeView type) const;
  Dtype floatType() const { return options.isDoublePrecision ? F64 : F32; }

  mlir::MLIRContext &context;
  const ImportOptions &options;
  Config config;
  SourcePaths paths;
  std::vector<ParameterRecord> parameters;
  std::vector<TokensRecord> inputs;
  std::map<std::string, Setting<int64_t>> dimensions;
  std::map<std::string, Setting<std::string>> shardings;
  std::map<std::string, Setting<double>> decayGroups;
  std::map<int64_t, std::string> streams; ///< random stream to `scope#ordinal`
  std::optional<OptimizerRecord> optimizer;
  std::optional<Setting<double>> clipNorm;
  mlir::OwningOpRef<mlir::func::FuncOp> learningRate;
  bool isDefined = false; ///< set after the first run
};

} // namespace trainc
