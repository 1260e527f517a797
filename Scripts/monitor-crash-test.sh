#!/usr/bin/env bash
# Kills dtvr monitor with signal 9 at random moments, while it has open alerts and a collector, and counts every tag.
#
#     Scripts/monitor-crash-test.sh [ROUNDS [SEED]]        50 rounds unless given; DTVR=PATH takes a tool that is built
#
# Twenty live channels; of one the tags are taken out, another cannot be loaded. Once both have their alert, the monitor
# is killed and started again and again; the collector is killed now and then. At the end every tag that was published is
# at the collector exactly once, and both alerts are open, raised once and never cleared. Ends with 1 where not.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${DTVR:-}" ]; then
    swift build -c release --product dtvr >&2
    DTVR=$(swift build -c release --show-bin-path)/dtvr
fi
exec python3 Scripts/monitor-crash-test.py "$DTVR" "${1:-50}" "${2:-$SRANDOM}"
