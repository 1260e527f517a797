#!/usr/bin/env bash
# Builds the tool and the benchmarks for release, compares them with the installed peers, prints a table, and writes
# Benchmarks/results.json. Fails if a benchmark exceeds its limit of allocations.
#
#   Scripts/benchmark.sh [GROUP...]             default: all groups. ledger: Scripts/ledger-benchmark.py
#   Scripts/benchmark.sh all                    all groups, the start of the tool, the table of ratios and counts
#                                               compared with the last one, and 1,000 and 10,000 live channels
#
# Scripts/live-benchmark.py measures the monitor with live channels.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh benchmark
[ -n "${DTVR:-}" ] || swift build -c release --product dtvr
is_all=
if [ "$*" = all ]; then
    is_all=1
    shift
fi
export DTVR_BENCHMARKS=1
build() { swift build --scratch-path .build-benchmarks -c release "$@"; }
build --product batch-sink
build --product dtvr-benchmarks
groups=() with_ledger= status=0
for group in "$@"; do
    if [ "$group" = ledger ]; then with_ledger=1; else groups+=("$group"); fi
done
if [ $# -eq 0 ] || [ ${#groups[@]} -gt 0 ]; then
    "$(build --show-bin-path)/dtvr-benchmarks" \
        --json Benchmarks/results.json --allocations Benchmarks/Thresholds/allocations.json "${groups[@]}" || status=1
fi
if [ $# -eq 0 ] || [ -n "$with_ledger" ]; then
    DTVR=${DTVR:-$(swift build -c release --show-bin-path)/dtvr} Scripts/ledger-benchmark.py || status=1
fi
if [ -n "$is_all" ]; then
    Scripts/start-benchmark.py --check || status=1
    Scripts/benchmark-table.py --check || status=1
    Scripts/live-benchmark.py growth || status=1
fi
exit "$status"
