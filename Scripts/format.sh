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
# grep -q ends at the first match. A program that still writes then fails by SIGPIPE, and with pipefail the script, too.
if git ls-files -z -- .ci/run '*.sh' | xargs -0 grep -lzP '(?<!\|)\|\s*grep -[a-zA-Z]*q'; then
    echo 'Use grep ... >/dev/null behind a pipe.' >&2
    exit 1
fi
Scripts/mutants.py --check
Scripts/dependencies.py
exec Scripts/prose.py
