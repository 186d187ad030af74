#!/usr/bin/env python3
"""Forecasts of slipway-trainer's steps on this computer beside measured ones, each layout paired with a one-process run.

    python3 benchmarks/forecast_layouts.py measure build/release/bin --layouts fit,test --record cpu_layouts.json
    python3 benchmarks/forecast_layouts.py score build/release/bin cpu_layouts.json

`measure` runs each layout and right beside it the same training in one process, in turns that begin with one or the other, so that what
else the computer does and its clock fall on both. It prints the share of the processor that other programs used, the share that the
hypervisor took, and the load. `score` forecasts each layout by `slipway plan` on the recorded hardware: the error of the layout scaled by
its one-process run, (forecast / forecast of one process) / (measured / measured of one process) - 1, the error without it, and whether
the step time is inside its 80 % interval. The record is what packaging/resources/fit_trainer.sh fits the trainer's stack to.
"""
import argparse
import json
import os
import random
import socket
import statistics
import struct
import subprocess
import sys
import tempfile

SMALL = {
    "model": {"family": "llama", "num_layers": 4, "hidden_size": 128, "ffn_hidden_size": 384, "num_heads": 4, "num_kv_heads": 2,
              "vocab_size": 2048, "max_seq_len": 256, "tie_embeddings": True},
    "train": {"seq_len": 256, "global_batch_size": 8, "micro_batch_size": 2, "precision": "fp32", "seed": 1},
}
WIDE = {"model.hidden_size": 256, "model.ffn_hidden_size": 704, "model.num_heads": 8, "model.num_kv_heads": 4,
        "train.global_batch_size": 4, "train.micro_batch_size": 1}
DEEP = {"model.num_layers": 8, "model.hidden_size": 96, "model.ffn_hidden_size": 256, "train.seq_len": 128, "model.max_seq_len": 128,
        "train.global_batch_size": 16, "train.micro_batch_size": 4}
LONG = {"train.seq_len": 512, "model.max_seq_len": 512, "train.global_batch_size": 4, "train.micro_batch_size": 1}
GPT = {"model.family": "gpt2", "model.num_kv_heads": 4, "model.ffn_hidden_size": 512}
BF16 = {"train.precision": "bf16"}

kBusy = 0.1  # share of the processor that other programs may use beside a pair
kMostAgain = 2

