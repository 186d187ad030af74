#!/usr/bin/env python3
"""A training step of slipway-trainer beside the same model in PyTorch eager, in one call, taking turns.

    python3 benchmarks/cpu_step.py build/release/bin/slipway-trainer --record benchmarks/cpu_step.json

Both run a Llama-style model of one shape in fp32 on the same threads: embedding, RMSNorm, rotary positions, grouped causal attention
(scaled_dot_product_attention), SwiGLU, an untied head, cross-entropy, clipping by the global norm, fused AdamW. In each round both make
some steps after a warm-up, the one that begins alternates, and the round gives one ratio of their medians; the median of these ratios is
the result, so that what else the machine does falls on both. CPU seconds of all threads are compared as well. Needs `import torch`.
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import torch
import torch.nn.functional as F

SHAPES = {
    "small": dict(hidden=512, layers=6, heads=8, kv_heads=4, ffn=1408, vocab=8192, seq=256, batch=4),
    "wide": dict(hidden=1024, layers=4, heads=16, kv_heads=8, ffn=2816, vocab=8192, seq=256, batch=2),
}


class Block(torch.nn.Module):
    def __init__(self, s):
        super().__init__()
        h, self.d = s["hidden"], s["hidden"] // s["heads"]
        self.heads, self.kv_heads = s["heads"], s["kv_heads"]
        linear = lambda i, o: torch.nn.Linear(i, o, bias=False)
        self.q, self.o = linear(h, h), linear(h, h)
        self.k, self.v = linear(h, self.kv_heads * self.d), linear(h, self.kv_heads * self.d)
        self.gate, self.up, self.down = linear(h, s["ffn"]), linear(h, s["ffn"]), linear(s["ffn"], h)
        self.norm1, self.norm2 = torch.nn.RMSNorm(h, eps=1e-5), torch.nn.RMSNorm(h, eps=1e-5)

    def rotate(self, x, cos, sin):
        first, second = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-second, first), dim=-1) * sin

    def forward(self, x, cos, sin):
        b, s, h = x.shape
        y = self.norm1(x)
        q = self.rotate(self.q(y).view(b, s, self.heads, self.d).transpose(1, 2), cos, sin)
        k = self.rotate(self.k(y).view(b, s, self.kv_heads, self.d).transpose(1, 2), cos, sin)
        v = self.v(y).view(b, s, self.kv_heads, self.d).transpose(1, 2)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=self.heads != self.kv_heads)
        x = x + self.o(a.transpose(1, 2).reshape(b, s, h))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Model(torch.nn.Module):
    def __init__(self, s):
        super().__init__()
        self.table = torch.nn.Embedding(s["vocab"], s["hidden"])
        self.blocks = torch.nn.ModuleList(Block(s) for _ in range(s["layers"]))
        self.norm = torch.nn.RMSNorm(s["hidden"], eps=1e-5)
        self.head = torch.nn.Linear(s["hidden"], s["vocab"], bias=False)
        d = s["hidden"] // s["heads"]
        angles = torch.outer(torch.arange(s["seq"]), 10000.0 ** (-torch.arange(0, d, 2) / d)).repeat(1, 2)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())
        for p in self.parameters():
            if p.dim() > 1:
                torch.nn.init.normal_(p, std=0.02)

    def forward(self, tokens, targets):
        x = self.table(tokens)
        for block in self.blocks:
            x = block(x, self.cos, self.sin)
        logits = self.head(self.norm(x))
        return F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))


class Eager:
    def __init__(self, shape, threads):
        torch.set_num_threads(threads)
        torch.manual_seed(1)
        self.model = Model(shape)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-4, weight_decay=0.1, fused=True)
        self.tokens, self.targets = (torch.randint(shape["vocab"], (shape["batch"], shape["seq"])) for _ in range(2))

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.model(self.tokens, self.targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss.item()

    def measure(self, warmup, steps):
        wall, cpu = [], []
        for i in range(warmup + steps):
            c, w = time.process_time(), time.perf_counter()
            self.loss = self.step()
            if i >= warmup:
                wall.append(time.perf_counter() - w)
                cpu.append(time.process_time() - c)
        return {"seconds": statistics.median(wall), "cpu_seconds": statistics.median(cpu), "loss": self.loss}


def config(s, threads):
    return {
        "model": {"family": "llama", "hidden_size": s["hidden"], "num_layers": s["layers"], "num_heads": s["heads"],
                  "num_kv_heads": s["kv_heads"], "ffn_hidden_size": s["ffn"], "vocab_size": s["vocab"],
                  "max_seq_len": s["seq"], "tie_embeddings": False},
        "train": {"seq_len": s["seq"], "micro_batch_size": s["batch"], "global_batch_size": s["batch"],
                  "precision": "fp32", "threads_per_rank": threads},
    }


def cpu_name():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trainer", help="path of slipway-trainer")
    parser.add_argument("--shape", choices=SHAPES, default="small")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--steps", type=int, default=3, help="steps of each in a round, after two of warm-up")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--record", help="write the result to this file")
    parser.add_argument("--against", help="a recorded result; more than 5 %% below its ratio is exit code 1")
    options = parser.parse_args()
    shape = SHAPES[options.shape]
    eager = Eager(shape, options.threads)
    environment = dict(os.environ, OMP_NUM_THREADS=str(options.threads))
    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "config.json")
        with open(path, "w") as file:
            json.dump(config(shape, options.threads), file)

        def ours():
            command = [options.trainer, "bench", "--step", path, "--steps", str(options.steps), "--json"]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(done.stderr)
            return json.loads(done.stdout)["step"]

        for i in range(options.rounds):
            if i % 2 == 0:
                theirs, mine = eager.measure(2, options.steps), ours()
            else:
                mine, theirs = ours(), eager.measure(2, options.steps)
            rounds.append((mine, theirs))
            print(f"round {i + 1}: slipway {mine['seconds']:.3f} s ({mine['cpu_seconds']:.3f} CPU), PyTorch {theirs['seconds']:.3f} s "
                  f"({theirs['cpu_seconds']:.3f} CPU), {theirs['seconds'] / mine['seconds']:.2f} x", flush=True)

    def median(f):
        return statistics.median(f(mine, theirs) for mine, theirs in rounds)

    result = {
        "shape": dict(shape, name=options.shape),
        "parameters": rounds[0][0]["parameters"],
        "threads": options.threads,
        "rounds": options.rounds,
        "steps_per_round": options.steps,
        "slipway": {key: median(lambda m, t, key=key: m[key])
                    for key in ("seconds", "cpu_seconds", "forward_seconds", "backward_seconds", "optimizer_seconds")},
        "pytorch": {key: median(lambda m, t, key=key: t[key]) for key in ("seconds", "cpu_seconds")},
        "ratio": median(lambda m, t: t["seconds"] / m["seconds"]),
        "ratio_cpu": median(lambda m, t: t["cpu_seconds"] / m["cpu_seconds"]),
        "machine": {"cpu": cpu_name(), "cores": os.cpu_count(), "torch": torch.__version__, "system": platform.platform()},
    }
    print(f"slipway-trainer is {result['ratio']:.2f} x as fast as PyTorch eager ({result['ratio_cpu']:.2f} x by CPU seconds); "
          f"{shape['batch'] * shape['seq'] / result['slipway']['seconds']:.0f} tokens/s")
    if options.record:
        with open(options.record, "w") as file:
            json.dump(result, file, indent=2)
            file.write("\n")
    if options.against:
        with open(options.against) as file:
            before = json.load(file)
        change = result["ratio_cpu"] / before["ratio_cpu"] - 1
        print(f"against {options.against}: {100 * change:+.1f} %")
        if change < -0.05:
            sys.exit(1)


if __name__ == "__main__":
    main()
