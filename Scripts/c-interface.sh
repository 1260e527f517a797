#!/usr/bin/env bash
# Installs libdtvr.so into a temporary folder and tests it as a program that links it: exported symbols, dependencies,
# ABI, C, C++ and Python programs, fork, an installation for the system, and memory leaks.
#
#     Scripts/c-interface.sh             compares the ABI with Packaging/libdtvr/abi.xml
#     Scripts/c-interface.sh --update    writes that file, after an intended change
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh c
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
library=$(Scripts/install.sh --prefix "$work/dtvr")
header=$work/dtvr/include/dtvr.h
export PKG_CONFIG_PATH=$work/dtvr/lib/pkgconfig LD_LIBRARY_PATH=$work/dtvr/lib
read -ra flags < <(pkg-config --cflags --libs dtvr)
tests=Tests/Products/CDTVRTests

echo "Exports: only the functions of dtvr.h"
gcc -std=c11 -aux-info "$work/declared" -fsyntax-only -x c "$header"
grep -oP '\bdtvr_\w+(?= \()' "$work/declared" | sort >"$work/functions"
readelf --dyn-syms -W "$library" | awk '$5 == "GLOBAL" && $7 != "UND" { print $8 }' | sort >"$work/symbols"
diff "$work/functions" "$work/symbols"
[ "$(wc -l <"$work/symbols")" -ge 40 ]

echo "Dependencies: no libav library, no libpq and no Swift runtime; libcurl is opened at its first use"
readelf -d "$library" >"$work/dynamic"
grep -q 'SONAME.*\[libdtvr\.so\.1\]' "$work/dynamic"
# Unloading would remove the code of running threads.
grep -q 'FLAGS_1.*NODELETE' "$work/dynamic"
grep -q 'NEEDED.*\[libsqlite3' "$work/dynamic"
if ldd "$library" | grep -E 'lib(pq|curl)\.'; then exit 1; fi
if grep -E 'NEEDED.*\[lib(av|sw|Foundation|dispatch|postproc)' "$work/dynamic"; then exit 1; fi

echo "ABI"
# abidw reads types from debug information, and Swift's does not describe the C types. So it reads a C library of empty
# functions that is generated from the header.
{
    echo '#include "dtvr.h"'
    sed -n -E 's|^/\*.*\*/ *extern (.*dtvr_.*);$|\1 { __builtin_unreachable(); }|p' "$work/declared"
} >"$work/stub.c"
gcc -std=gnu2x -w -g -shared -fPIC -I "$work/dtvr/include" "$work/stub.c" -o "$work/libdtvr.so.1" \
    -Wl,-soname,libdtvr.so.1
abidw --no-corpus-path --no-comp-dir-path --headers-dir "$work/dtvr/include" "$work/libdtvr.so.1" >"$work/abi.xml"
if [ "${1:-}" = --update ]; then cp "$work/abi.xml" Packaging/libdtvr/abi.xml; fi
abidiff --no-added-syms Packaging/libdtvr/abi.xml "$work/abi.xml"
# Additions must be recorded, too.
abidiff Packaging/libdtvr/abi.xml "$work/abi.xml" >/dev/null || {
    echo "The ABI has additions; record them with Scripts/c-interface.sh --update." >&2
    exit 1
}

echo "C"
warnings=(-Wall -Wextra -Wpedantic -Werror)
gcc -std=c11 "${warnings[@]}" -g "$tests/session.c" "${flags[@]}" -pthread -lm -o "$work/session"
gcc -std=gnu11 "${warnings[@]}" "$tests/forked.c" "${flags[@]}" -o "$work/forked"
gcc -std=gnu11 "${warnings[@]}" "$tests/limits.c" "${flags[@]}" -o "$work/limits"
gcc -std=gnu11 "${warnings[@]}" -I "$work/dtvr/include" "$tests/unloaded.c" -ldl -o "$work/unloaded"
gcc -std=gnu11 "${warnings[@]}" Examples/CPlayer/player.c "${flags[@]}" -o "$work/player"
"$work/session" "$work/one"
"$work/limits" "$work/limited"
"$work/forked" "$work/parent" "$work/child"
"$work/unloaded" "$library" "$work/unloaded-tags"

echo "The C code of docs/players.md, as printed"
awk '/^```c$/ { is_code = 1; next } /^```$/ { is_code = 0 } is_code' docs/players.md >"$work/printed.c"
gcc -std=c11 "${warnings[@]}" "$work/printed.c" "${flags[@]}" -o "$work/printed"

echo "C++"
g++ -std=c++17 "${warnings[@]}" "$tests/header.cpp" "${flags[@]}" -o "$work/header"
"$work/header"

echo "Python"
python3 "$tests/session.py" "$library" "$work/python"

