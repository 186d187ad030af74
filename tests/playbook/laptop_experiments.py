#!/usr/bin/env python3
"""Runs the playbook's laptop experiments in their short form and holds the verdicts against what must come out.

    laptop_experiments.py SLIPWAY HOME [ID ...]      HOME is emptied first

Losses, bytes and counts must agree on any machine (MUST_AGREE); times need a quiet one, so the others must only reach a verdict. Prints a
table: experiment, claim, measured, spread, expected, verdict, load at the start on CPUs, seconds.
"""
import json
import os
import shutil
import subprocess
import sys
import time

MUST_AGREE = {"L3", "L8", "L11", "L15", "L16"}
LIMIT_SECONDS = 1500


def run(slipway, home, words):
    environment = dict(os.environ, SLIPWAY_HOME=home)
    done = subprocess.run([slipway, "playbook", *words, "--json"], env=environment, capture_output=True, text=True,
                          timeout=LIMIT_SECONDS)
    if done.returncode != 0:
        raise RuntimeError(f"slipway playbook {' '.join(words)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def figure(value):
    return "-" if value is None else value if isinstance(value, str) else f"{value:.6g}"


def problems_of(name, document):
    verdict = document["verdict"]
    if name in MUST_AGREE:
        return [] if verdict == "agrees" else [f"{name} must agree and is {verdict}"]
    return [f"{name} reached no verdict"] if verdict == "not_run" else []


def main():
    slipway, home, chosen = sys.argv[1], sys.argv[2], sys.argv[3:]
    shutil.rmtree(home, ignore_errors=True)
    experiments = [one for one in run(slipway, home, ["list"])["experiments"]
                   if one["need"] == "laptop" and (not chosen or one["id"] in chosen)]
    problems = []
    print("experiment | claim | measured | spread | expected | verdict | load | seconds")
    for one in experiments:
        name, begin = one["id"], time.monotonic()
        if one["waits"]:
            print(f"{name} | not run: it waits for something that is missing", flush=True)
            continue
        try:
            document = run(slipway, home, ["run", name, "--short"])
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            problems.append(f"{name}: {error}")
            print(f"{name} | failed", flush=True)
            continue
        seconds = time.monotonic() - begin
        for claim in document["claims"]:
            busy = ", busy" if claim["busy"] else ""
            print(f"{name} | {claim['id']} | {figure(claim['measured'])} | {figure(claim['spread'])} | "
                  f"{figure(claim['expected'])} ± {figure(claim['tolerance'])} | {claim['verdict']}{busy} | "
                  f"{figure(document['load'])} on {document['cpus']} | {seconds:.0f}", flush=True)
        problems += problems_of(name, document)
    for problem in problems:
        print(problem)
    return 1 if problems or not experiments else 0


if __name__ == "__main__":
    sys.exit(main())
