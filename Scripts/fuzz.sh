#!/bin/sh
# Builds the fuzz targets with libFuzzer and AddressSanitizer and runs each for a while.
#
#   Scripts/fuzz.sh [SECONDS] [TARGET...]     60 seconds and all targets unless said otherwise
#   Scripts/fuzz.sh replay [TARGET...]        only the inputs that are kept, each once
#
# New inputs stay in Tests/Fuzz/Corpus/<target>; a crash ends the run with its input in Tests/Fuzz/Crashes/<target>.
set -eu
cd "$(dirname "$0")/.."

seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- $(cd Tests/Fuzz/Targets && ls -d Fuzz* | sed 's/^Fuzz//')

# Given apart, the driver hands only the last sanitizer on to the compiler, and nothing would be fuzzed by coverage.
build() {
    DTVR_FUZZ=1 swift build --scratch-path .build-fuzz -c debug --sanitize fuzzer --sanitize address \
        -Xswiftc -Xfrontend -Xswiftc -sanitize=fuzzer,address "$@"
}
for target in "$@"; do build --product "Fuzz$target"; done
binaries=$(build --show-bin-path)
cd Tests/Fuzz

if [ "$seconds" = replay ]; then limit=-runs=0; else limit=-max_total_time=$seconds; fi
for target in "$@"; do
    mkdir -p "Corpus/$target" "Crashes/$target"
    case $seconds in
    replay) echo "Fuzz$target: $(ls "Corpus/$target" | wc -l) kept inputs" ;;
    *) echo "Fuzz$target: $seconds s" ;;
    esac
    # An input takes at most 10 s and 1 GiB: more is a finding too.
    "$binaries/Fuzz$target" "$limit" -timeout=10 -rss_limit_mb=1024 -max_len=65536 \
        -print_final_stats=1 -artifact_prefix="Crashes/$target/" "Corpus/$target"
done
