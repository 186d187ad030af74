# Shared by ./run and ./test: install what is missing, fetch libtorch, configure, build. Sourced with the working directory in
# the repository's root.
# shellcheck shell=bash

# shellcheck source=packaging/setup/wheels.sh
. packaging/setup/wheels.sh
readonly build=build/release

# Clones share compiled objects: paths inside the clone do not count, and precompiled headers may be cached.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1 \
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

# missing_packages LIST: packages of the file that are not installed.
missing_packages() {
    local installed
    installed=$(dpkg-query --show --showformat='${db:Status-Abbrev} ${Package}\n' 2>/dev/null | sed -n 's/^ii *//p')
    sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$1" |
        grep --invert-match --line-regexp --fixed-strings --file=<(printf '%s\n' "$installed")
}

# Runs a command as root, with sudo where the user is not.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then env DEBIAN_FRONTEND=noninteractive "$@"; else sudo env DEBIAN_FRONTEND=noninteractive "$@"; fi
}

# without_services COMMAND...: runs it while Debian's policy-rc.d forbids that an installed service starts.
without_services() {
    local policy=/usr/sbin/policy-rc.d result
    [ -e "$policy" ] && { "$@"; return; }
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null && as_root chmod 755 "$policy" || return 1
    "$@"
    result=$?
    as_root rm -f "$policy"
    return $result
}

