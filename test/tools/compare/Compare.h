//===- Compare.h - Compare tensors and metrics ----------------------------===//
//
// When two training runs count as equal. A tensor's error is the L2 norm of the difference; it may be at most
// tolerance * max(norm of the expected tensor, 0.01 * norm of all expected tensors together): a gradient that is zero
// in theory (a key bias) is rounding noise in practice, and is measured against the whole.
//
//===----------------------------------------------------------------------===//

#ifndef TRAINC_TEST_TOOLS_COMPARE_H
#define TRAINC_TEST_TOOLS_COMPARE_H

#include "test/tools/compare/SafeTensors.h"

#include <nlohmann/json.hpp>

namespace trainc::test {

/// The outcome of a comparison. `worst` is the largest error relative to what it is measured against.
struct Comparison {
  std::vector<std::string> failures; ///< One line each, naming tensor or step; empty if equal.
  double worst = 0;
  std::string worstName;
  size_t compared = 0; ///< Tensors, or metrics values.
};

struct TensorOptions {
  double tolerance = 1e-5;
  bool bitwise = false; ///< Every byte equal, whatever the dtype.
  bool subset = false;  ///< `actual` may have tensors that `expected` lacks.
};

/// Compares tensor by tensor. Names, dtypes and shapes must agree; integers must be equal; nothing to compare and NaN
/// are failures.
Comparison compareTensors(const std::map<std::string, FileTensor> &expected,
                          const std::map<std::string, FileTensor> &actual, const TensorOptions &options);

/// Compares `{"steps": [{"step": 1, "loss": ..., ...}, ...]}` with the lines of a metrics file (one JSON object each):
/// the same number of steps, and every value of `expected` present and within `tolerance`, relative.
/// Errors: std::runtime_error if a line is no JSON object or `expected` has no steps.
Comparison compareMetrics(const nlohmann::json &expected, const std::string &actualLines, double tolerance);

} // namespace trainc::test

#endif // TRAINC_TEST_TOOLS_COMPARE_H
