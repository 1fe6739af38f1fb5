// TRAINC_MODEL and the list of models of a shared object, which the compiler reads after loading it.
#pragma once
#include "trainc/frontend/Model.h"

namespace trainc {

/// One model of a file, in a list that starts at modelDefinitions().
struct ModelDefinition {
  const char *name;
  void (*define)(Builder &builder);
  Source at;
  const ModelDefinition *next;

  ModelDefinition(const char *name, void (*define)(Builder &), Source at);
};

/// The symbol that the compiler looks up: `const ModelDefinition *trainc_models()`.
constexpr const char *kModelsSymbol = "trainc_models";

inline const ModelDefinition *&modelDefinitions() {
  static const ModelDefinition *first = nullptr;
  return first;
}

inline ModelDefinition::ModelDefinition(const char *name, void (*define)(Builder &), Source at)
    : name(name), define(define), at(at), next(modelDefinitions()) {
  modelDefinitions() = this;
}

} // namespace trainc

/// Defines the model of this file: `TRAINC_MODEL(name) { ... }`, with `Model &m` in scope. A file defines exactly one.
#define TRAINC_MODEL(NAME)                                                                                             \
  static void traincDefine_##NAME(::trainc::Model &m);                                                                 \
  static const ::trainc::ModelDefinition traincModel_##NAME(                                                           \
      #NAME,                                                                                                           \
      [](::trainc::Builder &builder) {                                                                                 \
        ::trainc::Model m(builder);                                                                                    \
        traincDefine_##NAME(m);                                                                                        \
      },                                                                                                               \
      ::trainc::Source{__FILE__, __LINE__});                                                                           \
  static void traincDefine_##NAME([[maybe_unused]] ::trainc::Model &m)
