#!/bin/sh
# Builds the fuzz targets with libFuzzer and AddressSanitizer and runs each for a while.
#
#   Scripts/fuzz.sh [SECONDS] [TARGET...]     60 seconds and all targets unless said otherwise
#   Scripts/fuzz.sh replay [TARGET...]        only the inputs that are kept, each once
#
# New inputs stay in Tests/Fuzz/Corpus/<target>; a crash ends the run with its input in Tests/Fuzz/Crashes/<target>.
set -eu
cd "$(dirname "$0")/../Tests/Fuzz"

seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- $(cd Sources && ls -d Fuzz* | sed 's/^Fuzz//')

# SwiftPM takes a clone called `fuzz` for this package, whose folder has the same name; by a link it has another.
case $(basename "$(cd ../.. && pwd -P)") in
[Ff][Uu][Zz][Zz])
    mkdir -p .build
    ln -sfn ../../.. .build/DTVRKit
    export DTVRKIT_PATH=.build/DTVRKit
    ;;
esac

# Given apart, the driver hands only the last sanitizer on to the compiler, and nothing would be fuzzed by coverage.
build() {
    swift build -c debug --sanitize fuzzer --sanitize address \
        -Xswiftc -Xfrontend -Xswiftc -sanitize=fuzzer,address "$@"
}
build
binaries=$(build --show-bin-path)

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
