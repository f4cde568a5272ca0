# shellcheck shell=bash disable=SC2154
# The maintainer of a library: a package of several problems and levels of CPUs, built, installed, linked into one program, and
# made again from its recipe. Sourced by scripts/walk.sh.

step 'one package of several problems and levels'
says 0 package emit aes128-ecb,aes128-ctr,aes256-ctr --cpu sse2,avx2-aesni,native --prefix mylib --as package --output package
holds 'it builds without a warning, and its self-test passes' \
    make --silent -C package check CFLAGS='-O2 -std=c99 -Wall -Wextra -Werror'
holds 'what stands there is proved' "$aesmith" verify package
says 1 other emit aes256-cbc --as package --output package
holds 'another package is not written over it' "$aesmith" verify package

step 'install'
holds 'make install puts it into a prefix and a folder of libraries of its own' \
    make --silent -C package install PREFIX=/opt/aes LIBDIR=/opt/aes/lib64 DESTDIR="$place/stage"
name=$(basename package/lib*.a .a)
name=${name#lib}
export PKG_CONFIG_PATH=$place/stage/opt/aes/lib64/pkgconfig PKG_CONFIG_SYSROOT_DIR=$place/stage
holds 'pkg-config says where' grep -q '^prefix=/opt/aes$' "$PKG_CONFIG_PATH/$name.pc"
holds 'licences are there' sh -c 'find stage/opt/aes/share -iname "*licen*" | grep -q .'

step 'one program'
cat >app.c <<C
#include "$name.h"
C
cat >>app.c <<'C'
#include <stdio.h>
#include <string.h>

int main(void)
{
    /* SP 800-38A, F.1.1, F.5.1 and F.5.5: the first blocks of ECB-AES128, CTR-AES128 and CTR-AES256. */
    static const uint8_t key128[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88,
        0x09, 0xcf, 0x4f, 0x3c};
    static const uint8_t key256[32] = {0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae, 0xf0,
        0x85, 0x7d, 0x77, 0x81, 0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14,
        0xdf, 0xf4};
    static const uint8_t text[16] = {0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11,
        0x73, 0x93, 0x17, 0x2a};
    static const uint8_t ecb[16] = {0x3a, 0xd7, 0x7b, 0xb4, 0x0d, 0x7a, 0x36, 0x60, 0xa8, 0x9e, 0xca, 0xf3,
        0x24, 0x66, 0xef, 0x97};
    static const uint8_t ctr128[16] = {0x87, 0x4d, 0x61, 0x91, 0xb6, 0x20, 0xe3, 0x26, 0x1b, 0xef, 0x68, 0x64,
        0x99, 0x0d, 0xb6, 0xce};
    static const uint8_t ctr256[16] = {0x60, 0x1e, 0xc3, 0x13, 0x77, 0x57, 0x89, 0xa5, 0xb7, 0xa7, 0xf5, 0x04,
        0xbb, 0xf3, 0xd2, 0x28};
    mylib_aes128_key small;
    mylib_aes256_key large;
    uint8_t counter[16], out[16];
    int wrong = 0, i;
    /* One key structure and one set-up for the problems of a key. */
    mylib_aes128_init(&small, key128);
    mylib_aes256_init(&large, key256);
    mylib_aes128_ecb(&small, text, out, sizeof out);
    wrong |= memcmp(out, ecb, sizeof out);
    for (i = 0; i < 16; i++)
        counter[i] = (uint8_t)(0xf0 + i);
    mylib_aes128_ctr(&small, counter, text, out, sizeof out);
    wrong |= memcmp(out, ctr128, sizeof out);
    for (i = 0; i < 16; i++)
        counter[i] = (uint8_t)(0xf0 + i);
    mylib_aes256_ctr(&large, counter, text, out, sizeof out);
    wrong |= memcmp(out, ctr256, sizeof out);
    puts(wrong ? "WRONG" : "right");
    return wrong != 0;
}
C
# shellcheck disable=SC2046
holds 'a program is built by what pkg-config says' \
    cc -std=c99 -Wall -Wextra -Werror -o app app.c $(pkg-config --cflags --libs --static "$name")
holds 'and computes what it should' env LD_LIBRARY_PATH="$place/stage/opt/aes/lib64" ./app
for cpu in Conroe Westmere Haswell; do
    if command -v qemu-x86_64 >/dev/null; then
        holds "on a $cpu, too" qemu-x86_64 -L / -E LD_LIBRARY_PATH="$place/stage/opt/aes/lib64" -cpu "$cpu" ./app
    else
        skips "on a $cpu, too" 'qemu-x86_64 is not installed'
    fi
done
holds 'what was installed is proved again' "$aesmith" verify stage/opt/aes/lib64/lib*.a stage/opt/aes/lib64/lib*.so

step 'the recipe'
says 0 again emit --as package --output again --variant package/README.md --prefix mylib aes128-ecb,aes128-ctr,aes256-ctr
holds 'the package is made again from its README, to the byte' \
    diff -r --exclude='*.o' --exclude='*.a' --exclude='*.so*' --exclude='*.pc' --exclude='selftest*[!c]' package again
