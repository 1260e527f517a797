#!/usr/bin/env bash
# Takes screenshots of HTML reports in desktop and phone sizes, light and dark: PAGE-1280-light.png and so on.
# Usage: Scripts/report-screenshots.sh DIR [PAGE.html]...
# Without a page, it creates a report of a synthetic stream with a fault.
set -euo pipefail

if [ $# -lt 1 ]; then
    echo "Usage: $0 DIR [PAGE.html]..." >&2
    exit 2
fi
mkdir -p "$1"
pictures=$(cd "$1" && pwd)
shift
chromium=$(command -v chromium || true)
if [ -z "$chromium" ]; then
    echo "Chromium is missing; as root: apt-get install chromium" >&2
    exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ $# -eq 0 ]; then
    cd "$(dirname "$0")/.."
    swift build -c release --product dtvr >&2
    dtvr=$(swift build -c release --show-bin-path)/dtvr
    "$dtvr" synth "$work/stream" --duration 600 --fault time.rate
    # The exit status for a stream with a fault is 1.
    "$dtvr" check "$work/stream/index.m3u8" --format html >"$pictures/report.html" || [ $? -eq 1 ]
    set -- "$pictures/report.html"
fi

for page in "$@"; do
    name=$(basename "$page" .html)
    address=file://$(realpath "$page")
    for width in 1280 390; do
        for scheme in light dark; do
            dark=()
            if [ "$scheme" = dark ]; then dark=(--blink-settings=preferredColorScheme=0); fi
            # In a container, Chromium has no message bus and, as root, no sandbox; it logs many warnings about both.
            "$chromium" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --virtual-time-budget=4000 \
                --user-data-dir="$work/profile" --window-size=$width,$((width == 390 ? 5200 : 4000)) "${dark[@]}" \
                --screenshot="$pictures/$name-$width-$scheme.png" "$address" 2>"$work/log" ||
                { cat "$work/log" >&2; exit 1; }
            echo "$pictures/$name-$width-$scheme.png"
        done
    done
done
