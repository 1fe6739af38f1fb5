//===- Status.h - errors as values ------------------------------------------===//
//
// Every function of the runtime that can fail for a reason outside the program returns one of these. A message names
// the user's own thing, is lower case and has no final period; the caller decides where it goes.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include <cassert>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

namespace trainc {

/// Success, or one message. Success allocates nothing.
class [[nodiscard]] Status {
public:
  Status() = default;
  static Status error(std::string message) {
    Status status;
    status.text = std::move(message);
    return status;
  }
  bool ok() const { return !text.has_value(); }
  /// The message; only if not ok().
  const std::string &message() const { return *text; }

private:
  std::optional<std::string> text;
};

/// An error whose message is formatted as fmt::format does.
template <typename... Args> Status makeError(fmt::format_string<Args...> format, Args &&...args) {
  return Status::error(fmt::format(format, std::forward<Args>(args)...));
}

/// A value, or the Status that says why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : value(std::move(value)) {}
  Result(Status status) : failure(std::move(status)) { assert(!failure.ok() && "a result without value is an error"); }
  bool ok() const { return value.has_value(); }
  T &operator*() { return *value; }
  const T &operator*() const { return *value; }
  T *operator->() { return &*value; }
  const T *operator->() const { return &*value; }
  const Status &status() const { return failure; }

private:
  std::optional<T> value;
  Status failure;
};

} // namespace trainc

/// Returns from the enclosing function if `expression` is an error.
#define TRAINC_RETURN_IF_ERROR(expression)                                                                             \
  do {                                                                                                                 \
    if (::trainc::Status traincStatus = (expression); !traincStatus.ok())                                              \
      return traincStatus;                                                                                             \
  } while (false)
