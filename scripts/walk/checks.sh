# shellcheck shell=bash disable=SC2034,SC2154
# Checks of a walk; sourced by scripts/walk.sh, which sets `place` and `aesmith`.

step() { printf '\n== %s\n' "$*"; }

# holds WHAT COMMAND...: what must be true. A failure shows the output.
holds() {
    local what=$1 said=$place/logs/check
    shift
    if "$@" >"$said" 2>&1; then
        passed=$((passed + 1))
        printf 'ok      %s\n' "$what"
    else
        failed=$((failed + 1))
        printf 'FAILED  %s\n        %s\n' "$what" "$*"
        tail -n 15 "$said" | sed 's/^/        /'
    fi
}

# skips WHAT REASON: a check, or a part of the walk, that cannot be made here.
skips() {
    skipped=$((skipped + 1))
    printf 'skipped %s: %s\n' "$1" "$2"
}

# says CODE NAME ARGUMENT...: aesmith's output in NAME.json, its messages in logs; it must exit with CODE.
says() {
    local code=$1 name=$2 found
    shift 2
    "$aesmith" "$@" --json >"$name.json" 2>"logs/$name"
    found=$?
    # shellcheck disable=SC2016
    holds "aesmith $* ends with $code" sh -c '[ "$1" -eq "$2" ] || { echo "it ended with $1"; tail -n 5 "$3"; false; }' \
        sh "$found" "$code" "logs/$name"
}

# python EXPRESSION FILE...: whether an expression over J, the objects of each file, holds.
python() {
    local expression=$1
    shift
    python3 - "$expression" "$@" <<'PYTHON'
import json, pathlib, re, sys

def read(name):
    lines = [json.loads(line) for line in pathlib.Path(name).read_text().splitlines() if line.strip()]
    return lines[0] if len(lines) == 1 else lines

def certificates(folder):
    return {p.name: json.loads(p.read_text()) for p in sorted(pathlib.Path(folder).glob("*.certificate.json"))}

def near(a, b, tolerance):
    print(f"{a} and {b}")
    return a > 0 and b > 0 and max(a, b) / min(a, b) <= 1 + tolerance

def text(name):
    return pathlib.Path(name).read_text()

J = [read(name) for name in sys.argv[2:]]
value = eval(sys.argv[1])
print(f"{sys.argv[1]} is {value!r}")
sys.exit(0 if value else 1)
PYTHON
}

# empty COMMAND...: whether it says nothing.
empty() {
    local output
    output=$("$@") || return 1
    printf '%s\n' "$output"
    [ -z "$output" ]
}
