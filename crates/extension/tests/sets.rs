//! Tests of every instruction of the included sets against its source, restated here with the S-box and products in
//! GF(2^8): every value of every byte, every selector.

use aesmith_cipher::block::{INV_SBOX, SBOX, gf_mul};
use aesmith_extension::meaning::{compute, table};
use aesmith_extension::sets;

/// The result for the words that an instruction reads, the wired ones last, and for its selectors in the order of their
/// names.
type Reference = fn(&[u32], &[u8]) -> u32;

fn b(word: u32, n: u8) -> u8 {
    word.to_le_bytes()[usize::from(n)]
}

fn s(x: u8) -> u8 {
    SBOX[usize::from(x)]
}

fn i(x: u8) -> u8 {
    INV_SBOX[usize::from(x)]
}

fn each(word: u32, f: fn(u8) -> u8) -> u32 {
    u32::from_le_bytes(word.to_le_bytes().map(f))
}

/// A column times the circulant matrix with this first row (FIPS-197, 5.1.3 and 5.3.3).
fn times(word: u32, first: [u8; 4]) -> u32 {
    let x = word.to_le_bytes();
    let row = |r: usize| (0..4).fold(0, |sum, k| sum ^ gf_mul(first[(k + 4 - r) % 4], x[k]));
    u32::from_le_bytes(std::array::from_fn(row))
}

fn mix(word: u32) -> u32 {
    times(word, [2, 3, 1, 1])
}

fn unmix(word: u32) -> u32 {
    times(word, [14, 11, 13, 9])
}

fn at(x: u8, n: u8) -> u32 {
    u32::from(x) << (8 * n)
}

/// The bytes of ShiftRows (`step` 1) or InvShiftRows (`step` 3) for column `c` of four words.
fn diagonal(state: &[u32], c: u8, step: usize) -> u32 {
    let of = |row: usize| b(state[(usize::from(c) + step * row) % 4], row as u8);
    u32::from_le_bytes(std::array::from_fn(of))
}

fn even(w: &[u32]) -> u32 {
    w[0] & 0x00ff_00ff | w[1] & 0xff00_ff00
}

fn halves(w: &[u32]) -> u32 {
    w[0] & 0xffff | w[1] & 0xffff_0000
}

/// Two columns of two tiles: bytes 2 and 3 of both tiles are one column, bytes 0 and 1 the other.
fn tiles(w: &[u32], mixed: fn(u32) -> u32) -> u32 {
    let column = |k: u8| u32::from_le_bytes([b(w[0], k), b(w[0], k + 1), b(w[1], k), b(w[1], k + 1)]);
    mixed(column(0)) & 0xffff | mixed(column(2)) << 16
}

fn bytes(of: [u8; 4]) -> u32 {
    u32::from_le_bytes(of)
}

