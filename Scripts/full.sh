#!/usr/bin/env bash
# What `.ci/run` leaves out because it is too long for every change: run both before a release. Takes about three hours
# on two cores, prints the time of each step, and ends with the first that fails.
#
#     Scripts/full.sh [SECONDS]        for each fuzz target; 60 unless given
set -euo pipefail
cd "$(dirname "$0")/.."

times=()
step() {
    local start=$SECONDS
    printf '\n=== %s\n' "$*"
    "$@"
    times+=("$(printf '%6d s  %s' $((SECONDS - start)) "$*")")
}

step Scripts/setup.sh test
step Scripts/mutants.py
step env DTVR_DAMAGES=10000 swift test --disable-xctest --filter RandomDamageTests
step env DTVR_CALL_SEQUENCES=1000000 swift test --disable-xctest --filter RandomCallTests
step Scripts/crash-test.sh 200
step Scripts/attack.sh 900
step Scripts/soak.sh 0.5
step Scripts/monitor-crash-test.sh 50
step Scripts/drip-test.sh
step Scripts/live-servers-test.sh
step Scripts/prometheus-test.sh
step Scripts/fuzz.sh "${1:-60}"
step Scripts/monitor-screenshots.sh "$(mktemp -d)"
step Scripts/package-test.sh
step Scripts/benchmark.sh

printf '\nTime of each step:\n'
printf '%s\n' "${times[@]}"
