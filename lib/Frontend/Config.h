// Configuration keys: what the user set, and what the model asked for.
//
// A model declares keys by asking for them, so what the user gave can be checked for unknown names only after the model
// ran.
#pragma once
#include "mlir/IR/BuiltinAttributes.h"
#include "trainc/Import.h"
#include "trainc/frontend/Source.h"
#include <map>
#include <nlohmann/json.hpp>

namespace trainc {

class Config {
public:
  /// Reads the files and settings. Errors: throws ModelError for an unreadable file, for JSON that is no flat object.
  explicit Config(const ImportOptions &options);

  /// The value of `name`, whose type is that of `fallback`: an integer, a float, a boolean or a string.
  /// Errors: throws ModelError (at `at`) for a value of another type, for a key declared twice differently.
  const nlohmann::json &get(const std::string &name, const nlohmann::json &fallback, const std::string &description,
                            Source at);

  /// Errors: throws ModelError if a key was set that the model never asked for; lists those it did ask for.
  void checkAllKnown() const;

  /// Every key the model asked for with its value.
  mlir::DictionaryAttr attribute(mlir::MLIRContext *context) const;

private:
  struct Given {
    nlohmann::json value; // text from --set is a string until its key's type is known
    bool isText;
    std::string origin; // `--set layers=x`, `config.json`
  };
  struct Known {
    nlohmann::json value, fallback;
    std::string description;
  };
  void readFile(const std::string &path);
  nlohmann::json convert(const std::string &name, const Given &given, const nlohmann::json &fallback, Source at) const;

  std::map<std::string, Given> given;
  std::map<std::string, Known> known;
};

} // namespace trainc
