#!/bin/sh
# Fits the software stacks that Slipway ships to tables of published runs and writes resources/stacks/stacks.json:
#   packaging/resources/fit_stacks.sh PUBLISHED.csv LAYOUTS.csv
# The tables are facts of their publishers and stay outside of the repository; the fitted constants are ours.
set -eu
cd "$(dirname "$0")/../.."
build/release/bin/slipway validate "$1" --calibrate "$1,$2" --save-stacks resources/stacks/stacks.json