# install_packages LIST [WRAPPER]: installs what is missing of the file; WRAPPER, a function above, runs the installation.
install_packages() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        [ "${SLIPWAY_SKIP_PACKAGES:-}" = 1 ] && return
        printf 'This system has no apt. Slipway needs the equivalents of these Debian packages:\n\n'
        sed -e '/^#/d' -e 's/^/  /' "$1"
        stop "nothing was installed" "install them, then start again with SLIPWAY_SKIP_PACKAGES=1"
    fi
    local missing
    mapfile -t missing < <(missing_packages "$1")
    [ ${#missing[@]} -eq 0 ] && return
    say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null || stop "installing packages needs root, and there is no sudo" \
        "as root: apt-get install --no-install-recommends ${missing[*]}"
    # shellcheck disable=SC2206  # no word where there is no wrapper
    local install=(${2:-} as_root apt-get install --yes --no-install-recommends "${missing[@]}")
    if ! compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null; then
        as_root apt-get update || stop "apt-get update failed" "check the network and /etc/apt/sources.list"
        "${install[@]}" || stop "installing the packages failed" "read apt's message above, then start again"
        return
    fi
    # Old lists name versions that the mirror no longer has: fresh lists mend that.
    "${install[@]}" || { as_root apt-get update && "${install[@]}"; } ||
        stop "installing the packages failed" "read apt's message above, then start again"
}

# fetch_listed NAME WHAT: the packages of packaging/setup/NAME.lock in a folder of the cache, named by the list; prints it.
# Without them their tests are skipped and say so, hence a failed download is no reason to stop.
fetch_listed() {
    local list=packaging/setup/$1.lock folder part
    folder=$cache/$1-$(python3 --version | tr -dc 0-9.)-$(sha256sum "$list" | cut -c1-12)
    if [ ! -d "$folder" ]; then
        say "Fetching $2 on disk, once) into $folder" >&2
        mkdir -p "$cache"
        part=$(mktemp -d "$cache/unpacking.XXXXXX")
        # DeepSpeed has no wheel.
        if ! python3 -m pip --disable-pip-version-check install --quiet --no-deps --require-hashes --only-binary=:all: \
            --no-binary=deepspeed --target "$part" --requirement "$list" >&2; then
            rm -rf "$part"
            say "The packages of $list could not be fetched (see above): their tests will be skipped" >&2
            return
        fi
        mv "$part" "$folder"
    fi
    printf '%s\n' "$folder"
}

run_cmake() {
    local options=()
    [ "${CI:-}" = true ] && options+=(-D SLIPWAY_WERROR=ON)
    [ -n "${SLIPWAY_TORCH_DIR:-}" ] && options+=(-D "SLIPWAY_TORCH_DIR=$SLIPWAY_TORCH_DIR")
    mkdir -p "$build"
    cmake --preset release "${options[@]}" >"$build/configure.log" 2>&1 ||
        { cat "$build/configure.log" >&2; stop "CMake could not configure the build" "read its message above"; }
}

# What CMake still lacks of libtorch: nothing, "torch", "cuda_runtime". CMake alone knows where to look (Libtorch.cmake).
libtorch_needs() { cat "$build/libtorch_needs.txt" 2>/dev/null; }

configure() {
    # Configured before, libtorch still in its place, none named anew: ninja notices everything else by itself.
    local root
    root=$(cat "$build/libtorch_root.txt" 2>/dev/null)
    if [ -f "$build/build.ninja" ] && [ -e "$root/lib/libtorch_cpu.so" ] && [ "${CI:-}" != true ] &&
        [ -z "${SLIPWAY_TORCH_DIR:-}${Torch_DIR:-}${CMAKE_PREFIX_PATH:-}" ]; then
        return
    fi
    say "Configuring $build"
    run_cmake
    local needs
    for _ in torch cuda_runtime; do
        needs=$(libtorch_needs)
        [ -z "$needs" ] && break
        # shellcheck disable=SC2086  # a list of words
        packaging/setup/libtorch.sh fetch $needs || exit 1
        run_cmake
    done
    needs=$(libtorch_needs)
    [ -z "$needs" ] || stop "CMake does not find libtorch ($needs)" "remove $cache/torch-$(version_of torch) and start again"
    sed -n '/will be built with/,/^-- Configuring/p' "$build/configure.log" | sed -e '/Configuring/d' -e 's/^-- //'
}

# has_target NAME: this build can make it. grep reads to the end: with -q it would end first, and cmake by SIGPIPE.
has_target() { cmake --build "$build" --target help | grep -E "^$1: phony" >/dev/null; }

# Passes a build's lines on, but of ninja's "[done/all seconds]" lines only the time left: redrawn on a terminal, else every 30 s.
show_progress() {
    local line finished all seconds shown=0 open=false
    while IFS= read -r line; do
        if [[ $line =~ ^\[([0-9]+)/([0-9]+)\ ([0-9]+)[0-9.]*\] ]]; then
            finished=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]} seconds=${BASH_REMATCH[3]}
            [ "$finished" -gt 0 ] || continue  # "[0/1 0.1] Re-running CMake": nothing to reckon with yet
            local left="$finished of $all, about $((seconds * (all - finished) / finished / 60 + 1)) min left"
            if [ -t 1 ]; then
                printf '\r\033[K  %s' "$left"
                open=true
            elif [ $((seconds - shown)) -ge 30 ]; then
                shown=$seconds
                printf '  %s\n' "$left"
            fi
        elif [[ $line != "ninja: no work to do." ]]; then
            $open && printf '\n'
            open=false
            printf '%s\n' "$line"
        fi
    done
    $open && printf '\r\033[K'
    return 0
}

# measured COMMAND...: runs it and prints its wall and CPU seconds and the load, since a busy computer takes longer.
measured() {
    local TIMEFORMAT='%R %U %S' file result wall user system
    file=$(mktemp)
    { time "$@" 2>&3; } 3>&2 2>"$file"
    result=$?
    read -r wall user system <"$file"
    rm -f "$file"
    printf '  %.0f s, CPU %.0f s, load %s on %s cores\n' "$wall" "$(awk "BEGIN {print $user + $system}")" \
        "$(cut -d' ' -f1 /proc/loadavg)" "$(nproc)"
    return $result
}

ninja_targets() { NINJA_STATUS='[%f/%t %e] ' cmake --build "$build" --target "$@" 2>&1 | show_progress; }

# build_targets WHAT TARGET...
build_targets() {
    say "Building $1"
    measured ninja_targets "${@:2}" || stop "the build failed" "read the first error above"
}

set_up() {
    install_packages packaging/setup/packages.txt
    configure
}
