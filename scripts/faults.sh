#!/usr/bin/env bash
# Plants faults in a copy of the source, one by one, and runs the tests that their list names until one fails. A fault
# that none of them finds survives: it is named, and the run fails. crates/prove/attacks/faults/README.md says what a
# list is.
# Arguments: the name of a list, such as `bits`, for that list alone; words of the faults to plant.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
# As the source is now: it may be worked on meanwhile.
pristine=$PWD/target/faults/pristine
copy=$PWD/target/faults/source
folder=crates/prove/attacks/faults
# Kept between runs, so that what the faults do not reach is built once.
export CARGO_TARGET_DIR=$PWD/target/faults/build
lists=("$folder"/*.txt)
if [ $# -gt 0 ] && [ -f "$folder/$1.txt" ]; then
    lists=("$folder/$1.txt")
    shift
fi
words=$*
rm -rf "$pristine" "$copy"
mkdir -p "$pristine"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    # What is deleted and not committed is in no copy.
    [ -e "$file" ] && printf '%s\0' "$file"
done | tar --null --files-from=- --create | tar --extract --directory="$pristine"
cp -a "$pristine" "$copy"

# plant LIST NUMBER: puts a fault into the copy, and prints what it is.
plant() {
    python3 - "$pristine" "$copy" "$1" "$2" <<'PYTHON'
import sys
pristine, copy, list, number = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
faults = []
for line in open(f'{pristine}/{list}').read().split('\n'):
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

# without PACKAGE NAMES: leaves dev-dependencies out of the copy's manifest of a package: of none, it is as it was.
without() {
    python3 - "$pristine" "$copy" "$@" <<'PYTHON'
import glob, sys
pristine, copy, package, *names = sys.argv[1:]
for path in glob.glob(f'{pristine}/crates/*/Cargo.toml') + glob.glob(f'{pristine}/processors/*/Cargo.toml'):
    text = open(path).read()
    if f'name = "{package}"\n' not in text:
        continue
    head, dev, rest = text.partition('[dev-dependencies]\n')
    left = [line for line in rest.split('\n') if line.split('.')[0].split(' ')[0] not in names]
    target = copy + path[len(pristine):]
    made = head + dev + '\n'.join(left)
    if open(target).read() != made:
        open(target, 'w').write(made)
PYTHON
}

# fails: whether a test of the list fails. What takes far longer than it should fails, too.
fails() {
    local number
    for number in "${!tests[@]}"; do
        read -r -a arguments <<<"${tests[number]}"
        read -r -a left_out <<<"${lighter[number]}"
        without "${arguments[0]}" "${left_out[@]}"
        (cd "$copy" && timeout 1200 cargo test --quiet --package "${arguments[@]}") >"$copy/.log" 2>&1 || return 0
    done
    return 1
}

found=0
survivors=()
for list in "${lists[@]}"; do
    tests=()
    lighter=()
    names=
    while IFS= read -r line; do
        case $line in
            'without: '*) names=${line#without: } ;;
            'tests: '*)
                tests+=("${line#tests: }")
                lighter+=("$names")
                ;;
        esac
    done <"$list"
    total=$(grep -c '^fault: ' "$list")
    if [ "$total" -eq 0 ]; then continue; fi
    if fails; then
        tail -n 20 "$copy/.log"
        echo "faults.sh: without any fault the tests of $list fail, so that nothing can be learnt from them" >&2
        exit 1
    fi
    for ((number = 0; number < total; number++)); do
        IFS=$'\t' read -r what file < <(plant "$list" "$number")
        if [[ "$what" != *"$words"* ]]; then
            cp "$pristine/$file" "$copy/$file"
            continue
        fi
        verdict=SURVIVES
        fails && verdict=found
        grep -q '^error: could not compile' "$copy/.log" && verdict='does not compile'
        printf '[%d/%d] %s: %s\n' $((number + 1)) "$total" "$what" "$verdict"
        case $verdict in
            found) found=$((found + 1)) ;;
            *) survivors+=("$what: $verdict") ;;
        esac
        cp "$pristine/$file" "$copy/$file"
        touch "$copy/$file"
    done
done
for what in "${survivors[@]}"; do echo "not found: $what"; done
printf '%s passed, %s failed\n' "$found" "${#survivors[@]}"
[ "${#survivors[@]}" -eq 0 ]
