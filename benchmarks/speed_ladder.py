#!/usr/bin/env python3
"""One rung of the playbook's speed ladder (experiment G2): the model of cpu_step.py in PyTorch, under `slipway launch --`.

    slipway launch --name "G2 compile" --tag G2 -- python3 benchmarks/speed_ladder.py compile

Rungs, each on top of the one before: plain (attention as products and a softmax), flash (fused attention), compile (fused loops by
torch.compile), graphs (CUDA graphs over them); recompute is flash with each block recomputed in its backward pass. Prints a line per
step, which `slipway launch` reads: the first steps compile and are warm-up. Needs `import torch`.
"""
import argparse
import json
import time

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint

from cpu_step import Model

RUNGS = ["plain", "flash", "compile", "graphs", "recompute"]
SHAPE = {"layers": 24, "hidden": 2048, "ffn": 8192, "heads": 16, "kv_heads": 16, "vocab": 49152, "seq": 4096}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rung", choices=RUNGS)
    parser.add_argument("--shape", type=json.loads, default={}, help="members that replace those of the 1.3B-class shape")
    parser.add_argument("--micro-batch", type=int, default=1)
    parser.add_argument("--accumulate", type=int, default=4)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    options = parser.parse_args()
    shape, rung, device = {**SHAPE, **options.shape}, options.rung, options.device
    torch.manual_seed(1)
    with torch.device(device):
        model = Model(shape)
    model.to(torch.bfloat16)
    blocks, head = list(model.blocks), lambda x, y: F.cross_entropy(model.head(model.norm(x)).flatten(0, 1).float(), y.flatten())
    if rung in ("compile", "graphs"):
        mode = "reduce-overhead" if rung == "graphs" and device == "cuda" else "default"
        blocks, head = [torch.compile(block, mode=mode) for block in blocks], torch.compile(head)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    size = (options.accumulate, options.micro_batch, shape["seq"])
    tokens, targets = (torch.randint(shape["vocab"], size, device=device) for _ in range(2))
    attention = [SDPBackend.MATH] if rung == "plain" else [SDPBackend.FLASH_ATTENTION]

    def step():
        optimizer.zero_grad(set_to_none=True)
        total = 0
        for i in range(options.accumulate):
            x = model.table(tokens[i])
            for block in blocks:
                if rung == "recompute":
                    x = checkpoint(block, x, model.cos, model.sin, use_reentrant=False)
                else:
                    x = block(x, model.cos, model.sin)
            loss = head(x, targets[i]) / options.accumulate
            loss.backward()
            total = total + loss.detach()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return total.item()  # waits for the device

    with sdpa_kernel(attention):
        for number in range(1, options.steps + 1):
            begin = time.perf_counter()
            loss = step()
            seconds = time.perf_counter() - begin
            line = f"step {number}: loss={loss:.5f}, step_seconds={seconds:.5f}"
            if device == "cuda":
                line += f", memory_peak_bytes={torch.cuda.max_memory_allocated()}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
