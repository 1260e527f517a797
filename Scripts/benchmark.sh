#!/usr/bin/env bash
# Builds the tool and the benchmarks for release, compares them with the installed peers, prints a table, and writes
# Benchmarks/results.json. Fails if a benchmark exceeds its limit of allocations.
#
#   Scripts/benchmark.sh [GROUP...]             default: all groups
#   Scripts/benchmark.sh live [CHANNELS...]     finds how many live channels the monitor follows; half an hour on an
#                                               idle machine
#   Scripts/benchmark.sh live-memory [CHANNELS [SETTLING [MINUTES [GROWTH]]]]
#                                               checks that the monitor's memory does not grow; 95 minutes
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
