# Fetches wheels into the user's cache. Sourced by setup.sh and libtorch.sh, and by tests; installed beside libtorch.sh.
# shellcheck shell=bash

cache=${XDG_CACHE_HOME:-$HOME/.cache}/slipway
wheels=${SLIPWAY_WHEELS:-$(dirname "${BASH_SOURCE[0]}")/wheels.txt}  # SLIPWAY_WHEELS: another list, for tests

say() { printf '\n==> %s\n' "$*"; }

# stop WHAT REMEDY: every failed step ends here.
stop() {
    printf '\nslipway: %s\n' "$1" >&2
    [ -n "${2:-}" ] && printf 'What to do: %s\n' "$2" >&2
    exit 1
}

# version_of NAME: the version that wheels.txt names.
version_of() { sed -n -E "s/^$1==([^ ]+) .*/\1/p" "$wheels"; }

# fetch_wheel FOLDER NAME: downloads the wheel that wheels.txt names, checks its SHA-256 and unpacks it into FOLDER. Nothing of
# it is run or installed into Python, so the Python version below only selects a file that exists.
fetch_wheel() {
    local downloads=$1.download glibc platforms=() version
    version=$(version_of "$2")
    for glibc in {28..12}; do platforms+=(--platform "manylinux_2_${glibc}_$(uname -m)"); done
    python3 -m pip --version >/dev/null 2>&1 || stop "python3 has no pip" "install python3-pip"
    mkdir -p "$downloads" "$1"
    grep "^$2==" "$wheels" >"$downloads/requirements.txt"
    python3 -m pip --disable-pip-version-check download --no-deps --only-binary=:all: --dest "$downloads" --require-hashes \
        --python-version 3.11 --implementation cp "${platforms[@]}" --requirement "$downloads/requirements.txt" ||
        { rm -rf "$downloads" "$1"; stop "downloading $2 $version failed" "check the network (pypi.org) and pip's message above"; }
    printf 'Unpacking %s %s\n' "$2" "$version"
    python3 -m zipfile -e "$downloads"/*.whl "$1" || stop "unpacking $2 failed" "free space in $cache, then start again"
    rm -r "$downloads"
}

# with_cache_lock COMMAND...: one process at a time changes the cache; what was interrupted is in a partial folder and is removed.
with_cache_lock() {
    mkdir -p "$cache" || stop "cannot write to $cache" "set XDG_CACHE_HOME to a folder of yours"
    (
        flock --nonblock 9 || { say "Waiting for another process that is fetching into $cache"; flock 9; }
        rm -rf "$cache"/partial.*
        "$@"
    ) 9>"$cache/lock"
}

# fetch_tool NAME: unpacks clang-format or clang-tidy into the cache, once.
fetch_tool() {
    local folder partial=$cache/partial.$$
    folder=$cache/$1-$(version_of "$1")
    [ -d "$folder" ] && return
    say "Fetching $1 $(version_of "$1") into $folder"
    fetch_wheel "$partial" "$1"
    chmod +x "$partial/${1/-/_}/data/bin/$1"
    mv "$partial" "$folder"
}

# find_tool NAME: prints the program's path: the one in the cache, else the system's of the same major version.
find_tool() {
    local version found
    version=$(version_of "$1")
    for found in "$cache/$1-$version/${1/-/_}/data/bin/$1" "$(command -v "$1-${version%%.*}")"; do
        [ -x "$found" ] && { printf '%s\n' "$found"; return; }
    done
    return 1
}
