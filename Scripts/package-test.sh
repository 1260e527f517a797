#!/usr/bin/env bash
# Builds the Debian package, and checks it with lintian and its service with systemd-analyze. Then installs, uses and
# removes it in a temporary Debian system without a Swift toolchain, created from this machine's package sources.
#
#     Scripts/package-test.sh [PACKAGE.deb]       default: builds the package
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh package-test
package=${1:-$(Scripts/package.sh)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

printf '%s: %d kB, %d kB installed\n' "${package##*/}" $(($(stat -c %s "$package") / 1000)) \
    "$(dpkg-deb -f "$package" Installed-Size)"
dpkg-deb -f "$package" Depends
# The suppressed tag asks for a request in Debian's bug tracker, which only packages of Debian itself have.
lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$package"

# The unchanged service, except for the program, which is not installed here.
unit=Packaging/systemd/dtvr-monitor.service
sed 's|^ExecStart=/usr/bin/dtvr|ExecStart=/bin/true|' "$unit" >"$work/${unit##*/}"
complaints=$(systemd-analyze verify --man=no "$work/${unit##*/}" 2>&1)
if [ -n "$complaints" ]; then
    echo "$complaints" >&2
    exit 1
fi
# The threshold is an exposure of 2.0.
systemd-analyze security --offline=yes --no-pager --threshold=20 "$unit" | tail -n 1

sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
    if [ -s "$file" ]; then sources+=("$file"); fi
done
# This machine's settings for reaching the sources.
apt-config dump --format '%f "%v";%n' Acquire::Check-Valid-Until Acquire::Check-Date Acquire::http::Proxy \
    Acquire::https::Proxy >"$work/apt.conf"
cp "$package" Packaging/install.sh Packaging/check-installed.sh Packaging/debian/links.pl "$work"
files=("$work/${package##*/}" "$work/install.sh" "$work/check-installed.sh" "$work/links.pl")
mmdebstrap --quiet --variant=apt --include=man-db,zsh,fish --aptopt="$work/apt.conf" --format=null \
    --customize-hook='mkdir "$1/tmp/package"' \
    --customize-hook="copy-in ${files[*]} /tmp/package" \
    --customize-hook="chroot \"\$1\" sh /tmp/package/check-installed.sh /tmp/package/${package##*/}" \
    bookworm - "${sources[@]}"