# "fit": the quickstart's layouts; "test": outside of it; "held": never fitted to; "formats": bf16 and sequence parallelism.
LAYOUTS = {
    "fit": [("one process", {}), ("DP 2", {"parallel.dp": 2}), ("DP 2, ZeRO-1", {"parallel.dp": 2, "parallel.zero_stage": 1}),
            ("TP 2", {"parallel.tp": 2}), ("TP 2, SP", {"parallel.tp": 2, "parallel.sequence_parallel": True}),
            ("PP 2, AFAB, m 4", {"parallel.pp": 2, "parallel.schedule": "afab"}),
            ("PP 2, AFAB, m 8", {"parallel.pp": 2, "parallel.schedule": "afab", "train.micro_batch_size": 1}),
            ("PP 2, 1F1B, m 4", {"parallel.pp": 2}), ("PP 2, 1F1B, m 8", {"parallel.pp": 2, "train.micro_batch_size": 1}),
            ("DP 2 x TP 2", {"parallel.dp": 2, "parallel.tp": 2})],
    "test": [("wide, TP 2", {**WIDE, "parallel.tp": 2}), ("wide, DP 2", {**WIDE, "parallel.dp": 2}),
             ("wide, PP 2", {**WIDE, "parallel.pp": 2}),
             ("wide, TP 2, SP", {**WIDE, "parallel.tp": 2, "parallel.sequence_parallel": True}),
             ("deep, TP 2", {**DEEP, "parallel.tp": 2}), ("deep, PP 4", {**DEEP, "parallel.pp": 4}),
             ("long, DP 2, ZeRO-3", {**LONG, "parallel.dp": 2, "parallel.zero_stage": 3}),
             ("long, CP 2", {**LONG, "parallel.cp": 2}), ("gpt2, TP 2", {**GPT, "parallel.tp": 2}),
             ("DP 2 x PP 2", {"parallel.dp": 2, "parallel.pp": 2, "train.micro_batch_size": 1})],
    "held": [("wide, DP 2, ZeRO-3", {**WIDE, "parallel.dp": 2, "parallel.zero_stage": 3}),
             ("deep, DP 2, ZeRO-2", {**DEEP, "parallel.dp": 2, "parallel.zero_stage": 2}),
             ("long, TP 2", {**LONG, "parallel.tp": 2}), ("long, PP 2", {**LONG, "parallel.pp": 2}),
             ("gpt2, PP 2", {**GPT, "parallel.pp": 2}), ("gpt2, DP 2, ZeRO-1", {**GPT, "parallel.dp": 2, "parallel.zero_stage": 1}),
             ("deep, CP 2", {**DEEP, "parallel.cp": 2}), ("deep, TP 2, SP", {**DEEP, "parallel.tp": 2, "parallel.sequence_parallel": True}),
             ("wide, interleaved PP 2", {**WIDE, "parallel.pp": 2, "parallel.schedule": "interleaved_1f1b", "parallel.virtual_stages": 2}),
             ("long, bf16", {**LONG, **BF16}), ("gpt2, bf16, DP 2", {**GPT, **BF16, "parallel.dp": 2}),
             ("deep, bf16, PP 2", {**DEEP, **BF16, "parallel.pp": 2}),
             ("wide, recomputed, DP 2", {**WIDE, "parallel.dp": 2, "train.recompute.policy": "full"})],
    "formats": [("bf16", BF16), ("bf16, DP 2", {**BF16, "parallel.dp": 2}),
                ("bf16, TP 2, SP", {**BF16, "parallel.tp": 2, "parallel.sequence_parallel": True}),
                ("wide, bf16", {**WIDE, **BF16})],
}


def with_changes(base, changes):
    config = json.loads(json.dumps(base))
    for path, value in changes.items():
        *sections, key = path.split(".")
        part = config
        for section in sections:
            part = part.setdefault(section, {})
        part[key] = value
    return config


def alone(config):
    """The same training in one process."""
    return {**config, "parallel": {}}


def world(config):
    size = 1
    for axis in ("dp", "tp", "pp", "cp"):
        size *= config.get("parallel", {}).get(axis, 1)
    return size


def token_file(path, vocab, count):
    """As core/spec/token_file.h describes it."""
    header = json.dumps({"dtype": "uint16", "vocab_size": vocab, "num_tokens": count, "tokenizer_sha256": "", "unigram_entropy": 0}).encode()
    begin = b"SLPTOK1\n" + struct.pack("<I", len(header)) + header
    chosen = random.Random(1)
    with open(path, "wb") as file:
        file.write(begin + bytes(-len(begin) % 64))
        file.write(struct.pack(f"<{count}H", *(chosen.randrange(vocab) for _ in range(count))))


def processor_ticks():
    with open("/proc/stat") as file:
        user, nice, system, idle, iowait, irq, soft, steal = map(int, file.readline().split()[1:9])
    return {"busy": user + nice + system + irq + soft, "steal": steal, "all": user + nice + system + idle + iowait + irq + soft + steal}


