#!/usr/bin/env bash
# Builds the documentation of the library, and compares its public declarations with docs/api.txt.
#
#   Scripts/documentation.sh            fails on a warning of DocC, and where docs/api.txt differs from the code
#   Scripts/documentation.sh --update   writes docs/api.txt anew first
#
# The pages are in .build/documentation.
set -euo pipefail
cd "$(dirname "$0")/.."

swift build --target DTVRKit
build=$(swift build --show-bin-path)
graphs=.build/symbol-graphs
rm -rf "$graphs"
mkdir -p "$graphs"

# The library is one import: what its modules declare public belongs to it.
umbrella=Sources/Products/DTVRKit/DTVRKit.swift
modules=$(sed -nE 's/^@_exported public import ([A-Za-z0-9]+)$/\1/p' "$umbrella" | paste -sd,)
maps=()
for map in Sources/Base/*/module.modulemap; do maps+=(-I "$(dirname "$map")"); done
swift-symbolgraph-extract -module-name DTVRKit -I "$build/Modules" "${maps[@]}" \
    -module-cache-path .build/symbol-graph-cache -target "$(swift -print-target-info |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["unversionedTriple"])')" \
    -minimum-access-level public -skip-synthesized-members \
    -experimental-allowed-reexported-modules="$modules" -output-dir "$graphs"

python3 Scripts/api.py "$graphs/DTVRKit.symbols.json" docs/api.txt "$@"

docc convert Sources/Products/DTVRKit/DTVRKit.docc --additional-symbol-graph-dir "$graphs" \
    --fallback-display-name DTVRKit --fallback-bundle-identifier DTVRKit \
    --warnings-as-errors --output-dir .build/documentation
