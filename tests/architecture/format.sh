#!/usr/bin/env bash
# format.sh [ROOT]: every source under ROOT is as .clang-format has it, and no line of comment is longer than 140 columns
# (clang-format keeps code to 120; strings may be longer, since a text is one string). Exit 77, skipped, without clang-format 14.
set -uo pipefail
export LC_ALL=C.UTF-8
# shellcheck source=packaging/setup/wheels.sh
. "$(dirname "$(readlink -f "$0")")/../../packaging/setup/wheels.sh"
cd "${1:-$(dirname "$(readlink -f "$0")")/../..}" || exit 1
if ! format=$(find_tool clang-format); then
    printf 'SKIP   : architecture.format() no clang-format 14: ./test fetches it\n'
    exit 77
fi
failed=0
for folder in core app trainer tests benchmarks; do [ -d "$folder" ] && folders+=("$folder"); done
mapfile -t sources < <(find "${folders[@]}" -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh')
printf '%s\0' "${sources[@]}" | xargs -0 -P 2 -n 50 "$format" --dry-run -Werror || failed=1
if grep -nE '^[[:space:]]*(//|/\*|\*).*' "${sources[@]}" /dev/null | grep -E '^[^:]*:[0-9]*:.{141}'; then
    printf 'These lines of comment are longer than 140 columns.\n'
    failed=1
fi
[ "$failed" -eq 0 ] || { printf 'Format a file with: %s -i FILE\n' "$format"; exit 1; }
printf '%s sources are formatted\n' "${#sources[@]}"
