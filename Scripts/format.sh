#!/usr/bin/env bash
# Checks the formatting of every Swift file, the dependencies of every target, and the language of the texts. With
# --fix, only corrects the formatting.
set -euo pipefail
cd "$(dirname "$0")/.."

paths=(Package.swift Sources Tests Benchmarks)
if [ "${1:-}" = --fix ]; then
    exec swift format format --in-place --recursive --parallel "${paths[@]}"
fi
swift format lint --strict --recursive --parallel "${paths[@]}"
Scripts/dependencies.py
exec Scripts/prose.py
