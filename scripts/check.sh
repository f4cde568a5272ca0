#!/usr/bin/env bash
# Counts checks; sourced by the scripts that end in a line of how many passed and failed.

passed=0
failed=0

# check NAME COMMAND...: one check, which passes or fails.
check() {
    local name=$1
    shift
    printf '== %s\n' "$name"
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n' "$name"
    fi
}
