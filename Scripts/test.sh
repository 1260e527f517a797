#!/usr/bin/env bash
# Installs what is missing, runs every test, and ends with what failed, and how many were skipped and why. Further arguments go to
# `swift test`, such as --filter ID3v2Tests.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh test
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
swift test --disable-xctest "$@" 2>&1 | tee "$log" || status=$?

# A suite that is skipped names its reason, and so does each of its tests; one that is cancelled on its way, too.
skips() { grep -E '^[^ ]+ Test .* (skipped|was cancelled)' "$log" || true; }
printf '\nSkipped tests: %s\n' "$(skips | wc -l)"
skips | sed -E 's/^[^ ]+ Test .* (skipped|was cancelled[^:]*)[:.]? *//' | sort | uniq -c
# Once more where it is seen: between the failure and the end there may be thousands of lines.
if [ "$status" -ne 0 ]; then
    printf '\nFailed:\n'
    grep -E '^✘ Test .* (recorded an issue|failed after)' "$log" | cut -c 1-600 || true
fi
exit "$status"
