#!/usr/bin/env bash
# Builds the documentation of the libraries, and compares their public declarations with docs/api.txt,
# docs/monitor-api.txt, docs/player-api.txt and docs/certification-api.txt.
#
#   Scripts/documentation.sh            fails if DocC warns, or if a text differs from the code; prints the folder of
#                                       the pages
#   Scripts/documentation.sh --update   writes the texts first
#   Scripts/documentation.sh --open [PORT]
#                                       builds the pages, and serves them on 127.0.0.1 until it is stopped; the default
#                                       port is 8270
#
# The pages are written to .build/documentation, with a folder for each library.
set -euo pipefail
cd "$(dirname "$0")/.."

port=''
case ${1:-} in
'' | --update) [ $# -le 1 ] ;;
--open)
    port=${2:-8270}
    [[ $# -le 2 && $port =~ ^[0-9]+$ ]]
    shift $#
    ;;
*) false ;;
esac || {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | head -n -1 >&2
    exit 2
}

# $1: the library; $2: the file with its declarations; then options for api.py
document() {
    local library=$1 text=$2 build graphs=.build/symbol-graphs/$1 source=Sources/Products/$1 modules maps=() map
    shift 2
    swift build --target "$library"
    build=$(swift build --show-bin-path)
    rm -rf "$graphs"
    mkdir -p "$graphs"

    # The public declarations of the modules that the library re-exports belong to the library.
    modules=$(cat "$source"/*.swift | sed -nE 's/^@_exported public import ([A-Za-z0-9]+)$/\1/p' | paste -sd,)
    for map in Sources/Base/{*,*/include}/module.modulemap; do maps+=(-I "$(dirname "$map")"); done
    swift-symbolgraph-extract -module-name "$library" -I "$build/Modules" "${maps[@]}" \
        -module-cache-path .build/symbol-graph-cache -target "$(swift -print-target-info |
            python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["unversionedTriple"])')" \
        -minimum-access-level public -skip-synthesized-members \
        -experimental-allowed-reexported-modules="$modules" -output-dir "$graphs"

    python3 Scripts/api.py "$graphs/$library.symbols.json" "$text" "$@"

    mkdir -p .build/documentation
    docc convert "$source/$library.docc" --additional-symbol-graph-dir "$graphs" \
        --fallback-display-name "$library" --fallback-bundle-identifier "$library" \
        --warnings-as-errors --hosting-base-path "$library" --output-dir ".build/documentation/$library"
}

document DTVRKit docs/api.txt "$@"
document StreamMonitor docs/monitor-api.txt "$@"
document PlayerSession docs/player-api.txt "$@"
document PlayerCertification docs/certification-api.txt "$@"

if [ -n "$port" ]; then
    for library in DTVRKit StreamMonitor PlayerSession PlayerCertification; do
        echo "http://127.0.0.1:$port/$library/documentation/${library,,}/"
    done
    exec python3 -m http.server --bind 127.0.0.1 --directory .build/documentation "$port"
fi
echo "$PWD/.build/documentation"
