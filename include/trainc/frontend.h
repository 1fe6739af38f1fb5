// Everything a model file needs: `#include <trainc/frontend.h>`.
#pragma once
#include "trainc/frontend/Definition.h"
#include "trainc/frontend/Ops.h"

/// Read by the compiler after it has loaded a model's shared object.
extern "C" TRAINC_EXPORT __attribute__((used)) inline const ::trainc::ModelDefinition *trainc_models() {
  return ::trainc::modelDefinitions();
}
