# shellcheck shell=bash disable=SC2154
# The command line: terminals of 40 to 200 columns, mistakes that people make, a store that may only be read.
# Sourced by scripts/walk.sh.

step 'a store to look at'
says 0 tuned tune aes128-ecb --time 4s --output tuned

# longest FILE: the longest line, in characters.
# Lines of a variant, a hash, a name of a CPU or a path stay whole, to be copied; those of progress are drawn over.
longest() { grep -vaE "[a-z]=[a-z0-9]|^#|^CPU|^Wisdom file|SHA-256|tuned/|[[:cntrl:]]" "$1" | python3 -c "import sys; print(max((len(l.rstrip()) for l in sys.stdin), default=0))"; }

step 'narrow and wide terminals'
for columns in 40 80 200; do
    while read -r name command; do
        # In a terminal of its own, since only there lines have a width.
        script -qec "stty cols $columns rows 50; $aesmith $command" /dev/null </dev/null | tr -d '\r' >"$name.$columns"
        holds "aesmith $command fits $columns columns" test "$(longest "$name.$columns")" -le "$columns"
        holds 'and says something' test -s "$name.$columns"
    done <<'LINES'
processors processors
space space aes128-ctr
list wisdom list
show wisdom show aes128-ecb
explain explain aes128-ecb
count count aes128-ecb
help tune --help
doctor doctor
sets isa list
verify verify tuned
LINES
done

step 'mistakes'
# code, what the first line of the message must have, and the command.
while IFS='|' read -r code words command; do
    # shellcheck disable=SC2086
    "$aesmith" $command >mistake.out 2>mistake.err
    found=$?
    holds "aesmith $command ends with $code" test "$found" -eq "$code"
    head -n 3 mistake.err | tr '\n' ' ' >mistake.first
    holds "and says '$words'" grep -qi -- "$words" mistake.first
done <<'LINES'
2|tune|tunne aes128-ctr
2|aes128-ctr|tune aes128-crt
2|avr|tune aes128-ecb --processor avrr
2|time|tune aes128-ctr --time -3s
2|seed|tune aes128-ctr --seed x
1|variant|emit aes128-ctr --as asm --output v --variant /etc/passwd
LINES

step 'a store that may only be read'
mkdir -p store && cp wisdom.sqlite store/
# Root writes everywhere but on what is mounted for reading.
read_only() {
    if [ "$(id -u)" -eq 0 ]; then
        # shellcheck disable=SC2016
        unshare -m sh -c 'mount --bind store store && mount -o remount,bind,ro store && shift 0 && exec "$@"' sh "$@"
    else
        chmod -R a-w store
        "$@"
    fi
}
for command in 'wisdom list' 'wisdom show aes128-ecb' 'explain aes128-ecb' 'report aes128-ecb --output page.html' \
    'emit aes128-ecb --as asm --output asm --force' 'bench aes128-ecb --sizes 1KiB'; do
    # shellcheck disable=SC2086
    holds "aesmith $command reads it" read_only "$aesmith" --wisdom store/wisdom.sqlite $command
done
holds 'emit works without a home' env -u HOME -u XDG_DATA_HOME -u AESMITH_WISDOM "$aesmith" emit aes128-ecb --as asm --output homeless
chmod -R u+w store
