#!/usr/bin/env bash
# Plants faults in a copy of the source and runs the tests that their lists name until one fails, for each fault by itself.
# A fault that no test finds survives: it is named, and the run fails. crates/prove/attacks/faults/README.md says what a
# list is, and what this does.
# Arguments: `--resume` to go on after a run that was interrupted, without the faults that are known to be found;
# `--jobs N` for N faults at once (default: all cores); names of lists, such as `bits`, for these lists alone; words
# of the faults to plant, or their numbers, such as `50-` or `7-12`. `bits:50-` are those of one list.
set -euo pipefail

# -B: no compiled files beside the source.
exec python3 -B "$(dirname "$0")/faults" "$@"
