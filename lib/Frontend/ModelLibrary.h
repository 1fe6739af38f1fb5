// A model file, compiled into a shared object and loaded.
#pragma once
#include "trainc/frontend/Definition.h"
#include <string>
#include <vector>

namespace trainc {

class ModelLibrary {
public:
  /// Compiles `modelPath` into a temporary folder, loads it and finds its one model.
  /// Errors: throws ModelError if the file cannot be read, does not compile, or defines no model or several.
  explicit ModelLibrary(const std::string &modelPath);
  ~ModelLibrary();
  ModelLibrary(const ModelLibrary &) = delete;

  /// Valid as long as this object, like every Source that the model hands out.
  const ModelDefinition &definition() const { return *model; }

private:
  void compile(const std::string &modelPath);
  void load(const std::string &modelPath);
  void remove();

  std::string folder;
  void *handle = nullptr;
  const ModelDefinition *model = nullptr;
};

/// Folders that model files include from, in order.
std::vector<std::string> modelIncludeFolders();

} // namespace trainc
