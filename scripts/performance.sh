#!/usr/bin/env bash
# Measures everything and writes docs/PERFORMANCE.md, PROCESSORS.md, INSTRUCTIONS.md and GPU-BOUNDS.md: tunes each problem for
# SECONDS_EACH seconds (10 if not given), so that what is measured is found on this machine, and then runs the
# benchmarks. Wisdom is that of AESMITH_WISDOM, or the user's. The machine should have nothing else to do.
set -euo pipefail

cd "$(dirname "$0")/.."
aesmith=${1:?the program that measures, as built with its peers}
# The program for developers stands beside it.
bench=$(dirname "$aesmith")/aesmith-bench
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for key in 128 192 256; do
    tasks=(ecb ecb-dec cbc cbc-x{2,3,4,8,16} cbc-dec ctr gcm gcm-dec key key-dec)
    # XTS has no keys of 192 bits.
    [ "$key" = 192 ] || tasks+=(xts xts-dec)
    for task in "${tasks[@]}"; do
        "$aesmith" tune "aes$key-$task" --time "${SECONDS_EACH:-10}s" --output "$scratch/aes$key-$task" \
            >"$scratch/said" 2>&1 || { cat "$scratch/said" >&2; exit 1; }
        printf 'tuned aes%s-%s: %s\n' "$key" "$task" "$(sed -n 's/^best  *//p' "$scratch/said" | head -n 1)"
    done
done
"$bench" goals --markdown docs/PERFORMANCE.md
"$bench" goals processors --markdown docs/PROCESSORS.md
"$bench" goals extensions --markdown docs/INSTRUCTIONS.md
# With what a card was measured to do, if a run of scripts/card.sh is recorded: the last by name.
card=$(find recordings -name 'card-*.jsonl' | sort | tail -n 1)
"$bench" goals gpu ${card:+--card "$card"} --markdown docs/GPU-BOUNDS.md
