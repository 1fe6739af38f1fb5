// The Builder that model functions are given: every call becomes MLIR at once.
//
// One recorder records one program. Function arguments appear where they are first used and are put in order at the
// end: seed, step, first sample, inputs, parameters.
#pragma once
#include "ModelState.h"
#include "mlir/IR/Builders.h"

namespace trainc {

/// The programs a model is recorded for.
enum class Program { Loss, Eval, Logits };

class Recorder final : public Builder {
public:
  Recorder(ModelState &state, Program program, int64_t batchSize, Source modelAt);

  /// Checks that the program is whole, drops what it does not need and gives the function its type.
  mlir::OwningOpRef<mlir::func::FuncOp> finish();
  /// Whether the model named an output "logits".
  bool hasLogits() const { return logits.has_value(); }

  bool training() const override { return program == Program::Loss; }
  Dtype floatType() const override { return state.floatType(); }
  int64_t batchSize() const override { return samples; }
  int64_t configInt(const char *name, int64_t value, const char *description, Source at) override;
  double configFloat(const char *name, double value, const char *description, Source at) override;
  bool configBool(const char *name, bool value, const char *description, Source at) override;
  const char *configString(const char *name, const char *value, const char *description, Source at) override;
  void dimension(const char *name, int64_t size, Source at) override;
  void shard(const char *name, const char *axis, Source at) override;
  void pushScope(const char *name, Source at) override;
  void popScope() override { scopes.pop_back(); }
  ValueId tokens(const char *name, Span<int64_t> shape, int64_t vocabulary, int64_t shift, Source at) override;
  ValueId parameter(const char *name, TypeView type, Initializer initializer, Source at) override;
  void parameterGroup(ValueId parameter, const char *group, Source at) override;
  ValueId constant(TypeView type, double value, Source at) override;
  ValueId runScalar(RunScalar scalar) override;
  int64_t randomStream(Source at) override;
  void op(const char *name, Span<ValueId> operands, Span<Attribute> attributes, Span<TypeView> resultTypes,
          ValueId *results, size_t resultCount, Source at) override;
  TypeView type(ValueId value) const override;
  void loss(ValueId sum, ValueId count, Source at) override;
  void output(const char *name, ValueId value, Source at) override;
  void optimizer(const char *op, Span<Attribute> attributes, Source at) override;
  void decayGroup(const char *group, double weightDecay, Source at) override;
  void clipGradientNorm(double norm, Source at) override;
  ValueId beginLearningRate(Source at) override;
  void endLearningRate(ValueId rate, Source at) override;
  [[noreturn]] void fail(const char *message, Span<ValueId> operands, Source at) override;

private:
  enum class ArgumentKind { Seed, Step, Sample, Tokens, Parameter };
  /// An argument of the function: `index` counts within its kind, for tokens and parameters in the state's lists.
  struct Argument {
    ArgumentKind kind;
    size_t index;
    mlir::Value value;
  };
  struct Recorded {
    mlir::Value value;
    Source at;
  };

  std::string scopedName(const std::string &name) const;
  std::string scopeName() const { return scopes.empty() ? "" : scopes.back(); }
  ValueId keep(mlir::Value value, Source at);
  ValueId argument(ArgumentKind kind, size_t index, mlir::Type type, Source at, const std::string &scope);
  const Argument *findArgument(mlir::Value value) const;
  mlir::DictionaryAttr argumentAttributes(const Argument &argument) const;
  mlir::Attribute convert(const Attribute &attribute, const char *op, Source at);
  mlir::DictionaryAttr convert(Span<Attribute> attributes, const char *op, Source at);
  mlir::Operation *create(mlir::OperationState &operation, std::string &problem);
  /// Everything `value` is computed from, as arguments.
  std::vector<const Argument *> dependencies(mlir::Value value) const;
  void checkLossScalar(const char *what, ValueId value, Source at);
  void checkCount(ValueId count, Source at);
  void sortArguments();
  /// Throws unless the first run said the same.
  template <typename T>
  void define(std::map<std::string, Setting<T>> &settings, const std::string &what, const std::string &name,
              const T &value, Source at);

  ModelState &state;
  Program program;
  int64_t samples;
  Source modelAt;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::func::FuncOp> function, learningRate;
  std::vector<std::string> scopes;             ///< full names, innermost last
  std::map<std::string, int64_t> streamCounts; ///< by scope
  std::vector<Recorded> values;
  std::vector<Argument> arguments;
  std::map<size_t, Source> definedParameters, definedInputs;          ///< in this run, by index in the state
  std::optional<Setting<std::pair<mlir::Value, mlir::Value>>> losses; ///< sum, count
  std::optional<Setting<mlir::Value>> logits;
  bool hasOptimizer = false, hasLearningRate = false, hasClipNorm = false;
};

} // namespace trainc
