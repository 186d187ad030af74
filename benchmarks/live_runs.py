#!/usr/bin/env python3
"""Runs that write a line of 31 metrics a second each, until standard input ends or the program is ended: the writer of bench_live.

    python3 benchmarks/live_runs.py HOME [NUMBER [FIRST_STEPS]]

Prints the ids of the runs once all have their first steps. The lines of a second are spread over it, as those of unrelated runs are.
"""
import pathlib
import random
import signal
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "packaging" / "python"))
import slipway  # noqa: E402

METRICS = 31


def metric_names():
    """The first names of core/spec/metric_names.h."""
    lines = (ROOT / "core/spec/metric_names.h").read_text().splitlines()
    return [line.split('"')[1] for line in lines if line.strip().startswith('{"')][:METRICS]


def main():
    home = sys.argv[1]
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 500
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    names = metric_names()
    runs = [slipway.init(name=f"live{i}", home=home, capture=False) for i in range(number)]

    def line(run, step):
        run.log({name: random.random() for name in names}, step=step, tokens=step * 4096)

    try:
        for step in range(1, first + 1):
            for run in runs:
                line(run, step)
        print(*[run.id for run in runs], flush=True)
        due = time.monotonic()
        step = first
        while True:
            step += 1
            for run in runs:
                due += 1 / number
                time.sleep(max(0, due - time.monotonic()))
                line(run, step)
    finally:
        for run in runs:
            run.finish()


main()
