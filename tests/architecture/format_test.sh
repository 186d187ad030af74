#!/usr/bin/env bash
# format_test.sh FOLDER: format.sh names each fault of a small wrong tree, and no more.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
rm -rf "$1" && mkdir -p "$1/core" "$1/tests" && cp "$here/../../.clang-format" "$1" || exit 1
long=$(printf "word%.0s" {1..40})
printf '// short\nint x = 1;\n' >"$1/core/right.cpp"
printf 'const char* text =\n    "%s";\n' "$long" >"$1/core/text.cpp"
printf 'int  x = 1;\n' >"$1/core/spaces.cpp"
printf '// %s\nint x;\n' "$long" >"$1/tests/comment.h"
"$here/format.sh" "$1" >"$1/said" 2>&1
result=$?
[ "$result" -eq 77 ] && { cat "$1/said"; exit 77; }
[ "$result" -eq 1 ] && grep -q '^core/spaces.cpp:1:' "$1/said" && grep -q '^tests/comment.h:1:' "$1/said" &&
    ! grep -qE '^core/(right|text)' "$1/said" || { cat "$1/said"; exit 1; }
printf 'int x;\n' | tee "$1/core/spaces.cpp" >"$1/tests/comment.h"
"$here/format.sh" "$1" || exit 1
rm -rf "$1"
