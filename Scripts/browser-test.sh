#!/usr/bin/env bash
# Tests Examples/browser: runs hls.js and the calls of public connectors against libdtvr.so, in a headless Chromium.
# Takes a minute.
#
#     Scripts/browser-test.sh [PREFIX]        uses libdtvr.so from PREFIX (see Scripts/install.sh); default: installs it
#                                             to a temporary folder. DTVR=PATH uses an existing build of the tool
#
# hls.js plays streams of `dtvr synth`, as transport streams and as fragmented MP4, with a change of quality, a pause, a
# jump back and a jump forward. The tags at `dtvr collect` must match the tags that `dtvr scan` finds in the stream. The
# call logs of web connectors (DTVR_TRACES) and of this project are replayed through dtvr-shim.js; each must give the
# results in its file of expectations. If hls.js cannot be downloaded (Scripts/hls-js.sh), its part is skipped with a
# message.
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
# Stops a run that hangs.
timeout 600 python3 Scripts/browser-test.py "$DTVR" "$prefix/lib/libdtvr.so.1" "$hls" "${DTVR_TRACES:-../shared/traces}"
