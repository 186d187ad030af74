# Shared by ./run and ./test: install what is missing, fetch libtorch, configure, build. Sourced with the working directory in
# the repository's root.
# shellcheck shell=bash

readonly build=build/release
readonly torch_version=2.11.0
readonly cache=${XDG_CACHE_HOME:-$HOME/.cache}/slipway
readonly torch_home=$cache/torch-$torch_version

# Clones share compiled objects: paths inside the clone do not count, and precompiled headers may be cached.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

say() { printf '\n==> %s\n' "$*"; }

# stop WHAT REMEDY: every failed step ends here.
stop() {
    printf '\nslipway: %s\n' "$1" >&2
    [ -n "${2:-}" ] && printf 'What to do: %s\n' "$2" >&2
    exit 1
}

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

# fetch_wheel FOLDER NAME VERSION: downloads one wheel from PyPI and unpacks it into FOLDER. Nothing of it is run or installed,
# so the Python version named only selects a file that exists.
fetch_wheel() {
    local downloads=$1.download glibc platforms=()
    for glibc in {28..17}; do platforms+=(--platform "manylinux_2_${glibc}_$(uname -m)"); done
    mkdir -p "$downloads" "$1"
    python3 -m pip --disable-pip-version-check download --no-deps --only-binary=:all: --dest "$downloads" \
        --python-version 3.11 --implementation cp "${platforms[@]}" "$2==$3" ||
        stop "downloading $2 $3 failed" "check the network (pypi.org), or name a libtorch 2.11 of yours: SLIPWAY_TORCH_DIR=FOLDER"
    printf 'Unpacking %s %s\n' "$2" "$3"
    python3 -m zipfile -e "$downloads"/*.whl "$1" || stop "unpacking $2 failed" "free space below $cache, then start again"
    rm -r "$downloads"
}

# Into the user's cache, once for all clones. Whoever comes second waits for the lock and finds it done; what was interrupted
# lies in a folder of its own and is thrown away.
fetch_libtorch() {
    python3 -m pip --version >/dev/null 2>&1 || stop "python3 has no pip" "install python3-pip, or name a libtorch 2.11: SLIPWAY_TORCH_DIR=FOLDER"
    mkdir -p "$cache" || stop "cannot write to $cache" "set XDG_CACHE_HOME to a folder of yours"
    exec 9>"$cache/lock"
    flock --nonblock 9 || { say "Waiting for another clone that is fetching libtorch"; flock 9; }
    rm -rf "$cache"/partial.*
    local partial=$cache/partial.$$
    if [[ " $* " == *" torch "* && ! -d $torch_home/torch ]]; then
        local free
        free=$(df --output=avail -BM "$cache" | tail -n 1 | tr -dc 0-9)
        [ "$free" -ge 2500 ] || stop "libtorch needs 2.5 GB in $cache, $free MB are free" "free some space, or set XDG_CACHE_HOME"
        say "Fetching libtorch $torch_version (530 MB, once for all clones) into $torch_home"
        fetch_wheel "$partial" torch "$torch_version"
        mkdir -p "$torch_home"
        mv "$partial/torch" "$torch_home/torch"
        rm -rf "$partial"
    fi
    if [[ " $* " == *" cuda_runtime "* && ! -d $torch_home/nvidia ]]; then
        say "Fetching the two small CUDA libraries that libtorch loads even without a GPU (13 MB)"
        fetch_wheel "$partial" nvidia-cuda-runtime 13.0.96
        fetch_wheel "$partial" nvidia-cuda-cupti 13.0.85
        mkdir -p "$torch_home"
        mv "$partial/nvidia" "$torch_home/nvidia"
        rm -rf "$partial"
    fi
    exec 9>&-
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
        fetch_libtorch $needs
        run_cmake
    done
    needs=$(libtorch_needs)
    [ -z "$needs" ] || stop "CMake does not find libtorch ($needs)" "remove $torch_home and start again"
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
