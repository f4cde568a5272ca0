#!/usr/bin/env bash
# Installs what is missing: `need.sh build` for building and tuning, `need.sh lint` for the format and lints too, `need.sh
# test` for all tests.
# Uses apt-get, as root or through sudo, and rustup for Rust. Before it installs anything it prints
# the list, and `need.sh build --list` prints the list and installs nothing. What cannot be installed
# is named; only what nothing works without ends in an error.
set -euo pipefail

purpose=${1:?say what for: build, lint or test}
only_list=${2:-}
cd "$(dirname "$0")/.."
rust=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
updated=no
# The requirements are gone through twice: to list what is missing, and to install it.
planning=yes
planned=()
# Of what is planned, what apt-get installs: alternatives with spaces between them.
packages=()

say() { printf '%s\n' "$*" >&2; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
        sudo "$@"
    else
        return 1
    fi
}

# Installs the first of the packages that can be had; lists them while planning.
install() {
    if [ "$planning" = yes ]; then
        local names
        names=$(printf ' or %s' "$@")
        planned+=("${names# or }")
        packages+=("$*")
        return 0
    fi
    command -v apt-get >/dev/null || return 1
    update
    local package
    for package in "$@"; do
        say "installing $package"
        if with_apt "$package"; then
            return 0
        fi
    done
    return 1
}

# The lists of packages, once.
update() {
    if [ "$updated" = no ]; then
        updated=yes
        as_root apt-get update -qq >/dev/null 2>&1 || true
    fi
}

with_apt() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1
}

# All packages in one call of apt-get, which takes less time than a call for each. It installs all or nothing: what it
# refuses is installed one by one afterwards, where what cannot be had is named.
install_together() {
    local known=() alternatives package
    command -v apt-get >/dev/null && [ "${#packages[@]}" -gt 0 ] || return 0
    update
    for alternatives in "${packages[@]}"; do
        # Of alternatives the first that there is.
        for package in $alternatives; do
            if apt-cache show --no-all-versions "$package" >/dev/null 2>&1; then
                known+=("$package")
                break
            fi
        done
    done
    if [ "${#known[@]}" -gt 1 ]; then
        say "installing ${#known[@]} packages"
        with_apt "${known[@]}" || say "they could not be installed together: trying one by one"
    fi
}

# must COMMAND PACKAGE...: nothing works without it.
must() {
    local wanted=$1
    shift
    command -v "$wanted" >/dev/null || install "$@" || true
    if [ "$planning" = yes ] || command -v "$wanted" >/dev/null; then
        return
    fi
    say "'$wanted' is missing and could not be installed (no network, no rights, or no apt-get)."
    say "Install the package $1, then run this again."
    exit 1
}

# may WHAT-FOR PRESENT-COMMAND PACKAGE...: what needs it is skipped without it.
may() {
    local reason=$1 present=$2
    shift 2
    if ! sh -c "$present" >/dev/null 2>&1; then
        install "$@" || say "$1 could not be installed: $reason"
    fi
}

# together WHAT-FOR PRESENT-COMMAND PACKAGE...: the same for packages that are needed together.
together() {
    local reason=$1 present=$2
    shift 2
    if sh -c "$present" >/dev/null 2>&1; then
        return
    fi
    local package
    for package in "$@"; do
        # One after the other, so that those that can be had are.
        dpkg -s "$package" >/dev/null 2>&1 || install "$package" || say "$package could not be installed: $reason"
    done
}

new_enough() {
    command -v cargo >/dev/null && command -v rustc >/dev/null || return 1
    local have
    have=$(rustc --version 2>/dev/null | cut -d' ' -f2)
    [ "$(printf '%s\n' "$rust" "$have" | sort -V | head -n1)" = "$rust" ]
}

need_rust() {
    new_enough && return
    if ! command -v rustup >/dev/null; then
        must curl curl
        [ -e /etc/ssl/certs/ca-certificates.crt ] || install ca-certificates || true
    fi
    if [ "$planning" = yes ]; then
        planned+=("Rust $rust or newer, by rustup, in ${RUSTUP_HOME:-$HOME/.rustup} and ${CARGO_HOME:-$HOME/.cargo}")
        return
    fi
    say "installing Rust with rustup"
    if ! command -v rustup >/dev/null; then
        curl --proto '=https' --tlsv1.2 -fsS https://sh.rustup.rs |
            sh -s -- -y --no-modify-path --profile minimal -c rustfmt -c clippy >&2 || true
    else
        rustup toolchain install stable --profile minimal -c rustfmt -c clippy >&2 || true
        rustup default stable >&2 || true
    fi
    new_enough && return
    say "Rust $rust or newer could not be installed (no network?). See https://rustup.rs, then run this again."
    exit 1
}

# need_binutils TARGET PROCESSOR: an assembler that is in no package as a program, only as source.
need_binutils() {
    local built="${XDG_CACHE_HOME:-$HOME/.cache}/aesmith/binutils-${1%%-*}/bin/$1-as"
    local present="command -v $1-as || test -x '$built'"
    together "$2 programs are not assembled by GNU as" "$present" \
        binutils-source gcc make bison flex xz-utils
    if sh -c "$present" >/dev/null 2>&1; then
        return
    fi
    if [ "$planning" = yes ]; then
        planned+=("binutils for $2, built from source in ${XDG_CACHE_HOME:-$HOME/.cache}/aesmith")
        return
    fi
    # A minute on two idle cores; a machine that takes five is better off without.
    timeout 300 scripts/judges/binutils.sh "$1" "$2" ||
        say "binutils for $2 could not be built: its programs are not assembled"
}

