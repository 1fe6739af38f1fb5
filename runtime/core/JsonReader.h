//===- JsonReader.h - typed access to a JSON document ---------------------------===//
//
// A cursor into a document that knows its path, so that a wrong field is reported as the reader of the file would write
// it: "stage-0.json: bodies[1].values[12].dtype: expects ..., got ...". Errors are thrown as SchemaError: a schema is
// nested deeply and each level may fail. They are caught where reading starts (BundleReader.cpp) and go no further.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace trainc {

struct SchemaError {
  std::string message;
};

class JsonReader {
public:
  JsonReader(const nlohmann::json &json, std::string path) : json(&json), path(std::move(path)) {}

  [[noreturn]] void fail(const std::string &text) const {
    throw SchemaError{path + (path.back() == ' ' ? "" : ": ") + text};
  }
  [[noreturn]] void failExpecting(std::string_view what) const {
    std::string got = json->dump();
    fail(fmt::format("expects {}, got {}", what, got.size() > 60 ? got.substr(0, 57) + "..." : got));
  }

  /// Whether this object has `key`.
  bool has(const std::string &key) const { return json->is_object() && json->contains(key); }
  JsonReader field(const std::string &key) const {
    if (!json->is_object())
      failExpecting("an object");
    auto found = json->find(key);
    if (found == json->end())
      fail(fmt::format("expects a field '{}'", key));
    return {*found, path.back() == ' ' ? path + key : path + "." + key};
  }

  std::string string() const {
    if (!json->is_string())
      failExpecting("a string");
    return json->get<std::string>();
  }
  int64_t integer(int64_t least, int64_t most) const {
    if (!json->is_number_integer() || (json->is_number_unsigned() && json->get<uint64_t>() > uint64_t(INT64_MAX)))
      failExpecting("an integer");
    int64_t value = json->get<int64_t>();
    if (value < least || value > most)
      fail(fmt::format("expects {} <= value <= {}, got {}", least, most, value));
    return value;
  }
  const nlohmann::json &raw() const { return *json; }

  /// `read(element)` of each element of this array.
  template <typename Read> auto array(Read read) const {
    if (!json->is_array())
      failExpecting("an array");
    std::vector<decltype(read(*this))> result;
    for (size_t i = 0; i < json->size(); ++i)
      result.push_back(read(JsonReader((*json)[i], fmt::format("{}[{}]", path, i))));
    return result;
  }
  /// Calls `visit(key, value)` for each field of this object.
  template <typename Visit> void object(Visit visit) const {
    if (!json->is_object())
      failExpecting("an object");
    for (auto &[key, value] : json->items())
      visit(key, JsonReader(value, path + "." + key));
  }

private:
  const nlohmann::json *json;
  std::string path;
};

} // namespace trainc
