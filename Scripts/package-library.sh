#!/usr/bin/env bash
# Builds the Debian packages libdtvr1 and libdtvr-dev for players, and prints their paths.
#
#     Scripts/package-library.sh [FOLDER]       writes them to FOLDER; default: .build-package
#
# The library contains the Swift runtime. All times are the time of the commit, unless SOURCE_DATE_EPOCH is set.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh package
folder=$(realpath -m "${1:-.build-package}")
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export LC_ALL=C TZ=UTC
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

library=$(DESTDIR=$work/all Scripts/install.sh --prefix /usr --libdir "/usr/lib/$triplet")
chmod 644 "$library"
version=$(sed -n 's/^Version: //p' "${library%/*}/pkgconfig/dtvr.pc")
# Clears the hashes of the compiler invocations: they depend on the folder, and only incremental builds read them.
read -r offset size < <(readelf -SW "$library" | sed 's/\[ */[/' | awk '$2 == ".swift_modhash" { print $5, $6 }') ||
    true
[ -z "${offset:-}" ] ||
    dd if=/dev/zero of="$library" bs=1 seek=$((16#$offset)) count=$((16#$size)) conv=notrunc status=none

runtime=$work/libdtvr1 development=$work/libdtvr-dev
mkdir -p "$runtime/usr/lib/$triplet" "$development/usr/share/doc"
mv "$library" "$runtime/usr/lib/$triplet"
mv "$work/all/usr/include" "$development/usr"
mv "$work/all/usr/lib" "$development/usr"
mv "$work/all/usr/share/doc/dtvr" "$development/usr/share/doc/libdtvr-dev"
rm "$development/usr/share/doc/libdtvr-dev/LICENSE"
install -D -m 644 -t "$development/usr/share/doc/libdtvr-dev/examples" Examples/CPlayer/player.c Examples/players/*.c
Packaging/debian/links.pl --fix "$development/usr/share/doc/libdtvr-dev"

for package in libdtvr1 libdtvr-dev; do
    doc=$work/$package/usr/share/doc/$package
    mkdir -p "$doc" "$work/$package/DEBIAN"
    cp Packaging/debian/copyright "$doc"
    gzip -9n <CHANGELOG.md >"$doc/changelog.gz"
    gzip -9n >"$doc/changelog.Debian.gz" <<CHANGELOG
dtvr ($version-1) bookworm; urgency=medium

  * See changelog.gz for the changes.

 -- $(sed -n 's/^Maintainer: //p' Packaging/debian/control)  $(date -R -d "@$SOURCE_DATE_EPOCH")
CHANGELOG
done
# Programs that are linked with this library need its functions; see Packaging/libdtvr/abi.xml.
echo "libdtvr 1 libdtvr1 (>= $version)" >"$runtime/DEBIAN/shlibs"
echo "activate-noawait ldconfig" >"$runtime/DEBIAN/triggers"

Packaging/loaded.sh "$runtime/usr/lib/$triplet/libdtvr.so.1" "$work/loaded.so" CDTVRCurl
mkdir "$work/debian" "$work/debian/none"
cp Packaging/debian/control "$work/debian/control"
zcat "$runtime/usr/share/doc/libdtvr1/changelog.Debian.gz" >"$work/debian/changelog"
(
    cd "$work"
    dpkg-shlibdeps -Tsubstvars "libdtvr1/usr/lib/$triplet/libdtvr.so.1" loaded.so
    for package in libdtvr1 libdtvr-dev; do
        dpkg-gencontrol -p$package -P$package -Tsubstvars -ffiles
        (
            cd $package
            find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum >DEBIAN/md5sums
        )
    done
) >&2
mkdir -p "$folder"
for package in libdtvr1 libdtvr-dev; do
    find "$work/$package" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    file=$folder/${package}_$version-1_$(dpkg --print-architecture).deb
    dpkg-deb --root-owner-group -Zxz --build "$work/$package" "$file" >&2
    echo "$file"
done
