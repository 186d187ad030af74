#!/usr/bin/env bash
# debian_test.sh BUILD_FOLDER WORK_FOLDER: makes the Debian packages of a build, checks them, installs them in a minimal Debian 12,
# runs the programs there, and purges them. Needs root, a network for apt, and packaging/setup/test_packages.txt. 3 to 8 minutes.
set -uo pipefail
root=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
build=$(readlink -f "$1")
work=$2
# shellcheck source=packaging/setup/wheels.sh
. "$root/packaging/setup/wheels.sh"
skip() {
    printf 'SKIP   : packages.debian() %s\n' "$1"
    exit 77
}
[ "$(id -u)" -eq 0 ] || skip "needs root"
[ -x "$build/bin/slipway-trainer" ] || skip "the build has no trainer"
for tool in mmdebstrap lintian appstreamcli desktop-file-validate; do
    command -v "$tool" >/dev/null || skip "no $tool: ./test --full installs packaging/setup/test_packages.txt"
done
torch=$(cat "$build/libtorch_root.txt")
chroot=$work/debian

leave() {
    for folder in opt/torch opt/nvidia proc; do mountpoint -q "$chroot/$folder" && umount "$chroot/$folder"; done
    [ "${kept:-}" ] || rm -rf --one-file-system "$work"
}
step() { printf '\n--- %s (%d s)\n' "$*" $SECONDS; }
failed() {
    printf 'FAILED: %s\n' "$1"
    exit 1
}
mkdir -p "$work" && leave && mkdir -p "$work" || exit 1
trap leave EXIT
# inside COMMAND...: in the chroot, as a user with a home of its own, without the variables of this computer.
inside() {
    chroot "$chroot" /usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/home/user LANG=C.UTF-8 \
        QT_QPA_PLATFORM=offscreen DEBIAN_FRONTEND=noninteractive "$@"
}
# expect TEXT COMMAND...: the command ends with 0 and prints TEXT.
expect() {
    local text=$1 said
    shift
    said=$(inside "$@" 2>&1) || { printf '%s\n' "$said"; failed "$* ended with an error"; }
    [[ $said == *"$text"* ]] || { printf '%s\n' "$said"; failed "$* does not print \"$text\""; }
}

step "packages"
(cd "$work" && cpack -G DEB -B packages --config "$build/CPackConfig.cmake") || failed cpack
version=$(sed -n -E 's/^## ([0-9.]+) .*/\1/p' "$root/CHANGELOG.md" | head -n 1)
for name in slipway slipway-gui slipway-trainer; do
    [ "$(dpkg-deb -f "$work/packages/${name}_${version}_amd64.deb" Version)" = "$version" ] || failed "no $name $version"
done
lintian --allow-root --fail-on error "$work"/packages/*.deb || failed lintian
# The id is the desktop file's name; a reverse domain name would need a domain.
appstreamcli validate --no-net --override=cid-desktopapp-is-not-rdns=info "$build/packaging/slipway.metainfo.xml" || failed metainfo
desktop-file-validate "$root/packaging/desktop/slipway.desktop" || failed "desktop file"

step "a minimal Debian"
for mirror in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do [ -s "$mirror" ] && break; done
mmdebstrap --quiet --variant=minbase bookworm "$chroot" "$mirror" || failed mmdebstrap
mkdir -p "$chroot"/{packages,opt/torch,opt/nvidia,home/user,home/other}
cp "$work"/packages/*.deb "$chroot/packages"
cp /etc/resolv.conf "$chroot/etc/resolv.conf"
find "$chroot/etc" "$chroot/usr" "$chroot/var/lib" -xdev | LC_ALL=C sort >"$work/before"
mount -t proc proc "$chroot/proc" || failed "mount proc"
inside apt-get update --quiet >/dev/null || failed "apt-get update"

step "slipway alone"
inside apt-get install --yes --quiet --no-install-recommends "/packages/slipway_${version}_amd64.deb" >/dev/null || failed "apt-get install slipway"
expect "slipway $version" slipway --version
expect "slipway-agent $version" slipway-agent --version
inside test -e /usr/share/doc/libqt6core6 && failed "slipway brings Qt"
expect "MFU" slipway plan --model llama3-8b --cluster "NVIDIA H100 SXM 80 GB" --set train.device=gpu --set train.precision=bf16 \
    --set parallel.dp=8 --set parallel.zero_stage=3 --set train.micro_batch_size=1

step "trainer and window"
inside apt-get install --yes --quiet --no-install-recommends dict-wn "/packages/slipway-trainer_${version}_amd64.deb" \
    "/packages/slipway-gui_${version}_amd64.deb" >/dev/null || failed "apt-get install slipway-trainer slipway-gui"
said=$(inside slipway-trainer --version 2>&1) && failed "the trainer starts without libtorch"
[ "$said" = "slipway-trainer: libtorch $(version_of torch | cut -d. -f1,2) was not found; run \`slipway trainer setup\` to fetch it." ] ||
    failed "without libtorch the trainer prints: $said"
mount --bind "$torch" "$chroot/opt/torch" || failed "mount torch"
# A libtorch that the build links against a CUDA toolkit has no wheels beside it: those of the cache.
nvidia=$torch/../nvidia
[ -d "$nvidia" ] || { with_cache_lock true; "$root/packaging/setup/libtorch.sh" fetch cuda_runtime; nvidia=$cache/torch-$(version_of torch)/nvidia; }
mount --bind "$nvidia" "$chroot/opt/nvidia" || failed "mount nvidia"
expect "The trainer starts: $version" slipway trainer setup --torch /opt/torch
expect "slipway-trainer $version" slipway-trainer --version
expect "" slipway-gui --version

step "the quickstart"
inside slipway --batch /usr/share/slipway/experiments/quickstart.json || failed "the quickstart"
expect '"status": "completed"' slipway runs --json

step "the window"
inside timeout --signal=TERM 15 slipway-gui --page runs
[ $? -eq 124 ] || failed "the window ended by itself"

step "purge"
inside apt-get purge --yes --quiet slipway slipway-gui slipway-trainer dict-wn >/dev/null || failed "apt-get purge"
inside apt-get autoremove --purge --yes --quiet >/dev/null || failed "apt-get autoremove"
find "$chroot/etc" "$chroot/usr" "$chroot/var/lib" -xdev | LC_ALL=C sort | LC_ALL=C comm -13 "$work/before" - | grep -i slipway && failed "purge left these files"
step "done"
times >"$work/times"
awk -F '[ms ]+' 'NR == 2 { printf "CPU    : %.1f s\n", 60 * $1 + $2 + 60 * $3 + $4 }' "$work/times"  # for check_budget.sh
