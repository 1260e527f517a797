#!/usr/bin/env bash
# Trains the dictionary that stored bodies are compressed with, from synthetic tags of a fixed seed.
# Adds a version; with --replace, replaces the last one, which must not have been released.
set -euo pipefail
cd "$(dirname "$0")/.."

swift run dictionary-trainer Sources/TagStore/ShippedDictionaries.swift "$@"
