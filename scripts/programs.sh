#!/usr/bin/env bash
# Runs every program of tests of the workspace, several at a time, and prints what each says when it ends.
# Cargo runs one program after the other, and a core stands idle while another ends a program's longest test.
# A program named `suite` has the tests of several files: those of each file are run by themselves.
# Arguments: other programs to run beside them, as scripts/lints.sh.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
# The harness shows what tests that pass have printed, in sections. Of these only lines that begin with `skipped: ` are kept,
# with the program and the test.
# shellcheck disable=SC2016
skips='
    state == 0 && /^successes:$/ { state = 1; next }
    state == 1 && /^successes:$/ { state = 2; next }
    state == 1 && match($0, /^---- .* stdout ----$/) { test = $2; sub("^" file "::", "", test); next }
    state == 1 { if (sub(/^skipped: /, "")) print "skipped: " place " " test ": " $0; next }
    state == 2 && (/^    / || /^$/) { next }
    { state = 0; if (sub(/^skipped: /, "")) print "skipped: " place " " $0; else print }'
if [ "${1:-}" = --one ]; then
    # A program of tests, or a file of a suite, in its crate's folder as under Cargo.
    folder=$2 program=$3 file=$4
    begin=$SECONDS
    tests=()
    if [ "$file" != - ]; then
        mapfile -t tests < <("$program" --list --format terse | sed -n "s/^\($file::.*\): test\$/\1/p")
        tests=(--exact "${tests[@]}")
    fi
    said=$(cd "$folder" && "$program" --test-threads=1 --show-output "${tests[@]}" 2>&1)
    status=$?
    name=$(basename "$program")
    place=${name%-*}
    [ "$file" = - ] || place=$file
    printf '     Running %s of %s: %s s\n%s\n' "$place" "$(basename "$folder")" "$((SECONDS - begin))" \
        "$(awk -v place="$(basename "$folder")/$place" -v file="$file" "$skips" <<<"$said")"
    # What ends without counting, by a signal, counts as a failure.
    if [ "$status" -ne 0 ] && ! grep -q '^test result: FAILED' <<<"$said"; then
        printf 'test result: FAILED. 0 passed; 1 failed; status %s\n' "$status"
    fi
    exit "$status"
fi

# Cargo's profile; by itself the one of `cargo test`.
profile=${AESMITH_PROFILE:-test}
built=$(mktemp)
programs=$(mktemp)
trap 'rm -f "$built" "$programs"' EXIT
cargo test --profile "$profile" --workspace --locked --no-run --message-format=json-render-diagnostics >"$built" || exit 1
# Of each artifact the crate's folder and the program, if it is one of tests.
sed -n 's|.*"manifest_path":"\([^"]*\)/Cargo.toml".*"profile":{[^}]*"test":true},.*"executable":"\([^"]*\)".*|\1\n\2|p' \
    "$built" >"$programs"
if [ ! -s "$programs" ]; then
    echo 'scripts/programs.sh: no program of tests is among what Cargo says that it built'
    exit 1
fi
# Libraries that Rust loads at run time are where Cargo says that they are.
LD_LIBRARY_PATH=$(rustc --print sysroot)/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
# The file of tests is a third part.
while read -r folder && read -r program; do
    case $program in
    */suite-*) "$program" --list --format terse </dev/null | sed -n 's/::.*: test$//p' | sort -u ;;
    *) echo - ;;
    esac | while read -r file; do printf '%s\n' "$folder" "$program" "$file"; done
done <"$programs" >"$built"
for beside in "$@"; do printf '%s\n' "$PWD" "$PWD/$beside" -; done >>"$built"
# The longest first, as far as they are known, by crate and program: near the end there should be short ones for all cores.
longest='witness/mutants cli/own_packages cli/grids tune/delivered gpu/aesmith_gpu cli/attacks_bits cli/altered prove/families
    cli/packages cli/edits cli/schemas emit/portable extension/hardware emit/cuda emit/c_form cli/processors_tuned
    tune/offered cli/attacks prove/abc cli/command tune/cold cli/card all/extended powerpc/aesmith_powerpc
    emit/aesmith_emit tune/aesmith_tune rv32/aesmith_rv32 x86/peers tune/runs tune/spaces emit/builds x86/vectors
    cli/processors prove/spaces cli/kernels tune/loops tune/bounds report/browser microblaze/aesmith_microblaze
    emit/packages emit/evidence emit/assemblers spu/aesmith_spu emit/opencl check/kernels
    avr/aesmith_avr tune/replayed thumb/aesmith_thumb emit/together emit/firmware profile/profile
    i386/aesmith_i386 cli/cases arm/aesmith_arm all/cycles gpu/vectors cli/verify_processors cli/delivered
    witness/techniques x86/checked x86/words x86/monte_carlo'
awk -v longest="$longest" '
    BEGIN { count = split(longest, names, " "); for (k = 1; k <= count; k++) rank[names[k]] = k }
    NR % 3 == 1 { folder = $0; next }
    NR % 3 == 2 { program = $0; next }
    {
        name = program; sub(/.*\//, "", name); sub(/-[^-]*$/, "", name)
        crate = folder; sub(/.*\//, "", crate)
        place = crate "/" ($0 == "-" ? name : $0)
        print (program ~ /[.]sh$/ ? 0 : place in rank ? rank[place] : count + 1) "\t" folder "\t" program "\t" $0
    }' "$built" | sort -s -n | cut -f2- | tr '\t' '\n' >"$programs"
# One more than there are cores: programs wait for emulators, compilers and each other's locks for a tenth of their time.
xargs -d '\n' -P "$(($(nproc) + 1))" -n 3 scripts/programs.sh --one <"$programs"
status=$?
cargo test --profile "$profile" --workspace --locked --no-fail-fast --doc || status=1
exit "$status"
