#!/bin/sh
# Builds the fuzz targets with libFuzzer and AddressSanitizer, and runs each for some time.
#
#   Scripts/fuzz.sh [SECONDS] [TARGET...]     default: 60 seconds for each target
#   Scripts/fuzz.sh replay [TARGET...]        runs each input of the corpus once
#
# New inputs are added to Tests/Fuzz/Corpus/<target>. A crash ends the run and leaves its input in
# Tests/Fuzz/Crashes/<target>.
set -eu
cd "$(dirname "$0")/.."

seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- $(cd Tests/Fuzz/Targets && ls -d Fuzz* | sed 's/^Fuzz//')

# With two --sanitize options, the driver passes only the last one to the compiler, which would disable coverage.
# -Xfrontend passes both.
build() {
    DTVR_FUZZ=1 swift build --scratch-path .build-fuzz --disable-index-store --sanitize fuzzer --sanitize address \
        -Xswiftc -Xfrontend -Xswiftc -sanitize=fuzzer,address "$@"
}
for target in "$@"; do build --product "Fuzz$target"; done
binaries=$(build --show-bin-path)
cd Tests/Fuzz

if [ "$seconds" = replay ]; then limit=-runs=0; else limit=-max_total_time=$seconds; fi
for target in "$@"; do
    mkdir -p "Corpus/$target" "Crashes/$target"
    case $seconds in
    replay) echo "Fuzz$target: $(ls "Corpus/$target" | wc -l) inputs" ;;
    *) echo "Fuzz$target: $seconds s" ;;
    esac
    # An input that takes more than 10 s or 1 GiB counts as a crash.
    "$binaries/Fuzz$target" "$limit" -timeout=10 -rss_limit_mb=1024 -max_len=65536 \
        -print_final_stats=1 -artifact_prefix="Crashes/$target/" "Corpus/$target"
done
