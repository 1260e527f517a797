#!/usr/bin/env bash
# Installs missing packages and runs all tests. Prints the failures at the end, and the number of skipped tests with
# their reasons. Passes its arguments, such as --filter ID3v2Tests, to `swift test`.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh test
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
swift test --disable-xctest "$@" 2>&1 | tee "$log" || status=$?

# The tests that were skipped or cancelled, with their reasons; those of a skipped suite, too.
skips() { grep -E '^[^ ]+ Test .* (skipped|was cancelled)' "$log" || true; }
printf '\nSkipped tests: %s\n' "$(skips | wc -l)"
skips | sed -E 's/^[^ ]+ Test .* (skipped|was cancelled[^:]*)[:.]? *//' | sort | uniq -c
# Repeats the failures, which may be thousands of lines above.
if [ "$status" -ne 0 ]; then
    printf '\nFailed:\n'
    grep -E '^✘ Test .* (recorded an issue|failed after)' "$log" | cut -c 1-600 || true
fi
exit "$status"
