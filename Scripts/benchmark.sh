#!/usr/bin/env bash
# Builds the tool and the benchmarks for release, measures beside the peers that are installed, prints a table,
# writes Benchmarks/results.json, and fails where something allocates more than it may.
#
#   Scripts/benchmark.sh [GROUP...]     all groups unless said otherwise
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh benchmark
swift build -c release --product dtvr
export DTVR_BENCHMARKS=1
build() { swift build --scratch-path .build-benchmarks -c release "$@"; }
build --product batch-sink
build --product dtvr-benchmarks
"$(build --show-bin-path)/dtvr-benchmarks" \
    --json Benchmarks/results.json --allocations Benchmarks/Thresholds/allocations.json "$@"
