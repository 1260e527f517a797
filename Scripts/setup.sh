#!/usr/bin/env bash
# Installs the Debian packages that building, with "test" testing, with "benchmark" measuring, with "package" making and
# testing the package, with "operation" trying it among other programs, with "c" testing the C interface, and with "browser"
# testing players in a browser needs; does nothing where they are there.
set -euo pipefail

build_packages=(
    pkg-config libavformat-dev libavcodec-dev libavutil-dev libsqlite3-dev libcurl4-openssl-dev
    libmicrohttpd-dev libzstd-dev zlib1g-dev libssl-dev
    # What the Swift toolchain itself builds and links with.
    git binutils libc6-dev libgcc-12-dev libstdc++-12-dev libncurses6 libedit2 libxml2 libpython3.11 tzdata
)
# Peers that tests compare with, what makes certificates for them, a server for HTTP/2, the reader of manual pages, and the
# browser that shows reports (122 MB).
test_packages=(ffmpeg openssl python3 python3-mutagen libid3tag0-dev nghttp2-server mandoc chromium fonts-dejavu-core)
# Peers that benchmarks measure beside, those of the tests among them.
benchmark_packages=(libtag1-dev)
# What makes the Debian package, checks it, installs it in a system of its own, and checks its service.
package_packages=(dpkg-dev lintian mmdebstrap systemd)
# What a monitor runs beside: who is told of alerts, and other people's servers and caches.
operation_packages=(ffmpeg openssl python3 prometheus prometheus-alertmanager nginx-light varnish)
# What compiles C and C++, compares ABIs, and watches memory.
c_packages=(gcc g++ python3 abigail-tools valgrind)

# The browser, and what fetches hls.js.
browser_packages=(chromium python3 python3-pip)

wanted=("${build_packages[@]}")
case ${1:-} in
test) wanted+=("${test_packages[@]}") ;;
benchmark) wanted+=("${test_packages[@]}" "${benchmark_packages[@]}") ;;
package) wanted+=("${package_packages[@]}") ;;
operation) wanted+=("${operation_packages[@]}") ;;
c) wanted+=("${c_packages[@]}") ;;
browser) wanted+=("${browser_packages[@]}") ;;
esac

if ! command -v swift >/dev/null 2>&1; then
    cat >&2 <<'MESSAGE'
Swift is not installed, or not in PATH. DTVRKit needs Swift 6.3 or later:
    https://www.swift.org/install/linux/
MESSAGE
    exit 1
fi

missing=()
for package in "${wanted[@]}"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    if [ "$state" != installed ]; then missing+=("$package"); fi
done
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

if ! command -v apt-get >/dev/null 2>&1; then
    echo "These packages are missing, and this is no Debian system: ${missing[*]}" >&2
    exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        as_root=(sudo)
    else
        printf 'These packages are missing. As root:\n    apt-get install %s\n' "${missing[*]}" >&2
        exit 1
    fi
fi
echo "Installing ${missing[*]}" >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
