#!/usr/bin/env bash
# binutils.sh TARGET PROCESSOR: builds GNU as, ld, objdump, objcopy and nm for a target that no package of Debian has
# (microblazeel-elf, spu-elf) from the package binutils-source, into the user's cache. Once: under two minutes of one core.
set -euo pipefail

target=${1:?say for which target: microblazeel-elf or spu-elf}
processor=${2:?say the name of the processor for messages}
place=${XDG_CACHE_HOME:-$HOME/.cache}/aesmith/binutils-${target%%-*}
[ -x "$place/bin/$target-as" ] && exit 0
if command -v "$target-as" >/dev/null; then exit 0; fi

say() { printf '%s\n' "$*" >&2; }

shopt -s nullglob
sources=(/usr/src/binutils/binutils-*.tar.xz)
if [ ${#sources[@]} -eq 0 ]; then
    say "there is no /usr/src/binutils/binutils-*.tar.xz: install the package binutils-source"
    exit 1
fi
for tool in gcc make bison flex xz; do
    if ! command -v "$tool" >/dev/null; then
        say "'$tool' is missing: install it (the package of xz is xz-utils)"
        exit 1
    fi
done

# One builds, others wait for it.
mkdir -p "$(dirname "$place")"
exec 9>"$place.lock"
flock 9
[ -x "$place/bin/$target-as" ] && exit 0

work=$(mktemp -d "$place.XXXXXX")
trap 'rm -rf "$work"' EXIT
say "building binutils for $processor from ${sources[0]}"
# Only what the tools themselves need is unpacked: gdb, gold and the tests are most of it.
tar -C "$work" -xf "${sources[0]}" --strip-components=1 --exclude='*/ld/testsuite/*' \
    --exclude='*/gas/testsuite/*' --exclude='*/gold/*' \
    --exclude='*/gprofng/*' --exclude='*/po/*.po'
mkdir "$work/build" "$work/bin"
cd "$work/build"
{
    ../configure --target="$target" --disable-nls --disable-gdb --disable-sim --disable-gprof \
        --disable-gprofng --disable-gold --disable-werror --disable-plugins --disable-shared \
        --disable-libctf --without-zstd --without-debuginfod MAKEINFO=true CFLAGS=-O1
    make -j2 all-gas all-ld configure-binutils MAKEINFO=true
    make -j2 -C binutils objdump objcopy nm-new MAKEINFO=true
} >"$work/log" 2>&1 || {
    say "the build failed; the end of its log:"
    tail -n 20 "$work/log" >&2
    exit 1
}
for tool in gas/as-new:as ld/ld-new:ld binutils/objdump:objdump binutils/objcopy:objcopy binutils/nm-new:nm; do
    strip -o "$work/bin/$target-${tool#*:}" "${tool%:*}"
done
mkdir -p "$place"
[ -x "$place/bin/$target-as" ] || mv -T "$work/bin" "$place/bin"
