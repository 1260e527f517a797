#!/usr/bin/env bash
# Builds all mutants of Tests/Mutants into a copy of the tree, and runs the tests with each of them: which do the tests
# notice? Ends with 1 where one survives. Takes an hour or more.
#
#     Scripts/mutants.sh [ID...]        all unless named; `Scripts/mutants.py list` prints the ids
set -euo pipefail
cd "$(dirname "$0")/.."

tree=.build-mutants/tree
mkdir -p "$tree"
# What git knows, and what is new; the copy keeps its build.
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$tree" 2>/dev/null || true
ln -sfn "$PWD/../shared" .build-mutants/shared
Scripts/mutants.py apply "$tree"
swift build --build-tests --package-path "$tree"
Scripts/mutants.py run "$tree" "$@"
