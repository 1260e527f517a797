#!/usr/bin/env bash
# Checks the formatting of every Swift file, the length of all lines, the dependencies of every target, and the language
# of the texts. With --fix, only corrects the formatting.
set -euo pipefail
cd "$(dirname "$0")/.."

paths=(Package.swift Sources Tests Benchmarks)
if [ "${1:-}" = --fix ]; then
    exec swift format format --in-place --recursive --parallel "${paths[@]}"
fi
swift format lint --strict --recursive --parallel "${paths[@]}"
# swift format does not wrap comments and string literals. The literals of tests may be long.
long_lines() { LC_ALL=C.UTF-8 git grep -nE -e "^.{121}" "$@" || [ $? -eq 1 ]; }
found=$(
    long_lines -- .ci/run '*.c' '*.h' '*.py' '*.sh' '*.js' '*.css' '*.yml' 'Sources/*.swift' 'Benchmarks/*.swift'
    long_lines --and -e '^ *//' -- 'Tests/*.swift'
)
if [ -n "$found" ]; then
    printf '%s\n' "$found" 'These lines have more than 120 characters.' >&2
    exit 1
fi
Scripts/dependencies.py
exec Scripts/prose.py