echo "The example"
printf 'www.nielsen.com/a\nwww.nielsen.com/b\nwww.nielsen.com/b\nwww.example.com/c\n\n' |
    "$work/player" --log "$work/calls.jsonl" "$work/tags" 2>"$work/events" |
    grep -x '5 tags, 2 stored, 1 repeats, 1 of other owners, 1 invalid' >/dev/null
grep -q '^event 2001: ' "$work/events"
# The log has init, play and loadMetadata, a tag and a playhead for each line, end and free.
[ "$(grep -c '^{"at":[0-9.]*,"call":"' "$work/calls.jsonl")" -eq 15 ]

echo "Players: own segments, libavformat, GStreamer"
gcc -std=gnu11 "${warnings[@]}" Examples/players/segments.c "${flags[@]}" -o "$work/segments"
"$work/segments" "$work/segment-tags" 6.4 media/demo/v540/*.ts >"$work/fed"
grep -qx 'loaded: 13 tags, 13 held' "$work/fed"
grep -qx 'played: 0 held' "$work/fed"
read -ra libraries < <(pkg-config --cflags --libs dtvr libavformat libavcodec libavutil)
gcc -std=gnu11 "${warnings[@]}" Examples/players/libav.c "${libraries[@]}" -lm -o "$work/libav"
"$work/libav" "$work/libav-tags" media/demo/v540/index.m3u8 2>/dev/null |
    grep -x '13 tags, 13 stored, 0 of other owners, 0 not presented' >/dev/null
if pkg-config --exists gstreamer-1.0 && gst-inspect-1.0 hlsdemux >/dev/null 2>&1; then
    read -ra libraries < <(pkg-config --cflags --libs dtvr gstreamer-1.0)
    gcc -std=gnu11 -Wall -Wextra -Werror Examples/players/gstreamer.c "${libraries[@]}" -o "$work/gstreamer"
    # The first three segments: a playhead that advances by more than 30 s at once would be a jump.
    sed -n "/^#/p; s|^seg|$PWD/media/demo/v540/&|p" media/demo/v540/index.m3u8 |
        awk '/^#EXTINF/ && ++count > 3 { exit } { print } END { print "#EXT-X-ENDLIST" }' >"$work/short.m3u8"
    GST_SYNC=0 "$work/gstreamer" "$work/gstreamer-tags" "file://$work/short.m3u8" |
        grep -x '2 tags, 2 stored, 0 not presented' >/dev/null
else
    echo "skipped: GStreamer with hlsdemux is not installed"
fi

echo "A system prefix"
# Installs to /usr/local in overlays, so that this machine stays unchanged. Programs need neither PKG_CONFIG_PATH nor
# LD_LIBRARY_PATH.
namespace=(unshare --mount)
[ "$(id -u)" = 0 ] || namespace+=(--map-root-user)
if "${namespace[@]}" true 2>"$work/refused"; then
    env -u PKG_CONFIG_PATH -u LD_LIBRARY_PATH "${namespace[@]}" bash -euo pipefail -s "$work" <<'SYSTEM'
work=$1
mkdir "$work/overlays"
mount -t tmpfs dtvr "$work/overlays"
for folder in /usr/local /etc /var/cache/ldconfig; do
    [ -d "$folder" ] || continue
    mkdir -p "$work/overlays/upper$folder" "$work/overlays/work$folder"
    mount -t overlay dtvr "$folder" -o \
        "lowerdir=$folder,upperdir=$work/overlays/upper$folder,workdir=$work/overlays/work$folder"
done
Scripts/install.sh --prefix /usr/local 2>"$work/advice" >/dev/null
if grep -E 'LD_LIBRARY_PATH|ldconfig|PKG_CONFIG_PATH' "$work/advice"; then exit 1; fi
ldconfig -p | grep '/usr/local/lib/libdtvr\.so\.1$' >/dev/null
read -ra flags < <(pkg-config --cflags --libs dtvr)
gcc -std=gnu11 Examples/CPlayer/player.c "${flags[@]}" -o "$work/system-player"
ldd "$work/system-player" | grep ' => /usr/local/lib/libdtvr\.so\.1 ' >/dev/null
printf 'www.nielsen.com/a\n' | "$work/system-player" "$work/system-tags" 2>/dev/null | grep -x '1 tags, 1 stored, .*'
SYSTEM
else
    echo "skipped: no mount namespace: $(cat "$work/refused")"
fi

echo "Memory"
# Type metadata of the Swift runtime stays reachable until the process ends. Sessions and their data must not leak.
valgrind --quiet --leak-check=full --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect \
    --error-exitcode=9 --fair-sched=yes "$work/session" "$work/two"
echo "libdtvr.so passes, $(stat -c %s "$library") bytes."
