#!/usr/bin/env bash
# Plants faults in a copy of the source, one by one, and runs the tests that their list names until one fails. A fault
# that none of them finds survives: it is named, and the run fails. crates/prove/attacks/faults/README.md says what a
# list is.
# Arguments: `--resume` to go on after a run that was interrupted, without the faults that are known to be found; the name
# of a list, such as `bits`, for that list alone; words of the faults to plant, or their numbers, such as `50-` or `7-12`.
set -euo pipefail

exec python3 "$(dirname "$0")/faults.py" "$@"
