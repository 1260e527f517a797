#!/usr/bin/env bash
# Runs the checks that take too long for `.ci/run`. Run both before a release.
#
#     Scripts/full.sh [PART...]        runs these parts in turn; default: all
#     Scripts/full.sh list             lists the parts, with the minutes that each takes on two idle cores
#
# A part takes at most an hour. Each prints its time and the commit that it ran on. The exit status is 1 if one failed.
set -euo pipefail
cd "$(dirname "$0")/.."

# The minutes are estimates for two idle cores.
parts=(
    'mutants-1      55  the modules of part 1 of Tests/Mutants/mutants.toml, and the test of the script'
    'mutants-2      55  those of part 2'
    'mutants-3      55  those of part 3'
    'mutants-4      55  those of part 4'
    'long           20  the long suites with the optimized tool'
    'tool           10  the other tests of the tool with the optimized build'
    'random         30  10,000 damaged buffers and a million call sequences'
    'fuzzers        30  each fuzz target for a minute'
    'live-fuzz      60  live sequences for a whole monitor'
    'c-fuzz         60  random calls of libdtvr while the disk fails'
    'soak           35  200 live channels with random faults for half an hour'
    'live-memory    60  the memory of a monitor with 1,000 channels'
    'attack         20  fifteen minutes of attacks on the tool'
    'crashes        15  kills of the tool and of the monitor'
    'fleet          60  20 seeds of two copies, three collectors and a database with faults'
    'schedulers     10  Slurm, GNU parallel over ssh, manifests of Kubernetes, systemd, DuckDB'
    'servers        15  slow, real and proxied servers, Prometheus, pages'
    'address        60  the tests and the live fuzzer under AddressSanitizer'
    'thread         60  the same under ThreadSanitizer'
    'packages       20  the Debian package'
    'benchmarks     25  the benchmarks, with limits of allocations, instructions and late segments'
)

names() { printf '%s\n' "${parts[@]}" | cut -d ' ' -f 1; }

# Runs a step of a part. A failure does not stop the part.
step() {
    local start=$SECONDS status=0
    printf '\n--- %s\n' "$*"
    "$@" || status=$?
    printf -- '--- %d s: %s%s\n' $((SECONDS - start)) "$*" "$([ "$status" -eq 0 ] || echo ": FAILED with $status")"
    [ "$status" -eq 0 ] || failed=1
}

# The parts that follow live channels share a release build.
with_tool() {
    Scripts/setup.sh operation
    swift build -c release --product dtvr
    DTVR=$(swift build -c release --show-bin-path)/dtvr
    export DTVR
}

run_part() {
    failed=0
    case $1 in
    mutants-[1234])
        [ "$1" != mutants-1 ] || step Scripts/mutants.py --self-test
        step Scripts/mutants.py --part "${1#mutants-}"
        ;;
    # LiveSequenceTests is the part live-fuzz.
    long)
        with_tool
        step env DTVR_TEST_TOOL="$DTVR" Scripts/test.sh --long --skip 'LiveSequenceTests'
        ;;
    # CrashTests is skipped: its timing fits the debug build.
    tool)
        with_tool
        step env DTVR_TEST_TOOL="$DTVR" Scripts/test.sh --filter '^dtvrTests\.' --skip 'CrashTests'
        ;;
    random)
        step env DTVR_TESTS=TagStoreTests DTVR_DAMAGES=10000 swift test --disable-xctest --filter RandomDamageTests
        step env DTVR_TESTS=PlayerSessionTests DTVR_CALL_SEQUENCES=1000000 \
            swift test --disable-xctest --filter RandomCallTests
        ;;
    fuzzers) step Scripts/fuzz.sh 60 ;;
    # Leaves five minutes of the hour for the build.
    live-fuzz) step Scripts/live-fuzz.sh 3300 ;;
    c-fuzz) step Tests/System/c-fuzz.sh 3300 ;;
    soak)
        with_tool
        step Tests/System/soak.py 0.5
        ;;
    # The monitor keeps the last hour of each channel, so its memory may still grow by 10 % here. By default,
    # Scripts/live-benchmark.py memory waits until the hour is full, allows 1 %, and takes 95 minutes.
    live-memory)
        with_tool
        step Scripts/live-benchmark.py memory 1000 20 30 0.1
        ;;
    attack)
        with_tool
        step Tests/System/attack.py 900
        ;;
    crashes)
        with_tool
        step Tests/System/crash-test.py monitor 50
        step Tests/System/crash-test.py run 200
        ;;
    fleet)
        with_tool
        step Tests/System/fleet-test.py 20
        ;;
    schedulers)
        with_tool
        step Tests/System/scheduler-test.py
        ;;
    servers)
        with_tool
        step Tests/System/drip-test.py
        step Tests/System/live-servers-test.py
        step Tests/System/prometheus-test.py
        step Scripts/screenshots.py monitor "$work/screenshots"
        ;;
    address | thread)
        step Scripts/sanitize.sh "$1"
        step env SANITIZER="$1" Scripts/live-fuzz.sh 600
        ;;
    packages)
        step Scripts/package-test.sh
        step Scripts/package-library-test.sh
        ;;
    benchmarks)
        step Scripts/benchmark.sh all
        ;;
    esac
    return "$failed"
}

if [ "${1:-}" = list ]; then
    printf '%s\n' "${parts[@]}"
    exit
fi
[ $# -gt 0 ] || mapfile -t all < <(names)
[ $# -gt 0 ] || set -- "${all[@]}"
for part in "$@"; do
    names | grep -xF -- "$part" >/dev/null || {
        echo "unknown part '$part'; list them with Scripts/full.sh list" >&2
        exit 2
    }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
commit=$(git rev-parse --short HEAD)$([ -z "$(git status --porcelain --untracked-files=no)" ] || echo ' with changes')
Scripts/setup.sh long
status=0
for part in "$@"; do
    printf '\n=== %s\n' "$part"
    start=$SECONDS
    result=passed
    # In a subshell that exits at the first command that fails outside a step.
    set +e
    (set -e; run_part "$part")
    [ $? -eq 0 ] || { result=FAILED; status=1; }
    set -e
    printf '%6d s  %-12s %s at %s\n' $((SECONDS - start)) "$part" "$result" "$commit" | tee -a "$work/times"
done
printf '\nTime of each part:\n'
cat "$work/times"
exit "$status"
