#!/usr/bin/env bash
# Has the monitor follow healthy channels beside some whose segments drip, and demands that the healthy ones notice nothing.
#
#     Scripts/drip-test.sh [SECONDS [HEALTHY [DRIPPING]]]        180, 200 and 1 unless given; DTVR=PATH takes a tool that is built
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${DTVR:-}" ]; then
    swift build -c release --product dtvr >&2
    DTVR=$(swift build -c release --show-bin-path)/dtvr
fi
exec python3 Scripts/drip-test.py "$DTVR" "${1:-180}" "${2:-200}" "${3:-1}"
