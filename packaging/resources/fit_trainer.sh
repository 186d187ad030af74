#!/bin/sh
# Fits the bundled trainer's stack for CPUs to a record of benchmarks/forecast_layouts.py and writes resources/stacks/trainer.json:
#   packaging/resources/fit_trainer.sh benchmarks/cpu_layouts.json [GROUPS]
# Groups of layouts outside of GROUPS (default: fit) are not read, so that they judge the fit.
set -eu
cd "$(dirname "$0")/../.."
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
python3 benchmarks/forecast_layouts.py rows "$1" --groups "${2:-fit}" >"$rows"
build/release/bin/slipway validate "$rows" --calibrate "$rows" --save-stacks resources/stacks/trainer.json
