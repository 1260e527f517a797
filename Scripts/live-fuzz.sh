#!/usr/bin/env bash
# Fuzzes a monitor on a virtual clock: it follows 20 healthy channels and 20 channels whose servers answer at random,
# some with floods of tags. Its disk is full for some time, it is restarted, and another process uses its buffer, also
# with requests that no client sends. Every tag of the healthy channels must be stored once, but the oldest may be
# evicted while the disk is full; memory must stay bounded, and nothing may crash. Beside it, a second monitor follows
# 16 channels with the faults of real servers; each tag that was available for longer than a target duration must be
# stored once. DTVR_LIVE_LOG=PREFIX writes the requests of channels that lost tags to files.
#
#   Scripts/live-fuzz.sh SECONDS [SEED]     starts rounds of two minutes for SECONDS
#   SANITIZER=address|thread                runs under a sanitizer, in a separate build
#   DTVR_BUILD=FOLDER                       uses this debug build of the tests instead of a new one
#
# A failure prints the seed of its round; `Scripts/live-fuzz.sh 1 SEED` repeats only that round.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -lt 1 ]; then
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2
    exit 2
fi
Scripts/setup.sh test
export DTVR_LIVE_SECONDS=$1 DTVR_LIVE_SEED=${2:-$RANDOM$RANDOM}
echo "live-fuzz: $DTVR_LIVE_SECONDS s from seed $DTVR_LIVE_SEED"
if [ -n "${SANITIZER:-}" ]; then
    exec Scripts/sanitize.sh "$SANITIZER" --filter LiveSequenceTests
fi
if [ -n "${DTVR_BUILD:-}" ]; then
    exec "$DTVR_BUILD/DTVRKitPackageTests.xctest" --testing-library swift-testing --filter LiveSequenceTests
fi
exec swift test --disable-xctest --filter LiveSequenceTests
