#!/usr/bin/env bash
# Everything that wants a card of NVIDIA, in one run of some minutes on a bare machine without network that has CUDA 13:
#
#   scripts/card.sh prepare [FOLDER]     here, without a card: the program, NVIDIA's translator and packages, into FOLDER (card)
#   FOLDER/card.sh run OUT [PART...]     there: all parts, or those named, into OUT/card.jsonl; their output into OUT/log.txt
#
# PARTS: machine doctor tune cuda opencl sanitizer bus. Each object of card.jsonl is written as soon as it is known, and a part that
# fails takes no other with it. `aesmith-bench goals gpu --card FILE` reads the file; see docs/GPU.md.
#
# ONLY is a pattern that lines of `packages` and `tunes` below must match; packages that were not prepared are emitted there.
# prepare: AESMITH=PROGRAM takes a program that is built already. run: SECONDS_ALL is when it ends (450); MORE are further
# arguments of `aesmith tune`; JOBS is how many tasks prepare their kernels at once. One at a time uses the card.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)

# Packages that are tested on a card: a name, the form, and what is emitted.
packages() {
    cat <<'LINES'
ctr cuda aes128-ctr --only technique=table
ecb cuda aes128-ecb --only technique=table
ecb-dec-256 cuda aes256-ecb-dec --only technique=table
ctr-192-2-tables cuda aes192-ctr --only technique=table --only tables=2
cbc-dec cuda aes128-cbc-dec --only technique=table
ctr-bitsliced cuda aes128-ctr --only technique=bitsliced
ecb-dec-256-bitsliced cuda aes256-ecb-dec --only technique=bitsliced
ctr-192-mixed cuda aes192-ctr --only technique=mixed
ecb-dec-mixed cuda aes128-ecb-dec --only technique=mixed
ecb-group cuda aes128-ecb --only keys=group
ctr-group-256 cuda aes256-ctr --only keys=group
ctr-thread cuda aes128-ctr --only keys=thread
ecb-fly-192 cuda aes192-ecb --only keys=group --only schedule=fly
ctr-once cuda aes192-ctr --only keys=thread --only schedule=once
cbc-dec-group cuda aes128-cbc-dec --only keys=group
cbc-streams cuda aes128-cbc
cbc-streams-256 cuda aes256-cbc
key cuda aes128-key
key-dec-256 cuda aes256-key-dec
ctr-variable cuda aes128-ctr --only technique=table --only replicas=1 --allow-variable-time
ctr opencl aes128-ctr --only technique=table --only tables=1 --only threads=256
ecb-192 opencl aes192-ecb --only technique=table --only tables=1 --only threads=256
cbc-dec-256 opencl aes256-cbc-dec --only technique=table --only tables=1 --only threads=256 --only replicas=16 --allow-variable-time
ctr-bitsliced opencl aes128-ctr --only technique=bitsliced
key-192 opencl aes192-key
LINES
}

# Kernels that are measured: a problem, the effort, and what is asked for. The most telling first.
tunes() {
    cat <<'LINES'
aes128-ctr measure --only technique=table --only replicas=32 --trials 40
aes128-ecb measure --only technique=table --only replicas=32 --only tables=4
aes128-ctr estimate --only technique=bitsliced
aes128-ctr estimate --only technique=mixed
aes128-ecb measure --only technique=table --only replicas=32 --only tables=2
aes256-ctr measure --only technique=table --only replicas=32 --trials 40
aes128-ecb-dec estimate --only technique=table --only replicas=32
aes128-cbc-dec estimate --only technique=table --only replicas=32
aes256-ecb estimate --only technique=table --only replicas=32
aes256-ecb-dec estimate --only technique=table --only replicas=32
aes192-ctr estimate --only technique=table --only replicas=32
aes128-ecb estimate --only technique=mixed
aes128-ecb estimate --only technique=bitsliced
aes256-ctr estimate --only technique=bitsliced
aes256-ctr estimate --only technique=mixed
aes128-ecb-dec estimate --only technique=bitsliced
aes128-ecb-dec estimate --only technique=mixed
aes128-ecb estimate --only keys=group
aes128-cbc estimate
aes128-ctr estimate --only keys=group
aes128-ctr estimate --only keys=thread
aes256-ecb estimate --only keys=group
aes128-ecb-dec estimate --only keys=group
aes192-ecb estimate --only technique=table --only replicas=32
aes192-ecb-dec estimate --only technique=table --only replicas=32
aes192-ctr estimate --only technique=bitsliced
aes192-ctr estimate --only technique=mixed
aes256-ecb estimate --only technique=bitsliced
aes256-ecb estimate --only technique=mixed
aes256-ecb-dec estimate --only technique=bitsliced
aes256-ecb-dec estimate --only technique=mixed
aes128-ecb estimate --only keys=thread --only schedule=fly
aes128-ctr measure --only technique=table --only replicas=1,2,4,8,16 --only tables=4 --allow-variable-time
aes256-cbc-dec estimate --only technique=table --only replicas=32
aes256-cbc estimate
aes128-ecb measure --only technique=table --only replicas=32 --only tables=1
LINES
}

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "card.sh: $*"
    exit 1
}

