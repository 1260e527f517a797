#!/usr/bin/env bash
# Kills dtvr monitor with SIGKILL at random moments, while it has open alerts and a collector, and accounts for every
# tag.
#
#     Scripts/monitor-crash-test.sh [ROUNDS [SEED]]        default: 50 rounds; DTVR=PATH uses an existing build
#
# It follows twenty live channels. One of them loses its tags, another one cannot be loaded. Once both have raised their
# alerts, the monitor is killed and restarted repeatedly, and the collector is killed occasionally. At the end, every
# published tag must be at the collector exactly once, and the alerts must be open, raised once and never cleared.
# Otherwise the exit status is 1.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${DTVR:-}" ]; then
    swift build -c release --product dtvr >&2
    DTVR=$(swift build -c release --show-bin-path)/dtvr
fi
exec python3 Scripts/monitor-crash-test.py "$DTVR" "${1:-50}" "${2:-$SRANDOM}"
