// GPT-2 in its pre-norm form: token and position embeddings, layers of attention and MLP, tied output embedding.
// Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners".
#include <cmath>
#include <trainc/frontend.h>
using namespace trainc;

/// x [B, T, in] times a weight [in, out], plus a bias [out].
static Tensor linear(Model &m, const char *name, Tensor x, Dim out, double deviation) {
  auto scope = m.scope(name);
  Tensor weight = m.parameter("weight", {x.dim(-1), out}, normal(deviation));
  Tensor bias = m.parameter("bias", {out}, zeros()).group("no_decay");
  return matmul(x, weight) + bias;
}

static Tensor norm(Model &m, const char *name, Tensor x) {
  auto scope = m.scope(name);
  Tensor weight = m.parameter("weight", {x.dim(-1)}, ones()).group("no_decay");
  Tensor bias = m.parameter("bias", {x.dim(-1)}, zeros()).group("no_decay");
  return layerNorm(x, weight, bias);
}

/// Causal self-attention of x [B, T, C].
static Tensor selfAttention(Model &m, Tensor x, Dim heads, double residualDeviation) {
  auto scope = m.scope("attention");
  Dim batch = x.dim(0), sequence = x.dim(1), width = x.dim(2);
  auto project = [&](const char *name) {
    return reshape(linear(m, name, x, width, 0.02), {batch, sequence, heads, width / heads});
  };
  Tensor query = project("query"), key = project("key"), value = project("value");
  Tensor mixed = attention(query, key, value, /*causal=*/true);
  return linear(m, "projection", reshape(mixed, {batch, sequence, width}), width, residualDeviation);
}

/// Two linear layers with a GELU between them.
static Tensor mlp(Model &m, Tensor x, double residualDeviation) {
  auto scope = m.scope("mlp");
  Dim width = x.dim(-1);
  return linear(m, "contract", gelu(linear(m, "expand", x, 4 * width, 0.02)), width, residualDeviation);
}

TRAINC_MODEL(gpt2) {
  int64_t layers = m.config("layers", 4, "number of layers");
  Dim width = m.dim("width", m.config("width", 128, "size of an activation"));
  Dim heads = m.dim("heads", m.config("heads", 4, "attention heads; they divide the width"));
  Dim sequence = m.dim("sequence", m.config("context", 128, "tokens the model sees"));
  Dim vocabulary = m.dim("vocabulary", m.config("vocabulary", 256, "number of tokens"));
  double dropoutRate = m.config("dropout", 0.0, "share of activations that is zeroed while training");
  int64_t ignored = m.config("ignore", -1, "token whose prediction does not count; -1: all count");
  m.shard("heads", "tp");

  Tensor tokens = m.tokens("tokens", {m.batch(), sequence}, vocabulary);
  Tensor targets = m.tokens("targets", {m.batch(), sequence}, vocabulary, /*shift=*/1);

  Tensor embeddings = m.parameter("wte", {vocabulary, width}, normal(0.02));
  Tensor positions = m.parameter("wpe", {sequence, width}, normal(0.02));
  Tensor x = dropout(embedding(embeddings, tokens) + positions, dropoutRate);

  // The last projection of each block starts smaller, so that the sum of all blocks has the size of one.
  double residualDeviation = 0.02 / std::sqrt(2.0 * static_cast<double>(layers));
  for (int64_t i = 0; i < layers; ++i) {
    auto scope = m.scope("layers", i);
    x = x + dropout(selfAttention(m, norm(m, "norm1", x), heads, residualDeviation), dropoutRate);
    x = x + dropout(mlp(m, norm(m, "norm2", x), residualDeviation), dropoutRate);
  }
  Tensor logits = contract("btc,vc->btv", norm(m, "norm", x), embeddings);
  m.output("logits", logits);

  Tensor losses = crossEntropy(logits, targets);
  if (ignored >= 0) {
    Tensor counted = cast(notEqual(targets, ignored), m.floatType());
    m.loss(sum(losses * counted), sum(counted));
  } else {
    m.loss(sum(losses), elementCount(losses));
  }

  m.optimizer(adamw(/*beta1=*/0.9, m.config("beta2", 0.95, "decay of the second moment"), /*epsilon=*/1e-8,
                    m.config("weight-decay", 0.1, "decay of matrices and embeddings")));
  m.decayGroup("no_decay", 0.0);
  m.clipGradientNorm(m.config("clip", 1.0, "largest global norm of the gradients"));
  m.learningRate(warmupCosine(m.config("learning-rate", 1e-3, "peak learning rate"),
                              m.config("warmup", 50, "steps of linear warm-up"),
                              m.config("steps", 1000, "step at which the learning rate has fallen to its floor"),
                              m.config("floor", 1e-4, "learning rate at the end")));
}
