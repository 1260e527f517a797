#!/usr/bin/env bash
# Attacks dtvr from outside (damaged files, a full disk, gateways, kills, signals) and accounts for every tag.
#
#     Scripts/attack.sh [SECONDS [SEED [ATTACK...]]]       default: 300 seconds, a random seed, all attacks
#
# Attacks: damage, gateway, signals, 'full disk', kills. DTVR=PATH uses an existing build of the tool.
#
# Small disks are mounted in a separate mount namespace. Without permission for that, the attacks that need them are
# skipped with a message.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${DTVR:-}" ]; then
    swift build -c release --product dtvr >&2
    DTVR=$(swift build -c release --show-bin-path)/dtvr
fi
own=()
if unshare -m true 2>/dev/null; then own=(unshare -m); fi
exec "${own[@]}" python3 Scripts/attack.py "$DTVR" "${1:-300}" "${2:-$SRANDOM}" "${@:3}"
