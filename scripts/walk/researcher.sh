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
rows = list(csv.DictReader(open("samples.csv")))
costs = {}
for row in rows:
    costs.setdefault(row["variant"], []).append(float(row["cost"]))
print(min((statistics.median(c), v) for v, c in costs.items()))
PYTHON
holds 'which five lines of Python read' python3 read.py
holds 'and all of wisdom as lines of JSON' "$aesmith" wisdom export --output wisdom.jsonl

step 'elsewhere'
holds 'an export is imported whole' "$aesmith" --wisdom elsewhere.sqlite wisdom import wisdom.jsonl
holds 'and exported again' "$aesmith" --wisdom elsewhere.sqlite wisdom export --output again.jsonl
holds 'line by line the same' sh -c 'sort wisdom.jsonl >a && sort again.jsonl >b && cmp a b'

step 'replay'
recordings=("$home"/recordings/aes256-ctr-paper-*.jsonl.gz)
recording=${recordings[0]}
says 0 replayed replay "$recording" --seeds 3
says 0 replayed-again replay "$recording" --seeds 3
holds 'a recorded space is replayed alike each time' cmp replayed.json replayed-again.json
says 0 recorded replay --record own.jsonl.gz --problem aes128-ctr --paper --time 5s
holds 'a space of this machine is recorded as far as time allows' test -s own.jsonl.gz

step 'a paper again, within a limit'
says 0 reproduced reproduce manley2010 --time 5s --output reproduced
holds 'what is partial is said on standard output' grep -qi 'partial\|not whole\|went on for' reproduced.json