def step_seconds(trainer, config, folder, warmup, steps):
    """Step times after the warm-up, of rank 0."""
    run = tempfile.mkdtemp(dir=folder)
    settings = json.loads(json.dumps(config))
    settings["train"]["num_steps"] = warmup + steps
    settings["data"] = {"tokens": os.path.join(folder, "random.tok")}
    with open(os.path.join(run, "config.json"), "w") as file:
        json.dump(settings, file)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ranks = []
    for rank in range(world(config)):
        own = dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world(config)), MASTER_ADDR="127.0.0.1",
                   MASTER_PORT=str(port), OMP_NUM_THREADS="1")
        command = [trainer, "--config", os.path.join(run, "config.json"), "--run-dir", run]
        ranks.append(subprocess.Popen(command, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
    for process in ranks:
        if process.wait() != 0:
            sys.exit(process.stderr.read())
    with open(os.path.join(run, "metrics.jsonl")) as file:
        lines = [json.loads(line) for line in file]
    return [line["values"]["step_seconds"] for line in lines if line["kind"] == "step"][warmup:]


def summary(run):
    """Medians of the quiet pairs, of all of them where none was."""
    quiet = [pair for pair in run["pairs"] if pair["others_share"] <= kBusy]
    pairs = quiet or run["pairs"]
    median = lambda of: statistics.median(of(pair) for pair in pairs)
    return {**run, "quiet": bool(quiet), "step_seconds": median(lambda p: p["layout"]), "one_process_seconds": median(lambda p: p["one"]),
            "ratio": median(lambda p: p["layout"] / p["one"]), "others_share": median(lambda p: p["others_share"]),
            "steal_share": median(lambda p: p["steal_share"]), "load": median(lambda p: p["load"])}


def measure(options):
    trainer, slipway = (os.path.join(options.programs, name) for name in ("slipway-trainer", "slipway"))
    chosen = [(group, name, with_changes(SMALL, changes)) for group in options.layouts.split(",") for name, changes in LAYOUTS[group]
              if not options.only or name in options.only.split(";")]
    with tempfile.TemporaryDirectory() as folder:
        token_file(os.path.join(folder, "random.tok"), 2048, 200000)
        plan = subprocess.run([slipway, "--home", folder, "plan", "--json", write(folder, SMALL)], capture_output=True, text=True)
        record = {"cluster": json.loads(plan.stdout)["cluster"], "runs": []}
        cores = os.cpu_count() or 1
        for group, name, config in chosen:
            pairs = []
            # A pair beside other programs is measured again, a few times.
            for turn in range(options.rounds + kMostAgain):
                if sum(pair["others_share"] <= kBusy for pair in pairs) >= options.rounds:
                    break
                before, own = processor_ticks(), os.times()
                pair = {}
                for who in (("one", "layout") if turn % 2 == 0 else ("layout", "one")):
                    of = alone(config) if who == "one" else config
                    pair[who] = statistics.median(step_seconds(trainer, of, folder, 3, options.steps))
                after, now = processor_ticks(), os.times()
                ticks = max(1, after["all"] - before["all"])
                ours = (sum(now[:4]) - sum(own[:4])) * os.sysconf("SC_CLK_TCK")
                pair["others_share"] = max(0.0, after["busy"] - before["busy"] - ours) / ticks
                pair["steal_share"] = (after["steal"] - before["steal"]) / ticks
                pair["load"] = os.getloadavg()[0]
                pairs.append(pair)
            run = summary({"group": group, "name": name, "config": config, "pairs": pairs})
            record["runs"].append(run)
            print(f"{group:8}{name:22}{1e3 * run['step_seconds']:7.1f} ms, one process {1e3 * run['one_process_seconds']:7.1f} ms, "
                  f"ratio {run['ratio']:.3f} ({', '.join('%.2f' % (p['layout'] / p['one']) for p in run['pairs'])}); "
                  f"others {100 * run['others_share']:.0f} %, stolen {100 * run['steal_share']:.0f} %, load {run['load']:.1f} on {cores}"
                  f"{'' if run['quiet'] else '; not quiet'}", flush=True)
            with open(options.record, "w") as file:
                json.dump(record, file, indent=1)
                file.write("\n")


def write(folder, document, name="config.json"):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        json.dump(document, file)
    return path


def forecast(slipway, folder, config, cluster):
    command = [slipway, "--home", folder, "plan", "--json", write(folder, config), "--cluster", cluster]
    plan = subprocess.run(command, capture_output=True, text=True)
    if plan.returncode not in (0, 1):
        sys.exit(plan.stderr)
    found = json.loads(plan.stdout)["forecast"]
    return found["step_seconds"], found["step"]["step_seconds_low"], found["step"]["step_seconds_high"], found["label"]


def score(options):
    slipway = os.path.join(options.programs, "slipway")
    with open(options.record) as file:
        record = json.load(file)
    for key in ("stack", "calibration"):
        if not options.keep_stack:
            record["cluster"].pop(key, None)
    errors = {}
    with tempfile.TemporaryDirectory() as folder:
        if options.stack_file:
            with open(options.stack_file) as file:
                record["cluster"].update(stack=json.load(file)["stack"], calibration="calibrated")
        cluster = write(folder, record["cluster"], "cluster.json")
        for run in record["runs"]:
            one, _, _, label = forecast(slipway, folder, alone(run["config"]), cluster)
            seconds, low, high, label = forecast(slipway, folder, run["config"], cluster)
            scaled = seconds / one / run["ratio"] - 1
            plain = seconds / run["step_seconds"] - 1
            # The interval is of the step time as the computer was during the pair.
            held = low <= run["step_seconds"] <= high
            if run["quiet"]:
                errors.setdefault(run["group"], []).append((abs(scaled), abs(plain), held, world(run["config"]) > 1))
            print(f"{run['group']:8}{run['name']:22}measured {1e3 * run['step_seconds']:7.1f} ms, forecast {1e3 * seconds:7.1f} "
                  f"({1e3 * low:.0f} to {1e3 * high:.0f}, {label}); scaled {100 * scaled:+6.1f} %, plain {100 * plain:+6.1f} %"
                  f"{'' if held else ', outside its interval'}{'' if run['quiet'] else '; not counted, other programs ran'}")
    for group, found in errors.items():
        several = [e for e in found if e[3]]
        print(f"{group}: scaled by the one-process run {100 * statistics.median(e[0] for e in several):.1f} % in the median of "
              f"{len(several)}, plain {100 * statistics.median(e[1] for e in found):.1f} % of {len(found)}, "
              f"interval holds {sum(e[2] for e in found)} of {len(found)}")


def rows(options):
    """The runs of some groups and their one-process runs, as `slipway validate` reads them. A layout's seconds are its ratio times the
    median of all runs of its training in one process, so that a fit sees the computer as it was most of the time."""
    with open(options.record) as file:
        record = json.load(file)
    chosen = [run for run in record["runs"] if run["group"] in options.groups.split(",") and run["quiet"]]
    reference = {}
    for run in chosen:
        reference.setdefault(json.dumps(alone(run["config"]), sort_keys=True), []).append(run["one_process_seconds"])
    found = []
    for key, seconds in reference.items():
        found.append({"config": json.loads(key), "step_seconds": statistics.median(seconds)})
    for run in chosen:
        if world(run["config"]) > 1:
            seconds = statistics.median(reference[json.dumps(alone(run["config"]), sort_keys=True)])
            found.append({"config": {**run["config"], "name": run["name"]}, "step_seconds": run["ratio"] * seconds})
    cluster = {key: value for key, value in record["cluster"].items() if key not in ("stack", "calibration")}
    json.dump({"cluster": cluster, "runs": found}, sys.stdout, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    actions = parser.add_subparsers(dest="action", required=True)
    measuring = actions.add_parser("measure", help="run layouts in pairs")
    measuring.add_argument("programs", help="folder of slipway and slipway-trainer")
    measuring.add_argument("--layouts", default="fit,test", help="any of " + ", ".join(LAYOUTS))
    measuring.add_argument("--only", help="names of layouts, separated by semicolons")
    measuring.add_argument("--rounds", type=int, default=3)
    measuring.add_argument("--steps", type=int, default=12, help="of each run, after three of warm-up")
    measuring.add_argument("--record", required=True, help="file to write")
    scoring = actions.add_parser("score", help="compare a record with forecasts")
    scoring.add_argument("programs", help="folder of slipway")
    scoring.add_argument("record")
    scoring.add_argument("--keep-stack", action="store_true", help="forecast with the record's stack, not with the shipped one")
    scoring.add_argument("--stack-file", help="cluster with the stack to forecast with (slipway validate --save)")
    choosing = actions.add_parser("rows", help="print the runs of some groups for slipway validate")
    choosing.add_argument("record")
    choosing.add_argument("--groups", default="fit")
    options = parser.parse_args()
    {"measure": measure, "score": score, "rows": rows}[options.action](options)


if __name__ == "__main__":
    main()
