#!/usr/bin/env bash
# Monitors healthy channels together with channels whose segments arrive slowly, and checks that the healthy ones are
# not affected.
#
#     Scripts/drip-test.sh [SECONDS [HEALTHY [DRIPPING]]]        default: 180 200 1; DTVR=PATH uses an existing build
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${DTVR:-}" ]; then
    swift build -c release --product dtvr >&2
    DTVR=$(swift build -c release --show-bin-path)/dtvr
fi
exec python3 Scripts/drip-test.py "$DTVR" "${1:-180}" "${2:-200}" "${3:-1}"
