//! Certificates about bits: kernels with bit slices, look-ups in registers and field arithmetic.

use crate::concrete::{Random, call};
use aesmith_check::bits::{Basis, Bits, Mark};
use aesmith_check::contract::Contract;
use aesmith_check::decode::{Op, Shift};
use aesmith_check::execute::Domain;
use aesmith_check::linear::Linear;
use aesmith_check::spec::Round;
use aesmith_check::symbolic::Symbolic;
use aesmith_check::terms::{LaneId, Part, Terms};
use aesmith_check::{Certificate, check};
use std::collections::BTreeMap;
use std::path::Path;

/// The certificates of `tests/bits`.
fn proofs() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bits");
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut all: Vec<(String, String)> = entries
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a text");
            (path.file_stem().expect("a name").to_string_lossy().into_owned(), text)
        })
        .collect();
    all.sort();
    all
}

fn verdict(text: &str) -> Result<Certificate, String> {
    let certificate = Certificate::read(text)?;
    check(&certificate).map(|_| certificate)
}

#[test]
fn proofs_about_bits_are_accepted_and_true() {
    let all = proofs();
    assert!(all.len() >= 12, "{}", all.len());
    for (name, text) in all {
        let certificate = verdict(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut random = Random(23);
        for _ in 0..6 {
            call(&certificate, &mut random).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

/// Changes of a certificate that are tried.
const CHANGES: u64 = 60;

#[test]
fn no_change_of_code_or_statements_makes_a_wrong_claim_accepted() {
    let (mut all, mut accepted) = (0, 0);
    for (name, text) in proofs() {
        let lines: Vec<&str> = text.lines().collect();
        let places: Vec<usize> = (0..lines.len())
            .filter(|&k| !["aesmith", "#", "contract"].iter().any(|word| lines[k].starts_with(word)))
            .collect();
        let mut random = Random(29);
        for _ in 0..if text.len() > 50_000 { CHANGES / 4 } else { CHANGES } {
            // Declarations and statements more often than code.
            let number = loop {
                let number = places[random.below(places.len() as u64) as usize];
                if random.below(4) == 0 || !lines[number].starts_with("code") {
                    break number;
                }
            };
            let line = lines[number];
            let digits: Vec<usize> =
                (3..line.len()).filter(|&k| line.as_bytes()[k].is_ascii_hexdigit()).collect();
            let Some(&at) = digits.get(random.below(digits.len().max(1) as u64) as usize) else { continue };
            let digit = char::from_digit(random.below(16) as u32, 16).expect("a digit");
            let changed = format!("{}{digit}{}", &line[..at], &line[at + 1..]);
            if changed == line {
                continue;
            }
            let mut lines = lines.clone();
            lines[number] = &changed;
            all += 1;
            let Ok(certificate) = verdict(&lines.join("\n")) else { continue };
            accepted += 1;
            for _ in 0..4 {
                call(&certificate, &mut random)
                    .unwrap_or_else(|error| panic!("{name}, {changed} is accepted: {error}"));
            }
        }
    }
    println!("{accepted} of {all} changed certificates are accepted, with true claims");
    assert!(all > 300 && accepted < all / 5, "{accepted} of {all}");
}

/// A certificate, a text in it, another in its place, and words of the reason for which it is refused then.
const ATTACKS: [[&str; 4]; 29] = [
    // The byte is another one than that to which the S-box is applied.
    ["nibbles-dec", "#aa17c57ab4b284ab 99", "#aa17c57ab4b284ab 98", "bits are moved"],
    ["nibbles-dec", "#aa17c57ab4b284ab 99", "#17aac57ab4b284ab 99", "bits are moved"],
    ["nibbles-dec", "box b0 0x56 0x5f", "box b0 0x5f 0x56", "bits are moved"],
    ["nibbles-dec", "box b0 0x56 0x5f", "box b0 0x56 0x15c", "is not understood"],
    ["nibbles-dec", "box b0 0x56 0x5f\n", "", "a table of bytes is no sum"],
    // A basis from which the given bits do not follow.
    ["nibbles-dec", "#aa17c57ab4b284ab 99", "#aaaac57ab4b284ab 99", "is not understood"],
    // Four bits are in a byte that has eight.
    ["nibbles-dec", "box b0 0x56 0x5f", "box b0 0x27 0x5f", "a table of bytes is no sum"],
    ["nibbles-dec", "bytes #", "bits #", "is not understood"],
    // Bits of a slice are exchanged, or are those of another group.
    ["slices-of-bytes", "box b0 0x2d 0x32 0x37", "box b0 0x2d 0x37 0x32", "a bitwise operation"],
    ["slices-of-bytes", "box b0 0x2d 0x32 0x37", "box b0 0x32 0x2d 0x37", "a bitwise operation"],
    ["slices-of-bytes", "box b0 0x2d 0x32 ", "box b0 0x2d 0x2d ", "is not understood"],
    ["slices-of-bytes", "#0102040810204080 0", "#0102040810204080 1", "a bitwise operation"],
    ["slices-of-bytes", "#0102040810204080 0", "#0201040810204080 0", "a bitwise operation"],
    ["slices-of-bytes", "0x32 0x37", "0x32^0x1 0x37", "a bitwise operation"],
    ["slices-of-bytes", "0x32 0x37", "0x32^0x100 0x37", "a bitwise operation"],
    ["slices-of-bytes", "0x32 0x37", "0x32^0x80 0x37", "a box is of a result that is not known"],
    // Tables in memory.
    ["tables-expanded", "keys expanded\n", "", "is not as specified"],
    ["tables-expanded", "lookups\n", "", "the claim has no look-ups"],
    ["tables-expanded", "contract aes128-ecb", "contract aes192-ecb", "is not understood: keys expanded"],
    [
        "tables-cbc",
        "rax = low(shuffle(chain[p + 0], #00010203",
        "rax = low(shuffle(chain[p + 0], #00010202",
        "rax is not as",
    ],
    ["tables-cbc", "xmm1 = k1", "xmm1 = k2", "xmm1.0 is not as"],
    ["tables-bytes", "bits\n", "", "an address in a table is not made of eight bits"],
    ["tables-dec", "contract aes128-ecb-dec", "contract aes128-ecb", "a table in memory is no sum"],
    // Opmasks with signs of secret bytes, of which a statement, or the end of the call, does not say so.
    ["registers-wipes", "secret k2\n", "", "a secret in an opmask is not as"],
    ["registers-wipes", "secret k2\n", "secret k3\n", "a secret in an opmask is not as"],
    ["registers-wipes", "secret k2\n", "secret k8\n", "is not understood"],
    ["registers-wipes", "c4e1ec47d2", "0f1f440000", "an opmask may hold a secret at the return"],
    // Without bits nothing is known of the S-box.
    ["field", "bits\nbasis b0 bits #0102040810204080 0\n", "", "a table of bytes is no sum"],
    ["field", "f87c3e1f8fc7e3f1f8", "f87c3e1f8fc7e3f2f8", "is not as specified"],
];

#[test]
fn wrong_declarations_are_refused_for_their_reason() {
    let all = proofs();
    let mut wrong = Vec::new();
    for [name, from, to, words] in ATTACKS {
        let (_, text) = all.iter().find(|(other, _)| other == name).expect("a certificate");
        assert!(text.contains(from), "{name}: {from}");
        match verdict(&text.replacen(from, to, 1)) {
            Ok(_) => wrong.push(format!("{name} with {to} is accepted")),
            Err(said) if !said.contains(words) => wrong.push(format!("{name} with {to}: {said}")),
            Err(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A new group knows none of the bits that the one before it was given.
#[test]
fn a_new_group_has_no_sums_with_others() {
    let basis = Basis::new(false, false, std::array::from_fn(|k| 1 << k), 0).expect("a basis");
    let mut t = Terms::of_bits(Bits::new(false, vec![basis]));
    let [a, b, c] = [0, 1, 2].map(|k| t.part(Part::Text(Linear::number(k))));
    let first = Mark { group: 0, basis: 0, first: 0, count: 1, others: 0 };
    let sum = Mark { first: 1, others: 1, ..first };
    assert_eq!(t.marked(&sum, 0, a), None, "the other bit is not known");
    assert!(t.marked(&first, 0, a).is_some());
    let once = t.marked(&sum, 0, b);
    assert!(once.is_some() && t.marked(&sum, 0, b) == once, "the same bits are the same group");
    assert_eq!(t.marked(&sum, 0, c), None, "another bit begins a group");
    assert!(t.marked(&first, 0, c).is_some_and(|new| Some(new) != t.marked(&first, 0, a)));
}

/// The values of terms: parts that are no S-box have random values, and functions those of their bytes.
struct Values {
    parts: BTreeMap<u32, u128>,
    random: Random,
}

impl Values {
    fn bit(&mut self, t: &Terms, bit: u32) -> bool {
        let (summands, is_one) = t.summands(bit);
        summands.into_iter().fold(is_one, |sum, (part, from)| sum ^ (self.part(t, part) >> from & 1 == 1))
    }

    fn part(&mut self, t: &Terms, part: u32) -> u128 {
        if let Some(&known) = self.parts.get(&part) {
            return known;
        }
        let value = match *t.get_part(part) {
            Part::Box(is_inverse, byte) => {
                let byte = (0..8).fold(0, |all, k| all | u128::from(self.bit(t, byte[k])) << k);
                // The first byte stays in its place.
                let round = if is_inverse { Round::DecryptLast } else { Round::EncryptLast };
                round.apply(byte) & 0xff
            }
            _ => u128::from(self.random.next()) << 64 | u128::from(self.random.next()),
        };
        self.parts.insert(part, value);
        value
    }

    fn lane(&mut self, t: &mut Terms, lane: LaneId) -> Option<u128> {
        let bits = t.bits_of(lane)?;
        Some((0..128).fold(0, |all, k| all | u128::from(self.bit(t, bits[k])) << k))
    }
}

/// Operations on words of general registers, and look-ups, have the values that the same operations have on numbers.
#[test]
fn operations_on_words_of_bits_keep_values() {
    let (mut looked_up, mut compared) = (0, 0);
    for seed in 1..160_u64 {
        let mut random = Random(seed);
        // A table of words: an affine map of the S-box or its inverse, or of the byte.
        let round = [Round::EncryptLast, Round::DecryptLast, Round::InverseMix][random.below(3) as usize];
        let matrix: [u64; 8] = std::array::from_fn(|_| random.next());
        let entry = |byte: u64| {
            let value = round.apply(u128::from(byte)) as u64 & 0xff;
            let bits = (0..8).filter(|k| value >> k & 1 == 1);
            bits.fold(0x1234_5678_9abc_def0, |all, k| all ^ matrix[k])
        };
        let code: Vec<u8> = (0..256).flat_map(|byte| entry(byte).to_le_bytes()).collect();
        let contract = Contract { lookups: true, ..Contract::named("aes128-ecb").expect("a contract") };
        let is_inverse = round == Round::DecryptLast;
        let terms = Terms::of_bits(Bits::new(is_inverse, Vec::new()));
        let (mut s, _) = Symbolic::entry(terms, contract, &code, 0..code.len());
        let mut values = Values { parts: BTreeMap::new(), random: Random(seed + 2000) };
        let mut words: Vec<(Linear, u64)> = Vec::new();
        for k in 0..4 {
            let lane = s.terms.part(Part::Text(Linear::number(k)));
            let value = values.lane(&mut s.terms, lane).expect("bits");
            words.push((s.half(&lane, 0), value as u64));
        }
        for _ in 0..40 {
            let [a, b] = [0, 1].map(|_| words[random.below(words.len() as u64) as usize].clone());
            let (number, by) = (random.next() >> random.below(60), 1 + random.below(63) as u8);
            let constant = s.number(number);
            let (word, value) = match random.below(8) {
                0 => (s.shifted(&a.0, Shift::Left, by), a.1 << by),
                1 => (s.shifted(&a.0, Shift::Right, by), a.1 >> by),
                2 => (s.bitwise(Op::And, &a.0, &constant).expect("a value"), a.1 & number),
                3 => (s.bitwise(Op::Or, &a.0, &constant).expect("a value"), a.1 | number),
                4 => (s.bitwise(Op::Xor, &a.0, &constant).expect("a value"), a.1 ^ number),
                5 => (s.bitwise(Op::Xor, &a.0, &b.0).expect("a value"), a.1 ^ b.1),
                6 => (s.swapped(&a.0), a.1.swap_bytes()),
                _ => {
                    // Entries of eight bytes, by a byte of the word.
                    let (base, mask) = (s.code(0), s.number(0xff));
                    let shifted = s.shifted(&a.0, Shift::Right, by);
                    let index = s.bitwise(Op::And, &shifted, &mask).expect("a value");
                    let place = base.combine(&index, 8);
                    let bytes = [1, 2, 4, 8][random.below(4) as usize];
                    // Bits of the S-box and of other bytes in one index are refused.
                    let Ok(found) = s.load(&place, bytes) else { continue };
                    looked_up += 1;
                    (found, entry(a.1 >> by & 0xff) & u64::MAX >> (64 - 8 * bytes))
                }
            };
            let lane = s.words(&word, &Linear::default());
            let found = values.lane(&mut s.terms, lane).expect("bits");
            assert_eq!(found, u128::from(value), "seed {seed}");
            compared += 1;
            words.push((word, value));
        }
    }
    println!("{compared} words, {looked_up} of them from tables");
    assert!(compared > 4000 && looked_up > 300, "{compared}, {looked_up}");
}

/// Random operations on lanes, some of which have marks, have the values that the same operations have on numbers.
#[test]
fn operations_on_bits_keep_values() {
    let mut compared = 0;
    for seed in 1..120_u64 {
        let mut random = Random(seed);
        let (is_inverse, is_bytes) = (seed % 2 == 0, seed % 3 == 0);
        let mut columns: [u8; 8] = std::array::from_fn(|k| 1 << k);
        for k in 1..8 {
            columns[k] ^= columns[k - 1] & random.next() as u8;
        }
        let Some(basis) = Basis::new(is_bytes, is_inverse, columns, random.next() as u8) else { continue };
        let mut t = Terms::of_bits(Bits::new(is_inverse, vec![basis]));
        let mut values = Values { parts: BTreeMap::new(), random: Random(seed + 1000) };
        let mut lanes: Vec<(LaneId, u128)> = Vec::new();
        for k in 0..8 {
            let mut lane = t.part(Part::Text(Linear::number(k)));
            if is_bytes {
                let low = t.constant(u128::MAX / 255 * 15);
                lane = t.logic(0x88, [lane, lane, low]).expect("an AND");
            }
            let value = values.lane(&mut t, lane).expect("bits");
            let count = if is_bytes { 4 } else { 1 };
            let mark = Mark { group: 0, basis: 0, first: (count * k as usize) % 8, count, others: 0 };
            let lane = if is_bytes && k > 1 { lane } else { t.marked(&mark, 0, lane).expect("a mark") };
            lanes.push((lane, value));
        }
        for constant in [0, u128::MAX, u128::MAX / 255 * 15] {
            lanes.push((t.constant(constant), constant));
        }
        for _ in 0..60 {
            let pick = |random: &mut Random| random.below(lanes.len() as u64) as usize;
            let three = [pick(&mut random), pick(&mut random), pick(&mut random)];
            let operands = three.map(|k| lanes[k].0);
            let numbers = three.map(|k| lanes[k].1);
            let (table, bytes) = (random.next() as u8, random.bytes(256));
            let (lane, number) = match random.below(4) {
                0 => (Some(t.xor(operands[0], operands[1])), numbers[0] ^ numbers[1]),
                1 => {
                    let bit = |k: u32| numbers.iter().fold(0, |all, x| all << 1 | (x >> k & 1));
                    let number = (0..128).fold(0, |all, k| all | u128::from(table >> bit(k) & 1) << k);
                    (t.logic(table, operands), number)
                }
                2 => {
                    let table: [u8; 256] = bytes.try_into().expect("256 bytes");
                    let number = u128::from_le_bytes(numbers[0].to_le_bytes().map(|b| table[usize::from(b)]));
                    (t.applied(operands[0], &table), number)
                }
                _ => {
                    let from: [u8; 128] = std::array::from_fn(|_| random.below(129) as u8);
                    let bit = |from: u8| if from < 128 { numbers[0] >> from & 1 } else { 0 };
                    let number = (0..128).fold(0, |all, k| all | bit(from[k]) << k);
                    (t.moved_to(operands[0], &from), number)
                }
            };
            let Some(lane) = lane else { continue };
            lanes.push((lane, number));
        }
        for (lane, number) in lanes {
            // Unknown lanes stand for sums that have no term.
            let is_known = |t: &Terms, bits: &[u32]| {
                let mut parts = bits.iter().flat_map(|&bit| t.summands(bit).0);
                !parts.any(|(part, _)| matches!(t.get_part(part), Part::Unknown(_)))
            };
            let Some(bits) = t.bits_of(lane).filter(|bits| is_known(&t, bits)) else { continue };
            assert_eq!(bits.len(), 128);
            assert_eq!(values.lane(&mut t, lane), Some(number), "seed {seed}");
            compared += 1;
        }
    }
    println!("{compared} lanes have the values of their terms");
    assert!(compared > 1500, "{compared}");
}
