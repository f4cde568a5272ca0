//! Compares emitted text of a few small variants byte by byte. `AESMITH_BLESS=1 cargo test -p aesmith-emit --test
//! golden` rewrites the files; the change is then reviewed in the diff.

use aesmith_emit::c::{Place, Program, portable};
use aesmith_emit::{Function, assembly};
use aesmith_x86::dimensions;
use aesmith_x86::kernels::build;
use aesmith_x86::targets;
use std::path::PathBuf;

/// File stem and variant; the text contains every difference from the baseline.
const VARIANTS: &[(&str, &str)] = &[
    ("ctr_baseline", "aes128-ctr"),
    // Listing 3 of Manley, Magrath and Gregg: the software pipeline for an interval of 2.
    ("ctr_ii2", "aes128-ctr ii=2 keys=0x07ff"),
    ("ctr_cached_zmm", "aes256-ctr width=zmm interleave=4 cached=2 keys=0x7fff fold=yes"),
    ("ecb_dec_ymm", "aes128-ecb-dec width=ymm interleave=2 distance=1 prefetch=register"),
    ("cbc_folded", "aes128-cbc xor=folded unroll=2 keys=0x07ff"),
    ("cbc_x4", "aes128-cbc-x4 together=yes distance=1 xor=modified"),
    ("cbc_dec_streaming", "aes192-cbc-dec interleave=2 streaming=yes restrict=yes fold=yes"),
    ("key_256", "aes256-key schedule=aesenclast"),
    ("ecb_gfni", "aes128-ecb technique=gfni"),
    ("ecb_vperm", "aes128-ecb technique=vperm"),
    ("ecb_vbmi", "aes128-ecb technique=vbmi width=zmm"),
];

/// Portable C: file stem and variant. (The assembly of tables is not printed without a proof.)
const PORTABLE: &[(&str, &str)] = &[
    ("portable_table", "aes128-ctr technique=table tables=1k cached=2"),
    ("portable_bytewise", "aes128-ecb technique=bytewise inline=yes"),
    ("portable_bitsliced", "aes128-cbc technique=bitsliced"),
    ("portable_key", "aes128-key-dec technique=bitsliced"),
];

fn hold(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("AESMITH_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        return;
    }
    let held = std::fs::read_to_string(&path).unwrap_or_default();
    let line = held.lines().zip(text.lines()).take_while(|(a, b)| a == b).count() + 1;
    assert!(
        held == text,
        "{} differs from what is emitted, first at line {line}; if the change is meant, run \
         AESMITH_BLESS=1 cargo test -p aesmith-emit --test golden",
        path.display()
    );
}

#[test]
fn emitted_text_is_as_reviewed() {
    for (name, variant) in VARIANTS {
        let variant = dimensions::variant(variant).unwrap();
        let kernel = build(&variant, &targets::ALL).unwrap();
        hold(&format!("{name}.s"), &assembly::file(&[Function::new(&kernel)]).unwrap());
        hold(&format!("{name}.c"), &Program::of(&variant).file(Place::Alone).unwrap());
    }
    for (name, variant) in PORTABLE {
        let variant = dimensions::variant(variant).unwrap();
        hold(&format!("{name}.c"), &portable::file(&Program::of(&variant), Place::Alone).unwrap());
    }
}
