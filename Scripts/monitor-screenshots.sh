#!/usr/bin/env bash
# Follows synthetic live channels, five of them with faults, and takes screenshots of the monitor's pages in desktop and
# phone sizes, light and dark: monitor-1280-light.png, channel-390-dark.png and so on. The exit status is 1 if a page
# logs errors to the console, is wider than the window, shows problems only below the fold, or leaks memory.
# Usage: Scripts/monitor-screenshots.sh DIR [CHANNELS [SECONDS]]
# Defaults: 1000 channels, and a page that is open for 60 s.
set -euo pipefail

if [ $# -lt 1 ]; then
    echo "Usage: $0 DIR [CHANNELS [SECONDS]]" >&2
    exit 2
fi
mkdir -p "$1"
pictures=$(cd "$1" && pwd)
channels=${2:-1000}
seconds=${3:-60}
cd "$(dirname "$0")/.."
if [ ! -x /usr/bin/chromium ]; then
    echo "Chromium is missing; as root: apt-get install chromium" >&2
    exit 1
fi
# Each channel has a connection on both sides.
ulimit -n "$(ulimit -Hn)"
work=$(mktemp -d)
started=()
trap 'kill "${started[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT

if [ -z "${DTVR:-}" ]; then
    swift build -c release --product dtvr >&2
    DTVR=$(swift build -c release --show-bin-path)/dtvr
fi
cat >"$work/script" <<'SCRIPT'
at 30s for 3600s channel 17: status 503
at 35s for 3600s channel 4: status 503
at 20s for 3600s channel 7: no-tags
at 25s for 3600s channel 12: no-tags
at 60s for 20s channel 3: no-tags
SCRIPT
"$DTVR" synth --live 0 --channels "$channels" --bitrate 64 --script "$work/script" >"$work/urls" &
started+=($!)
until [ "$(wc -l <"$work/urls")" -eq "$channels" ]; do sleep 0.2; done
number=0
while read -r url; do
    number=$((number + 1))
    printf '[channel station-%04d]\nname = Station %d HD\nurl = %s\n' $number $number "$url"
done <"$work/urls" >"$work/channels"
"$DTVR" monitor --channels "$work/channels" --store "$work/store" --listen 127.0.0.1:0 --format jsonl \
    >/dev/null 2>"$work/log" &
started+=($!)
until grep -q 'listening on' "$work/log"; do sleep 0.2; done
site=$(sed -n 's/.*listening on //p' "$work/log")
# Until the faults have raised alerts.
sleep 90

python3 - "$site" "$pictures" "$channels" "$seconds" <<'SCRIPT'
import json
import subprocess
import sys

site, pictures, channels, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
there = {"wait": f"document.querySelectorAll('#channels li').length === {channels}"}
overflow = {"value": "document.documentElement.scrollWidth - innerWidth"}
seen = {"value": "['#overall', '#alerts li', '#channels .unreachable'].every((name) => "
                 "document.querySelector(name).getBoundingClientRect().bottom <= innerHeight)"}
steps, wanted = [], []
for width, height in ((1280, 800), (390, 844)):
    for scheme in ("light", "dark"):
        window = {"width": width, "height": height, "dark": scheme == "dark", "touch": width < 720}
        steps += [{"open": site, **window}, there, {"wait": "!document.getElementById('alerts').hidden"}, {"sleep": 3},
                  {"picture": f"{pictures}/monitor-{width}-{scheme}.png"}, overflow, seen]
        steps += [{"open": f"{site}channels/station-0003", **window, "height": 1600}, {"sleep": 1},
                  {"picture": f"{pictures}/channel-{width}-{scheme}.png"}, overflow]
        wanted += [0, True, 0]
count = 5
steps += [{"open": site}, there, {"sleep": 5}]
for _ in range(count):
    steps += [{"heap": True}, {"sleep": seconds / count}]
steps += [{"heap": True}]
done = subprocess.run(["Tests/Peers/browse.py"], input=json.dumps(steps), capture_output=True, text=True)
if done.returncode:
    sys.exit(done.stderr)
visit = json.loads(done.stdout)
values, heaps = visit["values"][:len(wanted)], visit["values"][len(wanted):]
print("memory of the page:", ", ".join(f"{heap / 1e6:.2f} MB" for heap in heaps), file=sys.stderr)
problems = visit["complaints"]
if values != wanted:
    problems.append(f"the pages gave {values}, expected {wanted}")
if heaps[-1] > 1.2 * heaps[0]:
    problems.append("the page's memory grows")
if problems:
    sys.exit("\n".join(problems))
SCRIPT
ls "$pictures"/*.png
