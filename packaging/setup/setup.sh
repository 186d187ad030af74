# Shared by ./run and ./test: install what is missing, fetch libtorch, configure, build. Sourced with the working directory in
# the repository's root.
# shellcheck shell=bash

# shellcheck source=packaging/setup/wheels.sh
. packaging/setup/wheels.sh
readonly build=build/release

# Clones share compiled objects: paths inside the clone do not count, and precompiled headers may be cached.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

packages() { sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' packaging/setup/packages.txt; }

missing_packages() {
    local installed
    installed=$(dpkg-query --show --showformat='${db:Status-Abbrev} ${Package}\n' 2>/dev/null | sed -n 's/^ii *//p')
    packages | grep --invert-match --line-regexp --fixed-strings --file=<(printf '%s\n' "$installed")
}

install_packages() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        [ "${SLIPWAY_SKIP_PACKAGES:-}" = 1 ] && return
        printf 'This system has no apt. Slipway needs the equivalents of these Debian packages:\n\n'
        sed -e '/^#/d' -e 's/^/  /' packaging/setup/packages.txt
        stop "nothing was installed" "install them, then start again with SLIPWAY_SKIP_PACKAGES=1"
    fi
    local missing
    mapfile -t missing < <(missing_packages)
    [ ${#missing[@]} -eq 0 ] && return
    say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
    local as_root=(env DEBIAN_FRONTEND=noninteractive)
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || stop "installing packages needs root, and there is no sudo" \
            "as root: apt-get install --no-install-recommends ${missing[*]}"
        as_root=(sudo "${as_root[@]}")
    fi
    local install=("${as_root[@]}" apt-get install --yes --no-install-recommends "${missing[@]}")
    if ! compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null; then
        "${as_root[@]}" apt-get update || stop "apt-get update failed" "check the network and /etc/apt/sources.list"
        "${install[@]}" || stop "installing the packages failed" "read apt's message above, then start again"
        return
    fi
    # Old lists name versions that the mirror no longer has: fresh lists mend that.
    "${install[@]}" || { "${as_root[@]}" apt-get update && "${install[@]}"; } ||
        stop "installing the packages failed" "read apt's message above, then start again"
}

# fetch_parsers: the packages of packaging/setup/parsers.txt in a folder of the cache, named by what the list asks for; prints it.
# Without them their tests are skipped and say so, hence a failed download is no reason to stop.
fetch_parsers() {
    local list=packaging/setup/parsers.txt folder part whole alone
    folder=$cache/parsers-$(python3 --version | tr -dc 0-9.)-$(sha256sum "$list" | cut -c1-12)
    if [ ! -d "$folder" ]; then
        say "Fetching the config parsers of other frameworks (280 MB on disk, once) into $folder" >&2
        mkdir -p "$cache"
        part=$(mktemp -d "$cache/unpacking.XXXXXX")
        mapfile -t whole < <(sed -n -E 's/^([^#: ]+) *#.*/\1/p' "$list")
        mapfile -t alone < <(sed -n -E 's/^alone:([^# ]+) *#.*/\1/p' "$list")
        if ! python3 -m pip --disable-pip-version-check install --quiet --only-binary=:all: --target "$part" "${whole[@]}" >&2 ||
            ! python3 -m pip --disable-pip-version-check install --quiet --no-deps --target "$part" "${alone[@]}" >&2; then
            rm -rf "$part"
            say "The parsers could not be fetched (see above): their tests will be skipped" >&2
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

build_all() {
    say "Building $build"
    cmake --build "$build" || stop "the build failed" "read the first error above"
}

set_up() {
    install_packages
    configure
    build_all
}
