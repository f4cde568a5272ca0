#!/usr/bin/env bash
# Lines of skipped tests that no reason explains: `skips.sh LOG SETUP` prints those lines of LOG that begin with `skipped: ` for
# which neither scripts/skips.txt has a reason nor the set-up, whose output is SETUP, has named the tool that they miss.
# A line is `skipped: PROGRAM TEST: REASON`.
set -uo pipefail

log=${1:?a log of tests}
setup=${2:?the output of scripts/need.sh}
list=$(dirname "$0")/skips.txt

# The parts of packages' names that tell tools apart: `gcc-avr could not be installed` excuses what lacks avr-gcc, and no other
# compiler. A package whose name has one part, such as `gcc`, is named by it.
general='gcc|g++|binutils|libc6|dev|source|linux|gnu|none|eabi|elf|unknown|user|pip|icd|headers|cross|make|they|and|[0-9t]*|.'
missing=$(sed -n 's/^\(binutils for \)\{0,1\}\([^ ]*\) could not be.*/\2/p' "$setup" |
    awk -F- -v general="^($general)\$" '
        BEGIN { gsub(/\+/, "[+]", general) }
        NF == 1 && $1 != "they" { print; next }
        { for (k = 1; k <= NF; k++) { sub(/^lib/, "", $k); if ($k !~ general) print $k } }')
grep '^skipped: ' "$log" | sort -u | grep -v -E -f <(grep -v '^#' "$list") |
    awk -v missing="$missing" '
        BEGIN { count = split(tolower(missing), tools, "\n") }
        {
            reason = tolower($0)
            sub(/^skipped: [^ ]+ [^ ]+ /, "", reason)
            for (k = 1; k <= count; k++) if (tools[k] != "" && index(reason, tools[k])) next
            print
        }'
exit 0
