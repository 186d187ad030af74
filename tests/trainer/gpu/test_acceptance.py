"""What benchmarks/gpu_acceptance does where memory or time runs out, without a GPU: python3 test_acceptance.py FILE"""
import argparse
import importlib.machinery
import importlib.util
import os
import sys
import tempfile
import time

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("gpu_acceptance", sys.argv[1])
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_acceptance", loader))
loader.exec_module(script)
folder = tempfile.mkdtemp()
acceptance = script.Acceptance(argparse.Namespace(minutes=5, trainer="none", build=folder, dry_run=True))


def failure(call):
    try:
        call()
    except script.PartFailed as failed:
        return str(failed)
    raise AssertionError("it did not fail")


# Half a micro-batch and twice as many until it fits, as the trainer and as PyTorch say that it does not; the tokens of a step stay.
for words in ("bench: out_of_memory: CUDA out of memory. Tried to", "torch.OutOfMemoryError: CUDA out of memory."):
    tried = []

    def needs_two(micro, accumulate):
        tried.append((micro, accumulate))
        if micro > 2:
            raise script.PartFailed(words)
        return {"seconds": 1}

    assert acceptance.fitting(8, 4, needs_two) == {"seconds": 1, "micro_batch": 2}
    assert tried == [(8, 4), (4, 8), (2, 16)], tried


def fails_with(words):
    def call(micro, accumulate):
        tried.append(micro)
        raise script.PartFailed(words)
    return call


tried = []
assert failure(lambda: acceptance.fitting(4, 1, fails_with("out of memory"))) == "out of memory" and tried == [4, 2, 1], tried
tried = []
assert failure(lambda: acceptance.fitting(4, 1, fails_with("kernel_mismatch"))) == "kernel_mismatch" and tried == [4], tried

# A command that takes too long ends with all that it started.
note = os.path.join(folder, "pid")
limit = 1
while not os.path.exists(note) or os.path.getsize(note) == 0:  # until it came so far before it was ended
    limit *= 2
    assert "took longer" in failure(lambda: acceptance.command(["sh", "-c", f"sleep 1000 & echo $! > {note}; wait"], limit))
with open(note) as file:
    sleeper = int(file.read())


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


for _ in range(3000):
    if not is_alive(sleeper):
        break
    time.sleep(0.01)
assert not is_alive(sleeper), "what the command started goes on"
assert "ended with 3" in failure(lambda: acceptance.command(["sh", "-c", "echo no; exit 3"]))
assert acceptance.command(["echo", "yes"]) == "yes\n"
