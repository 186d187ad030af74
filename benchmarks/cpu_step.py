#!/usr/bin/env python3
"""A training step of slipway-trainer beside the same model in PyTorch, in one call, taking turns.

    python3 benchmarks/cpu_step.py build/release/bin/slipway-trainer --record benchmarks/cpu_step.json

All run a Llama-style model of one shape in fp32 on the same threads: embedding, RMSNorm, rotary positions, grouped causal attention
(scaled_dot_product_attention), SwiGLU, an untied head, cross-entropy, clipping by the global norm, fused AdamW. Peers are PyTorch eager,
torch.compile (--peers eager,compiled) and, with --peers ddp, two processes of DistributedDataParallel over Gloo beside two ranks of
slipway-trainer over Gloo. In each round everybody makes some steps after a warm-up, who begins alternates, and the round gives one ratio
of their medians; the median of these ratios is the result, so that what else the machine does falls on all. CPU seconds of all threads
and peak memory are compared as well. Needs `import torch`.

The same library switch for all: on processors that are not Intel's, Intel's MKL takes slower code unless a function of the program tells
it otherwise, which slipway-trainer has (trainer/kernels/linear.cpp). PyTorch gets one by LD_PRELOAD; --plain-peers leaves it out.
"""
import argparse
import json
import os
import platform
import random
import resource
import socket
import statistics
import struct
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


