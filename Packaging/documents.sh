#!/usr/bin/env bash
# Installs the documents of a package, and corrects their links for the places that files have there. Used by
# Scripts/package.sh, Scripts/install.sh and the test of the links.
#
#     Packaging/documents.sh dtvr ROOT          /usr/share/doc/dtvr and /usr/share/dtvr under ROOT
#     Packaging/documents.sh players FOLDER     the documents for players, in FOLDER
set -euo pipefail
target=${2:?usage: documents.sh dtvr|players FOLDER}
cd "$(dirname "$0")/.."
case $1 in
dtvr)
    doc=$target/usr/share/doc/dtvr
    mkdir -p "$doc/docs" "$doc/Benchmarks"
    cp Packaging/debian/copyright README.md SECURITY.md "$doc"
    cp docs/*.md docs/*.svg docs/*.json "$doc/docs"
    cp Benchmarks/RESULTS.md "$doc/Benchmarks"
    gzip -9n <CHANGELOG.md >"$doc/changelog.gz"
    for file in prometheus/{rules,rules.test,pairs,collector,fleet.test,alertmanager}.yml \
        grafana/{dashboard,collectors}.json; do
        install -D -m 644 "Packaging/$file" "$target/usr/share/dtvr/$file"
    done
    Packaging/debian/links.pl --fix --root "$target" "$doc"
    ;;
players)
    # With all pages that they lead to.
    install -D -m 644 -t "$target" docs/{players,keys,store,checks,collecting,markets}.md \
        docs/records.schema.json LICENSE
    Packaging/debian/links.pl --fix "$target"
    ;;
*)
    exit 2
    ;;
esac
