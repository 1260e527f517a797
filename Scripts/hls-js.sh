#!/usr/bin/env bash
# Prints the path of hls.js 1.6.15 as an ES module with Hls as its default export, fetched once into the user's cache.
#
#     Scripts/hls-js.sh        DTVR_HLS=FILE takes another hls.mjs
#
# There is no package of it in Debian; a wheel of gradio on PyPI has it, whole and minified. The wheel and the module are
# those of the checksums below, or nothing is taken. Ends with 69 where it cannot be fetched.
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
# What gives the class a name outside.
export_line='export { Cu as default };'

cache=${XDG_CACHE_HOME:-$HOME/.cache}/dtvr-hls
hls=$cache/hls-1.6.15.mjs
if ! [ -f "$hls" ] || ! head -c $module_size "$hls" | sha256sum --check --status <(echo "$module_sum  -"); then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    echo "gradio==$version --hash=sha256:$wheel_sum" >"$work/wanted"
    # The wheel alone: nothing of it is installed or run.
    python3 -m pip download --quiet --no-deps --only-binary :all: --require-hashes --dest "$work" -r "$work/wanted" >&2 || exit 69
    python3 -m zipfile -e "$work/$wheel" "$work/wheel"
    sha256sum --check --status <<<"$module_sum  $work/wheel/$module" || {
        echo "The wheel has another hls.js." >&2
        exit 1
    }
    mkdir -p "$cache"
    { cat "$work/wheel/$module" && printf '\n%s\n' "$export_line"; } >"$work/hls"
    mv "$work/hls" "$hls"
fi
echo "$hls"
