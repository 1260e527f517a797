#!/bin/sh
# Installs the package, uses it, removes it, and checks that nothing is left. Scripts/package-test.sh runs it in a
# Debian system without a Swift toolchain.
#
#     check-installed.sh PACKAGE.deb
set -eu
package=$1
here=${0%/*}
work=$(mktemp -d)
export HOME="$work" LC_ALL=C.UTF-8

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# Lists all files except those that any use of the system changes.
files() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /var/cache \
        -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/log \) -prune -o -print | sort
}

use() {
    dtvr --version
    if ldd /usr/bin/dtvr | grep -E 'not found|libswift|Foundation'; then fail "a library is missing"; fi
    dtvr synth --duration 30s "$work/demo"
    dtvr check "$work/demo/index.m3u8" | head -n 3
    mkfifo "$work/ready"
    dtvr collect --listen 127.0.0.1:0 --dir "$work/collected" >"$work/ready" &
    read -r line <"$work/ready"
    dtvr run --collector "${line##* }" "$work/demo/index.m3u8"
    kill "$!"
    wait "$!"
    rm -r "$work/ready" "$work/demo" "$work/collected"
}

packages() {
    dpkg-query -W -f '${Installed-Size}\n' | awk '{ size += $1 } END { print NR, int(size / 1000) }'
}

echo "== installing"
before=$(packages)
sh "$here/install.sh" "$package"
if command -v swift; then fail "there is a Swift toolchain"; fi
dpkg-query -W -f '${Package} ${Version}, ${Installed-Size} kB installed\n' dtvr
echo "$before $(packages)" | awk '{ printf "with dependencies: %d packages, %d MB\n", $3 - $1, $4 - $2 }'

echo "== using"
use
for page in $(dtvr manual); do
    man -w "${page##*.}" "${page%.*}" >/dev/null || fail "no manual page $page"
done
man -w dtvr
perl "$here/links.pl" /usr/share/doc/dtvr /usr/share/dtvr || fail "an installed file has a dead link"
for file in prometheus/rules.yml prometheus/pairs.yml prometheus/collector.yml prometheus/alertmanager.yml \
    grafana/dashboard.json grafana/collectors.json; do
    [ -s "/usr/share/dtvr/$file" ] || fail "no $file"
done
bash -c '. /usr/share/bash-completion/completions/dtvr && complete -p dtvr' || fail "no completion for bash"
[ "$(zsh -c 'autoload -U compinit && compinit -u -D && print "$_comps[dtvr]"')" = _dtvr ] \
    || fail "no completion for zsh"
# The first call loads the completion, and must already offer commands.
zsh -fc 'compdef() {}; _describe() { print "zsh offers: ${commands[1]}" }; autoload -U _dtvr
    words=(dtvr ""); CURRENT=2; _dtvr' | grep '^zsh offers: run:' || fail "zsh offers nothing at first"
fish -c 'complete -C "dtvr sca"' | grep ^scan || fail "no completion for fish"

service=no
if dtvr help monitor >/dev/null 2>&1; then
    service=yes
    [ -f /lib/systemd/system/dtvr-monitor.service ] || fail "no service"
    dtvr monitor --check-config --channels /etc/dtvr/channels || fail "the packaged channel file is invalid"
    [ "$(stat -c %a /etc/dtvr/environment)" = 600 ] || fail "others can read the environment file"
    DTVR_CONFIG=/etc/dtvr/config dtvr scan --help >/dev/null || fail "the packaged configuration is invalid"
    echo '# changed' >>/etc/dtvr/channels
    echo secret >/etc/dtvr/monitor-token
    # The state after the service has run once.
    mkdir -p /var/lib/private/dtvr/store
    ln -s private/dtvr /var/lib/dtvr
fi

echo "== removing"
dpkg --remove dtvr
if [ -e /usr/bin/dtvr ]; then fail "the program is still installed"; fi
if [ $service = yes ]; then
    grep '# changed' /etc/dtvr/channels || fail "dpkg --remove deleted the channel file"
    dpkg --purge dtvr | grep '^Kept: ' || fail "dpkg --purge does not say what it keeps"
    if [ -e /etc/dtvr ]; then fail "dpkg --purge kept the configuration"; fi
fi
left=$(files | grep -i dtvr || true)
[ -z "$left" ] || fail "left over: $left"
if grep dtvr /etc/passwd /etc/group; then fail "a user is left over"; fi

echo "== installing, using and purging again, comparing all files before and after"
files >"$work/before"
dpkg --install "$package"
use
dpkg --purge dtvr
files >"$work/after"
diff "$work/before" "$work/after" || fail "left over"
rm -r "$work"
echo "== nothing is left over"
