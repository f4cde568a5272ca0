#!/usr/bin/env bash
# Every test: format, lints, documentation, dependencies' licences, and the tests of all crates.
# Ends in `N passed, N failed, N skipped`, summed over everything, and fails if anything did.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=scripts/check.sh
. scripts/check.sh
log=$(mktemp)
setup=$(mktemp)
trap 'rm -f "$log" "$setup"' EXIT
# Lines of checks that are left out, in the form of those of tests.
without=()

# left_out CHECK REASON: a check that cannot be made here.
left_out() {
    printf '== %s: skipped, %s\n' "$1" "$2"
    without+=("skipped: make/test $1: $2")
}

scripts/need.sh lint || exit 1
# Assemblers, emulators and so on are needed when tests run: they are installed while Rust builds, unless sudo asks.
if [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; then
    scripts/need.sh test 2> >(tee "$setup" >&2) &
    tools=$!
else
    scripts/need.sh test 2> >(tee "$setup" >&2)
    tools=
fi
check 'make help' make --silent help
check 'rustfmt' cargo fmt --all --check
# One profile for all, so that what is compiled for one is there for the others.
export AESMITH_PROFILE=ci
if cargo deny --version >/dev/null 2>&1; then
    check 'cargo-deny' cargo deny --offline check bans licenses sources
else
    left_out 'cargo-deny' 'cargo-deny is not installed'
fi
cargo test --profile ci --quiet --workspace --locked --no-run
[ -z "$tools" ] || wait "$tools"
if command -v shellcheck >/dev/null; then
    check 'shellcheck' shellcheck scripts/*.sh scripts/judges/*.sh scripts/walk/*.sh .ci/run
else
    left_out 'shellcheck' 'shellcheck is not installed'
fi

echo '== tests'
if ! scripts/programs.sh scripts/lints.sh 2>&1 | tee "$log"; then
    # A test that fails is counted below; a crate that does not build has no count.
    grep -q '^test result: FAILED' "$log" || failed=$((failed + 1))
fi
counts=$(sed -n 's/^test result: .* \([0-9]*\) passed; \([0-9]*\) failed;.*/\1 \2/p' "$log" |
    awk '{ passed += $1; failed += $2 } END { print passed + 0, failed + 0 }')
passed=$((passed + ${counts% *}))
failed=$((failed + ${counts#* }))
grep -E '^test .*FAILED' "$log" | sort -u
# A test that returns early counts as passed for its harness. It says so in a line that begins with `skipped: `.
skips=$(grep '^skipped: ' "$log" | sort -u)
skipped=$(grep -oE '^skipped: [^ ]+ [^ ]+' <<<"$skips" | sort -u | grep -c .)
passed=$((passed - skipped))
skipped=$((skipped + ${#without[@]}))
printf '%s\n' "$skips" "${without[@]}" | tee -a "$log"
# What no reason in the list explains fails where AESMITH_SKIPS=known, as in continuous integration, unless the set-up has
# said that the tool cannot be had on this machine.
unknown=$(scripts/skips.sh "$log" "$setup")
if [ -n "$unknown" ]; then
    printf 'Skipped for a reason that neither scripts/skips.txt nor the set-up has:\n%s\n' "$unknown"
    if [ "${AESMITH_SKIPS:-}" = known ]; then
        failed=$((failed + $(grep -c . <<<"$unknown")))
    fi
fi
printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ]
