// Where a line of a model file stands, and the error that names it.
//
// C++17 has no std::source_location; __builtin_FILE() and __builtin_LINE() as default arguments give the caller's line
// with g++ and clang++ alike. Every function of the DSL that can fail takes a Source last, defaulted to its caller.
#pragma once
#include <stdexcept>
#include <string>

#define TRAINC_EXPORT __attribute__((visibility("default")))

namespace trainc {

/// A line of the model file (or of a header it includes). `file` is the compiler's spelling of the path, a string
/// literal.
struct Source {
  const char *file = "";
  int line = 0;
};

/// The caller's line when used as a default argument: `void f(Source at = here())`.
constexpr Source here(const char *file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }

/// A mistake in a model. Thrown by the DSL with the line that is wrong; the compiler adds the notes.
class TRAINC_EXPORT ModelError : public std::runtime_error {
public:
  /// An error at a line of the model.
  ModelError(const std::string &message, Source at) : std::runtime_error(message), at(at) {}
  /// A finished report: `file:line: error: ...`, then one `file:line: note: ...` a line.
  explicit ModelError(const std::string &report) : std::runtime_error(report) {}

  Source at;
};

} // namespace trainc
