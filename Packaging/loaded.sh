#!/usr/bin/env bash
# Links the libraries that a program opens at run time, so that ldd and dpkg-shlibdeps find them.
#
#     Packaging/loaded.sh PROGRAM OUTPUT MODULE...
#
# OUTPUT is a shared library that uses the functions of the modules of Sources/Base, such as CDTVRCurl. Fails if PROGRAM
# opens another version of a library than the linker finds.
set -euo pipefail
cd "$(dirname "$0")/.."

program=$1 output=$2
shift 2
objects=()
for module in "$@"; do
    clang -c -fPIC -DDTVR_LINK_LIBRARIES -I Sources/Base/CDTVRLibrary/include -I "Sources/Base/$module/include" \
        "Sources/Base/$module/functions.c" -o "$output.$module.o"
    objects+=("$output.$module.o")
done
clang -shared -fPIC -I Sources/Base/CDTVRLibrary/include Sources/Base/CDTVRLibrary/library.c "${objects[@]}" \
    -o "$output" -Wl,--as-needed -lavformat -lavcodec -lavutil -lcurl -lmicrohttpd -lpq
rm -f "${objects[@]}"
# libavformat loads the other two.
readelf -d "$output" | sed -n 's/.*NEEDED.*\[\(lib.*\)\]/\1/p' | grep -vE '^lib(c|avcodec|avutil)\.' |
    while read -r name; do
        grep -qF "$name" "$program" || { echo "loaded.sh: $program does not open $name" >&2; exit 1; }
    done
