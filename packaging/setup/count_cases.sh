#!/usr/bin/env bash
# count_cases.sh LOG: from CTest's log of a run, how many cases passed, failed and were skipped, and why they were skipped.
# CTest counts test classes; the cases inside them are counted by Qt Test's own lines. The last line sums up the proof of the
# layouts that the suites of tests/trainer/verify ran.
awk '
    /^Totals: / { passed += $2; failed += $4 }
    /^SKIP   : / {
        skipped++
        match($0, /^SKIP   : [^(]*\([^)]*\) ?/)  # SKIP   : Class::case(row of data) reason
        name = substr($0, 10, RLENGTH - 10)
        reason = substr($0, RLENGTH + 1)
        if (reason == "") reason = "(no reason given)"
        if (!(reason in count)) order[++reasons] = reason
        count[reason]++
        example[reason] = name
    }
    /[0-9]+ layouts, largest difference of gradients/ {
        match($0, /[0-9]+ layouts/)
        layouts += substr($0, RSTART) + 0
        match($0, /of gradients [0-9.e+-]+/)
        difference = substr($0, RSTART + 13, RLENGTH - 13)
        if (difference + 0 > largest + 0) largest = difference
    }
    /^mutation score: / { score = $3 " of " $5 }
    END {
        printf "\n%d cases passed, %d failed, %d skipped\n", passed, failed, skipped
        for (i = 1; i <= reasons; ++i)
            printf "  %d skipped: %s (%s%s)\n", count[order[i]], order[i], (count[order[i]] > 1 ? "last " : ""), example[order[i]]
        if (layouts) printf "proof: %d layouts against one process, largest difference of gradients %s; %s injected layout bugs caught\n", layouts, largest, score
    }' "$1"
# What no run of ./test has: the tests that need a GPU.
gpu=$(sed -n -E 's/^GPU_TEST\(([A-Za-z0-9_]+)\).*/\1/p' "$(dirname "$0")"/../../tests/trainer/gpu/*.cpp | paste -s -d ' ')
if command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1; then
    printf 'not run, they need the GPU for themselves: %s\n  ctest --test-dir build/release -L gpu\n' "$gpu"
else
    printf 'not run, they need a GPU and none was found: %s\n  on a machine with one: benchmarks/gpu_acceptance --record gpu.json\n' "$gpu"
fi
