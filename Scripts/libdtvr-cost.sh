#!/usr/bin/env bash
# Measures the cost of libdtvr.so for a player, with the Swift runtime linked statically and with the shared runtime of
# the toolchain: file sizes, milliseconds to load it and to create a session, and memory afterwards. Each figure is the
# median of 21 processes.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh c
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for runtime in static shared; do
    library=$(Scripts/install.sh --prefix "$work/$runtime" --runtime "$runtime")
    gcc -std=c11 -Wall -Wextra -Werror -I "$work/$runtime/include" Tests/Products/CDTVRTests/cost.c -o "$work/cost"
    for run in {1..21}; do "$work/cost" "$library" "$work/tags-$runtime-$run"; done >"$work/times"
    median() { cut -d ' ' -f "$1" "$work/times" | sort -n | sed -n 11p; }
    # The size of the shared runtime libraries that it loads.
    runtime_bytes=$(ldd "$library" | awk '/\/swift\// { print $3 }' | xargs -r stat -Lc %s \
        | awk '{ sum += $1 } END { print sum + 0 }')
    megabytes() { awk "BEGIN { print $1 / 1e6 }"; }
    printf '%-6s  library %5.1f MB, shared runtime %5.1f MB; loaded in %s ms, session in %s ms; %.1f MB of memory\n' \
        "$runtime" "$(megabytes "$(stat -c %s "$library")")" "$(megabytes "$runtime_bytes")" \
        "$(median 1)" "$(median 2)" "$(awk "BEGIN { print $(median 3) * 1.024 / 1e3 }")"
done
