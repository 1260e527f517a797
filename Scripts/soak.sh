#!/usr/bin/env bash
# Monitors live channels with random faults for hours, and compares the findings with the faults.
#
#     Scripts/soak.sh HOURS [CHANNELS [SEED]]        default: 200 channels; DTVR=PATH uses an existing build of the tool
#
# `dtvr synth --live` serves the channels, with a script of faults that is generated from the seed. `dtvr monitor`
# follows them, and `dtvr collect` receives the tags; it is killed and restarted during the run. At the end, every tag
# that was available must be at the collector exactly once, every fault must have its finding and every finding its
# fault, every alert must have been raised once and cleared once, every channel must be healthy, and open files and
# memory must not have grown. Otherwise the exit status is 1.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${DTVR:-}" ]; then
    swift build -c release --product dtvr >&2
    DTVR=$(swift build -c release --show-bin-path)/dtvr
fi
exec python3 Scripts/soak.py "$DTVR" "${1:?hours}" "${2:-200}" "${3:-$SRANDOM}"
