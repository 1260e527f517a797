#!/usr/bin/env bash
# Installs missing packages and runs the tests. Prints the failures at the end, and the number of skipped tests with
# their reasons.
#
#     Scripts/test.sh [OPTION...]          the tests, except the long suites
#     Scripts/test.sh --long [OPTION...]   only the long suites
#     Scripts/test.sh --all [OPTION...]    all tests
#     Scripts/test.sh --filter ID3v2Tests  the tests whose names match, long or not
#
# The options are passed to `swift test`.
set -euo pipefail
cd "$(dirname "$0")/.."

# The suites that take most of the processor time: they encode a stream for each fault, draw pages in a browser, start
# hundreds of programs or a database server, set every field to its extremes, damage every byte, or let time pass for
# hours and days.
long_suites=(
    AddressSecretTests BackupTests BoundTests CertifyTests ChannelKeyEffectTests ChannelMemoryTests ChannelPageTests
    CheckFindingTests ChromiumTests CollectorLedgerTests CollectorMemoryTests CommandEndTests DamageTests
    DeadLetterTests DeliveryTests DemonstrationTests DirectCopyTests EventStreamTests ExampleTests ExitStatusTests
    ExtremeFieldTests ExtremeSegmentTests ExtremeSettingTests FaultBytesTests FaultPeerTests FaultVerdictTests
    FleetTests FormatTests GatewayTests HeldStoreTests HostileChannelEndTests InputListTests InterruptionTests
    LedgerDifferenceTests LedgerEnvironmentTests LedgerFaultTests LedgerLimitTests LedgerRefusalTests
    LedgerSchemaTests LedgerStoringTests LedgerTests LedgerViewTests LimitEffectTests LiveComparisonTests
    LiveMonitorTests LiveSequenceTests LiveSynthesisTests ManyRenditionsTests MonitorAccessTests MonitorMetricsTests
    MonitorTests NormalDayTests OpenConnectionsTests OutputFileTests OutputTests OverLimitTests OverviewPageTests
    OwnerShareTests OwnerTextDamageTests OwnerTextInputTests PingTests PowerCutTests RandomDamageTests
    RenditionComparisonTagsTests SalvageTests SettingEffectTests SettingSourceTests SettingTableTests
    SharedBufferTests StoreActionTests StoredNumberTests TerminalTests TransportStreamChunkTests UploaderFaultTests
)
long="\.($(IFS='|'; echo "${long_suites[*]}"))/"

task=test
choice=(--skip "$long")
case "${1:-}" in
--long) task=long choice=(--filter "$long") && shift ;;
--all) task=long choice=() && shift ;;
*--filter*) choice=() ;;
esac

Scripts/setup.sh "$task"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
# Builds only what the tests use. Otherwise SwiftPM builds all targets, although DTVR_TESTS names the tests of one.
swift test --disable-xctest --test-product DTVRKitPackageTests "${choice[@]}" "$@" 2>&1 | tee "$log" || status=$?

# The tests that were skipped or cancelled, with their reasons; those of a skipped suite, too.
skips() { grep -E '^[^ ]+ Test .* (skipped|was cancelled)' "$log" || true; }
printf '\nSkipped tests: %s\n' "$(skips | wc -l)"
skips | sed -E 's/^[^ ]+ Test .* (skipped|was cancelled[^:]*)[:.]? *//' | sort | uniq -c
if [ "$task" = test ] && [ "${#choice[@]}" -gt 0 ]; then
    printf 'Not run: %s long suites (Scripts/test.sh --long)\n' "${#long_suites[@]}"
fi
# Repeats the failures, which may be thousands of lines above.
if [ "$status" -ne 0 ]; then
    printf '\nFailed:\n'
    grep -E '^✘ Test .* (recorded an issue|failed after)' "$log" | cut -c 1-600 || true
fi
exit "$status"
