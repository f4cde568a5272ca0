# shellcheck shell=bash disable=SC2154
# A new user: tune, tune under restrictions, emit, build, link several packages into one program, verify all, kill, resume,
# compare numbers. Sourced by scripts/walk.sh.

step 'tune'
says 0 tuned tune aes256-ctr --time "${time}s" --output tuned
holds 'the best is proved' python 'J[0]["certificate_level"] == "E3"' tuned.json
holds 'the best is no slower than the baseline' \
    python 'J[0]["best_cycles_per_byte"] <= J[0]["baseline_cycles_per_byte"] * 1.02' tuned.json
holds 'the kernel and the report are there' test -s tuned/aesmith_aes256_ctr.S -a -s tuned/report.html

step 'tune under restrictions'
says 0 narrow tune aes256-ctr --width xmm --time 4s --output narrow
says 0 wiped tune aes256-ctr --only wipe=yes --time 4s --output wiped
holds 'what --width xmm delivers has no wider register' \
    python 'not re.search(r"%[yz]mm", text("narrow/aesmith_aes256_ctr.S"))'
holds 'every variant of --only wipe=yes wipes' \
    python 'all("wipe=yes" in v for v in [J[0]["variant"]] + [s["variant"] for s in J[0]["by_size"]])' wiped.json
holds 'every certificate of --only wipe=yes says wiped' \
    python 'certificates("wiped") and all(c["wiped"] for c in certificates("wiped").values())'

step 'emit'
says 0 best emit aes256-ctr --as package --output best
says 0 best-narrow emit aes256-ctr --width xmm --as package --output best-narrow
says 0 best-wiped emit aes256-ctr --only wipe=yes --as package --output best-wiped
same='certificates(a)["aesmith_aes256_ctr.certificate.json"]["sha256"] == certificates(b)["aesmith_aes256_ctr.certificate.json"]["sha256"]'
for pair in 'best tuned' 'best-narrow narrow' 'best-wiped wiped'; do
    read -r one other <<<"$pair"
    holds "emit into $one delivers the kernel of the run into $other" \
        python "(lambda a, b: $same)('$one', '$other')"
done
holds 'the winner printed is in the package' \
    python 'any(v["variant"] == J[0]["variant"] for v in J[1]["variants"])' tuned.json best.json
for problem in aes128-ecb aes128-cbc aes128-cbc-dec aes192-ctr; do
    says 0 "$problem" emit "$problem" --as package --output "$problem"
done
head -n 1 <(python3 -c 'import json; print(json.load(open("tuned.json"))["variant"])') >mine.variant
says 0 mine emit aes256-ctr --as asm --variant mine.variant --output mine
says 0 levels emit aes256-ctr --as package --output levels --cpu sse2,native --prefix mylib
says 0 again emit aes256-ctr --as package --output again --variant levels/README.md --prefix mylib
holds 'a package is made again from its README, to the byte' diff -r levels again
says 2 refused tune aes256-gcm
holds 'a mode that is not offered is named with what is' grep -q 'aes256-ctr' logs/refused

step 'build and test'
packages='best best-narrow best-wiped levels aes128-ecb aes128-cbc aes128-cbc-dec aes192-ctr'
for package in $packages; do
    holds "$package builds without a warning, and its self-test passes" \
        sh -c "make --silent -C '$package' check CFLAGS='-O2 -Werror'"
done

step 'link several packages into one program'
cat >app.c <<'C'
#include "aesmith_aes128_cbc.h"
#include "aesmith_aes128_cbc_dec.h"
#include "aesmith_aes128_ecb.h"
#include "aesmith_aes192_ctr.h"
#include "aesmith_aes256_ctr.h"
#include <stdio.h>
#include <string.h>

int main(void)
{
    /* SP 800-38A, F.1.1: the first block of ECB-AES128. */
    static const uint8_t key[32] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88,
        0x09, 0xcf, 0x4f, 0x3c};
    static const uint8_t plain[16] = {0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11,
        0x73, 0x93, 0x17, 0x2a};
    static const uint8_t cipher[16] = {0x3a, 0xd7, 0x7b, 0xb4, 0x0d, 0x7a, 0x36, 0x60, 0xa8, 0x9e, 0xca, 0xf3,
        0x24, 0x66, 0xef, 0x97};
    aesmith_aes128_ecb_key ecb;
    aesmith_aes128_cbc_key cbc;
    aesmith_aes128_cbc_dec_key cbc_dec;
    aesmith_aes192_ctr_key ctr192;
    aesmith_aes256_ctr_key ctr256;
    uint8_t iv[16] = {0}, counter[16] = {0}, again[16] = {0}, text[1600], copy[1600], out[16];
    int wrong = 0;
    size_t i;
    for (i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i * 7);
    aesmith_aes128_ecb_init(&ecb, key);
    aesmith_aes128_ecb(&ecb, plain, out, sizeof out);
    wrong |= memcmp(out, cipher, sizeof out);
    aesmith_aes128_cbc_init(&cbc, key);
    aesmith_aes128_cbc_dec_init(&cbc_dec, key);
    aesmith_aes128_cbc(&cbc, iv, text, copy, sizeof text);
    wrong |= !memcmp(copy, text, sizeof text);
    memset(iv, 0, sizeof iv);
    aesmith_aes128_cbc_dec(&cbc_dec, iv, copy, copy, sizeof text);
    wrong |= memcmp(copy, text, sizeof text);
    aesmith_aes192_ctr_init(&ctr192, key);
    aesmith_aes256_ctr_init(&ctr256, key);
    aesmith_aes192_ctr(&ctr192, counter, text, copy, sizeof text);
    aesmith_aes192_ctr(&ctr192, again, copy, copy, sizeof text);
    wrong |= memcmp(copy, text, sizeof text);
    memset(counter, 0, sizeof counter);
    memset(again, 0, sizeof again);
    aesmith_aes256_ctr(&ctr256, counter, text, copy, sizeof text);
    aesmith_aes256_ctr(&ctr256, again, copy, copy, sizeof text);
    wrong |= memcmp(copy, text, sizeof text);
    puts(wrong ? "WRONG" : "right");
    return wrong != 0;
}
C
# Whole archives: a name that stands in two of them is seen even if it is not called.
link=(cc -std=c99 -Wall -Wextra -Werror -o app app.c '-Wl,--whole-archive')
for package in best aes128-ecb aes128-cbc aes128-cbc-dec aes192-ctr levels; do
    link+=(-I"$package" "$package"/lib*.a)
