#!/usr/bin/env bash
# Has the monitor follow live channels with random faults for hours, and compares what it tells with what was wrong.
#
#     Scripts/soak.sh HOURS [CHANNELS [SEED]]        200 channels unless given; DTVR=PATH takes a tool that is built
#
# `dtvr synth --live` serves the channels, with faults by a script that follows from the seed; `dtvr monitor` follows them,
# `dtvr collect` takes the tags, and is killed and started again meanwhile. At the end: every tag that could be had is at
# the collector exactly once, every fault has its finding, no finding is without a fault, every alert was raised once and
# cleared once, every channel is healthy again, and open files and memory have not grown. Ends with 1 where not.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${DTVR:-}" ]; then
    swift build -c release --product dtvr >&2
    DTVR=$(swift build -c release --show-bin-path)/dtvr
fi
exec python3 Scripts/soak.py "$DTVR" "${1:?hours}" "${2:-200}" "${3:-$SRANDOM}"
