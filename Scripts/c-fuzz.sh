#!/usr/bin/env bash
# Fuzzes libdtvr: random calls from several threads on several folders, while writing fails with EIO and ENOSPC, syncing is slow,
# signals interrupt waits and the wall clock is set by months. Every tag that was called stored must be in the buffer of its
# folder once, none that was not handed over may be there, and nothing may trap.
#
#     Scripts/c-fuzz.sh SECONDS [SEED]     rounds of ten seconds each are begun for so many seconds
#
# A failure names the seed of its round; `Scripts/c-fuzz.sh 1 SEED` runs that round alone.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -lt 1 ]; then
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2
    exit 2
fi
Scripts/setup.sh c
seconds=$1 seed=${2:-$RANDOM$RANDOM}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Debugging checks more; the tests have built both, the tool too that reads the buffers.
for product in CDTVR dtvr; do swift build --product "$product" >&2; done
folder=$(swift build --show-bin-path)

sources=Tests/Products/CDTVRTests/Fuzz
warnings=(-std=gnu11 -Wall -Wextra -Werror -g)
gcc "${warnings[@]}" -shared -fPIC "$sources/faults.c" -o "$work/faults.so" -ldl
gcc "${warnings[@]}" -I Sources/Products/CDTVRHeader "$sources/calls.c" -o "$work/calls" \
    -L "$folder" -lCDTVR -Wl,-rpath,"$folder" -Wl,--allow-shlib-undefined -pthread -ldl

end=$((SECONDS + seconds)) rounds=0
while [ "$SECONDS" -lt "$end" ]; do
    status=0
    LD_PRELOAD="$work/faults.so" timeout 300 "$work/calls" "$work/$seed" "$seed" 10 >"$work/said" 2>"$work/errors" || status=$?
    tail -n 20 "$work/errors"
    for number in 0 1 2; do
        "$folder/dtvr" store export --store "$work/$seed/$number" --output "$work/tags-$number" >>"$work/errors" 2>&1 || status=$?
        "$folder/dtvr" store status --format json --store "$work/$seed/$number" >"$work/status-$number" || status=$?
    done
    if [ "$status" -ne 0 ] || ! python3 "$sources/judge.py" "$work"; then
        tail -n 20 "$work/errors" >&2
        echo "c-fuzz: seed $seed ended with $status" >&2
        exit 1
    fi
    rm -rf "${work:?}/$seed"
    rounds=$((rounds + 1)) seed=$((seed + 1))
done
echo "c-fuzz: $rounds rounds, the last with seed $((seed - 1)): nothing lost, nothing twice"
