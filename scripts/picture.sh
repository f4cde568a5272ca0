#!/usr/bin/env bash
# Makes docs/result.png, the README's picture, from a report: its upper part in a browser.
set -euo pipefail
report=$(realpath "${1:?say which report: aesmith-aes256-ctr/report.html}")
cd "$(dirname "$0")/.."
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1200,1765 \
    --screenshot="$PWD/docs/result.png" "file://$report"
