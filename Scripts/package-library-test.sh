#!/usr/bin/env bash
# Builds the packages libdtvr1 and libdtvr-dev, and checks them with lintian. Then installs them, compiles and runs a
# player, and removes them in a temporary Debian system without a Swift toolchain.
#
#     Scripts/package-library-test.sh [FOLDER]       takes the packages of FOLDER; default: builds them
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh package-test
if [ $# -gt 0 ]; then
    packages=("$1"/libdtvr1_*.deb "$1"/libdtvr-dev_*.deb)
else
    mapfile -t packages < <(Scripts/package-library.sh)
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The suppressed tag asks for a request in Debian's bug tracker, which only packages of Debian itself have.
lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "${packages[@]}"

sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
    if [ -s "$file" ]; then sources+=("$file"); fi
done
# This machine's settings for reaching the sources.
apt-config dump --format '%f "%v";%n' Acquire::Check-Valid-Until Acquire::Check-Date Acquire::http::Proxy \
    Acquire::https::Proxy >"$work/apt.conf"
cp "${packages[@]}" Packaging/check-library.sh media/demo/v360/*.ts "$work"
arguments=()
for package in "${packages[@]}"; do arguments+=("/tmp/package/${package##*/}"); done
mmdebstrap --quiet --variant=apt --aptopt="$work/apt.conf" --format=null \
    --customize-hook='mkdir "$1/tmp/package"' \
    --customize-hook="copy-in $(printf '%s ' "$work"/*.deb "$work"/*.sh "$work"/*.ts) /tmp/package" \
    --customize-hook="chroot \"\$1\" sh -c 'sh /tmp/package/check-library.sh ${arguments[*]} /tmp/package/*.ts'" \
    bookworm - "${sources[@]}"
