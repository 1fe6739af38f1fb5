#!/usr/bin/env python3
"""Writes the golden numbers in test/golden/gpt2/ with PyTorch (Debian's python3-torch).

The model is that of examples/gpt2/gpt2.cpp, small, written here a second time and from its description only: pre-norm
blocks, separate query, key, value and output projections `x @ W + b` with W [in, out], causal attention, tanh GELU,
learned positions, logits from the token embedding, mean loss over the counted tokens. Weights are float32 numbers, the
arithmetic is float64, so that the differences a test sees are the compiler's alone.

  gpt2.py [FOLDER]    default: gpt2/ beside this script

  tokens.bin                  80 samples of 16 tokens: 10 steps of a global batch of 8
  masked-tokens.bin           the same with about half the targets equal to the ignored token: in the first step samples
                              2 and 3 count nothing, sample 6 one token, samples 0 and 1 everything
  initial.safetensors         weights to start from
  adamw.json                  loss, grad_norm and lr of 10 AdamW steps;   masked-adamw.json: with masked-tokens.bin
  gradients.safetensors       gradients of the first step, unclipped;     masked-gradients.safetensors
  adamw-parameters.safetensors  after the 10 steps, without the key biases: their gradient is zero in theory and
                              rounding noise in practice, which AdamW scales up to whole steps
  sgd.json, sgd-parameters.safetensors  3 SGD steps, every parameter
"""

import json
import math
import os
import struct
import sys

import torch
import torch.nn.functional as F

LAYERS, WIDTH, HEADS, CONTEXT, VOCABULARY, BATCH = 2, 32, 4, 16, 64, 8
STEPS, SGD_STEPS = 10, 3
IGNORE = VOCABULARY - 1
PEAK_RATE = {"adamw": 1e-2, "sgd": 1.0}
WARMUP, TOTAL, FLOOR = 3, 10, 1e-3
BETAS, EPSILON, DECAY, CLIP = (0.9, 0.95), 1e-8, 0.1, 1.0
NO_DECAY_SUFFIXES = (".bias", "norm.weight", "norm1.weight", "norm2.weight")


class Random:
    """Knuth's 64-bit linear congruential generator: the same numbers on every machine and version."""

    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % bound

    def normal(self):
        u, v = (self.below(2**31) + 1) / 2**31, self.below(2**31) / 2**31
        return math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)


def parameter_shapes():
    """Shapes by scope, in order of definition."""
    shapes = {"wte": [VOCABULARY, WIDTH], "wpe": [CONTEXT, WIDTH]}

    def linear(scope, inputs, outputs):
        shapes[scope + ".weight"] = [inputs, outputs]
        shapes[scope + ".bias"] = [outputs]

    def norm(scope):
        shapes[scope + ".weight"] = [WIDTH]
        shapes[scope + ".bias"] = [WIDTH]

    for layer in range(LAYERS):
        scope = f"layers.{layer}."
        norm(scope + "norm1")
        for name in ("query", "key", "value", "projection"):
            linear(scope + "attention." + name, WIDTH, WIDTH)
        norm(scope + "norm2")
        linear(scope + "mlp.expand", WIDTH, 4 * WIDTH)
        linear(scope + "mlp.contract", 4 * WIDTH, WIDTH)
    norm("norm")
    return shapes


def initial_parameters():
    """Larger than in practice and with biases, so that every term of every gradient counts."""
    random, parameters = Random(1), {}
    for name, shape in parameter_shapes().items():
        mean = 1.0 if "norm" in name and name.endswith(".weight") else 0.0
        values = [mean + 0.1 * random.normal() for _ in range(math.prod(shape))]
        parameters[name] = torch.tensor(values, dtype=torch.float32).reshape(shape).double()
    return parameters


def token_stream():
    """Tokens that a model can learn: each is a function of the one before, with noise."""
    random, tokens = Random(2), [1]
    while len(tokens) < STEPS * BATCH * CONTEXT + 1:
        tokens.append(random.below(IGNORE) if random.below(4) == 0 else (5 * tokens[-1] + 7) % IGNORE)
    return tokens


def masked_stream(tokens):
    """Some targets replaced by the ignored token; `kept` is the share of a sample that counts, in sixteenths."""
    random, masked = Random(3), list(tokens)
    first_step = [16, 16, 0, 0, 8, 3, None, 12]
    for sample in range(STEPS * BATCH):
        kept = first_step[sample] if sample < BATCH else (0, 4, 8, 16)[random.below(4)]
        for t in range(CONTEXT):
            keep = t == 5 if kept is None else random.below(16) < kept
            if not keep:
                masked[sample * CONTEXT + t + 1] = IGNORE
    return masked


def samples(tokens, step):
    """Inputs and targets [BATCH, CONTEXT] of a step, in order."""
    rows = [tokens[(step * BATCH + i) * CONTEXT:][: CONTEXT + 1] for i in range(BATCH)]
    rows = torch.tensor(rows)
    return rows[:, :-1], rows[:, 1:]


