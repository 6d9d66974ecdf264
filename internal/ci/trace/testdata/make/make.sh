#!/bin/sh
# Makes the traces anew: a failing test of a small shop, by several versions of Playwright from npm, in the Chromium of
# CHROMIUM. The versions of Playwright write the versions 6, 7, 8 and 10 of the format.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${CHROMIUM:=$(command -v chromium-headless-shell || command -v chromium)}"
export CHROMIUM PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1
for version in ${VERSIONS:-1.40.1 1.45.3 1.55.1 1.65.1}; do
    work=$(mktemp -d)
    cp "$here"/*.mjs "$work"
    cd "$work"
    echo '{"private":true}' >package.json
    npm install --no-audit --no-fund --silent "@playwright/test@$version"
    OUTPUT="$work/out" npx playwright test || true # it fails as it should
    cp "$work"/out/*/trace.zip "$here/../playwright-$version.zip"
    rm -rf "$work"
done
