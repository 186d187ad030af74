#!/usr/bin/env bash
# check_budget.sh LOG BUDGET TIER: holds the CPU seconds of each part of CTest's log against tests/budget.txt. A part is what stands
# before the first dot of a test's name. CPU seconds are those that test programs print (support/test_main.cpp); tests that are no
# Qt programs have wall seconds. A loaded or slower computer needs more: a part fails above twice its budget,
# unless that is an estimate (~).
# TIER: test or full, the columns of the budget.
#   check_budget.sh LOG BUDGET measure   prints the parts of the log as rows of a budget, rounded up
set -uo pipefail
awk -v tier="$3" '
    BEGIN { measure = tier == "measure"; column = tier == "full" ? 3 : 2 }
    function finish() {
        if (name == "") return
        sub(/\..*/, "", name)
        used[name] += cpu > 0 ? cpu : wall
        name = ""
    }
    FNR == NR {
        if ($1 == "total") limit = $column
        else if ($1 != "" && $1 !~ /^#/) {
            estimated[$1] = sub(/^~/, "", $column)
            budget[$1] = $column + 0
            total += $column
        }
        next
    }
    /^[0-9]+\/[0-9]+ Testing: / { finish(); name = $3; cpu = 0; wall = 0 }
    /^CPU    : / { cpu += $3 }
    /^Test time = / { wall = $4 }
    END {
        finish()
        for (part in used) {
            all += used[part]
            if (measure) { printf "%-32s %5d\n", part, used[part] < 1 ? 1 : used[part] * 1.2 + 1 | "sort"; continue }
            if (!(part in budget)) { printf "%s has no budget: add a row to tests/budget.txt and take its seconds from another part\n", part; wrong = 1 }
            else if (used[part] > 2 * budget[part] && !estimated[part]) { printf "%s took %.0f s of CPU, its budget is %d\n", part, used[part], budget[part]; wrong = 1 }
            else if (used[part] > budget[part]) printf "  %s took %.0f s of CPU, more than its %s of %d\n", part, used[part], estimated[part] ? "estimate" : "budget", budget[part]
        }
        if (total > limit) { printf "the rows of the budget sum up to %d s, more than its total of %d\n", total, limit; wrong = 1 }
        if (!measure) printf "%.0f s of CPU in tests, the budget is %d\n", all, limit
        exit wrong
    }' "$2" "$1"
