#!/usr/bin/env bash
# Runs every libFuzzer target of build/fuzz for some seconds (default 20), from seeds made of the repository's own files. What it
# learns stays in build/fuzz/corpus/TARGET; an input that breaks a promise in build/fuzz/found.
#   tests/fuzz/fuzz.sh [SECONDS [TARGET...]]
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
seconds=${1:-20}
targets=("${@:2}")
build=build/fuzz
cmake --preset fuzz >"$build.log" 2>&1 || { cat "$build.log" >&2; exit 1; }
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(sed -n 's/^slipway_fuzz(\([a-z_]*\).*/\1/p' tests/fuzz/CMakeLists.txt)
cmake --build "$build" --target slipway "${targets[@]}" || exit 1

seeds=$build/seeds
mkdir -p "$seeds" "$build/found"
cp experiments/*.json tests/data/interop/huggingface/*.json "$seeds"
head -n 20 tests/data/examples.csv >"$seeds/examples.csv"
for format in megatron deepspeed torchtitan nanotron neox olmo olmo-core torchrun sbatch; do
    "$build/bin/slipway" convert tests/fuzz/seeds/config.json --to "$format" --output "$seeds/config.$format" >/dev/null 2>&1 || exit 1
done
cp tests/fuzz/seeds/* "$seeds"
# Many keys, many lines, deep nesting: small ones to be cut and mixed, so that a minute sees thousands of inputs, and large ones that each
# program reads once.
many() {
    awk -v n="$2" 'BEGIN { printf "{\"model\": {\"num_layers\": 2"; for (i = 0; i < 2 * n; ++i) printf ", \"k%d\": %d", i, i; print "}}" }' >"$1.json"
    awk -v n="$2" 'BEGIN { for (i = 0; i < n; ++i) printf "k%d = %d\n", i, i; for (i = 0; i < n; ++i) printf "a."; print "a = 1" }' >"$1.toml"
    awk -v n="$2" 'BEGIN { for (i = 0; i < n; ++i) printf "k%d: %d\n", i, i }' >"$1.yaml"
    awk -v n="$2" 'BEGIN { for (i = 0; i < n; ++i) printf " iteration %d/ 9 | lm loss: %d.5 | grad norm: 2 |\n", i, i % 9 }' >"$1.log"
    awk -v n="$2" 'BEGIN { print "name,tok/s/gpu,dp"; for (i = 0; i < n; ++i) printf "r%d,%d,2\n", i, i }' >"$1.csv"
    awk -v n="$2" 'BEGIN { printf "torchrun train.py"; for (i = 0; i < n; ++i) printf " --option-%d %d", i, i; print "" }' >"$1.sh"
}
rm -f "$seeds"/large.* # of an earlier version
many "$seeds/many" 300
mkdir -p "$build/large"
many "$build/large/many" 20000

# fuzz TARGET ARGUMENTS...
fuzz() {
    TMPDIR=${TMPDIR:-/dev/shm} UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
        "$build/bin/$1" -rss_limit_mb=4096 -artifact_prefix="$build/found/$1-" "${@:2}"
}

failed=0
for target in "${targets[@]}"; do
    corpus=$build/corpus/$target
    mkdir -p "$corpus"
    code=0
    # Read once for each build of the program.
    if [ ! "$build/$target.large" -nt "$build/bin/$target" ]; then
        fuzz "$target" -timeout=120 "$build"/large/* >"$build/$target.log" 2>&1
        code=$?
        [ $code -eq 0 ] && touch "$build/$target.large"
    fi
    if [ $code -eq 0 ]; then
        fuzz "$target" -max_total_time="$seconds" -max_len=16384 -timeout=10 -detect_leaks=1 -dict=tests/fuzz/words.dict \
            -entropic_scale_per_exec_time=1 -print_final_stats=1 "$corpus" "$seeds" >"$build/$target.log" 2>&1
        code=$?
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log")
    if [ $code -eq 0 ]; then
        printf '%-24s %10s inputs, nothing found\n' "$target" "$runs"
    else
        failed=1
        printf '%-24s FAILED (%s); its log:\n' "$target" "$build/$target.log"
        tail -n 40 "$build/$target.log"
    fi
done
exit $failed