class Peer:
    """PyTorch in a process of its own: eager, compiled, or one rank of DistributedDataParallel."""

    def __init__(self, kind, shape, threads):
        torch.set_num_threads(threads)
        torch.manual_seed(1)
        self.imported = peak_rss_bytes()
        self.model = self.called = Model(shape)
        if kind == "compiled":
            self.called = torch.compile(self.model)
        if kind == "ddp":
            torch.distributed.init_process_group("gloo")
            self.called = torch.nn.parallel.DistributedDataParallel(self.model)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-4, weight_decay=0.1, fused=True)
        self.tokens, self.targets = (torch.randint(shape["vocab"], (shape["batch"], shape["seq"])) for _ in range(2))

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.called(self.tokens, self.targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss.item()

    def measure(self, warmup, steps):
        wall, cpu = [], []
        for i in range(warmup + steps):
            c, w = time.process_time(), time.perf_counter()
            loss = self.step()
            if i >= warmup:
                wall.append(time.perf_counter() - w)
                cpu.append(time.process_time() - c)
        return {"seconds": statistics.median(wall), "cpu_seconds": statistics.median(cpu), "loss": loss,
                "tensor_bytes": peak_rss_bytes() - self.imported}


def peak_rss_bytes():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def work(kind, shape, threads):
    """A peer's process: reads "warmup steps" a line, answers with a line of JSON."""
    peer = Peer(kind, SHAPES[shape], threads)
    for line in sys.stdin:
        print(json.dumps(peer.measure(*map(int, line.split()))), flush=True)


class PeerProcess:
    def __init__(self, kind, options, environment, ranks=1):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.ranks = []
        for rank in range(ranks):
            own = dict(environment, RANK=str(rank), WORLD_SIZE=str(ranks), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
            command = [sys.executable, os.path.abspath(__file__), "--work", kind, "--shape", options.shape, "--threads",
                       str(options.threads if ranks == 1 else 1), options.trainer]
            self.ranks.append(subprocess.Popen(command, env=own, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))

    def measure(self, warmup, steps):
        for rank in self.ranks:
            rank.stdin.write(f"{warmup} {steps}\n")
            rank.stdin.flush()
        answers = [rank.stdout.readline() for rank in self.ranks]
        if not all(answers):
            sys.exit("a PyTorch process ended; see its message above")
        return json.loads(answers[0])

    def close(self):
        for rank in self.ranks:
            rank.stdin.close()
        for rank in self.ranks:
            rank.wait()


def intel_switch(folder):
    """A library with the function that MKL asks; None without a C compiler."""
    source, library = os.path.join(folder, "switch.c"), os.path.join(folder, "switch.so")
    with open(source, "w") as file:
        file.write("int mkl_serv_intel_cpu_true(void) { return 1; }\n")
    done = subprocess.run(["cc", "-shared", "-fPIC", "-O2", source, "-o", library])
    return library if done.returncode == 0 else None


def token_file(path, vocab, count):
    """As core/spec/token_file.h describes it."""
    header = json.dumps({"dtype": "uint16", "vocab_size": vocab, "num_tokens": count, "tokenizer_sha256": "", "unigram_entropy": 0}).encode()
    begin = b"SLPTOK1\n" + struct.pack("<I", len(header)) + header
    chosen = random.Random(1)
    with open(path, "wb") as file:
        file.write(begin + bytes(-len(begin) % 64))
        file.write(struct.pack(f"<{count}H", *(chosen.randrange(vocab) for _ in range(count))))


def config(s, threads, ranks=1):
    return {
        "model": {"family": "llama", "hidden_size": s["hidden"], "num_layers": s["layers"], "num_heads": s["heads"],
                  "num_kv_heads": s["kv_heads"], "ffn_hidden_size": s["ffn"], "vocab_size": s["vocab"],
                  "max_seq_len": s["seq"], "tie_embeddings": False},
        "train": {"seq_len": s["seq"], "micro_batch_size": s["batch"], "global_batch_size": ranks * s["batch"],
                  "precision": "fp32", "threads_per_rank": threads, "num_steps": 1},
        "parallel": {"dp": ranks},
    }


def cpu_name():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def trainer_step(options, environment, folder):
    path = os.path.join(folder, "config.json")
    with open(path, "w") as file:
        json.dump(config(SHAPES[options.shape], options.threads), file)
    command = [options.trainer, "bench", "--step", path, "--steps", str(options.steps), "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    step = json.loads(done.stdout)["step"]
    return dict(step, tensor_bytes=step["peak_bytes"])


def trainer_over_gloo(options, environment, folder, warmup):
    """Two ranks of slipway-trainer: the median of their last steps, and the CPU seconds of a rank in a step."""
    shape, ranks = SHAPES[options.shape], 2
    run = tempfile.mkdtemp(dir=folder)
    settings = config(shape, 1, ranks)
    settings["train"]["num_steps"] = warmup + options.steps
    settings["data"] = {"tokens": os.path.join(folder, "random.tok")}
    if not os.path.exists(settings["data"]["tokens"]):
        token_file(settings["data"]["tokens"], shape["vocab"], 200000)
    with open(os.path.join(run, "config.json"), "w") as file:
        json.dump(settings, file)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = []
    for rank in range(ranks):
        own = dict(environment, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(ranks), MASTER_ADDR="127.0.0.1",
                   MASTER_PORT=str(port))
        command = [options.trainer, "--config", os.path.join(run, "config.json"), "--run-dir", run]
        running.append(subprocess.Popen(command, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
    for process in running:
        if process.wait() != 0:
            sys.exit(process.stderr.read())
    with open(os.path.join(run, "metrics.jsonl")) as file:
        lines = [json.loads(line) for line in file]
    values = [line["values"] for line in lines if line["kind"] == "step"][warmup:]
    return {"seconds": statistics.median(v["step_seconds"] for v in values),
            "tensor_bytes": max(v["memory_peak_bytes"] for v in values)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trainer", help="path of slipway-trainer")
    parser.add_argument("--shape", choices=SHAPES, default="small")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--steps", type=int, default=3, help="steps of each in a round, after two of warm-up")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--peers", default="eager,compiled", help="any of eager, compiled, ddp")
    parser.add_argument("--plain-peers", action="store_true", help="PyTorch without the library switch")
    parser.add_argument("--record", help="write the result to this file")
    parser.add_argument("--against", help="a recorded result; more than 5 %% below its ratio to eager is exit code 1")
    parser.add_argument("--work", choices=["eager", "compiled", "ddp"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(options.work, options.shape, options.threads)
    shape, warmup = SHAPES[options.shape], 2
    environment = dict(os.environ, OMP_NUM_THREADS=str(options.threads))
    result = {"shape": dict(shape, name=options.shape), "threads": options.threads, "rounds": options.rounds,
              "steps_per_round": options.steps}
    with tempfile.TemporaryDirectory() as folder:
        switch = None if options.plain_peers else intel_switch(folder)
        theirs = dict(environment, LD_PRELOAD=switch) if switch else environment
        peers = {kind: PeerProcess(kind, options, theirs, ranks=2 if kind == "ddp" else 1) for kind in options.peers.split(",")}
        turns = {"slipway": lambda: trainer_step(options, environment, folder)}
        if "ddp" in peers:
            turns["slipway_dp2"] = lambda: trainer_over_gloo(options, dict(environment, OMP_NUM_THREADS="1"), folder, warmup)
        for kind, peer in peers.items():
            peer.measure(warmup, 1)  # what is compiled is compiled here
            turns[kind] = lambda peer=peer: peer.measure(warmup, options.steps)
        rounds = []
        for i in range(options.rounds):
            order = list(turns) if i % 2 == 0 else list(reversed(turns))
            measured = {}
            for name in order:
                measured[name] = turns[name]()
            rounds.append(measured)
            print(f"round {i + 1}: " + ", ".join(f"{name} {m['seconds']:.3f} s" for name, m in measured.items()), flush=True)
        for peer in peers.values():
            peer.close()

    def median(f):
        return statistics.median(f(measured) for measured in rounds)

    result["parameters"] = rounds[0]["slipway"]["parameters"]
    result["library_switch"] = {"slipway": True, "pytorch": switch is not None}
    for name in turns:
        keys = [key for key in ("seconds", "cpu_seconds", "forward_seconds", "backward_seconds", "optimizer_seconds", "tensor_bytes")
                if key in rounds[0][name]]
        result[name] = {key: median(lambda m, key=key: m[name][key]) for key in keys}
    result["ratios"] = {}
    for kind in peers:
        mine = "slipway_dp2" if kind == "ddp" else "slipway"
        ratio = {"seconds": median(lambda m: m[kind]["seconds"] / m[mine]["seconds"]),
                 "tensor_bytes": median(lambda m: m[mine]["tensor_bytes"] / m[kind]["tensor_bytes"])}
        if kind != "ddp":
            ratio["cpu_seconds"] = median(lambda m: m[kind]["cpu_seconds"] / m[mine]["cpu_seconds"])
        result["ratios"][kind] = ratio
        print(f"{mine} is {ratio['seconds']:.2f} x as fast as PyTorch {kind}, in {ratio['tensor_bytes']:.2f} x of its memory")
    result["machine"] = {"cpu": cpu_name(), "cores": os.cpu_count(), "torch": torch.__version__, "system": platform.platform(),
                         "load_average": os.getloadavg()[0]}
    print(f"on {result['machine']['cpu']}, {options.threads} threads, load {result['machine']['load_average']:.1f}; "
          f"{shape['batch'] * shape['seq'] / result['slipway']['seconds']:.0f} tokens/s")
    if options.record:
        with open(options.record, "w") as file:
            json.dump(result, file, indent=2)
            file.write("\n")
    if options.against:
        with open(options.against) as file:
            before = json.load(file)
        change = result["ratios"]["eager"]["cpu_seconds"] / before["ratios"]["eager"]["cpu_seconds"] - 1
        print(f"against {options.against}: {100 * change:+.1f} %")
        if change < -0.05:
            sys.exit(1)


if __name__ == "__main__":
    main()
