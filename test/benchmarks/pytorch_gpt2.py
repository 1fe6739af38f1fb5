#!/usr/bin/env python3
"""Step time of PyTorch on the model of examples/gpt2: what trainc's step time is compared with.

  pytorch_gpt2.py [--threads N] [--steps N] [--size tiny|124m]

tiny: 4 layers, width 256, 4 heads, vocabulary 8192, context 256, batch 8. One step is forward, backward, clipping by the
global norm and AdamW, in float32, on random tokens. Prints the median of the steps after the third.

Debian: apt-get install python3-torch libopenblas0-openmp, and LD_LIBRARY_PATH to the openmp OpenBLAS: with the pthread build
PyTorch's own threads and OpenBLAS's get in each other's way, which would be no fair comparison.
"""

import argparse
import math
import statistics
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

SIZES = {
    "tiny": dict(layers=4, width=256, heads=4, vocabulary=8192, context=256, batch=8),
    "124m": dict(layers=12, width=768, heads=12, vocabulary=50257, context=256, batch=4),
}


class Block(nn.Module):
    def __init__(self, width, heads, context):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.expand, self.contract = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.register_buffer("mask", torch.ones(context, context).triu(1).bool())

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (y.view(b, t, self.heads, -1).transpose(1, 2) for y in self.qkv(self.norm1(x)).split(c, -1))
        scores = (q @ k.transpose(-1, -2) / math.sqrt(c // self.heads)).masked_fill(self.mask, -math.inf)
        x = x + self.projection((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c))
        return x + self.contract(F.gelu(self.expand(self.norm2(x)), approximate="tanh"))


class Gpt2(nn.Module):
    def __init__(self, layers, width, heads, vocabulary, context, **_):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.blocks = nn.Sequential(*(Block(width, heads, context) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, ids):
        x = self.blocks(self.tokens(ids) + self.positions.weight)
        return self.norm(x) @ self.tokens.weight.T


def step_seconds(size, steps):
    torch.manual_seed(1)
    model = Gpt2(**size)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1)
    seconds = []
    for _ in range(steps):
        ids = torch.randint(size["vocabulary"], (size["batch"], size["context"] + 1))
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        seconds.append(time.perf_counter() - start)
    return seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=13)
    parser.add_argument("--size", choices=SIZES, default="tiny")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    seconds = step_seconds(SIZES[options.size], options.steps)[3:]
    print(f"PyTorch {torch.__version__}, {options.size}, {options.threads} threads: median {statistics.median(seconds):.3f} s "
          f"a step, fastest {min(seconds):.3f} s")


if __name__ == "__main__":
    main()
