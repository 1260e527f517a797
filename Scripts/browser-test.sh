#!/usr/bin/env bash
# Has a real player and the calls of public connectors, in a headless Chromium, use a session of libdtvr.so; takes a minute.
#
#     Scripts/browser-test.sh [PREFIX]        PREFIX has libdtvr.so already (Scripts/install.sh); DTVR=PATH takes a tool
#
# Examples/browser: hls.js plays streams of `dtvr synth`, as transport streams and as fragmented MP4, with a change of
# quality, a pause, a jump back and one forward; what `dtvr collect` has is compared with what `dtvr scan` finds in the stream. Each
# log of calls of a web connector (DTVR_TRACES) and our own is made through dtvr-shim.js, and must come to what it says.
# Where hls.js cannot be fetched (Scripts/hls-js.sh), it is left out, and that is said.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh browser
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${DTVR:-}" ]; then
    swift build -c release --product dtvr >&2
    DTVR=$(swift build -c release --show-bin-path)/dtvr
fi
prefix=${1:-$work/dtvr}
if [ $# -eq 0 ]; then Scripts/install.sh --prefix "$prefix" >/dev/null; fi
status=0
hls=$(Scripts/hls-js.sh) || status=$?
case $status in
0) ;;
69) hls='' ;;
*) exit "$status" ;;
esac
# Nothing is tested in vain for longer than that.
timeout 600 python3 Scripts/browser-test.py "$DTVR" "$prefix/lib/libdtvr.so.1" "$hls" "${DTVR_TRACES:-../shared/traces}"
