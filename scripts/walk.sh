#!/usr/bin/env bash
# The walks of those who use aesmith, from a fresh clone to numbers that agree. Each role walks in a folder and with wisdom of
# its own, by the script of its name in scripts/walk:
#
#   user        tunes, emits, builds, links, verifies, kills, resumes, compares numbers
#   library     maintains a library: a package of several problems and levels, built, installed, and linked into one program
#   firmware    firmware within budgets, linked by stock toolchains and measured
#   researcher  exports what was measured, reads it, and replays a recorded space
#   line        the command line in a narrow terminal, with a store that may only be read
#
#   scripts/walk.sh [--role NAME]... [FOLDER]
#
# FOLDER must be empty and is left; without one, the walks are in a folder of their own, which goes when all is well.
# AESMITH=PROGRAM walks with a program that is built already. TIME is the seconds of the long search
# (8), TOLERANCE by how much numbers of one kernel may differ (0.15). Each check says what it holds;
# the last line counts them, and any that failed ends the walk with 1. What a missing tool leaves out is counted, too.
set -uo pipefail

home=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck disable=SC2034
time=${TIME:-8}
# shellcheck disable=SC2034
tolerance=${TOLERANCE:-0.15}
passed=0
failed=0
skipped=0
roles=()
while [ "${1:-}" = --role ]; do
    if [ ! -f "$home/scripts/walk/${2:-}.sh" ] || [ "$2" = checks ]; then
        echo "walk.sh: there is no role '${2:-}': user, library, firmware, researcher, line" >&2
        exit 2
    fi
    roles+=("$2")
    shift 2
done
[ "${#roles[@]}" -gt 0 ] || roles=(user library firmware researcher line)

if [ $# -gt 0 ]; then
    mkdir -p "$1"
    root=$(cd "$1" && pwd)
    if [ -n "$(ls -A "$root")" ]; then
        echo "walk.sh: $root is not empty" >&2
        exit 2
    fi
else
    root=$(mktemp -d)
fi
place=$root
cd "$root" || exit 1
export NO_COLOR=1
mkdir logs
# shellcheck source=scripts/walk/checks.sh
. "$home/scripts/walk/checks.sh"

step 'fresh clone'
if [ -n "${AESMITH:-}" ]; then
    aesmith=$(realpath "$AESMITH")
    echo "walking with $aesmith"
else
    holds 'the repository clones into an empty folder' git clone --quiet "$home" clone
    holds 'what builds and tunes is listed before it is installed' clone/scripts/need.sh build --list
    # The target folder is shared: dependencies need not be compiled again, all crates are.
    holds 'it builds' env CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$home/target}" \
        cargo build --quiet --release --locked --manifest-path clone/Cargo.toml --package aesmith-cli
    aesmith=${CARGO_TARGET_DIR:-$home/target}/release/aesmith
    holds 'the clone is left clean' empty git -C clone status --porcelain
fi
holds 'it says its version' "$aesmith" --version

for role in "${roles[@]}"; do
    printf '\n==== %s\n' "$role"
    place=$root/$role
    mkdir -p "$place/logs" && cd "$place" || exit 1
    export AESMITH_WISDOM=$place/wisdom.sqlite
    # shellcheck source=/dev/null
    . "$home/scripts/walk/$role.sh"
done

printf '\n%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
if [ "$failed" -gt 0 ]; then
    printf 'everything is left in %s\n' "$root"
    exit 1
fi
if [ $# -eq 0 ]; then
    cd / && rm -rf "$root"
fi