/// The set, the instruction, and its reference. Selectors come in the order of their names.
const ALL: &[(&str, &str, Reference)] = &[
    ("bertoni-bytes", "sbox", |w, k| w[0] ^ at(s(b(w[1], k[1])), k[0])),
    ("bertoni-bytes", "smix", |w, k| w[0] ^ mix(at(s(b(w[1], k[1])), k[0]))),
    ("bertoni-bytes", "isbox", |w, k| w[0] ^ at(i(b(w[1], k[1])), k[0])),
    ("bertoni-bytes", "ismix", |w, k| w[0] ^ unmix(at(i(b(w[1], k[1])), k[0]))),
    ("bertoni-words", "smixw", |w, k| mix(each(diagonal(w, k[0], 1), s))),
    ("bertoni-words", "smixwk", |w, k| w[0] ^ mix(each(diagonal(&w[1..], k[0], 1), s))),
    ("bertoni-words", "subword", |w, _| each(w[0], s)),
    ("bertoni-words", "subdiag", |w, k| each(diagonal(w, k[0], 1), s)),
    ("bertoni-words", "ksfw", |w, _| w[0] ^ each(w[1].rotate_right(8), s)),
    ("bertoni-words", "ismixw", |w, k| unmix(each(diagonal(w, k[0], 3), i))),
    ("bertoni-words", "ismixwk", |w, k| w[0] ^ unmix(each(diagonal(&w[1..], k[0], 3), i))),
    ("bertoni-words", "isubdiag", |w, k| each(diagonal(w, k[0], 3), i)),
    ("bertoni-words", "imixword", |w, _| unmix(w[0])),
    ("smix3", "smix", |w, k| w[0] ^ mix(at(s(b(w[1], k[0])), k[0]))),
    ("smix3", "ssub", |w, k| w[0] ^ at(s(b(w[1], k[0])), k[0])),
    ("packed", "subw", |w, _| each(w[0], s)),
    ("packed", "isubw", |w, _| each(w[0], i)),
    ("packed", "xtw", |w, _| each(w[0], |x| gf_mul(2, x))),
    ("mixcolumns", "mixw", |w, _| mix(w[0])),
    ("mixcolumns", "imixw", |w, _| unmix(w[0])),
    ("pair", "psub", |w, k| each(even(w), s).rotate_right(8 * u32::from(k[0]))),
    ("pair", "pmix", |w, _| mix(halves(w))),
    ("pair", "ipsub", |w, _| each(even(w), i)),
    ("pair", "ipmix", |w, _| unmix(halves(w))),
    ("pair", "pjoin", |w, _| halves(w)),
    ("zkn", "aes32esi", |w, k| w[0] ^ at(s(b(w[1], k[0])), k[0])),
    ("zkn", "aes32esmi", |w, k| w[0] ^ mix(at(s(b(w[1], k[0])), k[0]))),
    ("zkn", "aes32dsi", |w, k| w[0] ^ at(i(b(w[1], k[0])), k[0])),
    ("zkn", "aes32dsmi", |w, k| w[0] ^ unmix(at(i(b(w[1], k[0])), k[0]))),
    ("v1", "saes.v1.encs", |w, _| each(w[0], s)),
    ("v1", "saes.v1.encm", |w, _| mix(w[0])),
    ("v1", "saes.v1.decs", |w, _| each(w[0], i)),
    ("v1", "saes.v1.decm", |w, _| unmix(w[0])),
    ("v2", "saes.v2.sub.enc", |w, _| each(even(w), s)),
    ("v2", "saes.v2.sub.encrot", |w, _| each(even(w), s).rotate_left(8)),
    ("v2", "saes.v2.sub.dec", |w, _| each(even(w), i)),
    ("v2", "saes.v2.sub.decrot", |w, _| each(even(w), i).rotate_left(8)),
    ("v2", "saes.v2.mix.enc", |w, _| mix(halves(w))),
    ("v2", "saes.v2.mix.dec", |w, _| unmix(halves(w))),
    ("v3", "saes.v3.encs", |w, k| w[0] ^ at(s(b(w[1], k[0])), k[0])),
    ("v3", "saes.v3.encsm", |w, k| w[0] ^ mix(at(s(b(w[1], k[0])), k[0]))),
    ("v3", "saes.v3.decs", |w, k| w[0] ^ at(i(b(w[1], k[0])), k[0])),
    ("v3", "saes.v3.decsm", |w, k| w[0] ^ unmix(at(i(b(w[1], k[0])), k[0]))),
    ("v5", "saes.v5.esrsub.lo", |w, _| bytes([s(b(w[0], 0)), s(b(w[1], 3)), s(b(w[0], 2)), s(b(w[0], 1))])),
    ("v5", "saes.v5.esrsub.hi", |w, _| bytes([s(b(w[1], 0)), s(b(w[0], 3)), s(b(w[1], 2)), s(b(w[1], 1))])),
    ("v5", "saes.v5.dsrsub.lo", |w, _| bytes([i(b(w[0], 0)), i(b(w[0], 3)), i(b(w[0], 2)), i(b(w[1], 1))])),
    ("v5", "saes.v5.dsrsub.hi", |w, _| bytes([i(b(w[1], 0)), i(b(w[1], 3)), i(b(w[1], 2)), i(b(w[0], 1))])),
    ("v5", "saes.v5.emix", |w, _| tiles(w, mix)),
    ("v5", "saes.v5.dmix", |w, _| tiles(w, unmix)),
    ("v5", "saes.v5.sub", |w, _| each(w[0], s)),
];

#[test]
fn instructions_are_what_their_sources_say() {
    for (set, name, reference) in ALL {
        let extension = sets::included(set).expect("parses");
        let isa = table(&extension).expect("compiles");
        let instruction = extension.instructions.iter().find(|i| i.name == *name);
        let instruction = instruction.unwrap_or_else(|| panic!("{set} has no {name}"));
        for selectors in instruction.choices() {
            for x in 0..=255u32 {
                // Every byte of every word takes every value; all words differ.
                let word = |k: u32| (x * 0x0101_0101) ^ 0x9e37_79b9u32.rotate_left(5 * k);
                let words: Vec<u32> = (0..instruction.inputs() as u32).map(word).collect();
                let got = compute(&isa, instruction, &words, &selectors).expect("computes");
                let expected = reference(&words, &selectors);
                assert_eq!(got, expected, "{set}: {name}, selectors {selectors:?}, words {words:08x?}");
            }
        }
    }
}

#[test]
fn every_instruction_is_checked_and_bertoni_s_sets_are_parts_of_each_other() {
    let of = |names: &[&str], without: &str| -> Vec<(String, String)> {
        let parts = names.iter().map(|name| sets::included(name).expect("parses"));
        let all = parts.flat_map(|part| part.instructions).filter(|i| i.name != without);
        all.map(|i| (i.name, i.meaning)).collect()
    };
    assert_eq!(of(&["bertoni"], ""), of(&["bertoni-bytes", "bertoni-words"], ""));
    assert_eq!(of(&["bertoni-subword"], ""), of(&["bertoni-words"], "ksfw"));
    let words = of(&["bertoni-words"], "");
    assert_eq!(of(&["bertoni-ksfw"], ""), words.into_iter().filter(|i| i.0 == "ksfw").collect::<Vec<_>>());
    for (set, _) in sets::ALL {
        let extension = sets::included(set).expect("parses");
        if set.starts_with("bertoni") && !["bertoni-bytes", "bertoni-words"].contains(set) {
            continue;
        }
        for instruction in &extension.instructions {
            let known = ALL.iter().any(|(s, n, _)| s == set && *n == instruction.name);
            assert!(known, "{set}: {} is checked against nothing", instruction.name);
        }
    }
}