def forward(p, tokens):
    """Logits [B, T, V]."""
    x = p["wte"][tokens] + p["wpe"]
    for layer in range(LAYERS):
        scope = f"layers.{layer}."

        def linear(name, x):
            return x @ p[f"{scope}{name}.weight"] + p[f"{scope}{name}.bias"]

        def norm(name, x):
            return F.layer_norm(x, [WIDTH], p[f"{scope}{name}.weight"], p[f"{scope}{name}.bias"], 1e-5)

        def heads(x):
            return x.reshape(BATCH, CONTEXT, HEADS, WIDTH // HEADS).transpose(1, 2)

        h = norm("norm1", x)
        q, k, v = (heads(linear("attention." + name, h)) for name in ("query", "key", "value"))
        scores = q @ k.transpose(-1, -2) / math.sqrt(WIDTH // HEADS)
        scores = scores.masked_fill(torch.ones(CONTEXT, CONTEXT).triu(1).bool(), -math.inf)
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(BATCH, CONTEXT, WIDTH)
        x = x + linear("attention.projection", mixed)
        u = linear("mlp.expand", norm("norm2", x))
        gelu = 0.5 * u * (1 + torch.tanh(math.sqrt(2 / math.pi) * (u + 0.044715 * u**3)))
        x = x + linear("mlp.contract", gelu)
    x = F.layer_norm(x, [WIDTH], p["norm.weight"], p["norm.bias"], 1e-5)
    return x @ p["wte"].T


def loss_of(p, tokens, targets, ignore):
    return F.cross_entropy(forward(p, tokens).flatten(0, 1), targets.flatten(), ignore_index=ignore)


def learning_rate(kind, step):
    """Linear warm-up, then half a cosine; `step` counts from 1."""
    peak = PEAK_RATE[kind]
    if step < WARMUP:
        return peak * step / WARMUP
    progress = min(1.0, (step - WARMUP) / (TOTAL - WARMUP))
    return FLOOR + 0.5 * (peak - FLOOR) * (1 + math.cos(math.pi * progress))


def make_optimizer(kind, parameters):
    if kind == "sgd":
        return torch.optim.SGD(parameters.values(), lr=0)
    no_decay = [p for name, p in parameters.items() if name.endswith(NO_DECAY_SUFFIXES)]
    decay = [p for name, p in parameters.items() if not name.endswith(NO_DECAY_SUFFIXES)]
    groups = [{"params": decay, "weight_decay": DECAY}, {"params": no_decay, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=0, betas=BETAS, eps=EPSILON)


def train(kind, stream, steps, ignore=-100):
    """Returns the metrics of each step, the first step's gradients and the final parameters."""
    parameters = {name: p.clone().requires_grad_() for name, p in initial_parameters().items()}
    optimizer = make_optimizer(kind, parameters)
    metrics, first_gradients = [], None
    for step in range(1, steps + 1):
        tokens, targets = samples(stream, step - 1)
        optimizer.zero_grad()
        loss = loss_of(parameters, tokens, targets, ignore)
        loss.backward()
        first_gradients = first_gradients or {name: p.grad.clone() for name, p in parameters.items()}
        norm = torch.nn.utils.clip_grad_norm_(parameters.values(), CLIP)
        rate = learning_rate(kind, step)
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.step()
        metrics.append({"step": step, "loss": loss.item(), "grad_norm": norm.item(), "lr": rate})
    return metrics, first_gradients, parameters


def write_safetensors(path, tensors, role):
    header, data = {"__metadata__": {"format": "trainc-state", "version": "1"}}, b""
    for name in sorted(tensors):
        values = tensors[name].detach().float().contiguous().numpy().tobytes()
        offsets = [len(data), len(data) + len(values)]
        header[f"{name}/{role}"] = {"data_offsets": offsets, "dtype": "F32", "shape": list(tensors[name].shape)}
        data += values
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def write_tokens(path, tokens):
    with open(path, "wb") as file:
        file.write(struct.pack("<8sIIQQ", b"TRNCTOK1", 2, VOCABULARY, len(tokens), 0))
        file.write(struct.pack(f"<{len(tokens)}H", *tokens))


def write_metrics(path, metrics):
    lines = ",\n".join("  " + json.dumps(step) for step in metrics)
    with open(path, "w") as file:
        file.write('{"steps": [\n' + lines + "\n]}\n")


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpt2")
    os.makedirs(folder, exist_ok=True)
    torch.set_num_threads(1)

    def path(name):
        return os.path.join(folder, name)

    tokens = token_stream()
    masked = masked_stream(tokens)
    write_tokens(path("tokens.bin"), tokens)
    write_tokens(path("masked-tokens.bin"), masked)
    write_safetensors(path("initial.safetensors"), initial_parameters(), "compute")

    metrics, gradients, parameters = train("adamw", tokens, STEPS)
    write_metrics(path("adamw.json"), metrics)
    write_safetensors(path("gradients.safetensors"), gradients, "gradient")
    compared = {name: p for name, p in parameters.items() if not name.endswith("key.bias")}
    write_safetensors(path("adamw-parameters.safetensors"), compared, "compute")

    metrics, gradients, _ = train("adamw", masked, STEPS, IGNORE)
    write_metrics(path("masked-adamw.json"), metrics)
    write_safetensors(path("masked-gradients.safetensors"), gradients, "gradient")

    metrics, _, parameters = train("sgd", tokens, SGD_STEPS)
    write_metrics(path("sgd.json"), metrics)
    write_safetensors(path("sgd-parameters.safetensors"), parameters, "compute")


if __name__ == "__main__":
    main()