# emitted PROGRAM FOLDER NAME FORM WHAT...: a package. Wisdom of the machine decides nothing.
emitted() {
    local program=$1 folder=$2 name=$3 form=$4
    shift 4
    AESMITH_CUDA_DRIVER=none "$program" --wisdom "$folder/$form-$name.sqlite" emit "$@" --processor gpu --as "$form" \
        -o "$folder/packages/$form-$name"
}

prepare() {
    local root to cache place name form what work
    root=$(cd "$here/.." && pwd)
    to=${1:-$root/card}
    work=$(mktemp -d)
    # shellcheck disable=SC2064
    trap "rm -rf '$work'" EXIT
    if [ -z "${AESMITH:-}" ]; then
        (cd "$root" && cargo build --release -q -p aesmith-cli) || fail "the program could not be built"
        AESMITH=$root/target/release/aesmith
    fi
    mkdir -p "$to"
    to=$(cd "$to" && pwd)
    strip -o "$work/aesmith" "$AESMITH" || fail "there is no program $AESMITH"
    # NVIDIA's translator and disassembler, where the program looks for them.
    "$AESMITH" count --processor gpu aes128-ecb >/dev/null || fail "NVIDIA's translator cannot be fetched"
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/aesmith/judges
    for name in ptxas nvdisasm; do
        place=$(cd "$cache" && echo nvidia-cuda-*/nvidia/cu13/bin/$name)
        mkdir -p "$work/cache/aesmith/judges/$(dirname "$place")"
        cp "$cache/$place" "$work/cache/aesmith/judges/$place" || fail "$name is not in the cache"
    done
    while read -r name form what; do
        # shellcheck disable=SC2086
        emitted "$AESMITH" "$work" "$name" "$form" $what >"$work/said" 2>&1 ||
            { cat "$work/said" >&2; fail "no package $form-$name"; }
        say "emitted $form-$name"
    done < <(packages | grep -E -- "${ONLY:-.}")
    # OpenCL's loader and headers, if they are here: a bare machine has a driver at most.
    mkdir -p "$work/opencl"
    cp -rL /usr/include/CL "$work/opencl/" 2>/dev/null
    cp -L /usr/lib/x86_64-linux-gnu/libOpenCL.so.1 "$work/opencl/" 2>/dev/null ||
        say "no libOpenCL.so.1 is here: packages for OpenCL are tested if the card's machine has one"
    cp "$root/scripts/card/bus.cpp" "$work/"
    rm -f "$work/said" "$work"/*.sqlite*
    tar -C "$work" -czf "$to/card.tar.gz" . || fail "$to/card.tar.gz cannot be written"
    cp "$root/scripts/card.sh" "$to/card.sh"
    say "$(du -sh "$to" | cut -f1) in $to: take it to a machine with a card, and run card.sh run OUT there"
}

# --- On the card's machine ---

# Standard input as what stands between the quotes of a JSON string: its last lines.
quoted() {
    tail -n "${1:-8}" | cut -c 1-600 | LC_ALL=C tr -d '\000-\010\013-\037\177-\377' |
        sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/\t/ /g' | awk 'NR > 1 { printf "\\n" } { printf "%s", $0 }'
}

# An object, whole, behind the others. The number that no other card has is left out.
put() {
    (
        flock 9
        printf '%s\n' "$*" | sed -E 's/"uuid":"[0-9a-f]*"/"uuid":""/g' >>"$out/card.jsonl"
    ) 9>>"$work/card.jsonl.lock"
}

log() {
    (
        flock 9
        printf '[%4d s] %s\n' "$SECONDS" "$*" | tee -a "$out/log.txt"
    ) 9>>"$work/card.jsonl.lock"
}

# Seconds that what measures kernels leaves to what comes after it.
after=60

# Seconds until all ends, less those that are given.
left() {
    local seconds=$((ends - SECONDS - ${1:-0}))
    echo $((seconds > 1 ? seconds : 1))
}

# A command that uses the card: no other does meanwhile. It ends after the seconds that are given.
on_card() {
    local most=$1 seconds
    shift
    seconds=$(left)
    flock "$lock" timeout -k 5 $((most < seconds ? most : seconds)) "$@"
}

# record PART NAME CODE BEGUN FILE [MORE]: an object with what a file says at its end.
record() {
    local said
    said=$(quoted 8 <"$5")
    put "{\"part\":\"$1\",\"name\":\"$2\",\"code\":$3,\"seconds\":$((SECONDS - $4))${6:+,$6},\"said\":\"$said\"}"
    log "$1 $2: code $3, $((SECONDS - $4)) s; $(tail -n 1 "$5" | cut -c 1-200)"
}

skip() {
    put "{\"part\":\"$1\",\"name\":\"$2\",\"skipped\":\"$(printf '%s' "$3" | quoted)\"}"
    log "$1 $2: skipped: $3"
}

# Whether there is time for something of seconds; if not, prints so.
timely() {
    [ "$(left)" -gt 4 ] || { skip "$1" "$2" "no time was left"; false; }
}

# What is first in a list of files that are there.
first() {
    local file
    for file in "$@"; do
        [ -e "$file" ] && { echo "$file"; return; }
    done
    return 1
}

# Where CUDA is: sets nvcc, headers, driver, and compilers.
find_cuda() {
    nvcc=$(command -v nvcc || first /usr/local/cuda/bin/nvcc /usr/local/cuda-*/bin/nvcc) || nvcc=
    if [ -n "${CUDA_PATH:-}" ]; then
        header=$(first "$CUDA_PATH/include/cuda.h") || header=
    else
        header=$(first ${nvcc:+"$(dirname "$(dirname "$(readlink -f "$nvcc")")")/include/cuda.h"} \
            /usr/local/cuda/include/cuda.h /usr/local/cuda-*/include/cuda.h /usr/include/cuda.h) ||
            header=$(find / -xdev -name cuda.h -not -path '*/linux/*' -exec grep -q cuInit {} ';' -print 2>/dev/null | head -n 1)
    fi
    driver=$( (ldconfig -p 2>/dev/null || /sbin/ldconfig -p) | sed -n 's/.*libcuda\.so\.1 .*=> //p' | head -n 1)
    if [ -z "$driver" ]; then
        driver=$(first /usr/local/nvidia/lib64/libcuda.so.1 /usr/lib/x86_64-linux-gnu/libcuda.so.1) ||
            driver=$(find / -name libcuda.so.1 -not -path '/proc/*' 2>/dev/null | head -n 1)
        # The loader does not find it by its name.
        [ -n "$driver" ] && export AESMITH_CUDA_DRIVER=${AESMITH_CUDA_DRIVER:-$driver}
    fi
    # A stand-in, where the driver is named.
    [ -n "${AESMITH_CUDA_DRIVER:-}" ] && driver=$AESMITH_CUDA_DRIVER
    cxx=$(command -v c++ || command -v g++ || command -v clang++) || cxx=
    cc=$(command -v cc || command -v gcc || command -v clang) || cc=
}

