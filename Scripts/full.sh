#!/usr/bin/env bash
# What `.ci/run` leaves out because it is too long for every change: run both before a release. Takes about two
# hours on two cores, prints the time of each step, and ends with 1 where one of them failed.
#
#     Scripts/full.sh [SECONDS]        for each fuzz target; 60 unless given
#
# Live channels wait more than they compute: they are followed while the rest computes with what they leave over.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"; kill $(jobs -p) 2>/dev/null || true' EXIT
fuzz_seconds=${1:-60}

step() {
    local start=$SECONDS status=0
    printf '\n=== %s\n' "$*"
    "$@" || status=$?
    printf '%6d s  %s%s\n' $((SECONDS - start)) "$*" "$([ "$status" -eq 0 ] || echo ": FAILED with $status")" >>"$work/times"
    [ "$status" -eq 0 ] || touch "$work/failed"
}

computing() {
    renice -n 19 -p "$BASHPID" >/dev/null
    step Scripts/mutants.py
    step env DTVR_DAMAGES=10000 swift test --disable-xctest --filter RandomDamageTests
    step env DTVR_CALL_SEQUENCES=1000000 swift test --disable-xctest --filter RandomCallTests
    step Scripts/fuzz.sh "$fuzz_seconds"
}

Scripts/setup.sh test
Scripts/setup.sh operation
swift build -c release --product dtvr
# Or each of those that follow live channels would wait for a build of the other side.
DTVR=$(swift build -c release --show-bin-path)/dtvr
export DTVR
computing >"$work/computing.log" 2>&1 &
step Scripts/benchmark.sh live-memory >"$work/memory.log" 2>&1 &
step Scripts/soak.sh 0.5
step Scripts/monitor-crash-test.sh 50
step Scripts/drip-test.sh
step Scripts/live-servers-test.sh
step Scripts/prometheus-test.sh
step Scripts/monitor-screenshots.sh "$work/screenshots"
step Scripts/crash-test.sh 200
step Scripts/attack.sh 900
wait
cat "$work/computing.log" "$work/memory.log"
step Scripts/package-test.sh
step Scripts/benchmark.sh

printf '\nTime of each step:\n'
cat "$work/times"
[ ! -e "$work/failed" ]
