#!/usr/bin/env bash
# What is too long for every change: run it before a release. Prints the time of each step, and ends with the first
# that fails.
#
#     Scripts/full.sh [SECONDS]        for each fuzz target; 300 unless given
set -euo pipefail
cd "$(dirname "$0")/.."

times=()
step() {
    local start=$SECONDS
    printf '\n=== %s\n' "$*"
    "$@"
    times+=("$(printf '%6d s  %s' $((SECONDS - start)) "$*")")
}

step .ci/run
step env DTVR_DAMAGES=10000 swift test --disable-xctest --filter RandomDamageTests
step Scripts/crash-test.sh 200
step Scripts/attack.sh 3600
step Scripts/package-test.sh
step Scripts/mutants.py
step Scripts/fuzz.sh "${1:-300}"
step Scripts/benchmark.sh

printf '\nTime of each step:\n'
printf '%s\n' "${times[@]}"
