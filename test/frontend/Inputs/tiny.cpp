// The smallest model that uses every kind of argument: inputs, parameters, dropout, masks, a loss.
#include <trainc/frontend.h>
using namespace trainc;

TRAINC_MODEL(tiny) {
  Dim width = m.dim("width", m.config("width", 4, "size of an activation"));
  Dim sequence = m.dim("sequence", m.config("context", 3));
  Dim vocabulary = m.config("vocabulary", 10);
  m.shard("width", "tp");
  Tensor tokens = m.tokens("tokens", {m.batch(), sequence}, vocabulary);
  Tensor targets = m.tokens("targets", {m.batch(), sequence}, vocabulary, 1);
  Tensor table = m.parameter("table", {vocabulary, width}, normal(0.02));
  Tensor x = embedding(table, tokens);
  {
    auto scope = m.scope("layers", 0);
    auto inner = m.scope("mlp");
    Tensor scale = m.parameter("scale", {width}, ones()).group("no_decay");
    x = dropout(gelu(x * scale), m.config("dropout", 0.5));
  }
  Tensor logits = contract("btc,vc->btv", x, table);
  m.output("logits", logits);
  Tensor counted = cast(notEqual(targets, 0), m.floatType());
  m.loss(sum(crossEntropy(logits, targets) * counted), sum(counted));
  m.optimizer(adamw());
  m.decayGroup("no_decay", 0.0);
  m.learningRate(constantRate(m.config("learning-rate", 1e-3)));
  m.clipGradientNorm(1.0);
  m.config("name", "none", "free text");
  m.config("flag", false);
}
