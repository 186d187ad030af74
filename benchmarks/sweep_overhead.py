#!/usr/bin/env python3
"""What a trial of a sweep costs beyond the trainer's own time.

    benchmarks/sweep_overhead.py [--bin build/release/bin] [--trials 20] [--rounds 3] [--json]

Each round runs a sweep of TRIALS two-step trainings of a tiny model, and the same trainer command by itself as often, in turns on the
same computer: both see the same load. Printed are seconds per trial of both, the median of their differences and the load average.
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


def sweep_file(path, trials, first_seed, tokens):
    base = {"model": {"num_layers": 2, "hidden_size": 32, "ffn_hidden_size": 64, "num_heads": 2, "num_kv_heads": 2,
                      "vocab_size": 512, "max_seq_len": 16},
            "train": {"seq_len": 16, "global_batch_size": 4, "micro_batch_size": 1, "num_steps": 2},
            "data": {"tokens": tokens}}
    seeds = list(range(first_seed, first_seed + trials))
    path.write_text(json.dumps({"schema": 1, "name": f"overhead {first_seed}", "base": base,
                                "axes": [{"field": "train.seed", "values": seeds}]}))


def timed(command, **more):
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
    return time.monotonic() - begin


def alone(run, folder):
    """The command and environment of the run's rank, for another run folder."""
    rank = json.loads((run / "launch.json").read_text())["nodes"][0]["ranks"][0]
    command = [word.replace(str(run), str(folder)) for word in rank["arguments"]]
    environment = dict(os.environ, MASTER_PORT="29517")
    environment.update(entry.split("=", 1) for entry in rank["environment"])
    return command, environment


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="slipway-overhead-") as temporary:
        home = pathlib.Path(temporary)
        slipway = [str(options.bin / "slipway"), "--home", str(home)]
        text = home / "text.txt"
        text.write_text("".join(p.read_text() for p in sorted(ROOT.glob("*.md"))))
        subprocess.run([*slipway, "corpus", str(text), "--name", "own", "--vocab-size", "512"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        file = home / "sweep.json"
        # Measures this computer once, and remembers the programs' versions.
        sweep_file(file, 1, 1, "own.tok")
        timed([*slipway, "sweep", str(file)])
        rounds = []
        for turn in range(options.rounds):
            sweep_file(file, options.trials, 100 * (turn + 1), "own.tok")
            swept = timed([*slipway, "sweep", str(file)]) / options.trials
            runs = sorted((home / "runs").iterdir())[-options.trials:]
            peer = []
            for index, run in enumerate(runs):
                folder = home / f"alone_{turn}_{index}"
                folder.mkdir()
                (folder / "config.json").write_bytes((run / "config.json").read_bytes())
                command, environment = alone(run, folder)
                peer.append(timed(command, env=environment, cwd=folder))
            rounds.append({"sweep_seconds": swept, "trainer_seconds": statistics.mean(peer)})
        over = statistics.median(r["sweep_seconds"] - r["trainer_seconds"] for r in rounds)
        result = {"trials": options.trials, "rounds": rounds, "overhead_seconds": over, "load": os.getloadavg()[0]}
    if options.json:
        print(json.dumps(result, indent=2))
        return
    for r in rounds:
        print(f"a trial of the sweep {1e3 * r['sweep_seconds']:.0f} ms, the trainer alone {1e3 * r['trainer_seconds']:.0f} ms")
    print(f"overhead of a trial: {1e3 * over:.0f} ms (median of {options.rounds} rounds of {options.trials}, load {result['load']:.1f})")


if __name__ == "__main__":
    main()
