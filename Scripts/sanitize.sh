#!/usr/bin/env bash
# Runs the tests of the modules that a sanitizer can say something about, in a build of its own.
#
#   Scripts/sanitize.sh address|thread [SWIFT-TEST-OPTION...]     such as --filter KillTests, in place of the list
set -euo pipefail
cd "$(dirname "$0")/.."

sanitizer=${1:-}
[ $# -gt 0 ] && shift
case $sanitizer in
address)
    # What holds `unsafe`.
    modules='HostSystem|TimedMedia|ID3v2|NielsenID3|ISOBMFF|SegmentDemux|TagRecord|TagStore|HTTPTransfer|HTTPServing|TagDelivery|CollectorService|StreamMonitor|PlayerSession'
    scratch=.build-asan
    # Leaks are not looked for: the runtime keeps what it has made of types until the process ends.
    export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1:strict_string_checks=1
    ;;
thread)
    # What several threads share.
    modules='HostSystem|TagStore|HTTPTransfer|HTTPServing|TagDelivery|CollectorService|HLSInput|StreamMonitor|PlayerSession'
    scratch=.build-tsan
    export TSAN_OPTIONS="suppressions=$PWD/Scripts/tsan-suppressions.txt:halt_on_error=0:exitcode=66:second_deadlock_stack=1"
    ;;
*)
    sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

# Left out, as they say nothing of memory or threads and take minutes under a sanitizer:
#   KillTests          each of 25 rounds starts the whole test program again and kills it in mid-work;
#   PowerCutTests      replays thousands of cuts, one after the other, on one thread;
#   FaultVerdictTests  makes sound and judges it, one stream after the other, on one thread;
#   DamageTests        flips thousands of bits of a database, likewise; what reads them is SQLite, which no sanitizer sees;
#   OverviewPageTests and ChannelPageTests: the work is a browser's: that of the monitor's pages is in the other tests.
skipped='KillTests|PowerCutTests|DamageTests|FaultVerdictTests|OverviewPageTests|ChannelPageTests'

Scripts/setup.sh test
if [ $# -eq 0 ]; then set -- --filter "^($modules)Tests\\." --skip "$skipped"; fi
exec swift test --disable-xctest --sanitize="$sanitizer" --scratch-path "$scratch" "$@"
