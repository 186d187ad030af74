#!/usr/bin/env bash
# wheels_test.sh FOLDER: a wheel is unpacked only when it has the SHA-256 of the list. No network: pip reads a folder.
set -uo pipefail
setup=$(dirname "$(readlink -f "$0")")/../../packaging/setup
rm -rf "$1" && mkdir -p "$1/index" || exit 1
cd "$1" || exit 1
python3 - <<'PY'
import zipfile
with zipfile.ZipFile("index/demo-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("demo/lib/data.txt", "42\n")
    wheel.writestr("demo-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n")
    wheel.writestr("demo-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr("demo-1.0.dist-info/RECORD", "")
PY
export PIP_NO_INDEX=1 PIP_FIND_LINKS=$PWD/index XDG_CACHE_HOME=$PWD/cache SLIPWAY_WHEELS=$PWD/wheels.txt
fetch() { (. "$setup/wheels.sh" && fetch_wheel "$PWD/$1" demo) >"$1.log" 2>&1; }

printf 'demo==1.0 --hash=sha256:%s\n' "$(sha256sum index/*.whl | cut -d' ' -f1)" >wheels.txt
fetch right && [ "$(cat right/demo/lib/data.txt)" = 42 ] || { cat right.log; exit 1; }
printf 'demo==1.0 --hash=sha256:%s\n' "$(sha256sum "$setup/wheels.txt" | cut -d' ' -f1)" >wheels.txt  # of another file
fetch wrong && { printf 'a wheel with another hash was taken\n'; exit 1; }
[ ! -e wrong ] && [ ! -e wrong.download ] && grep -q 'downloading demo 1.0 failed' wrong.log || { cat wrong.log; exit 1; }

# Every real entry names a version and at least one SHA-256.
unset SLIPWAY_WHEELS
! grep -vE '^(#.*|[a-z-]+==[0-9.]+( --hash=sha256:[0-9a-f]{64})+)$' "$setup/wheels.txt" || exit 1
for list in parsers peers; do
    ! grep -vE '^(#.*|[a-z0-9._-]+==[0-9a-z.]+ --hash=sha256:[0-9a-f]{64})$' "$setup/$list.lock" || exit 1
    for package in $(sed -n -E 's/^(alone:)?([^#: ]+==[^ #]+) .*/\2/p' "$setup/$list.txt"); do
        grep -qi "^$package " "$setup/$list.lock" || { printf '%s is not in %s.lock\n' "$package" "$list"; exit 1; }
    done
done
cd / && rm -rf "$1"
