#!/usr/bin/env bash
# Builds dtvr, starts a collector on a free loopback port, runs `dtvr run` on media/demo, and shows the results.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh
echo "Building (the first time takes some minutes) ..."
log=$(mktemp)
if ! swift build -c release --product dtvr >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    exit 1
fi
rm -f "$log"
dtvr=$(swift build -c release --show-bin-path)/dtvr

work=$(mktemp -d)
collector=
cleanup() {
    if [ -n "$collector" ]; then kill "$collector" 2>/dev/null || true; wait "$collector" 2>/dev/null || true; fi
    rm -rf "$work"
}
trap cleanup EXIT

# The collector's first line has its address; reading it from a pipe waits until the collector is ready.
mkfifo "$work/ready"
"$dtvr" collect --listen 127.0.0.1:0 --dir "$work/collected" >"$work/ready" &
collector=$!
exec 3<"$work/ready"
if ! read -r line <&3; then
    echo "The collector did not start." >&2
    exit 1
fi
url=${line##* }
port=${url##*:}
port=${port%%/*}

printf '\n$ dtvr run media/demo/index.m3u8 --store DIR --collector %s\n' "$url"
"$dtvr" run media/demo/index.m3u8 --store "$work/store" --collector "$url"

printf '\n$ dtvr store status --store DIR\n'
"$dtvr" store status --store "$work/store"

printf '\nThe collector, from its own records (GET %s/status):\n' "${url%/}"
exec 4<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /status HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' >&4
answer=$(sed '1,/^\r$/d' <&4)
echo "$answer"
tags=$("$dtvr" scan --format jsonl media/demo/index.m3u8 | wc -l)
if [ "$tags" -eq 0 ] || ! grep -q "\"accepted\":$tags,\"duplicate\":0,\"rejected\":0," <<<"$answer"; then
    echo "The collector did not receive each of the stream's $tags tags exactly once." >&2
    exit 1
fi

printf '\n$ dtvr scan media/demo/index.m3u8 | head -4\n'
"$dtvr" scan media/demo/index.m3u8 | head -4
