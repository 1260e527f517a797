#!/usr/bin/env bash
# Has the monitor follow channels through other people's programs: FFmpeg's HLS muxer, nginx, Varnish, and a bad network.
#
#     Scripts/live-servers-test.sh [SECONDS]        180 unless given; DTVR=PATH takes a tool that is built
#
# The channels of `dtvr synth --live` come through nginx as a proxy, Varnish before it, and a TCP proxy with delays, drips,
# stalls and resets: every tag must be found, and nothing that is no fault. FFmpeg makes channels of the same stream, as
# transport streams and as fragmented MP4, which nginx serves from files: what it does to the tags must be found.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh operation
if [ -z "${DTVR:-}" ]; then
    swift build -c release --product dtvr >&2
    DTVR=$(swift build -c release --show-bin-path)/dtvr
fi
exec python3 Scripts/live-servers-test.py "$DTVR" "${1:-180}"
