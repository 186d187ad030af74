#!/usr/bin/env python3
"""The model of cpu_step.py as compiled PyTorch trains it: blocks compiled one by one as torchtitan does, bf16 weights and moments, fused AdamW.

    python3 benchmarks/gpu_peer.py '{"hidden": 1536, ...}' MICRO_BATCH ACCUMULATE cuda|cpu

One line of JSON: median seconds of a step (forward, backward, clipping, update), tokens a step, peak memory. Called by gpu_acceptance.
"""
import json
import statistics
import sys
import time

import torch
import torch.nn.functional as F

from cpu_step import Model


def main():
    shape, micro, accumulate, device = json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    gpu = device == "cuda"
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = True
    with torch.device(device):
        model = Model(shape)
    if shape["tied"]:
        model.head.weight = model.table.weight
    model.to(torch.bfloat16)
    head_loss = lambda x, targets: F.cross_entropy(model.head(model.norm(x)).flatten(0, 1).float(), targets.flatten())
    if gpu:
        for block in model.blocks:
            block.compile()
        head_loss = torch.compile(head_loss)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    tokens, targets = (torch.randint(shape["vocab"], (accumulate, micro, shape["seq"]), device=device) for _ in range(2))

    def step():
        optimizer.zero_grad(set_to_none=True)
        total = 0
        for i in range(accumulate):
            x = model.table(tokens[i])
            for block in model.blocks:
                x = block(x, model.cos, model.sin)
            loss = head_loss(x, targets[i]) / accumulate
            loss.backward()
            total = total + loss.detach()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return total.item()  # waits for the device

    seconds = []
    for i in range(8 if gpu else 3):
        begin = time.perf_counter()
        loss = step()
        if i >= 3 or not gpu:
            seconds.append(time.perf_counter() - begin)
    result = {"seconds": statistics.median(seconds), "tokens_per_step": accumulate * micro * shape["seq"], "loss": loss,
              "torch": torch.__version__, "compiled": gpu}
    if gpu:
        result["peak_bytes"] = torch.cuda.max_memory_allocated()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
