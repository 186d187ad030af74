#!/usr/bin/env bash
# Puts libtorch into the user's cache, where the build and the installed trainer look for it.
#   libtorch.sh fetch [torch] [cuda_runtime]   the wheels from PyPI, checked by SHA-256; default: both
#   libtorch.sh use FOLDER                     a link to an existing torch package of the same version (with lib/libtorch_cpu.so)
#   libtorch.sh setup                          uses python3's torch where it has the version, else fetches the wheels
set -uo pipefail
# shellcheck source=packaging/setup/wheels.sh
. "$(dirname "$(readlink -f "$0")")/wheels.sh"
torch_version=$(version_of torch)
home=$cache/torch-$torch_version

fetch() {
    local partial=$cache/partial.$$ free
    if [[ " $* " == *" torch "* && ! -d $home/torch ]]; then
        free=$(df --output=avail -BM "$cache" | tail -n 1 | tr -dc 0-9)
        [ "$free" -ge 2500 ] || stop "libtorch needs 2.5 GB in $cache, $free MB are free" "free some space, or set XDG_CACHE_HOME"
        say "Fetching libtorch $torch_version (530 MB, once) into $home"
        fetch_wheel "$partial" torch
        mkdir -p "$home"
        mv "$partial/torch" "$home/torch"
        rm -rf "$partial"
    fi
    if [[ " $* " == *" cuda_runtime "* && ! -d $home/nvidia ]]; then
        say "Fetching the two small CUDA libraries that libtorch loads even without a GPU (13 MB)"
        fetch_wheel "$partial" nvidia-cuda-runtime
        fetch_wheel "$partial" nvidia-cuda-cupti
        mkdir -p "$home"
        mv "$partial/nvidia" "$home/nvidia"
        rm -rf "$partial"
    fi
}

# Prints the version of the torch package in a folder, by its headers: nothing of it is run.
version_in() {
    sed -n -E 's/.*define TORCH_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+).*/\2/p' "$1/include/torch/headeronly/version.h" 2>/dev/null |
        paste -s -d .
}

use() {
    local folder version
    folder=$(readlink -f "$1")
    version=$(version_in "$folder")
    [ -e "$folder/lib/libtorch_cpu.so" ] || stop "$1 has no lib/libtorch_cpu.so" "name the folder of the torch package"
    [ "${version%.*}" = "${torch_version%.*}" ] || stop "$1 has libtorch ${version:-of an unknown version}" "name a torch ${torch_version%.*}"
    [ -e "$home/torch" ] && [ ! -L "$home/torch" ] && stop "$home/torch exists" "remove it to use $1 instead"
    mkdir -p "$home"
    ln -sfn "$folder" "$home/torch"
    LD_LIBRARY_PATH=$home/nvidia/cu13/lib ldd "$folder/lib/libtorch_cpu.so" | grep 'lib\(cudart\|cupti\).*not found' >/dev/null && fetch cuda_runtime
    printf 'libtorch of %s is used.\n' "$folder"
}

# Prints the folder of python3's torch if it has the version.
python_torch() {
    local folder version
    folder=$(python3 -c "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')" 2>/dev/null)
    version=$(version_in "$folder")
    [ -n "$folder" ] && [ "${version%.*}" = "${torch_version%.*}" ] && printf '%s\n' "$folder"
}

case "${1:-}" in
    fetch)
        shift
        [ $# -gt 0 ] || set -- torch cuda_runtime
        with_cache_lock fetch "$@"
        ;;
    use) with_cache_lock use "${2:?a folder}" ;;
    setup)
        if folder=$(python_torch); then
            with_cache_lock use "$folder"
        else
            with_cache_lock fetch torch cuda_runtime && printf 'libtorch %s is in %s.\n' "$torch_version" "$home"
        fi
        ;;
    *)
        sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
esac
