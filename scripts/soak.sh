#!/usr/bin/env bash
# What takes long: the walk of a new user, each fuzz target for a minute (or as many seconds as
# SECONDS_EACH says), faults planted in the prover and in kernels, the proofs in Rocq, outputs that take minutes
# against their schemas, and known faults of dependencies. Ends in `N passed, N failed, N skipped`.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
# shellcheck source=scripts/check.sh
. scripts/check.sh
seconds=${SECONDS_EACH:-60}
skipped=0

skip() {
    printf '== %s: skipped, %s\n' "$1" "$2"
    skipped=$((skipped + 1))
}

# Advisories come from a repository that must be reachable, or have been fetched before.
advisories() {
    local said
    said=$(mktemp)
    if "$@" >"$said" 2>&1; then
        check "advisories: $*" true
    elif grep -qiE 'fetch|network|resolve|connect|clone|timed out|couldn.t load|not reachable' "$said" &&
        ! grep -qE 'error\[(vulnerability|unsound|unmaintained|yanked)\]|vulnerabilit(y|ies) found' "$said"; then
        skip "advisories: $*" 'the database of advisories cannot be reached'
    else
        cat "$said"
        check "advisories: $*" false
    fi
    rm -f "$said"
}

# Nothing is linked, so the C of SQLite may be compiled by whatever compiler there is.
if [ -d "$(rustc --print sysroot)/lib/rustlib/aarch64-unknown-linux-gnu/lib" ]; then
    check 'clippy, AArch64' env CC_aarch64_unknown_linux_gnu=cc cargo clippy --quiet --workspace --all-targets \
        --locked --target aarch64-unknown-linux-gnu -- -D warnings
else
    skip 'clippy, AArch64' 'rustup target add aarch64-unknown-linux-gnu brings the target'
fi

if cargo deny --version >/dev/null 2>&1; then
    advisories cargo deny check advisories
elif cargo audit --version >/dev/null 2>&1; then
    advisories cargo audit
else
    skip 'advisories' 'neither cargo-deny nor cargo-audit is installed (cargo install --locked cargo-deny)'
fi

targets=$(sed -n 's/^    Target { name: "\([a-z_]*\)".*/\1/p' fuzz/src/lib.rs)
if cargo +nightly fuzz --version >/dev/null 2>&1; then
    for target in $targets; do
        more=(-detect_leaks=0)
        [ "$target" = extension ] && more+=(-runs=30000)
        check "fuzz $target, libFuzzer, $seconds s" \
            cargo +nightly fuzz run "$target" -- -max_total_time="$seconds" -timeout=60 "${more[@]}"
    done
else
    echo '== fuzz: cargo-fuzz with a nightly compiler is not here; a driver gives the same targets mutated inputs'
    drive=(cargo run --quiet --release --locked --manifest-path fuzz/Cargo.toml --target-dir target/fuzz \
        --no-default-features --bin drive --)
    check 'the driver builds' "${drive[@]}" --seconds 0
    # A new seed each day, which the driver prints with what fails.
    for target in $targets; do
        check "fuzz $target, driver, $seconds s" \
            "${drive[@]}" --seconds "$seconds" --seed "${SEED:-$(date +%Y%m%d)}" "$target"
    done
    check 'mutations are repeatable' \
        cargo test --quiet --release --locked --manifest-path fuzz/Cargo.toml --target-dir target/fuzz \
            --no-default-features --lib
fi

check 'faults planted in the prover and the checker are found' scripts/faults.sh
if command -v coqc >/dev/null; then
    check 'the rules of the checker are proved in Rocq' scripts/rocq.sh
else
    skip 'the rules of the checker are proved in Rocq' 'coqc is not installed (apt-get install coq)'
fi
check 'faults in kernels of every family are refuted' \
    env AESMITH_SOAK=1 cargo test --quiet --locked --package aesmith-prove --test suite families::
# Of what takes long, `make test` takes a part. x86-64 and the register have no soak of their own.
processors=()
for folder in processors/*/; do
    family=$(basename "$folder")
    case $family in all | x86) ;; *) processors+=("$family") ;; esac
done
check 'kernels of every choice on every processor, and packages of all kinds' \
    env AESMITH_SOAK=1 cargo test --quiet --locked "${processors[@]/#/--package=aesmith-}" \
    --package aesmith-emit --package aesmith-extension
check 'outputs that take minutes are what their schemas say' \
    env AESMITH_SOAK=1 cargo test --quiet --locked --package aesmith-cli --test suite minutes
check 'verify accepts what emit writes, for every processor, problem and objective' \
    env AESMITH_SOAK=1 cargo test --quiet --locked --package aesmith-cli --test suite own_packages::
check 'a processor is a folder and a line' \
    env AESMITH_SOAK=1 cargo test --quiet --locked --package aesmith-cli --test suite dummy::
check 'the walks of those who use aesmith' scripts/walk.sh

printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ]
