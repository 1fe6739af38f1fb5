// What the bad models have in common, so that each holds its mistake and little else.
#pragma once
#include <trainc/frontend.h>
using namespace trainc;

struct Common {
  Dim T, V;
  Tensor tokens, targets, table, x;
};

/// Tokens [B, 3], targets, a table [10, 4], and x = table[tokens] [B, 3, 4].
inline Common common(Model &m) {
  Dim T = 3, V = 10;
  Tensor tokens = m.tokens("tokens", {m.batch(), T}, V), targets = m.tokens("targets", {m.batch(), T}, V, 1);
  Tensor table = m.parameter("table", {V, 4}, normal(0.02));
  return {T, V, tokens, targets, table, embedding(table, tokens)};
}

/// A loss, an optimizer and a learning rate.
inline void finish(Model &m, const Common &c) {
  Tensor losses = crossEntropy(contract("btc,vc->btv", c.x, c.table), c.targets);
  m.loss(sum(losses), elementCount(losses));
  m.optimizer(sgd());
  m.learningRate(constantRate(0.1));
}
