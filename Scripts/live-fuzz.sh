#!/usr/bin/env bash
# Has a monitor follow 20 healthy channels beside 20 whose servers answer at random, by a virtual clock: every tag of the healthy
# ones must be kept once, memory must stay bounded, and nothing may trap.
#
#   Scripts/live-fuzz.sh SECONDS [SEED]     rounds of two minutes each are begun for so many seconds
#   SANITIZER=address|thread                under a sanitizer, in a build of its own
#
# A failure names the seed of its round; `Scripts/live-fuzz.sh 1 SEED` runs that round alone.
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
exec swift test --disable-xctest --filter LiveSequenceTests
