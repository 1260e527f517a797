#!/usr/bin/env bash
# Releases a version: checks the commit, builds the packages dtvr, libdtvr1 and libdtvr-dev, and tags the commit.
#
#     Scripts/release.sh --check           only checks that the version is the same everywhere
#     Scripts/release.sh [--no-tests]      the version of the sources
#
# Everything is committed, and the newest section of CHANGELOG.md has the version and a date. --no-tests omits
# Scripts/test.sh, Scripts/c-interface.sh and the tests of the packages. The packages and their checksums are written to
# .build-release/VERSION; the tag vVERSION is local, and the last line says how to publish it.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "release.sh: $*" >&2
    exit 1
}

version=$(sed -n 's/.*static let version = "\(.*\)"/\1/p' Sources/Engine/TagDelivery/Uploader.swift)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "Uploader.swift has no version"
section=$(sed -n '/^## /{s///p;q}' CHANGELOG.md)
[[ $section =~ ^$version\ -\ [0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] ||
    fail "the newest section of CHANGELOG.md is \"$section\", and not \"$version - DATE\""
for file in README.md Sources/Products/CDTVRHeader/dtvr.h docs/players.md docs/installing.md; do
    grep -qF "$version" "$file" || fail "$file does not name $version"
done
case ${1:-} in
--check) exit 0 ;;
'' | --no-tests) ;;
*)
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | head -n -1 >&2
    exit 2
    ;;
esac

[ -z "$(git status --porcelain)" ] || fail "there are changes that are not committed"
git rev-parse -q --verify "refs/tags/v$version" >/dev/null && fail "the tag v$version exists"
Scripts/format.sh
if [ "${1:-}" != --no-tests ]; then
    Scripts/test.sh
    Scripts/c-interface.sh
fi
folder=.build-release/$version
rm -rf "$folder"
package=$(Scripts/package.sh "$folder")
Scripts/package-library.sh "$folder" >/dev/null
if [ "${1:-}" != --no-tests ]; then
    Scripts/package-test.sh "$package"
    Scripts/package-library-test.sh "$folder"
fi
(cd "$folder" && sha256sum ./*.deb >SHA256SUMS)
# The checks may not have changed anything.
[ -z "$(git status --porcelain)" ] || fail "the checks have changed files"
git tag -a "v$version" -m "DTVRKit $version"
ls "$folder"/*
echo "Tagged. To publish it: git push origin v$version"
