#!/bin/sh
# Installs the dtvr package and its dependencies in a minimal Debian 12. Used by Packaging/Containerfile and
# Scripts/package-test.sh.
#
#     install.sh PACKAGE.deb
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
log=$(mktemp)
# ca-certificates is needed to verify https servers.
if ! apt-get -qq install -y --no-install-recommends "$1" ca-certificates >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
rm "$log"
rm -rf /var/lib/apt/lists/*
