#!/usr/bin/env bash
# Checks Packaging/prometheus with promtool, and tests an alert end to end: a channel goes silent, Prometheus scrapes
# the monitor, and Alertmanager notifies a receiver. Takes three minutes and uses only the loopback interface.
#
#     Scripts/prometheus-test.sh        DTVR=PATH uses an existing build of the tool
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
