// The DSL's view of train.contract: products of tensors summed over shared letters.
#pragma once
#include "trainc/frontend/Tensor.h"

namespace trainc {

/// The contraction `spec`, e.g. "btk,kn->btn": equal letters are multiplied together, letters missing from the result
/// are summed. Errors: a letter with two sizes; a tensor with another number of dimensions than letters.
inline Tensor contract(const std::string &spec, const Tensor &lhs, const Tensor &rhs, Source at = here()) {
  Tensor y = record("train.contract", {lhs, rhs}, {{"spec", spec}}, at)[0];
  // The op accepted the spec: it has the form "lhs,rhs->result" with one letter a dimension.
  size_t comma = spec.find(','), arrow = spec.find("->");
  std::string left = spec.substr(0, comma), right = spec.substr(comma + 1, arrow - comma - 1);
  Shape shape;
  for (char letter : spec.substr(arrow + 2)) {
    size_t at = left.find(letter);
    shape.push_back(at != std::string::npos ? lhs.shape()[at] : rhs.shape()[right.find(letter)]);
  }
  return y.withShape(shape, at);
}

/// x [..., K] times w [K, N]: [..., N].
inline Tensor matmul(const Tensor &x, const Tensor &w, Source at = here()) {
  std::string rows = std::string("abcdefghij").substr(0, x.dimCount() ? static_cast<size_t>(x.dimCount() - 1) : 0);
  return contract(rows + "k,kn->" + rows + "n", x, w, at);
}

} // namespace trainc
