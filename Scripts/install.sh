#!/usr/bin/env bash
# Builds libdtvr.so for release, and installs it with dtvr.h, its pkg-config file and the documents for players.
#
#     Scripts/install.sh --prefix DIR [--libdir DIR] [--runtime static|shared]
#
# DIR is an absolute path; the library is written to its folder lib, or to --libdir. With "static", the default, the
# library contains the Swift runtime and needs no Swift installation. With "shared" it loads the runtime of the
# toolchain from its current path. The environment variable DESTDIR is prepended to all paths, for packaging. Standard
# output is the path of the library; what else is needed to use it goes to standard error.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | head -n -1 >&2
    exit 2
}

prefix='' libdir='' runtime=static
while [ $# -gt 0 ]; do
    case $1 in
    --prefix) prefix=${2:-} && shift ;;
    --prefix=*) prefix=${1#*=} ;;
    --libdir) libdir=${2:-} && shift ;;
    --libdir=*) libdir=${1#*=} ;;
    --runtime) runtime=${2:-} && shift ;;
    --runtime=*) runtime=${1#*=} ;;
    *) usage ;;
    esac
    shift || usage
done
libdir=${libdir:-$prefix/lib}
case $prefix in /*) ;; *) usage ;; esac
case $libdir in /*) ;; *) usage ;; esac

case $runtime in
static) build=.build-libdtvr options=(-Xswiftc -static-stdlib --disable-local-rpath) ;;
shared) build=.build-libdtvr-shared options=() ;;
*) usage ;;
esac

Scripts/setup.sh
# The ABI version: increment it if programs built with an older header would no longer run. The library stays loaded
# after dlclose, because its threads and those of the Swift runtime outlive the sessions.
soname=libdtvr.so.1
swift build -c release --product CDTVR --scratch-path "$build" "${options[@]}" -Xswiftc -gnone \
    -Xlinker --version-script="$PWD/Packaging/libdtvr/exported.map" -Xlinker -soname="$soname" \
    -Xlinker -z -Xlinker nodelete \
    -Xlinker --gc-sections -Xlinker --strip-all -Xlinker -z -Xlinker now -Xlinker --no-undefined >&2

version=$(sed -n 's/.*static let version = "\(.*\)"/\1/p' Sources/Engine/TagDelivery/Uploader.swift)
root=${DESTDIR:-}$prefix libraries=${DESTDIR:-}$libdir
install -D -m 644 Sources/Products/CDTVRHeader/dtvr.h "$root/include/dtvr.h"
install -D -m 755 "$build/release/libCDTVR.so" "$libraries/$soname"
ln -sf "$soname" "$libraries/libdtvr.so"
mkdir -p "$libraries/pkgconfig"
sed -e "s|@prefix@|$prefix|" -e "s|@libdir@|$libdir|" -e "s|@version@|$version|" Packaging/libdtvr/dtvr.pc.in \
    >"$libraries/pkgconfig/dtvr.pc"
Packaging/documents.sh players "$root/share/doc/dtvr"
echo "$libraries/$soname"

# A package does the rest itself.
[ -z "${DESTDIR:-}" ] || exit 0
{
    # The paths of the dynamic linker need no option, but its cache must know the library.
    if ldconfig -v -N 2>/dev/null | sed -n 's|^\(/[^:]*\):.*|\1|p' | xargs readlink -f |
        grep -Fx "$(readlink -f "$libdir")" >/dev/null; then
        if [ "$(id -u)" = 0 ]; then ldconfig; else echo "As root, run: ldconfig"; fi
    else
        echo "Programs find the library at run time with: export LD_LIBRARY_PATH=$libdir"
        echo "or are linked with: -Wl,-rpath,$libdir"
    fi
    case $prefix in
    /usr | /usr/local) ;;
    *) echo "pkg-config finds it with: export PKG_CONFIG_PATH=$libdir/pkgconfig" ;;
    esac
    opened=$(mktemp)
    Packaging/loaded.sh "$libraries/$soname" "$opened" CDTVRCurl
    echo "On another machine it also needs the packages" \
        "$(ldd "$libraries/$soname" "$opened" | awk '/=> \//{print $3}' |
            grep -E 'lib(curl|sqlite3|zstd|crypto)\.' | xargs -r readlink -f |
            xargs -r dpkg-query -S 2>/dev/null | cut -d: -f1 | sort -u | paste -sd ' ')"
    rm -f "$opened"
} >&2
