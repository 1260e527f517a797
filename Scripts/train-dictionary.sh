#!/usr/bin/env bash
# Trains the dictionary for compressing stored bodies, from synthetic tags with a fixed seed.
# Adds a version; with --replace, replaces the last version, which must not have been released.
set -euo pipefail
cd "$(dirname "$0")/.."

swift run dictionary-trainer Sources/Engine/TagStore/Append/ShippedDictionaries.swift "$@"