need_to_build() {
    # A linker and C library for Rust, a C compiler for the SQLite that is built in.
    must cc gcc
    if ! echo 'int main(void) { return 0; }' | cc -x c -o /dev/null - 2>/dev/null; then
        install libc6-dev || { say "cc cannot link: install libc6-dev"; exit 1; }
    fi
    need_rust
    may "'aesmith tune' and 'bench' run without OpenSSL as a peer" "$libraries libcrypto.so.3" libssl3 libssl3t64
}

need_to_lint() {
    if ! cargo fmt --version >/dev/null 2>&1 || ! cargo clippy --version >/dev/null 2>&1; then
        if [ "$planning" = yes ]; then
            planned+=("rustfmt and clippy, by rustup")
        else
            rustup component add rustfmt clippy >&2 || say "rustfmt and clippy could not be installed"
        fi
    fi
}

need_to_test() {
    must as binutils
    may "the header is not tested as C++" "command -v g++" g++
    may "C is tested with gcc only" "ls /usr/bin/clang*" clang
    may "reports are not opened in a browser" "command -v chromium || command -v chromium-browser || command -v google-chrome" chromium
    may "memory errors and secret addresses are not looked for by memcheck, and nothing is profiled" "command -v valgrind" valgrind
    may "libraries that mold has linked are not verified" "command -v mold" mold
    may "proofs of bit slices have no second opinion" "command -v berkeley-abc" berkeley-abc
    # Processors other than this machine: assemblers, compilers, and judges of their programs.
    together "AVR programs are not judged by simavr" "command -v avr-as && command -v avr-gcc && test -e /usr/include/simavr/sim_avr.h && test -e /usr/include/libelf.h" \
        binutils-avr gcc-avr avr-libc libsimavr-dev libelf-dev
    together "ARM programs are not assembled by GNU as" "command -v arm-none-eabi-as && command -v arm-none-eabi-gcc" \
        binutils-arm-none-eabi gcc-arm-none-eabi
    together "PowerPC programs are not assembled by GNU as" "command -v powerpc-linux-gnu-as && command -v powerpc-linux-gnu-gcc && test -e /usr/powerpc-linux-gnu/include/stdio.h" \
        binutils-powerpc-linux-gnu gcc-powerpc-linux-gnu libc6-dev-powerpc-cross
    together "SPARC programs are not assembled by GNU as" "command -v sparc64-linux-gnu-as && command -v sparc64-linux-gnu-gcc" \
        binutils-sparc64-linux-gnu gcc-sparc64-linux-gnu
    together "i386 programs are not assembled by GNU as" "command -v i686-linux-gnu-as && command -v i686-linux-gnu-gcc" \
        binutils-i686-linux-gnu gcc-i686-linux-gnu
    together "RISC-V programs are not assembled by GNU as" "command -v riscv64-unknown-elf-as && command -v riscv64-unknown-elf-gcc" \
        binutils-riscv64-unknown-elf gcc-riscv64-unknown-elf
    together "no RTL of RISC-V cores judges programs" "command -v verilator && command -v g++ && command -v make && python3 -m pip --version" \
        verilator g++ make python3-pip
    may "units of custom instructions are simulated by Verilator alone" "command -v iverilog" iverilog
    may "no machine code of GPUs is counted: NVIDIA's translator comes from PyPI" "python3 -m pip --version" python3-pip
    together "OpenCL C is not executed" "ls /etc/OpenCL/vendors/pocl.icd && command -v oclgrind && test -e /usr/include/CL/cl.h" \
        pocl-opencl-icd oclgrind ocl-icd-opencl-dev opencl-c-headers
    may "units of custom instructions have no area, and no equivalence check" "command -v yosys" yosys
    may "ARM, RISC-V, MicroBlaze, PowerPC, SPARC and i386 programs are not run by qemu" "command -v qemu-i386 && command -v qemu-arm && command -v qemu-riscv32 && command -v qemu-microblazeel && command -v qemu-ppc && command -v qemu-sparc64" qemu-user
    need_binutils microblazeel-elf MicroBlaze
    need_binutils spu-elf SPU
    may "ipsec-mb is no peer" "$libraries libIPSec_MB" libipsec-mb1 libipsec-mb2
    may "scripts are not checked" "command -v shellcheck" shellcheck
}

requirements() {
    need_to_build
    if [ "$purpose" != build ]; then
        need_to_lint
    fi
    if [ "$purpose" = test ]; then
        need_to_test
    fi
}

libraries='{ ldconfig -p 2>/dev/null || /sbin/ldconfig -p; } | grep -q'
requirements
planning=no
if [ "${#planned[@]}" -gt 0 ]; then
    say "missing, and to be installed with apt-get where nothing else is named:"
    printf '%s\n' "${planned[@]}" | awk '!seen[$0]++ { print "    " $0 }' >&2
fi
if [ "$only_list" != --list ]; then
    install_together
    requirements
fi