done
link+=('-Wl,--no-whole-archive')
holds 'six packages link into one program, two of them of one problem' "${link[@]}"
holds 'which computes what it should' ./app

step 'verify all'
for package in $packages; do
    holds "$package: assembly is proved again" "$aesmith" verify "$package"/*.S
    holds "$package: certificates are what the code's proof says" "$aesmith" verify "$package"/*.certificate.json
    holds "$package: what make built is proved again" "$aesmith" verify "$package"/lib*.a
done
sed 's/^\(\s*v\?aesenclast\)/\tnop\n\1/' best/aesmith_aes256_ctr.S >changed.S
holds 'code that was changed is not what the certificate says' \
    sh -c "cp best/*.certificate.json . && ! '$aesmith' verify changed.S"
rm -f ./*.certificate.json

step 'kill and resume'
timeout --signal=KILL 6 "$aesmith" tune aes128-ctr --time 60s --output killed >/dev/null 2>logs/killed
says 0 after-kill wisdom list aes128-ctr
holds 'after SIGKILL every sample is there' python 'sum(r.get("samples", 0) for r in (J[0] if isinstance(J[0], list) else [J[0]])) > 0' after-kill.json
says 0 doctor doctor
holds 'and the file is sound' python '"sound" in J[0]["wisdom"]' doctor.json
timeout --preserve-status --signal=INT 8 "$aesmith" tune aes128-ctr --time 60s --output stopped --json \
    >stopped.json 2>logs/stopped
code=$?
holds 'Ctrl-C ends a run with 130' test "$code" -eq 130
holds 'which went on from what was there' grep -q 'are in wisdom and are not measured again' logs/stopped
holds 'and printed the best so far' python 'J[0]["interrupted"] and J[0]["best_cycles_per_byte"] > 0' stopped.json
says 0 resumed tune aes128-ctr --time 4s --output resumed
holds 'the same command goes on from there' grep -q 'are in wisdom and are not measured again' logs/resumed

step 'carry'
holds 'wisdom is exported' "$aesmith" wisdom export --output carried.jsonl
holds 'and imported elsewhere' "$aesmith" --wisdom other.sqlite wisdom import carried.jsonl
holds 'where the same kernel is delivered' \
    "$aesmith" --wisdom other.sqlite emit aes256-ctr --as package --output carried
holds 'to the byte' python "(lambda a, b: $same)('carried', 'best')"

step 'compare numbers'
says 0 bench bench aes256-ctr --sizes 32KiB
says 0 shown wisdom show aes256-ctr --size 32KiB
says 0 explained explain aes256-ctr
says 0 report report aes256-ctr --output report.html
bench_cost='next(r["cycles_per_byte"] for r in J[1] if r.get("subject") == "aesmith" and r.get("bytes") == 32768)'
holds 'bench measures what tune confirmed' \
    python "near(J[0]['best_cycles_per_byte'], $bench_cost, $tolerance)" tuned.json bench.json
holds 'wisdom has the kernel that tune printed' \
    python 'any(b["variant"] == J[0]["variant"] for b in (J[1] if isinstance(J[1], list) else [J[1]]))' tuned.json shown.json
holds 'wisdom has the number that tune printed' \
    python "any(near(J[0]['best_cycles_per_byte'], b['median'], 0.001) for b in (J[1] if isinstance(J[1], list) else [J[1]]))" tuned.json shown.json
holds 'the report is about that kernel' \
    python 'J[0]["variant"] in text("report.html").replace("&gt;", ">")' tuned.json
holds 'the report says that number' \
    python '"%.4g" % J[0]["best_cycles_per_byte"] in text("tuned/report.html")' tuned.json
holds 'explain has that number' python \
    "any(near(float(n), J[0]['best_cycles_per_byte'], $tolerance) for s in J[1]['sections'] for _, v in s['rows'] for n in re.findall(r'[0-9]+[.][0-9]{3,}', v))" \
    tuned.json explained.json

step 'another processor'
says 0 avr tune aes128-ecb --processor avr --effort estimate --output avr
holds 'its winner is proved' python 'J[0]["winners"][0]["certificate"]["level"] == "proved"' avr.json
says 0 avr-package emit aes128-ecb --processor avr --as package --output avr-package

step 'install and uninstall'
mkdir stage
holds 'make install puts it under DESTDIR' env DESTDIR="$place/stage" PREFIX=/usr "$home/scripts/install.sh" install "$aesmith"
holds 'the command is there' stage/usr/bin/aesmith --version
holds 'make uninstall takes it away' env DESTDIR="$place/stage" PREFIX=/usr "$home/scripts/install.sh" uninstall
holds 'and leaves nothing' empty find stage -type f
