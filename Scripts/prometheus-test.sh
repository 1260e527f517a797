#!/usr/bin/env bash
# Checks Packaging/prometheus with promtool, and sees an alert arrive: a channel goes silent, a real Prometheus scrapes a real
# monitor, and a real Alertmanager calls a receiver. Takes three minutes; all of it stays on the loopback interface.
#
#     Scripts/prometheus-test.sh        DTVR=PATH takes a tool that is built
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh operation
promtool check rules Packaging/prometheus/rules.yml
promtool test rules Packaging/prometheus/rules.test.yml
if [ -z "${DTVR:-}" ]; then
    swift build -c release --product dtvr >&2
    DTVR=$(swift build -c release --show-bin-path)/dtvr
fi
exec python3 Scripts/prometheus-test.py "$DTVR"
