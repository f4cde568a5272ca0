#!/usr/bin/env bash
# The lints and the documentation of the Rust code, with warnings denied, in the form of a program of tests: they are run
# beside the tests, for which they need not be done.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
passed=0
failed=0

# lint NAME COMMAND...: one check, on one core.
lint() {
    local name=$1 verdict=ok
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        verdict=FAILED
    fi
    printf 'test %s ... %s\n' "$name" "$verdict"
}

profile=${AESMITH_PROFILE:-test}
lint clippy \
    cargo clippy --profile "$profile" --jobs 1 --quiet --workspace --all-targets --locked -- -D warnings
# With the compiler and the arguments of `cargo clippy`, what that has checked is not checked again. With others it would be.
lint rustdoc env RUSTDOCFLAGS='-D warnings' RUSTC_WORKSPACE_WRAPPER=clippy-driver \
    CLIPPY_ARGS='-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__' \
    cargo doc --profile "$profile" --jobs 1 --quiet --workspace --no-deps --locked
printf '\ntest result: %s. %s passed; %s failed; 0 ignored\n' \
    "$([ "$failed" -eq 0 ] && echo ok || echo FAILED)" "$passed" "$failed"
[ "$failed" -eq 0 ]
