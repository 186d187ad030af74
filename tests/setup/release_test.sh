#!/usr/bin/env bash
# release_test.sh PROGRAM...: each program and the changelog agree on the version; the changelog's releases are dated, fall in order
# and have at most fifteen lines under Added, Changed and Fixed.
set -uo pipefail
changelog=$(dirname "$(readlink -f "$0")")/../../CHANGELOG.md
version=$(sed -n -E 's/^## ([0-9]+\.[0-9]+\.[0-9]+) .*/\1/p' "$changelog" | head -n 1)
failed=0
for program in "$@"; do
    said=$(QT_QPA_PLATFORM=offscreen "$program" --version 2>/dev/null | head -n 1)
    [[ $said == "$(basename "$program") $version" || $said == "$(basename "$program") $version "* ]] ||
        { printf '%s prints "%s", the newest release is %s\n' "$program" "$said" "$version"; failed=1; }
done
awk '
    function complain(text) { print "CHANGELOG.md:" NR ": " text; wrong = 1 }
    function finish() { if (release != "" && lines > 15) complain(release " has " lines " lines, 15 are allowed") }
    /^## / {
        finish()
        if ($0 !~ /^## [0-9]+\.[0-9]+\.[0-9]+ \(20[0-9][0-9]-[01][0-9]-[0-3][0-9]\)$/) complain("not \"## VERSION (DATE)\": " $0)
        if (date != "" && $3 > date) complain($2 " is younger than the release above it")
        release = $2; date = $3; lines = 0
        next
    }
    /^### / && $2 !~ /^(Added|Changed|Fixed)$/ { complain("not Added, Changed or Fixed: " $0) }
    /^- / { ++lines }
    END { finish(); if (release == "") complain("no release"); exit wrong }' "$changelog" || failed=1
exit $failed
