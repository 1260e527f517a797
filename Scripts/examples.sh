#!/usr/bin/env bash
# Builds the packages of Examples as a user would, with one scratch folder, runs each on media/demo, and fails where one
# does not do what it says.
set -euo pipefail
cd "$(dirname "$0")/.."

for example in Examples/*/; do
    swift build --package-path "$example" --scratch-path .build-examples
done
programs=.build-examples/debug
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$programs/SegmentTags" media/demo/v360/seg0000*.ts | grep -q 'tag 3, checksum valid'
"$programs/PlaylistVerdict" media/demo/index.m3u8 | grep -q '^pass: '
# Nobody listens at the collector: the tags wait, and the sink that writes to a file gets them.
"$programs/BufferAndDeliver" media/demo/index.m3u8 "$work/tags" http://127.0.0.1:1/ | grep -q ' 13 waiting$'
"$programs/CustomSink" "$work/tags" "$work/batches.ndjson" | grep -q '^drained: 13 delivered$'
[ "$(wc -l <"$work/batches.ndjson")" -eq 14 ]
echo "The examples do what they say."
