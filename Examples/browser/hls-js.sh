#!/usr/bin/env bash
# Prints the path of hls.js 1.6.15 as an ES module with Hls as its default export. Downloads it to the user's cache at
# the first call.
#
#     Examples/browser/hls-js.sh        DTVR_HLS=FILE prints FILE instead
#
# Debian has no package of hls.js; a gradio wheel on PyPI contains it, complete and minified. The wheel and the module
# must match the checksums below. The exit status is 69 if the download fails.
set -euo pipefail

if [ -n "${DTVR_HLS:-}" ]; then
    echo "$DTVR_HLS"
    exit
fi
version=6.31.0
wheel=gradio-$version-py3-none-any.whl
wheel_sum=7b50b9b6a2d23cd02851ad4c8b1c8312c88d8b911d1f29c93f9761c98348a64a
module=gradio/templates/frontend/assets/hls-DKvqWxTe.js
module_sum=6692562e22d2d7b7325223f3cdc306c7bdad4e18b215a738817f84aa8832d4f2
module_size=509139
# Exports the class Hls under its minified name.
export_line='export { Cu as default };'

cache=${XDG_CACHE_HOME:-$HOME/.cache}/dtvr-hls
hls=$cache/hls-1.6.15.mjs
if ! [ -f "$hls" ] || ! head -c $module_size "$hls" | sha256sum --check --status <(echo "$module_sum  -"); then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    echo "gradio==$version --hash=sha256:$wheel_sum" >"$work/wanted"
    # Only downloads the wheel: nothing is installed or run.
    python3 -m pip download --quiet --no-deps --only-binary :all: --require-hashes --dest "$work" \
        -r "$work/wanted" >&2 || exit 69
    python3 -m zipfile -e "$work/$wheel" "$work/wheel"
    sha256sum --check --status <<<"$module_sum  $work/wheel/$module" || {
        echo "hls.js in the wheel does not match its checksum." >&2
        exit 1
    }
    mkdir -p "$cache"
    { cat "$work/wheel/$module" && printf '\n%s\n' "$export_line"; } >"$work/hls"
    mv "$work/hls" "$hls"
fi
echo "$hls"
