#!/usr/bin/env bash
# Attacks dtvr from outside and counts what became of every tag: damaged files, a full disk, gateways, kills, signals.
#
#     Scripts/attack.sh [SECONDS [SEED [ATTACK...]]]       300 seconds, and all attacks, unless given
#
# The attacks: damage, gateway, signals, 'full disk', kills. DTVR=PATH takes a tool that is built.
#
# Small disks are mounted in a namespace of its own; where that is not permitted, the attacks that need them are left
# out, and it says so.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${DTVR:-}" ]; then
    swift build -c release --product dtvr >&2
    DTVR=$(swift build -c release --show-bin-path)/dtvr
fi
own=()
if unshare -m true 2>/dev/null; then own=(unshare -m); fi
exec "${own[@]}" python3 Scripts/attack.py "$DTVR" "${1:-300}" "${2:-$SRANDOM}" "${@:3}"
