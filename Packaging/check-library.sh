#!/bin/sh
# Installs libdtvr1 and libdtvr-dev, compiles and runs a player, removes the packages, and checks that nothing is left.
# Scripts/package-library-test.sh runs it in a Debian system without a Swift toolchain.
#
#     check-library.sh RUNTIME.deb DEVELOPMENT.deb SEGMENT...
set -eu
runtime=$1 development=$2
shift 2
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
work=$(mktemp -d)

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

if command -v swift; then fail "there is a Swift toolchain"; fi
apt-get -qq update
apt-get -qq install -y --no-install-recommends "$runtime" "$development" gcc libc6-dev pkg-config >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; exit 1; }
dpkg-query -W -f '${Package} ${Version}, ${Installed-Size} kB installed\n' libdtvr1 libdtvr-dev
library=$(dpkg -L libdtvr1 | grep 'libdtvr\.so\.1$')
if ldd "$library" | grep -E 'not found|libswift|libav|Foundation'; then fail "a library is missing or too many"; fi
[ "$(pkg-config --modversion dtvr)" = "$(dpkg-query -W -f '${source:Upstream-Version}' libdtvr1)" ] ||
    fail "pkg-config has another version"
for document in /usr/share/doc/libdtvr-dev/*.md; do [ -s "$document" ] || fail "no documents"; done

# Programs of a user need neither LD_LIBRARY_PATH nor PKG_CONFIG_PATH.
# shellcheck disable=SC2046
for name in player segments; do
    gcc -std=gnu11 -Wall -Wextra -Werror "/usr/share/doc/libdtvr-dev/examples/$name.c" \
        $(pkg-config --cflags --libs dtvr) -o "$work/$name"
done
printf 'www.nielsen.com/a\n' | "$work/player" "$work/tags" | grep -x '1 tags, 1 stored, .*'
"$work/segments" "$work/segment-tags" 6.4 "$@" | tail -n 2 | tee "$work/played"
grep -qx 'played: 0 held' "$work/played" || fail "tags were not presented"

dpkg --purge libdtvr-dev libdtvr1 >"$work/log"
left=$(find /usr /etc /var/lib /lib -path /var/lib/dpkg -prune -o -name '*dtvr*' -print 2>/dev/null || true)
[ -z "$left" ] || fail "left over: $left"
rm -r "$work"
echo "The library packages pass."
