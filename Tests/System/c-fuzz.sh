#!/usr/bin/env bash
# Fuzzes libdtvr: random calls from several threads of two processes on several folders, also bursts beyond the queue,
# while writes fail with EIO and ENOSPC and work again, syncs are slow, signals interrupt waits, and the clock jumps by
# months. A hostile neighbor connects to the sockets and touches the files. Every tag that was reported as stored
# must be in the buffer of its folder exactly once, no other tag may be there, the last of several choices in the first
# milliseconds must be that of the next session, and nothing may crash.
#
#     Tests/System/c-fuzz.sh SECONDS [SEED]     starts rounds of ten seconds for SECONDS
#     DTVR_BUILD=FOLDER                         uses this debug build instead of a new one
#
# A failure prints the seed of its round; `Tests/System/c-fuzz.sh 1 SEED` repeats only that round. The threads run
# differently each time, so it also keeps the buffers as they were before the tool opened them.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ $# -lt 1 ]; then
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2
    exit 2
fi
Scripts/setup.sh c
seconds=$1 seed=${2:-$RANDOM$RANDOM}
work=$(mktemp -d)
# Another user can reach the folders of the players, but must not enter them.
chmod 711 "$work"
trap 'rm -rf "$work"' EXIT

# Debug builds check more. The tool reads the buffers.
if [ -z "${DTVR_BUILD:-}" ]; then
    for product in CDTVR dtvr; do swift build --product "$product" >&2; done
fi
folder=${DTVR_BUILD:-$(swift build --show-bin-path)}

sources=Tests/Products/CDTVRTests/Fuzz
warnings=(-std=gnu11 -Wall -Wextra -Werror -g)
gcc "${warnings[@]}" -shared -fPIC "$sources/faults.c" -o "$work/faults.so" -ldl
gcc "${warnings[@]}" -I Sources/Products/CDTVRHeader "$sources/calls.c" "$sources/neighbor.c" -o "$work/calls" \
    -L "$folder" -lCDTVR -Wl,-rpath,"$folder" -Wl,--allow-shlib-undefined -pthread -ldl

end=$((SECONDS + seconds)) rounds=0
while [ "$SECONDS" -lt "$end" ]; do
    status=0
    mkdir -m 711 "$work/$seed"
    LD_PRELOAD="$work/faults.so" timeout 300 "$work/calls" "$work/$seed" "$seed" 10 \
        >"$work/said" 2>"$work/errors" || status=$?
    tail -n 20 "$work/errors"
    cat "$work/$seed-said" >>"$work/said" || status=$?
    rm -rf "$work/before" "$work/$seed-said"
    cp -a "$work/$seed" "$work/before"
    for number in 0 1 2; do
        "$folder/dtvr" store export --store "$work/$seed/$number" --output "$work/tags-$number" \
            >>"$work/errors" 2>&1 || status=$?
        "$folder/dtvr" store status --format json --store "$work/$seed/$number" >"$work/status-$number" || status=$?
    done
    if [ "$status" -ne 0 ] || ! python3 "$sources/judge.py" "$work"; then
        tail -n 20 "$work/errors" >&2
        echo "c-fuzz: seed $seed ended with $status; what it left is in $work" >&2
        trap - EXIT
        exit 1
    fi
    rm -rf "${work:?}/$seed"
    rounds=$((rounds + 1)) seed=$((seed + 1))
done
echo "c-fuzz: $rounds rounds, the last with seed $((seed - 1)): no tag lost, no duplicates"