machine() {
    local smi=$work/smi
    nvidia-smi >"$smi" 2>&1
    log "$(cat "$smi")"
    nvidia-smi -q -d CLOCK,POWER,PERFORMANCE,ECC,COMPUTE,PCIE >>"$out/log.txt" 2>&1
    log "$(uname -a); $(sed -n 's/^PRETTY_NAME=//p' /etc/os-release); $(ldd --version 2>&1 | head -n 1)"
    log "nvcc ${nvcc:-none}, $header, driver $driver, ${cxx:-no c++}, $(command -v make || echo no make), $(command -v python3 || echo no python3)"
    [ -n "$nvcc" ] && log "$("$nvcc" --version 2>&1 | tail -n 2)"
    put "{\"schema\":\"aesmith-card/1\",\"part\":\"machine\",\"date\":\"$(date -u +%Y-%m-%d)\",\"card\":\"$card\",\"driver\":\"$driver_version\",\"cuda\":\"$([ -n "$nvcc" ] && "$nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')\",\"power_limit\":\"$power\",\"clock_most\":\"$clock_most\",\"processor\":\"$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)\",\"cores\":$(nproc),\"aesmith\":\"$("$aesmith" --version 2>/dev/null | head -n 1)\"}"
}

doctor() {
    local begun=$SECONDS
    timeout -k 5 60 "$aesmith" doctor >"$work/doctor" 2>&1
    local code=$?
    grep -i -n "nvidia\|gpu\|opencl\|python\|nvcc" "$work/doctor" >"$work/doctor.gpu"
    cat "$work/doctor" >>"$out/log.txt"
    record doctor doctor $code $begun "$work/doctor.gpu"
}

