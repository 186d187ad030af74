#!/usr/bin/env bash
# count_cases.sh LOG: from CTest's log of a run, how many cases passed, failed and were skipped, and why they were skipped.
# CTest counts test classes; the cases inside them are counted by Qt Test's own lines.
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
    END {
        printf "\n%d cases passed, %d failed, %d skipped\n", passed, failed, skipped
        for (i = 1; i <= reasons; ++i)
            printf "  %d skipped: %s (%s%s)\n", count[order[i]], order[i], (count[order[i]] > 1 ? "last " : ""), example[order[i]]
    }' "$1"
