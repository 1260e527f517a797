#!/usr/bin/env bash
# Builds the Debian package of dtvr, with the Swift runtime linked statically, and prints its path.
#
#     Scripts/package.sh [FOLDER]       writes it to FOLDER; default: .build-package
#
# Prints the sizes of the package and of the installed files on standard error.
#
# The build is reproducible: the same commit gives the same bytes. All times are the time of the commit, unless
# SOURCE_DATE_EPOCH is set. The systemd service is included if dtvr has the command monitor.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh package
build=.build-package
folder=$(realpath -m "${1:-$build}")
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export LC_ALL=C TZ=UTC

swift build -c release --product dtvr --static-swift-stdlib --disable-local-rpath --scratch-path "$build" \
    -Xswiftc -gnone -Xlinker --gc-sections -Xlinker --strip-all -Xlinker --build-id=none -Xlinker -z -Xlinker now >&2
dtvr=$(realpath "$build/release/dtvr")
version=$("$dtvr" --version)
version=${version#dtvr }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
root=$work/root
doc=$root/usr/share/doc/dtvr
install -D "$dtvr" "$root/usr/bin/dtvr"
# Clears the hashes of the compiler invocations: they depend on the folder, and only incremental builds read them.
read -r offset size < <(readelf -SW "$dtvr" | sed 's/\[ */[/' | awk '$2 == ".swift_modhash" { print $5, $6 }')
dd if=/dev/zero of="$root/usr/bin/dtvr" bs=1 seek=$((16#$offset)) count=$((16#$size)) conv=notrunc status=none

for page in $("$dtvr" manual); do
    file=$root/usr/share/man/man${page##*.}/$page.gz
    mkdir -p "${file%/*}"
    "$dtvr" manual "$page" | gzip -9n >"$file"
done

completions() {
    mkdir -p "$root/usr/share/${2%/*}"
    "$dtvr" completions "$1" >"$root/usr/share/$2"
}
completions bash bash-completion/completions/dtvr
completions zsh zsh/vendor-completions/_dtvr
completions fish fish/vendor_completions.d/dtvr.fish

Packaging/documents.sh dtvr "$root"
gzip -9n >"$doc/changelog.Debian.gz" <<CHANGELOG
dtvr ($version-1) bookworm; urgency=medium

  * See changelog.gz for the changes.

 -- $(sed -n 's/^Maintainer: //p' Packaging/debian/control)  $(date -R -d "@$SOURCE_DATE_EPOCH")
CHANGELOG

# The files of the installed service, and the control information.
mkdir -p "$root/DEBIAN"
if "$dtvr" help monitor >/dev/null 2>&1; then
    install -D -m 644 Packaging/systemd/dtvr-monitor.service "$root/lib/systemd/system/dtvr-monitor.service"
    install -D -m 644 -t "$root/etc/dtvr" Packaging/systemd/channels Packaging/systemd/config
    # It will contain secrets.
    install -m 600 -t "$root/etc/dtvr" Packaging/systemd/environment
    printf '/etc/dtvr/%s\n' channels config environment >"$root/DEBIAN/conffiles"
    install -D -m 644 Packaging/debian/lintian-overrides "$root/usr/share/lintian/overrides/dtvr"
    for script in postinst prerm postrm; do
        install "Packaging/systemd/$script" "$root/DEBIAN/$script"
    done
fi

# Derives the package's dependencies from the libraries that the program is linked with or opens.
Packaging/loaded.sh "$root/usr/bin/dtvr" "$work/loaded.so" CDTVRLibAV CDTVRCurl CDTVRMicroHTTPD CDTVRPostgres
mkdir "$work/debian"
cp Packaging/debian/control "$work/debian/control"
zcat "$doc/changelog.Debian.gz" >"$work/debian/changelog"
(
    cd "$work"
    dpkg-shlibdeps -Tsubstvars root/usr/bin/dtvr loaded.so
    dpkg-gencontrol -pdtvr -Proot -Tsubstvars -ffiles
    cd root
    find . \( -path ./DEBIAN -o -path ./etc \) -prune -o -type f -printf '%P\0' | sort -z \
        | xargs -0 md5sum >DEBIAN/md5sums
) >&2
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

mkdir -p "$folder"
package=$folder/dtvr_$version-1_$(dpkg --print-architecture).deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$package" >&2
printf '%s: %d kB, %d kB installed\n' "${package##*/}" $(($(stat -c %s "$package") / 1000)) \
    "$(dpkg-deb -f "$package" Installed-Size)" >&2
echo "$package"
