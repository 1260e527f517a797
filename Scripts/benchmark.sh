#!/usr/bin/env bash
# Builds the tool and the benchmarks for release, measures beside the peers that are installed, prints a table,
# writes Benchmarks/results.json, and fails where something allocates more than it may.
#
#   Scripts/benchmark.sh [GROUP...]     all groups unless said otherwise
#   Scripts/benchmark.sh live [CHANNELS...]     how many live channels the monitor follows; takes half an hour, by itself
#   Scripts/benchmark.sh live-memory [CHANNELS [SETTLING [MINUTES [GROWTH]]]]     whether its memory stays where it is; takes 95 minutes
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh benchmark
[ -n "${DTVR:-}" ] || swift build -c release --product dtvr
if [ "${1:-}" = live ]; then
    Scripts/setup.sh operation
    exec python3 Scripts/live-benchmark.py "${DTVR:-$(swift build -c release --show-bin-path)/dtvr}" "${@:2}"
fi
if [ "${1:-}" = live-memory ]; then
    exec python3 Scripts/live-memory.py "${DTVR:-$(swift build -c release --show-bin-path)/dtvr}" "${@:2}"
fi
export DTVR_BENCHMARKS=1
build() { swift build --scratch-path .build-benchmarks -c release "$@"; }
build --product batch-sink
build --product dtvr-benchmarks
"$(build --show-bin-path)/dtvr-benchmarks" \
    --json Benchmarks/results.json --allocations Benchmarks/Thresholds/allocations.json "$@"
