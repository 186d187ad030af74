#!/usr/bin/env bash
# run_test.sh FOLDER: the order in which ./run builds and runs, and its exit codes, with stand-ins for the tools and the programs.
set -uo pipefail
root=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
rm -rf "$1" && mkdir -p "$1"/{bin,packaging,build/release/bin,torch/lib} && cd "$1" || exit 1
cp "$root/run" . && cp -r "$root/packaging/setup" packaging || exit 1
touch build/release/build.ninja torch/lib/libtorch_cpu.so
printf '%s\n' "$PWD/torch" >build/release/libtorch_root.txt
stand_in() { printf '#!/bin/bash\n%s\n' "$2" >"$1" && chmod +x "$1"; }
# shellcheck disable=SC2016
{
    stand_in bin/dpkg-query 'sed -n -E "s/^([a-z0-9.+-]+) .*/ii  \1/p" packaging/setup/packages.txt'
    stand_in bin/cmake '[[ $* == *"--target help" ]] && { printf "slipway-gui: phony\nslipway-trainer: phony\n"; sleep 0.1; printf "all: phony\n"; exit; }  # in pieces, as ninja does
        echo "build ${*:4}" >>order; echo "[0/2 0.0] Re-running CMake"; echo "[1/2 40.0] a"; echo "[2/2 80.0] b"; [[ $* != *gui* ]] || exit "${WINDOW:-0}"'
    stand_in bin/chrt 'echo "chrt $1" >>order; exec "${@:3}"'  # class idle has no turn on a loaded computer
    stand_in bin/ninja 'trap "exit 2" TERM; echo "idle ${*:3}" >>order; sleep 60 & wait'
    stand_in build/release/bin/slipway '[[ $1 != --batch ]] || until grep -q "^idle" order; do sleep 0.1; done
        echo "slipway $*" >>order; [[ $1 != --batch ]] || exit "${SWEEP:-0}"'
}
failed=0
# expect CODE LAST VARIABLE=VALUE...: ./run ends with CODE and the last thing it did is LAST.
expect() {
    local code
    rm -f order
    env -u CI -u DISPLAY -u WAYLAND_DISPLAY PATH="$PWD/bin:$PATH" "${@:3}" ./run >said 2>&1
    code=$?
    [ "$code" -eq "$1" ] && [ "$(tail -n 1 order)" = "$2" ] || { cat said order; printf 'expected %s, "%s"; got %s\n' "$1" "$2" "$code"; failed=1; }
}
expect 0 'build slipway-gui' SWEEP=0
[ "$(tr '\n' '|' <order)" = "build slipway slipway-agent slipway-trainer|slipway machine|chrt --idle|idle slipway-gui|slipway --batch experiments/quickstart.json|build slipway-gui|" ] ||
    { cat order; failed=1; }
grep -q '1 of 2, about 1 min left' said && grep -qE 'CPU [0-9]+ s, load' said || { cat said; failed=1; }
expect 1 'slipway --batch experiments/quickstart.json' SWEEP=1
expect 1 'build slipway-gui' WINDOW=1
cd / && rm -rf "$1"
exit $failed
