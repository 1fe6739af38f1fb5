// The one interface between a model file and the compiler that runs it.
//
// A model file is compiled into a shared object of its own and knows nothing of the compiler but this pure virtual
// class; only plain structs, pointers and numbers cross it, so the two may come from different C++ compilers. Strings
// and arrays are read during the call and not kept. Every function that takes a Source may throw ModelError.
#pragma once
#include "trainc/frontend/Source.h"
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trainc {

/// Element types. i1 is what comparisons give.
enum class Dtype : int32_t { F32, F64, I32, I64, I1 };
constexpr Dtype F32 = Dtype::F32, F64 = Dtype::F64, I32 = Dtype::I32, I64 = Dtype::I64, I1 = Dtype::I1;

/// True for the types that have gradients.
constexpr bool isFloat(Dtype dtype) { return dtype == F32 || dtype == F64; }

/// `count` elements that somebody else owns.
template <typename T> struct Span {
  const T *data = nullptr;
  size_t count = 0;
  Span() = default;
  Span(const T *data, size_t count) : data(data), count(count) {}
  Span(const std::vector<T> &values) : data(values.data()), count(values.size()) {}
  const T *begin() const { return data; }
  const T *end() const { return data + count; }
};

/// Number of a recorded value; valid until the model function returns.
using ValueId = int32_t;

/// Shape (sizes in elements) and element type of a value. An empty shape is a scalar.
struct TypeView {
  Dtype dtype = F32;
  Span<int64_t> shape;
};

/// A named attribute of an op. Integers become i64, floats f64, integer lists i64 arrays. Text is MLIR attribute
/// syntax, for attributes that are none of these (enums of a dialect).
struct Attribute {
  enum class Kind : int32_t { Int, Float, Bool, String, Ints, Text };
  const char *name = "";
  Kind kind = Kind::Int;
  int64_t integer = 0;
  double number = 0;
  const char *string = "";
  Span<int64_t> integers;

  Attribute(const char *name, int64_t value) : name(name), integer(value) {}
  Attribute(const char *name, int value) : name(name), integer(value) {}
  Attribute(const char *name, double value) : name(name), kind(Kind::Float), number(value) {}
  Attribute(const char *name, bool value) : name(name), kind(Kind::Bool), integer(value) {}
  Attribute(const char *name, const char *value) : name(name), kind(Kind::String), string(value) {}
  Attribute(const char *name, const std::string &value) : Attribute(name, value.c_str()) {}
  Attribute(const char *name, const std::vector<int64_t> &value) : name(name), kind(Kind::Ints), integers(value) {}
  /// An attribute in MLIR's own syntax, e.g. `0 : i32`.
  static Attribute text(const char *name, const char *value) {
    Attribute attribute(name, value);
    attribute.kind = Kind::Text;
    return attribute;
  }
};

/// How a parameter starts: `kind` is normal (mean, standard deviation), uniform (low, high) or constant (value, 0).
struct Initializer {
  const char *kind = "constant";
  double first = 0;
  double second = 0;
};

/// Scalars (i64) of the running program that random ops read: the run's seed, the number of finished steps, and the
/// number of the micro-batch's first sample in the global batch.
enum class RunScalar : int32_t { Seed, Step, Sample };

/// Records a model. Implemented by the compiler; one object serves one run of the model function.
class Builder {
public:
  /// False while the held-out and the sampling programs are recorded.
  virtual bool training() const = 0;
  /// The element type of parameters and of float constants.
  virtual Dtype floatType() const = 0;
  /// Samples in the batch of the program being recorded.
  virtual int64_t batchSize() const = 0;

  /// The value of a configuration key, or its default where the user gave none. Errors: a value of another type; a key
  /// asked for twice with different types or defaults.
  virtual int64_t configInt(const char *name, int64_t value, const char *description, Source at) = 0;
  virtual double configFloat(const char *name, double value, const char *description, Source at) = 0;
  virtual bool configBool(const char *name, bool value, const char *description, Source at) = 0;
  /// The text lives as long as the builder.
  virtual const char *configString(const char *name, const char *value, const char *description, Source at) = 0;

  /// Names a dimension. Errors: size below 1, the same name with another size.
  virtual void dimension(const char *name, int64_t size, Source at) = 0;
  /// Asks for dimension `name` to be split over mesh axis `axis`. Errors: a hint given twice.
  virtual void shard(const char *name, const char *axis, Source at) = 0;

  virtual void pushScope(const char *name, Source at) = 0;
  virtual void popScope() = 0;

  /// An i32 input read from the token stream: element t of a sample is token t + shift of its window.
  virtual ValueId tokens(const char *name, Span<int64_t> shape, int64_t vocabulary, int64_t shift, Source at) = 0;
  /// The parameter `name` of the open scope; asked for again with the same type it is the same parameter.
  virtual ValueId parameter(const char *name, TypeView type, Initializer initializer, Source at) = 0;
  /// Puts a parameter into a named optimizer group. Errors: in two groups.
  virtual void parameterGroup(ValueId parameter, const char *group, Source at) = 0;
  /// A tensor that holds `value` everywhere. Errors: a fraction for an integer type.
  virtual ValueId constant(TypeView type, double value, Source at) = 0;
  virtual ValueId runScalar(RunScalar scalar) = 0;
  /// The number of the next random stream of the open scope: 32 bits that depend on the scope's name and the count of
  /// streams already taken in it, and on nothing else.
  virtual int64_t randomStream(Source at) = 0;

  /// Appends op `name`. Its result types are inferred unless `resultTypes` states them. Writes `resultCount` values to
  /// `results`. Errors: what the op's own inference and verifier say, with shape and source line of every operand.
  virtual void op(const char *name, Span<ValueId> operands, Span<Attribute> attributes, Span<TypeView> resultTypes,
                  ValueId *results, size_t resultCount, Source at) = 0;
  /// Valid until the model function returns.
  virtual TypeView type(ValueId value) const = 0;

  /// See Model for these.
  virtual void loss(ValueId sum, ValueId count, Source at) = 0;
  virtual void output(const char *name, ValueId value, Source at) = 0;
  virtual void optimizer(const char *op, Span<Attribute> attributes, Source at) = 0;
  virtual void decayGroup(const char *group, double weightDecay, Source at) = 0;
  virtual void clipGradientNorm(double norm, Source at) = 0;
  /// Ops recorded between these two compute the learning rate from the returned step (a float scalar, from 1).
  virtual ValueId beginLearningRate(Source at) = 0;
  virtual void endLearningRate(ValueId rate, Source at) = 0;

  /// Throws a ModelError that says `message` and shows type and source line of every operand.
  [[noreturn]] virtual void fail(const char *message, Span<ValueId> operands, Source at) = 0;

protected:
  ~Builder() = default;
};

} // namespace trainc
