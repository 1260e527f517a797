#!/usr/bin/env bash
# Builds the tool and the benchmarks for release, measures beside the peers that are installed, prints a table,
# writes Benchmarks/results.json, and fails where something allocates more than it may.
#
#   Scripts/benchmark.sh [GROUP...]     all groups unless said otherwise
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh benchmark
swift build -c release --product dtvr
cd Benchmarks
swift build -c release --product batch-sink
swift run -c release dtvr-benchmarks \
    --json results.json --allocations Thresholds/allocations.json "$@"