# tuned NUMBER PROBLEM EFFORT ARGUMENT...: by a store of its own. The card's lock is the program's.
tuned() {
    local at=$work/tune-$1 problem=$2 effort=$3 begun=$SECONDS code
    shift 3
    mkdir -p "$at"
    (
        cd "$at" &&
            timeout -k 5 "$(left "$after")" "$aesmith" --wisdom wisdom.sqlite tune "$problem" --processor gpu --effort "$effort" "$@" \
                --json -o kernel >result.json 2>said
    )
    code=$?
    if [ $code -eq 0 ]; then
        put "{\"part\":\"tune\",\"name\":\"$problem $effort $*\",\"code\":0,\"seconds\":$((SECONDS - begun)),\"result\":$(tail -n 1 "$at/result.json" | sed 's/"candidates":\[.*\],"certificate":/"certificate":/')}"
        log "tune $problem $effort $*: $((SECONDS - begun)) s, $(grep -o '"measured":{.*' "$at/result.json" | grep -o '"bits":[0-9.]*' | head -n 1), $(grep -o '"of_bound":[0-9.]*' "$at/result.json" | head -n 1); $(tail -n 1 "$at/said" | cut -c 1-300)"
    else
        record tune "$problem $effort $*" $code "$begun" "$at/said"
    fi
}

# built FOLDER NAME: the self-test of a package, by its Makefile, or by hand where there is no make.
built() {
    local symbol
    cd "$1" || return 1
    symbol=$(basename "$(ls ./*_test.c*)")
    symbol=${symbol%_test.c*}
    case $2 in
    cuda)
        if command -v make >/dev/null; then
            make "${symbol}_test" "CXX=$cxx" "CUDA_PATH=$(dirname "$(dirname "$header")")" \
                "CPPFLAGS=-I$(dirname "$header")" "LDLIBS=$driver -Wl,-rpath,$(dirname "$driver")"
        else
            "$cxx" -O2 "-I$(dirname "$header")" -x c++ "$symbol.cu" "${symbol}_test.cu" -x none "$driver" \
                "-Wl,-rpath,$(dirname "$driver")" -o "${symbol}_test"
        fi
        ;;
    opencl)
        if command -v make >/dev/null; then
            make "${symbol}_test" "CC=$cc" "CPPFLAGS=$opencl_flags" "LDLIBS=$opencl"
        else
            # shellcheck disable=SC2086
            "$cc" -std=c99 -O2 $opencl_flags "$symbol.c" "${symbol}_test.c" $opencl -o "${symbol}_test"
        fi
        ;;
    esac
}

