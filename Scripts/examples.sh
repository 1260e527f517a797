#!/usr/bin/env bash
# Builds the packages of Examples and the Swift code of the pages, unchanged, as a user would, but in this package's
# scratch folder, which has its modules. Runs each example on media/demo, and fails if its output is not the expected
# one.
set -euo pipefail
cd "$(dirname "$0")/.."

# SwiftPM keeps the plan of the last build in the scratch folder and would follow it for another package, too.
build() { swift build --disable-build-manifest-caching "$@"; }

# Other scripts build the examples in other languages.
for manifest in Examples/*/Package.swift; do
    build --package-path "$(dirname "$manifest")" --scratch-path .build
done
programs=$(swift build --show-bin-path)
work=$(mktemp -d)
collector=
stop_collector() {
    if [ -n "$collector" ]; then kill "$collector" 2>/dev/null || true; wait "$collector" 2>/dev/null || true; fi
    collector=
}
# Without its plan, the next build of this package makes a new one.
trap 'stop_collector; rm -rf "$work" .build/debug.yaml' EXIT

Scripts/snippets.py "$work/Snippets"
build --package-path "$work/Snippets" --scratch-path .build

"$programs/SegmentTags" media/demo/v360/seg0000*.ts | grep 'tag 3, checksum valid' >/dev/null
"$programs/PlaylistVerdict" media/demo/index.m3u8 | grep '^pass: ' >/dev/null
"$programs/OwnPipeline" segments 6.4 media/demo/v360/seg0000*.ts | grep -x 'pass, complete' >/dev/null
"$programs/OwnPipeline" certify Tests/Products/PlayerCertificationTests/Logs/order.stop.pass.jsonl >/dev/null
"$programs/OwnPipeline" checks | grep '^limit-gap = ' >/dev/null
# The collector's port is closed: the tags stay in the buffer, and the sink of CustomSink writes them to a file.
"$programs/BufferAndDeliver" media/demo/index.m3u8 "$work/tags" http://127.0.0.1:1/ \
    | grep '^gave up: 0 delivered, 0 refused, 13 waiting: ' >/dev/null
"$programs/OwnPipeline" buffer "$work/tags" | grep -x '0 retried, 0 pruned, intact' >/dev/null
"$programs/CustomSink" "$work/tags" "$work/batches.ndjson" |
    grep -x 'drained: 13 delivered, 0 refused, 0 waiting' >/dev/null
[ "$(wc -l <"$work/batches.ndjson")" -eq 14 ]

# A live channel with a tag about every ten seconds, whose window has tags at the start.
build --product dtvr
dtvr=$(swift build --show-bin-path)/dtvr
mkfifo "$work/live"
"$dtvr" synth --live 0 >"$work/live" &
collector=$!
exec 3<"$work/live"
read -r line <&3
"$programs/FollowChannel" "${line##* }" "$work/live-tags" 2 >"$work/followed"
stop_collector
[ "$(grep -c '^tag [0-9]*: pass$' "$work/followed")" -eq 2 ] || { cat "$work/followed" >&2; exit 1; }
grep -q '^[2-9] tags in the buffer$' "$work/followed" || { cat "$work/followed" >&2; exit 1; }

# Each call sequence of the player: the collector must receive the tags of the stream, in order.
owners() {
    python3 -c 'import json, sys; [print(tag["owner"]) for tag in map(json.loads, sys.stdin) if "owner" in tag]'
}
"$dtvr" scan --format jsonl media/demo/index.m3u8 | owners >"$work/owners"
[ "$(wc -l <"$work/owners")" -eq 13 ]
for sequence in content ads interruption channels background offline seek optOut; do
    rm -f "$work/ready"
    mkfifo "$work/ready"
    "$dtvr" collect --listen 127.0.0.1:0 --dir "$work/$sequence" >"$work/ready" &
    collector=$!
    # Its first line has its address.
    exec 3<"$work/ready"
    read -r line <&3
    said=$("$programs/HeadlessPlayer" media/demo/index.m3u8 "$work/player-$sequence" "${line##* }" "$sequence" 100)
    stop_collector
    # A finding adds a line; the calls during an opt-out have one.
    tags=1,13p stored=13 extra=
    case $sequence in
    offline) stored=0 extra='offline: 1[0-9] records wait, delivery is retrying' ;;
    seek) tags='1,6p;11,13p' stored=9 ;;
    optOut) tags='1,6p;11,13p' stored=9 extra='[0-9]+ × not\.measured' ;;
    esac
    grep -qxE "$sequence: [0-9]+ tags, $stored stored, ([0-9]+) of \\1 records delivered" <<<"$said" &&
        [ -z "$(grep -vxE "$sequence: [0-9]+ tags, .*|$extra" <<<"$said")" ] || { echo "$said" >&2; exit 1; }
    cat "$work/$sequence"/tags-* | owners | diff <(sed -n "$tags" "$work/owners") -
    Scripts/record-schema.py "$work/$sequence"/tags-* >/dev/null
done
echo "All examples passed."
