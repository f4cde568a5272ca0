# shellcheck shell=bash disable=SC2154
# A researcher: what was measured leaves as a table and as lines of JSON, comes back whole, and a recorded space is replayed.
# Sourced by scripts/walk.sh.

step 'measure and export'
says 0 tuned tune aes128-ecb --time 6s --seed 7 --output tuned
holds 'samples are exported as one flat table' \
    "$aesmith" wisdom export --kind samples --as csv --output samples.csv
# As docs/DATA.md reads it.
cat >read.py <<'PYTHON'
import csv, statistics
rows = [row for row in csv.DictReader(open("samples.csv")) if row["verdict"] == "measured" and row["cost"]]
for variant in {row["variant"] for row in rows}:
    costs = [float(row["cost"]) for row in rows if row["variant"] == variant]
    print(f"{statistics.median(costs):10.4f} {len(costs):5} {variant}")
assert rows
PYTHON
holds 'which five lines of Python read' python3 read.py
holds 'and all of wisdom as lines of JSON' "$aesmith" wisdom export --output wisdom.jsonl

step 'elsewhere'
holds 'an export is imported whole' "$aesmith" --wisdom elsewhere.sqlite wisdom import wisdom.jsonl
holds 'and exported again' "$aesmith" --wisdom elsewhere.sqlite wisdom export --output again.jsonl
# But for the first line, which has the moment of the export.
holds 'line by line the same' sh -c 'tail -n +2 wisdom.jsonl | sort >a && tail -n +2 again.jsonl | sort >b && cmp a b'

step 'replay'
recordings=("$home"/recordings/aes256-ctr-paper-*.jsonl.gz)
recording=${recordings[0]}
says 0 replayed replay "$recording" --seeds 3
says 0 replayed-again replay "$recording" --seeds 3
holds 'a recorded space is replayed alike each time' cmp replayed.json replayed-again.json
says 1 recorded replay --record own.jsonl.gz --problem aes128-ctr --paper --time 3s
holds 'a space that takes longer is not written by half' test ! -e own.jsonl.gz
holds 'and it tells how to go on' grep -q 'what was measured is kept, and the same command goes on from there' logs/recorded

step 'a paper again, within a limit'
says 0 reproduced reproduce manley2010 --time 5s --output reproduced
holds 'a partial run says so' python 'J[0]["whole"] is False and not J[0]["searches"] and not J[0]["figures"]' reproduced.json
