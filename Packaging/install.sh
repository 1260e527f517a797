#!/bin/sh
# Installs the package of dtvr in a Debian 12 that has nothing else, with what it needs: the steps of the image that
# Packaging/Containerfile makes, and of the system that Scripts/package-test.sh makes.
#
#     install.sh PACKAGE.deb
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
# The certificate authorities are what an https address is checked with.
apt-get -qq install -y --no-install-recommends "$1" ca-certificates >/dev/null
rm -rf /var/lib/apt/lists/*
