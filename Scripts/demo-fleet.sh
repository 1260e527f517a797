#!/usr/bin/env bash
# Builds dtvr, and runs two copies of two shards of `dtvr monitor` over 40 generated channels for a minute, with
# PostgreSQL and two collectors behind nginx. Kills one copy, and prints the tags per channel and minute of the ledger.
# Everything runs on the loopback interface.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh fleet
if [ -z "${DTVR:-}" ]; then
    echo "Building (the first time takes some minutes) ..."
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if ! swift build -c release --product dtvr >"$log" 2>&1; then
        cat "$log" >&2
        exit 1
    fi
    DTVR=$(swift build -c release --show-bin-path)/dtvr
    export DTVR
fi
Tests/System/fleet-demo.py "$@"
