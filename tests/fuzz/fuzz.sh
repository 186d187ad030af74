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
# Large inputs, to be cut and mixed: many keys, many lines, deep nesting.
awk 'BEGIN { printf "{\"model\": {\"num_layers\": 2"; for (i = 0; i < 40000; ++i) printf ", \"k%d\": %d", i, i; print "}}" }' >"$seeds/large.json"
awk 'BEGIN { for (i = 0; i < 20000; ++i) printf "k%d = %d\n", i, i; for (i = 0; i < 20000; ++i) printf "a."; print "a = 1" }' >"$seeds/large.toml"
awk 'BEGIN { for (i = 0; i < 20000; ++i) printf "k%d: %d\n", i, i }' >"$seeds/large.yaml"
awk 'BEGIN { for (i = 0; i < 20000; ++i) printf " iteration %d/ 9 | lm loss: %d.5 | grad norm: 2 |\n", i, i % 9 }' >"$seeds/large.log"
awk 'BEGIN { print "name,tok/s/gpu,dp"; for (i = 0; i < 30000; ++i) printf "r%d,%d,2\n", i, i }' >"$seeds/large.csv"
awk 'BEGIN { printf "torchrun train.py"; for (i = 0; i < 20000; ++i) printf " --option-%d %d", i, i; print "" }' >"$seeds/large.sh"

failed=0
for target in "${targets[@]}"; do
    corpus=$build/corpus/$target
    mkdir -p "$corpus"
    TMPDIR=${TMPDIR:-/dev/shm} UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 "$build/bin/$target" -max_total_time="$seconds" \
        -max_len=1048576 -timeout=10 -rss_limit_mb=4096 -detect_leaks=1 -dict=tests/fuzz/words.dict -artifact_prefix="$build/found/$target-" \
        -print_final_stats=1 "$corpus" "$seeds" >"$build/$target.log" 2>&1
    code=$?
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
