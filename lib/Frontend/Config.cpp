// Reads configuration files and --set, and checks them against the keys that the model declares.
#include "Config.h"
#include "mlir/IR/Builders.h"
#include <fmt/format.h>
#include <fstream>

using namespace trainc;
using nlohmann::json;

namespace {
const char *typeName(const json &value) {
  return value.is_boolean()          ? "boolean"
         : value.is_number_integer() ? "integer"
         : value.is_number()         ? "number"
         : value.is_string()         ? "string"
                                     : value.type_name();
}

/// `text` as a value of the type of `fallback`, or null.
json parseAs(const std::string &text, const json &fallback) {
  if (fallback.is_string())
    return text;
  json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  return value.is_discarded() ? json() : value;
}

bool fits(const json &value, const json &fallback) {
  if (fallback.is_number_float())
    return value.is_number();
  if (fallback.is_number_integer())
    return value.is_number_integer();
  return value.type() == fallback.type();
}
} // namespace

Config::Config(const ImportOptions &options) {
  for (const std::string &path : options.configPaths)
    readFile(path);
  for (const auto &[name, value] : options.settings)
    given[name] = {value, true, fmt::format("--set {}={}", name, value)};
}

void Config::readFile(const std::string &path) {
  std::ifstream stream(path);
  if (!stream)
    throw ModelError(fmt::format("error: cannot read the configuration file {}", path));
  json object;
  try {
    object = json::parse(stream);
  } catch (const json::exception &error) {
    throw ModelError(fmt::format("{}: error: not valid JSON: {}", path, error.what()));
  }
  if (!object.is_object())
    throw ModelError(
        fmt::format("{}: error: expects one JSON object of configuration keys, got {}", path, typeName(object)));
  for (const auto &[name, value] : object.items()) {
    if (value.is_structured() || value.is_null())
      throw ModelError(fmt::format("{}: error: expects a number, a boolean or a string for '{}', got {}", path, name,
                                   typeName(value)));
    given[name] = {value, false, path};
  }
}

json Config::convert(const std::string &name, const Given &entry, const json &fallback, Source at) const {
  json value = entry.isText ? parseAs(entry.value.get<std::string>(), fallback) : entry.value;
  if (!fits(value, fallback))
    throw ModelError(fmt::format("{}: '{}' is of type {} (default {}), got {}", entry.origin, name, typeName(fallback),
                                 fallback.dump(), entry.isText ? entry.value.get<std::string>() : entry.value.dump()),
                     at);
  return fallback.is_number_float() ? json(value.get<double>()) : value;
}

const json &Config::get(const std::string &name, const json &fallback, const std::string &description, Source at) {
  auto [entry, isNew] = known.try_emplace(name);
  Known &key = entry->second;
  if (!isNew && key.fallback != fallback)
    throw ModelError(fmt::format("configuration key '{}' is declared twice, with the defaults {} and {}", name,
                                 key.fallback.dump(), fallback.dump()),
                     at);
  if (isNew) {
    key = {fallback, fallback, description};
    auto set = given.find(name);
    if (set != given.end())
      key.value = convert(name, set->second, fallback, at);
  }
  return key.value;
}

void Config::checkAllKnown() const {
  for (const auto &[name, entry] : given) {
    if (known.count(name))
      continue;
    std::string report = fmt::format("error: {}: the model has no configuration key '{}'", entry.origin, name);
    report += known.empty() ? "; it has none at all" : "; it has";
    for (const auto &[key, value] : known)
      report += fmt::format("\n  {} ({}, default {}){}{}", key, typeName(value.fallback), value.fallback.dump(),
                            value.description.empty() ? "" : ": ", value.description);
    throw ModelError(report);
  }
}

mlir::DictionaryAttr Config::attribute(mlir::MLIRContext *context) const {
  mlir::Builder builder(context);
  llvm::SmallVector<mlir::NamedAttribute> attributes;
  for (const auto &[name, key] : known) {
    const json &value = key.value;
    mlir::Attribute attribute = value.is_boolean() ? mlir::Attribute(builder.getBoolAttr(value.get<bool>()))
                                : value.is_number_integer()
                                    ? mlir::Attribute(builder.getI64IntegerAttr(value.get<int64_t>()))
                                : value.is_number() ? mlir::Attribute(builder.getF64FloatAttr(value.get<double>()))
                                                    : mlir::Attribute(builder.getStringAttr(value.get<std::string>()));
    attributes.push_back(builder.getNamedAttr(name, attribute));
  }
  return builder.getDictionaryAttr(attributes);
}
