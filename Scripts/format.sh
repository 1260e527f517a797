#!/usr/bin/env bash
# Checks the formatting of every Swift file; with --fix, corrects it.
set -euo pipefail
cd "$(dirname "$0")/.."

paths=(Package.swift Sources Tests Benchmarks)
if [ "${1:-}" = --fix ]; then
    exec swift format format --in-place --recursive --parallel "${paths[@]}"
fi
swift format lint --strict --recursive --parallel "${paths[@]}"
exec Scripts/prose.py
