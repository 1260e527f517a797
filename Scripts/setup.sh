#!/usr/bin/env bash
# Installs the missing Debian packages for a task.
#
#     Scripts/setup.sh [TASK]
#
# Without TASK: building. test: also testing. long: also the long tests. benchmark: also the benchmarks. package: also
# building the Debian package. package-test: also testing it. operation: also testing with other programs. c: also
# testing the C interface. browser: also testing players in a browser. fleet: also testing several machines. schedulers:
# also testing the examples for schedulers.
#
# If apt-get fails, its output is printed.
set -euo pipefail

build_packages=(
    pkg-config libavformat-dev libavcodec-dev libavutil-dev libsqlite3-dev libcurl4-openssl-dev
    libmicrohttpd-dev libzstd-dev zlib1g-dev libssl-dev libpq-dev
    # For the Swift toolchain itself.
    git binutils libc6-dev libgcc-12-dev libstdc++-12-dev libncurses6 libedit2 libxml2 libpython3.11 tzdata
)
# Peers for comparison, openssl for certificates, a JSON Schema validator, an HTTP/2 server, and a formatter of manual
# pages.
test_packages=(
    ffmpeg openssl python3 python3-jsonschema python3-mutagen libid3tag0-dev nghttp2-server mandoc
)
# A database, a load balancer, and a compiler for a library that changes the clock.
fleet_packages=(python3 postgresql nginx-light gcc)
# A browser for pages and reports (122 MB), and those for several machines, in addition.
long_packages=(chromium fonts-dejavu-core "${fleet_packages[@]}")
# Peers of the benchmarks, in addition to those of the tests, and a counter of instructions.
benchmark_packages=(libtag1-dev jq valgrind)
# Tools that build the Debian package.
package_packages=(dpkg-dev perl)
# Tools that check it, install it in a separate system, and check its service.
package_test_packages=(lintian mmdebstrap systemd)
# Programs that run beside a monitor: alerting, servers, and caches.
operation_packages=(ffmpeg openssl python3 prometheus prometheus-alertmanager nginx-light varnish)
# C and C++ compilers, ABI comparison, and memory checks.
c_packages=(gcc g++ python3 abigail-tools valgrind)

# Schedulers on the loopback interface, and pip to download a validator of Kubernetes' manifests and DuckDB.
scheduler_packages=(python3 python3-pip python3-yaml slurm-wlm munge parallel openssh-server openssh-client systemd)
# The browser, and pip to download hls.js.
browser_packages=(chromium python3 python3-pip)

wanted=("${build_packages[@]}")
case ${1:-} in
test) wanted+=("${test_packages[@]}") ;;
long) wanted+=("${test_packages[@]}" "${long_packages[@]}") ;;
benchmark) wanted+=("${test_packages[@]}" "${benchmark_packages[@]}") ;;
package) wanted+=("${package_packages[@]}") ;;
package-test) wanted+=("${package_packages[@]}" "${package_test_packages[@]}") ;;
operation) wanted+=("${operation_packages[@]}") ;;
c) wanted+=("${c_packages[@]}") ;;
browser) wanted+=("${browser_packages[@]}") ;;
fleet) wanted+=("${fleet_packages[@]}") ;;
schedulers) wanted+=("${scheduler_packages[@]}") ;;
esac

if ! command -v swift >/dev/null 2>&1; then
    cat >&2 <<'MESSAGE'
Swift is not installed or not in PATH. DTVRKit requires Swift 6.3 or later:
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
    echo "Missing packages, and apt-get is not available: ${missing[*]}" >&2
    exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        as_root=(sudo)
    else
        printf 'Missing packages. Run as root:\n    apt-get install %s\n' "${missing[*]}" >&2
        exit 1
    fi
fi
echo "Installing ${missing[*]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for call in "update -qq" "install -y -qq --no-install-recommends ${missing[*]}"; do
    # The names of packages contain no blanks.
    # shellcheck disable=SC2086
    if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get $call >"$log" 2>&1; then
        cat "$log" >&2
        echo "apt-get ${call%% *} failed" >&2
        exit 1
    fi
done