# tested FORM NAME WHAT...: builds and runs a package's self-test. A package that was not prepared is emitted first.
tested() {
    local at=$work/packages/$1-$2 begun=$SECONDS code said=$work/said-$1-$2
    if [ ! -d "$at" ]; then
        emitted "$aesmith" "$work" "$2" "$1" "${@:3}" >"$said" 2>&1 || { record "$1" "$2" $? "$begun" "$said"; return; }
    fi
    (built "$at" "$1") >"$said" 2>&1
    code=$?
    if [ $code -ne 0 ]; then
        record "$1" "$2" $code "$begun" "$said"
        return
    fi
    grep -i warning "$said" >>"$out/log.txt"
    timely "$1" "$2" || return
    begun=$SECONDS
    # shellcheck disable=SC2016
    on_card 90 sh -c 'cd "$1" && ./*_test' sh "$at" >"$said" 2>&1
    record "$1" "$2" $? "$begun" "$said"
}

# What packages for OpenCL are built with: the machine's own, or what was carried; and the driver's entry.
find_opencl() {
    local library
    opencl=$(first /usr/lib/x86_64-linux-gnu/libOpenCL.so.1 /usr/local/cuda/lib64/libOpenCL.so.1 "$work/opencl/libOpenCL.so.1") ||
        { echo "there is no libOpenCL.so.1"; return; }
    opencl="$opencl -Wl,-rpath,$(dirname "$opencl")"
    opencl_flags=
    [ -e /usr/include/CL/cl.h ] || opencl_flags=-I$work/opencl
    [ -e /usr/include/CL/cl.h ] || [ -e "$work/opencl/CL/cl.h" ] || { echo "there is no CL/cl.h"; return; }
    if ! ls /etc/OpenCL/vendors/*nvidia* >/dev/null 2>&1; then
        library=$(first "$(dirname "$driver")/libnvidia-opencl.so.1" /usr/local/nvidia/lib64/libnvidia-opencl.so.1 \
            /usr/lib/x86_64-linux-gnu/libnvidia-opencl.so.1) ||
            library=$(find / -name 'libnvidia-opencl.so.*' -not -path '/proc/*' 2>/dev/null | head -n 1)
        [ -n "$library" ] || { echo "NVIDIA's driver has no libnvidia-opencl.so here"; return; }
        mkdir -p "$work/vendors"
        echo "$library" >"$work/vendors/nvidia.icd"
        export OCL_ICD_VENDORS=$work/vendors OPENCL_VENDOR_PATH=$work/vendors
    fi
    [ -n "$cc" ] || echo "there is no C compiler"
}

# What the sanitizer says of a package's self-test. That calls without a context fail is tested, and no error.
sanitized() {
    local tool=$1 name=$2 at=$work/packages/cuda-$2 begun=$SECONDS said=$work/said-$1-$2
    [ -d "$at" ] && timely sanitizer "$tool of $name" || return
    # shellcheck disable=SC2016
    on_card 60 sh -c 'cd "$1" && "$2" --tool "$3" --report-api-errors no --error-exitcode 9 ./*_test' sh "$at" "$sanitizer" "$tool" \
        >"$said" 2>&1
    record sanitizer "$tool of $name" $? "$begun" "$said"
}

# streamed NAME FLAG ARGUMENT...: builds the program that measures copies, and runs it.
streamed() {
    local at=$work/packages/cuda-ctr begun=$SECONDS name=$1 said=$work/said-$1 flag=$2 code line
    shift 2
    timely bus "$name" || return
    # shellcheck disable=SC2086
    "$cxx" -std=c++11 -O2 $flag "-I$(dirname "$header")" "-I$at" "$work/bus.cpp" -x c++ "$at/aesmith_aes128_ctr.cu" -x none \
        "$driver" "-Wl,-rpath,$(dirname "$driver")" -o "$work/$name" >"$said" 2>&1
    code=$?
    if [ $code -eq 0 ]; then
        on_card 60 "$work/$name" "${BUS_MIB:-1024}" "$@" >"$work/$name.jsonl" 2>"$said"
        code=$?
        while read -r line; do
            put "$line"
            log "$line"
        done <"$work/$name.jsonl"
    fi
    [ $code -eq 0 ] || record bus "$name" $code "$begun" "$said"
}

bus() {
    local chunk
    streamed bus ""
    for chunk in 16384 262144 1048576; do
        streamed "bus-$chunk" -DAESMITH_CHUNK=$chunk $chunk
    done
}

# Waits until fewer tasks than that run.
room() {
    while [ "$(jobs -rp | wc -l)" -ge "$1" ]; do
        wait -n
    done
}

run() {
    local number=0 name form what why problem effort jobs
    out=${1:?say where results go}
    shift
    mkdir -p "$out" || exit 1
    out=$(cd "$out" && pwd)
    parts=" ${*:-machine doctor tune cuda opencl sanitizer bus} "
    ends=${SECONDS_ALL:-450}
    work=$(mktemp -d)
    # shellcheck disable=SC2064
    trap "rm -rf '$work'" EXIT
    tar -C "$work" -xzf "$here/card.tar.gz" || fail "$here/card.tar.gz cannot be unpacked"
    aesmith=$work/aesmith
    export XDG_CACHE_HOME=$work/cache NO_COLOR=1
    : >>"$out/card.jsonl"
    find_cuda
    IFS=, read -r card driver_version power clock_most number < <(
        nvidia-smi --query-gpu=name,driver_version,power.limit,clocks.max.sm,uuid --format=csv,noheader 2>/dev/null |
            head -n 1 | sed 's/, */,/g'
    )
    number=${number:-}
    number=${number#GPU-}
    # The file by which the program waits for others on the card.
    lock=$work/cache/aesmith/judges/card-${number//-/}.lock
    : >>"$lock"
    number=0
    jobs=${JOBS:-$(($(nproc) > 4 ? $(nproc) - 3 : 2))}
    is() { case $parts in *" $1 "*) true ;; *) false ;; esac; }
    is machine && machine
    "$aesmith" --version >/dev/null 2>&1 || log "the program does not run here: $("$aesmith" --version 2>&1 | tail -n 1; ldd "$aesmith")"
    is doctor && doctor &
    # The kernels' preparation takes all cores, packages in between use the card by turns.
    if is cuda; then
        if [ -z "$header" ] || [ -z "$driver" ] || [ -z "$cxx" ]; then
            skip cuda all "cuda.h ${header:-is nowhere}, libcuda.so.1 ${driver:-is nowhere}, ${cxx:-no C++ compiler}"
        else
            while read -r name form what; do
                [ "$form" = cuda ] || continue
                room "$jobs"
                # shellcheck disable=SC2086
                tested cuda "$name" $what &
            done < <(packages | grep -E -- "${ONLY:-.}")
        fi
    fi
    if is tune; then
        while read -r problem effort what; do
            number=$((number + 1))
            room "$jobs"
            if [ "$(left "$after")" -lt 20 ]; then
                skip tune "$problem $effort $what" "no time was left"
                continue
            fi
            # shellcheck disable=SC2086
            tuned $number "$problem" "$effort" $what ${MORE:-} &
        done < <(tunes | grep -E -- "${ONLY:-.}")
    fi
    if is opencl; then
        find_opencl >"$work/why"
        why=$(cat "$work/why")
        while read -r name form what; do
            [ "$form" = opencl ] || continue
            room "$jobs"
            if [ -n "$why" ]; then
                skip opencl "$name" "$why"
            else
                # shellcheck disable=SC2086
                tested opencl "$name" $what &
            fi
        done < <(packages | grep -E -- "${ONLY:-.}")
    fi
    wait
    # What is by the host's clock has the machine for itself.
    if is bus; then
        if [ -n "$header" ] && [ -n "$driver" ] && [ -n "$cxx" ]; then bus; else skip bus all "there is no CUDA to build it with"; fi
    fi
    if is sanitizer; then
        sanitizer=$(command -v compute-sanitizer ||
            first /usr/local/cuda/bin/compute-sanitizer /opt/nvidia/*/compute-sanitizer) || sanitizer=
        if [ -z "$sanitizer" ]; then
            skip sanitizer all "there is no compute-sanitizer"
        else
            # Races are those in memory that threads of a block share.
            while read -r name form what; do
                [ "$form" = cuda ] || continue
                sanitized memcheck "$name"
                case $name in *bitsliced) ;; *) sanitized racecheck "$name" ;; esac
            done < <(packages | grep -E -- "${ONLY:-.}")
        fi
    fi
    log "done: $(wc -l <"$out/card.jsonl") objects in $out/card.jsonl"
}

case ${1:-} in
prepare | run) "$@" ;;
*)
    sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
