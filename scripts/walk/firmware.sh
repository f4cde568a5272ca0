# shellcheck shell=bash disable=SC2154
# Firmware within budgets: emitted under limits of flash and RAM, linked by the stock toolchain, measured as linked, and judged.
# Sourced by scripts/walk.sh.

# processor compiler flags flash RAM
while read -r processor compiler flags flash ram; do
    step "$processor within $flash bytes of flash and $ram of RAM"
    if ! command -v "$compiler-gcc" >/dev/null; then
        skips "$processor" "$compiler-gcc is not installed"
        continue
    fi
    says 0 "$processor" emit aes128-ecb --processor "$processor" --max-flash "$flash" --max-ram "$ram" \
        --as package --output "$processor"
    holds 'it builds' make --silent -C "$processor"
    holds 'its self-test passes' make --silent -C "$processor" check
    # Nothing but the functions and what they need.
    # shellcheck disable=SC2086
    holds 'the stock toolchain links it' "$compiler-gcc" ${flags//,/ } -nostdlib -nostartfiles \
        -Wl,--gc-sections,-e,aesmith_aes128_encrypt,-u,aesmith_aes128_expand "$processor"/lib*.a -o "$processor.elf"
    read -r text data bss <<<"$("$compiler-size" "$processor.elf" | awk 'NR == 2 { print $1, $2, $3 }')"
    holds "linked, it takes $((text + data)) bytes of flash" test "$((text + data))" -le "$flash"
    holds "linked, it takes $((data + bss)) bytes of RAM" test "$((data + bss))" -le "$ram"
    # In a program with other data, aligned tables may be padded more.
    holds 'emit has said no less, and no more than is allowed' \
        python "$((text + data)) <= J[0]['sizes']['flash'] <= $flash and $((data + bss)) <= J[0]['sizes']['ram'] <= $ram" \
        "$processor.json"
    says 0 "$processor-judged" judge --processor "$processor" "$processor.elf" --symbol aesmith_aes128_encrypt \
        --args zeros:176 zeros:16 zeros:16
    # FIPS-197 with a key structure of zeros is no AES: what is compared is what judges say of the same call.
    holds 'judges say the same of the program as linked' \
        python 'all(j["agrees"] for j in J[0]["judges"]) and J[0]["model"]["instructions"] > 0' "$processor-judged.json"
    holds 'what make built is proved again' "$aesmith" verify "$processor"
done <<'LINES'
cortex-m3 arm-none-eabi -mcpu=cortex-m3,-mthumb 2048 0
cortex-m0 arm-none-eabi -mcpu=cortex-m0,-mthumb 3072 1024
avr avr -mmcu=atmega328p 2560 0
rv32imc riscv64-unknown-elf -march=rv32imc,-mabi=ilp32 4096 0
LINES

step 'several problems in one package'
if command -v arm-none-eabi-gcc >/dev/null; then
    problems=aes128-ecb,aes128-ctr,aes256-ecb
    says 0 several emit "$problems" --processor cortex-m3 --max-flash 12k --prefix mine --as package --output several
    holds 'the limit is that of the sum' python 'J[0]["sizes"]["flash"] <= 12288 and len(J[0]["problems"]) == 3' several.json
    holds 'it builds' make --silent -C several
    holds 'its self-test passes' make --silent -C several check
    cat >client.c <<'C'
#include "mine_aes_cortex_m3.h"
/* Two modes by one key. */
void client(const uint8_t *cipher_key, uint8_t iv[16], uint8_t *text);
void client(const uint8_t *cipher_key, uint8_t iv[16], uint8_t *text)
{
    mine_aes128_key key;
    mine_aes128_init(&key, cipher_key);
    mine_aes128_encrypt(&key, text, text);
    mine_aes128_ctr(&key, iv, text, text, 1);
    mine_aes128_wipe(&key);
}
C
    holds 'a program uses two modes by one key' arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -std=c99 -Wall -Wextra -Werror \
        -ffreestanding -nostdlib -nostartfiles -Wl,-e,client -Iseveral/src client.c several/libmine_aes_cortex_m3.a -o client.elf
    holds 'what make built is proved again' "$aesmith" verify several
    says 0 again emit "$problems" --processor cortex-m3 --as package --variant several/README.md --output again
    rm -f several/*.o several/*.a several/selftest
    holds 'its README makes it again' diff -r -x certificates -x '*.o' -x '*.elf' several again
else
    skips 'several problems in one package' 'arm-none-eabi-gcc is not installed'
fi

step 'limits that nothing keeps'
says 1 none emit aes128-ecb --processor cortex-m3 --max-flash 100 --max-ram 0 --as package --output none
holds 'the first sentence says what is needed and what is allowed' grep -q '^error: Does not fit: [0-9]* bytes of flash needed, 100 allowed\.' logs/none
holds 'and nothing is written' test ! -e none
