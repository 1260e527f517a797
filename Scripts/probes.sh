#!/usr/bin/env bash
# Prints, as Markdown, what ffprobe and dtvr read in each of the probe files: transport streams that each hold one
# difficulty, with a file that says which tags a right reader gives.
#
#   Scripts/probes.sh [FOLDER]     the folder "probes" of the reference files unless said otherwise
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-${DTVR_CORPUS:-../shared/corpus}/probes}
if [ ! -d "$folder" ]; then
    echo "There is no folder $folder: set DTVR_CORPUS to where the reference files are." >&2
    exit 1
fi
swift build --product dtvr >&2
exec python3 Scripts/probes.py "$folder" "$(swift build --show-bin-path)/dtvr"
