#!/usr/bin/env bash
# Prints a Markdown table of the tags that ffprobe and dtvr read from each of the probe files. A probe file is a
# transport stream with one difficulty; a second file lists the tags that a correct reader returns.
#
#   Scripts/probes.sh [FOLDER]     default: the folder "probes" of the reference files
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-${DTVR_CORPUS:-../shared/corpus}/probes}
if [ ! -d "$folder" ]; then
    echo "$folder not found: set DTVR_CORPUS to the folder of the reference files." >&2
    exit 1
fi
swift build --product dtvr >&2
exec python3 Scripts/probes.py "$folder" "$(swift build --show-bin-path)/dtvr"
