#!/usr/bin/env bash
# Builds the tool and the benchmarks for release, compares them with the installed peers, prints a table, and writes
# Benchmarks/results.json. Fails if a benchmark exceeds its limit of allocations.
#
#   Scripts/benchmark.sh [GROUP...]             default: all groups
#
# Scripts/live-benchmark.py measures the monitor with live channels.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh benchmark
[ -n "${DTVR:-}" ] || swift build -c release --product dtvr
export DTVR_BENCHMARKS=1
build() { swift build --scratch-path .build-benchmarks -c release "$@"; }
build --product batch-sink
build --product dtvr-benchmarks
"$(build --show-bin-path)/dtvr-benchmarks" \
    --json Benchmarks/results.json --allocations Benchmarks/Thresholds/allocations.json "$@"
