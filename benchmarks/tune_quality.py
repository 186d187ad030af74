#!/usr/bin/env python3
"""How good the answer of `slipway tune` is, against measuring every layout.

    benchmarks/tune_quality.py [--bin build/release/bin] [--models 8] [--devices 2] [--steps 12] [--repeats 1] [--json]

For each of eight small models: `slipway tune`, then a sweep over all its layouts (those that tune may run, at most --layouts of them),
both in the same minutes on the same computer. Printed are trials of both, the regret of tune's layout by the figures of the exhaustive
sweep, the spread of repeated measurements where --repeats is above 1, and the load average.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
#        layers, hidden, ffn, heads, kv heads, sequence, global batch
MODELS = [(2, 64, 128, 4, 4, 64, 8), (4, 64, 256, 4, 2, 128, 8), (4, 128, 256, 4, 4, 64, 16), (8, 64, 128, 4, 4, 64, 8),
          (2, 256, 512, 8, 4, 64, 8), (4, 128, 512, 8, 2, 128, 4), (6, 96, 192, 6, 6, 64, 16), (8, 128, 256, 4, 4, 32, 32)]


def config(model, devices, steps):
    layers, hidden, ffn, heads, kv, seq, batch = model
    return {"name": "-".join(map(str, model)),
            "model": {"num_layers": layers, "hidden_size": hidden, "ffn_hidden_size": ffn, "num_heads": heads,
                      "num_kv_heads": kv, "vocab_size": 512, "max_seq_len": seq},
            "train": {"seq_len": seq, "global_batch_size": batch, "num_steps": steps}, "parallel": {"dp": devices},
            "data": {"tokens": "own.tok"}}


def run(command):
    begin = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if not done.stdout:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout), time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--models", type=int, default=len(MODELS))
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--layouts", type=int, default=64)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="slipway-tune-") as temporary:
        home = pathlib.Path(temporary)
        slipway = [str(options.bin / "slipway"), "--home", str(home)]
        text = home / "text.txt"
        text.write_text("".join(p.read_text() for p in sorted(ROOT.glob("*.md"))))
        subprocess.run([*slipway, "corpus", str(text), "--name", "own", "--vocab-size", "512"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for model in MODELS[:options.models]:
            file = home / "config.json"
            file.write_text(json.dumps(config(model, options.devices, options.steps)))
            tuned, tune_seconds = run([*slipway, "tune", str(file), "--budget", "1h", "--steps", str(options.steps), "--layouts",
                                       str(options.layouts), "--json"])
            document = json.loads((home / "sweeps" / tuned["sweep_id"] / "sweep.json").read_text())["document"]
            del document["search"], document["stop"]
            document["name"] = "all " + file.stem + " " + "-".join(map(str, model))
            if options.repeats > 1:
                document["axes"] = [{"list": document.pop("points")}, {"repeats": options.repeats}]
            every = home / "all.json"
            every.write_text(json.dumps(document))
            swept, all_seconds = run([*slipway, "sweep", str(every), "--json"])
            groups = {}
            for trial in swept["trials"]:
                seconds = trial["measured"].get("step_seconds")
                if trial["status"] == "completed" and seconds:
                    groups.setdefault(trial["name"].split(", seed")[0], []).append(seconds)
            medians = {name: statistics.median(values) for name, values in groups.items()}
            best = min(medians, key=medians.get)
            spread = statistics.median(max(v) / min(v) - 1 for v in groups.values()) if options.repeats > 1 else None
            rows.append({"model": "-".join(map(str, model)), "tune_trials": sum(t["measured_seconds"] is not None for t in tuned["trials"]),
                         "all_trials": len(swept["trials"]) // options.repeats, "tune_seconds": tune_seconds,
                         "all_seconds": all_seconds, "tune": tuned["best"], "best": best, "chance": tuned["chance"],
                         "regret": medians.get(tuned["best"], float("nan")) / medians[best] - 1, "spread": spread,
                         "load": os.getloadavg()[0]})
            if not options.json:
                r = rows[-1]
                print(f"{r['model']:24} tune {r['tune_trials']:3} of {r['all_trials']:3} trials, {tune_seconds:4.0f} of {all_seconds:4.0f} s, "
                      f"regret {100 * r['regret']:5.1f} %"
                      + (f" (repeats differ by {100 * spread:.1f} %)" if spread is not None else "") + f", load {r['load']:.1f}",
                      flush=True)
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    good = sum(r["regret"] <= 0.03 for r in rows)
    print(f"{good} of {len(rows)} within 3 % of the best; {sum(r['tune_trials'] for r in rows)} of "
          f"{sum(r['all_trials'] for r in rows)} trials")


if __name__ == "__main__":
    main()
