#!/usr/bin/env python3
"""What the window costs while it follows a long run: memory, and CPU after the last line.

    python3 benchmarks/follow_window.py [--bin build/release/bin] [--steps 5000000] [--per-second 20000] [--json]

A run of the Python module writes its first steps at once, the window opens on it, and the run goes on at the given rate until it has
all steps. Then it stays alive without a line. Printed: the window's resident memory at its highest and at the end, and its share of a
core over the 30 s that begin 10 s after the last line.
"""
import argparse
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "packaging" / "python"))
import slipway  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory_mib(pid, key):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) / 1024
    raise SystemExit("the window ended")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--steps", type=int, default=5_000_000)
    parser.add_argument("--per-second", type=int, default=20_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        run = slipway.init(name="long", home=home, capture=False)

        def log(first, last):
            for step in range(first, last):
                run.log({"loss": 2 + 5 / (1 + step / 1000), "grad_norm": 0.3, "step_seconds": 0.1}, step=step,
                        tokens=step * 4096)

        first = options.steps // 2
        log(1, first)
        window = subprocess.Popen([options.bin / "slipway-gui", "--home", home, "--page", "run"],
                                  env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, stderr=subprocess.DEVNULL)
        try:
            begin, done = time.monotonic(), first
            while done < options.steps:
                time.sleep(0.2)
                want = min(options.steps, first + int((time.monotonic() - begin) * options.per_second))
                log(done, want)
                done = want
            log(done, options.steps + 1)
            followed = time.monotonic() - begin
            following = cpu_seconds(window.pid)
            time.sleep(10)
            # Until the index has all lines the window is still reading.
            before = cpu_seconds(window.pid)
            while True:
                time.sleep(5)
                now = cpu_seconds(window.pid)
                if now - before < 0.5:
                    break
                before = now
            quiet = cpu_seconds(window.pid)
            time.sleep(30)
            share = (cpu_seconds(window.pid) - quiet) / 30
            index = sqlite3.connect(f"file:{home}/index.sqlite?mode=ro", uri=True)
            out = {"steps": options.steps, "last_step_read": index.execute("SELECT last_step FROM runs").fetchone()[0], "peak_mib": round(memory_mib(window.pid, "VmHWM"), 1),
                   "end_mib": round(memory_mib(window.pid, "VmRSS"), 1), "share_of_a_core_after": round(share, 4),
                   "cpu_seconds_following": round(following, 1), "followed_seconds": round(followed, 1),
                   "load": round(os.getloadavg()[0], 2)}
        finally:
            window.terminate()
            window.wait()
        run.finish()
    if options.json:
        print(json.dumps(out))
    else:
        for name, value in out.items():
            print(f"{name:24} {value}")


main()
