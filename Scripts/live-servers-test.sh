#!/usr/bin/env bash
# Monitors channels through third-party programs: FFmpeg's HLS muxer, nginx, Varnish, and a bad network.
#
#     Scripts/live-servers-test.sh [SECONDS]        default: 180; DTVR=PATH uses an existing build of the tool
#
# The channels of `dtvr synth --live` are served through nginx as a proxy, Varnish in front of it, and a TCP proxy with
# delays, slow transfers, stalls and resets: every tag must be found, without false findings. FFmpeg repackages such a
# channel as transport streams and as fragmented MP4, which nginx serves from files: the damage that FFmpeg does to the
# tags must be found.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh operation
if [ -z "${DTVR:-}" ]; then
    swift build -c release --product dtvr >&2
    DTVR=$(swift build -c release --show-bin-path)/dtvr
fi
exec python3 Scripts/live-servers-test.py "$DTVR" "${1:-180}"
