#!/usr/bin/env bash
# tidy.sh FOLDER SECONDS [FILE...]: clang-tidy 14 with .clang-tidy over the named sources, else over those that changed in the
# last 30 commits and then the others, beginning at another one every day, until the seconds are over. Any finding fails.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
# shellcheck source=packaging/setup/wheels.sh
. packaging/setup/wheels.sh
build=$1 until=$((SECONDS + $2))
# A build of its own, which only moc and the version's header are made in: here each source is compiled by itself, not in a batch.
if ! { cmake --preset release -B "$build" -D SLIPWAY_BATCH=0 && cmake --build "$build" --target slipway_version &&
    cmake --build "$build" --target app_gui_autogen; } >"$build.log" 2>&1; then
    cat "$build.log" >&2
    stop "CMake could not configure $build" "read its message above"
fi
tidy=$(find_tool clang-tidy) || stop "no clang-tidy 14" "./test --full fetches it"
sources() { git ls-files 'core/*.cpp' 'app/*.cpp' 'trainer/*.cpp'; }
if [ $# -gt 2 ]; then
    files=("${@:3}")
else
    mapfile -t changed < <(git diff --name-only --diff-filter=d 'HEAD~30' HEAD -- 'core/*.cpp' 'app/*.cpp' 'trainer/*.cpp' 2>/dev/null)
    start=$(($(date +%s) / 86400 * 100 % $(sources | wc -l)))
    mapfile -t files < <(printf '%s\n' "${changed[@]}" | sed '/^$/d'; sources | tail -n "+$((start + 1))"; sources | head -n "$start")
    mapfile -t files < <(printf '%s\n' "${files[@]}" | awk '!seen[$0]++')
fi
# g++'s own warning flags are unknown to clang, and a precompiled header of g++ cannot be read.
check() {
    "$tidy" -p "$build" --quiet --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option \
        --extra-arg=-Wno-error "$1" 2>&1 | grep -vE '^[0-9]+ warnings? (and [0-9]+ errors? )?generated\.$|^Suppressed |^Use -header-filter'
    return "${PIPESTATUS[0]}"
}
failed=0 number=0 running=0
for file in "${files[@]}"; do
    [ $SECONDS -ge "$until" ] && break
    check "$file" &
    number=$((number + 1)) running=$((running + 1))
    if [ $running -ge "$(nproc)" ]; then
        wait -n || failed=1
        running=$((running - 1))
    fi
done
while [ $running -gt 0 ]; do
    wait -n || failed=1
    running=$((running - 1))
done
printf '%d of %d sources were checked\n' "$number" "${#files[@]}"
exit $failed
