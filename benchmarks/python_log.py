#!/usr/bin/env python3
"""What a call of run.log() of the Python module costs a training step.

    python3 benchmarks/python_log.py [--calls 20000] [--home FOLDER]

Prints microseconds of a call: mean, its share of CPU (what remains is other programs and the disk), median, 99th
percentile; for 4 figures, for 4 with a step time (which adds a line of the rank's health) and for 31. Then the seconds
of init() and finish(). The run is in a temporary folder unless --home names one on the disk of the run folders.
"""
import argparse
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "packaging", "python"))
import slipway  # noqa: E402

CASES = {
    "4 figures": {"loss": 2.1, "lr": 1e-3, "grad_norm": 0.3, "tokens": 4096},
    "4 figures, health": {"loss": 2.1, "lr": 1e-3, "grad_norm": 0.3, "step_seconds": 0.4},
    "31 figures": {f"figure_{i}": 1.25 * i for i in range(31)},
}


def measure(home, calls):
    begin = time.perf_counter()
    run = slipway.init(name="python_log", home=home, capture=False)
    started = time.perf_counter() - begin
    for case, values in CASES.items():
        times, cpu = [], time.thread_time_ns()
        for _ in range(calls):
            begin = time.perf_counter_ns()
            run.log(values)
            times.append((time.perf_counter_ns() - begin) / 1000)
        cpu = (time.thread_time_ns() - cpu) / 1000 / calls
        times.sort()
        print(f"{case:20} mean {sum(times) / calls:6.1f} us  CPU {cpu:6.1f} us  "
              f"median {times[calls // 2]:6.1f} us  p99 {times[calls * 99 // 100]:6.1f} us")
    begin = time.perf_counter()
    run.finish()
    print(f"init {started:.3f} s, finish {time.perf_counter() - begin:.3f} s")


parser = argparse.ArgumentParser()
parser.add_argument("--calls", type=int, default=20000)
parser.add_argument("--home")
options = parser.parse_args()
with tempfile.TemporaryDirectory() as temporary:
    measure(options.home or temporary, options.calls)
