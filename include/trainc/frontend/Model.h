// The model being defined: configuration, dimensions, inputs, parameters, the loss and how it is minimized.
//
// TRAINC_MODEL(name) { ... } defines one; the compiler runs it for every program it needs (training, held-out loss,
// sampling), so it may not keep state between runs.
#pragma once
#include "trainc/frontend/Schedule.h"

namespace trainc {

/// Normal with mean 0 and standard deviation `deviation`.
inline Initializer normal(double deviation) { return {"normal", 0.0, deviation}; }
/// Uniform between `low` and `high`.
inline Initializer uniform(double low, double high) { return {"uniform", low, high}; }
/// `value` everywhere.
inline Initializer constant(double value) { return {"constant", value, 0.0}; }
inline Initializer zeros() { return constant(0.0); }
inline Initializer ones() { return constant(1.0); }

/// An update rule: the op that performs it and its attributes.
struct Optimizer {
  const char *op;
  std::vector<Attribute> attributes;
};

/// Adam with decoupled weight decay: Loshchilov & Hutter 2019, arXiv:1711.05101, Algorithm 2, decay times learning
/// rate.
inline Optimizer adamw(double beta1 = 0.9, double beta2 = 0.95, double epsilon = 1e-8, double weightDecay = 0.1) {
  return {"train.adamw", {{"beta1", beta1}, {"beta2", beta2}, {"epsilon", epsilon}, {"weight_decay", weightDecay}}};
}

/// Plain gradient descent, with decoupled weight decay.
inline Optimizer sgd(double weightDecay = 0.0) { return {"train.sgd", {{"weight_decay", weightDecay}}}; }

/// A named parameter. A Tensor everywhere else.
class Parameter : public Tensor {
public:
  using Tensor::Tensor;
  /// Puts it into a group that Model::decayGroup gives a weight decay of its own.
  Parameter group(const char *name, Source at = here()) const {
    builder().parameterGroup(id(), name, at);
    return *this;
  }
};

/// Names everything that is defined while it lives: `auto s = m.scope("attention");`.
class Scope {
public:
  Scope(Builder &builder, const std::string &name, Source at) : owner(builder) { owner.pushScope(name.c_str(), at); }
  ~Scope() { owner.popScope(); }
  Scope(const Scope &) = delete;

private:
  Builder &owner;
};

class Model {
public:
  explicit Model(Builder &builder) : owner(builder) {}

  /// A configuration key, typed by its default; set by `--config FILE.json` and `--set name=value`.
  int64_t config(const char *name, int value, const char *description = "", Source at = here()) {
    return owner.configInt(name, value, description, at);
  }
  int64_t config(const char *name, int64_t value, const char *description = "", Source at = here()) {
    return owner.configInt(name, value, description, at);
  }
  double config(const char *name, double value, const char *description = "", Source at = here()) {
    return owner.configFloat(name, value, description, at);
  }
  bool config(const char *name, bool value, const char *description = "", Source at = here()) {
    return owner.configBool(name, value, description, at);
  }
  std::string config(const char *name, const char *value, const char *description = "", Source at = here()) {
    return owner.configString(name, value, description, at);
  }

  /// True in the training program, false in the held-out and sampling programs.
  bool training() const { return owner.training(); }
  /// The element type of parameters: f32, or f64 under `--precision fp64`.
  Dtype floatType() const { return owner.floatType(); }

  /// A named dimension. Errors: a size below 1; the name with another size.
  Dim dim(const char *name, int64_t size, Source at = here()) {
    owner.dimension(name, size, at);
    return Dim(size, 0, name, at);
  }
  /// The samples of a micro-batch. Opaque: it converts to no number.
  Dim batch() const { return Dim(owner.batchSize(), owner.batchSize(), "the batch", {}); }
  /// Asks for every dimension named `dimension` to be split over mesh axis `axis`.
  void shard(const char *dimension, const char *axis, Source at = here()) { owner.shard(dimension, axis, at); }

  /// Opens a scope; names nest with dots.
  Scope scope(const char *name, Source at = here()) { return Scope(owner, name, at); }
  /// Scope `name.index`.
  Scope scope(const char *name, int64_t index, Source at = here()) {
    return Scope(owner, std::string(name) + "." + std::to_string(index), at);
  }

  /// An i32 input [batch, sequence] read from the token stream: element t of a sample is token t + shift of its window.
  /// Tokens are below `vocabulary`. Errors: another shape; a shift other than 0 and 1; two inputs of one name or of
  /// different lengths.
  Tensor tokens(const char *name, const Shape &shape, Dim vocabulary, int shift = 0, Source at = here()) {
    if (shape.size() != 2 || shape[0] != batch() || shape[1].isBatch())
      throw ModelError("tokens expects the shape {m.batch(), sequence}", at);
    std::vector<int64_t> sizes = recordedSizes(shape);
    return Tensor(owner, owner.tokens(name, sizes, vocabulary.size(at), shift, at), shape);
  }

  /// A trained tensor, named within the open scope. The same name with the same shape is the same parameter.
  /// Errors: the same name with another shape, type or initializer; the batch in its shape.
  Parameter parameter(const char *name, const Shape &shape, Initializer initializer, Source at = here()) {
    return parameter(name, shape, initializer, floatType(), at);
  }
  Parameter parameter(const char *name, const Shape &shape, Initializer initializer, Dtype dtype, Source at = here()) {
    for (const Dim &dim : shape)
      dim.size(at);
    std::vector<int64_t> sizes = recordedSizes(shape);
    return Parameter(owner, owner.parameter(name, {dtype, sizes}, initializer, at), shape);
  }

  /// What is minimized: the sum over the global batch of `sum`, divided by that of `count`, both float scalars.
  /// Errors: not floats or not scalars; a count that depends on a parameter; a second loss.
  void loss(const Tensor &sum, const Tensor &count, Source at = here()) { owner.loss(sum.id(), count.id(), at); }
  /// Names a value that a program can read; "logits" is what sampling uses.
  void output(const char *name, const Tensor &value, Source at = here()) { owner.output(name, value.id(), at); }

  void optimizer(const Optimizer &rule, Source at = here()) { owner.optimizer(rule.op, rule.attributes, at); }
  /// The learning rate as a function of the step.
  void learningRate(const Schedule &schedule, Source at = here()) {
    Tensor rate = schedule(Tensor(owner, owner.beginLearningRate(at), {}));
    owner.endLearningRate(rate.id(), at);
  }
  /// Scales all gradients so that their global 2-norm is at most `norm`.
  void clipGradientNorm(double norm, Source at = here()) { owner.clipGradientNorm(norm, at); }
  /// The weight decay of the parameters in `group`.
  void decayGroup(const char *group, double weightDecay, Source at = here()) {
    owner.decayGroup(group, weightDecay, at);
  }

private:
  Builder &owner;
};

} // namespace trainc
