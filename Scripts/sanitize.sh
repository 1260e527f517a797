#!/usr/bin/env bash
# Runs the tests of the modules that a sanitizer can check, in a separate build.
#
#   Scripts/sanitize.sh address|thread [SWIFT-TEST-OPTION...]     options such as --filter KillTests replace the list
set -euo pipefail
cd "$(dirname "$0")/.."

sanitizer=${1:-}
[ $# -gt 0 ] && shift
case $sanitizer in
address)
    # The modules with `unsafe` code.
    modules='ByteReading TextForms HostSystem ID3v2 NielsenID3 ISOBMFF SegmentDemux TagRecord TagStore HTTPTransfer'
    modules+=' HTTPServing TagDelivery CollectorService StreamMonitor PlayerSession CDTVR'
    scratch=.build-asan
    # No leak detection: the Swift runtime keeps type metadata until the process ends.
    export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1:strict_string_checks=1
    ;;
thread)
    # The modules with state that several threads share.
    modules='HostSystem TagStore HTTPTransfer HTTPServing TagDelivery CollectorService HLSInput StreamMonitor'
    modules+=' PlayerSession CDTVR'
    scratch=.build-tsan
    TSAN_OPTIONS="suppressions=$PWD/Scripts/tsan-suppressions.txt:halt_on_error=0:exitcode=66"
    export TSAN_OPTIONS="$TSAN_OPTIONS:second_deadlock_stack=1"
    ;;
*)
    sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

# Skipped: these take minutes under a sanitizer and reveal nothing about memory or threads.
#   KillTests          starts the whole test program again for each of 25 rounds and kills it;
#   PowerCutTests      replays thousands of power cuts on one thread;
#   FaultVerdictTests  synthesizes and checks one stream after another on one thread;
#   DamageTests, firstPage_withAnyBitFlipped
#                      flip thousands of bits of a database; SQLite reads them, without instrumentation;
#   OverviewPageTests, ChannelPageTests  work in a browser; other tests cover the monitor's side of the pages.
skipped='KillTests|PowerCutTests|DamageTests|firstPage_withAnyBitFlipped|FaultVerdictTests|OverviewPageTests'
skipped+='|ChannelPageTests'

Scripts/setup.sh test
options=(--disable-xctest "--sanitize=$sanitizer" --scratch-path "$scratch")
[ $# -eq 0 ] || exec swift test "${options[@]}" "$@"
# All tests of StreamMonitor at once have 1,260 threads, need 10 GB, and exceed the time limits that they test.
test_options=(--skip-build "${options[@]}" --experimental-maximum-parallelization-width 8)
swift build --build-tests "${options[@]}"
failed=()
for module in $modules; do
    # A filter without tests would pass.
    ls -d Tests/*/"${module}Tests" >/dev/null
    swift test "${test_options[@]}" --filter "^${module}Tests\\." --skip "$skipped" || failed+=("$module")
done
[ ${#failed[@]} -eq 0 ] || {
    echo "failed under the sanitizer: ${failed[*]}" >&2
    exit 1
}
