#!/usr/bin/env bash
# Plants each fault of crates/prove/attacks/faults.txt in a copy of the source and runs the tests of the prover
# until one fails. A fault that none of them finds survives: it is named, and the run fails.
# Arguments, if any, are words of the faults to plant.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
# As the source is now: it may be worked on meanwhile.
pristine=$PWD/target/faults/pristine
copy=$PWD/target/faults/source
list=$pristine/crates/prove/attacks/faults.txt
# Kept between runs, so that what the faults do not reach is built once.
export CARGO_TARGET_DIR=$PWD/target/faults/build
rm -rf "$pristine" "$copy"
mkdir -p "$pristine"
git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --create | tar --extract --directory="$pristine"
cp -a "$pristine" "$copy"
# plant NUMBER: puts a fault into the copy, and prints what it is.
plant() {
    python3 - "$list" "$pristine" "$copy" "$1" <<'PYTHON'
import sys
list, pristine, copy, number = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
faults = []
for line in open(list).read().split('\n'):
    if line.startswith('fault: '):
        faults.append((line[7:], [], []))
    elif line.startswith('file: '):
        file = line[6:]
        faults[-1] += (file,)
    elif line[:1] in '-+' and line:
        faults[-1][1 if line[0] == '-' else 2].append(line[1:])
what, old, new, file = faults[number]
lines = open(f'{pristine}/{file}').read().split('\n')
at = next(i for i in range(len(lines)) if lines[i:i + len(old)] == old)
lines[at:at + len(old)] = new
open(f'{copy}/{file}', 'w').write('\n'.join(lines))
print(what, file, sep='\t')
PYTHON
}

# fails TESTS: whether some of them fails.
fails() { ! (cd "$copy" && cargo test --quiet --package "$@") >"$copy/.log" 2>&1; }

# The tests that find faults, the quickest first.
attacks() { fails aesmith-prove --test attacks --test wrong --test flags; }
on_the_cpu() { fails aesmith-x86 --test instructions --test encodings --test accesses; }
the_rest() { fails aesmith-prove --lib --test wiped --test kernels; }

found=0
survivors=()
total=$(grep -c '^fault: ' "$list")
if attacks; then
    tail -n 20 "$copy/.log"
    echo 'faults.sh: without any fault the tests fail, so that nothing can be learnt from them' >&2
    exit 1
fi
for ((number = 0; number < total; number++)); do
    IFS=$'\t' read -r what file < <(plant "$number")
    if [ $# -gt 0 ] && [[ "$what" != *"$*"* ]]; then
        cp "$pristine/$file" "$copy/$file"
        continue
    fi
    verdict=SURVIVES
    attacks || on_the_cpu || the_rest && verdict=found
    grep -q '^error: could not compile' "$copy/.log" && verdict='does not compile'
    printf '[%d/%d] %s: %s\n' $((number + 1)) "$total" "$what" "$verdict"
    case $verdict in
        found) found=$((found + 1)) ;;
        *) survivors+=("$what: $verdict") ;;
    esac
    cp "$pristine/$file" "$copy/$file"
    touch "$copy/$file"
done
for what in "${survivors[@]}"; do echo "not found: $what"; done
printf '%s passed, %s failed\n' "$found" "${#survivors[@]}"
[ "${#survivors[@]}" -eq 0 ]
