//! Canonical bytes have the values of what they are made of.

use crate::concrete::Random;
use crate::concrete::model::{self, inverse_key_schedule, key_schedule};
use aesmith_check::bytes::claim::{Block, Keys, cipher, inverted, round_keys};
use aesmith_check::bytes::terms::{Atom, ByteId, Condition, TABLES, Terms};
use aesmith_check::contract::Contract;
use aesmith_check::linear::Linear;
use aesmith_check::spec::{Round, product};
use std::collections::BTreeMap;

/// Values of unknown integers and bytes.
pub struct Values {
    seed: u64,
    words: BTreeMap<u32, u32>,
    modulus: i128,
}

fn sbox(is_inverse: bool, a: u8) -> u8 {
    let round = if is_inverse { Round::DecryptLast } else { Round::EncryptLast };
    round.apply(a.into()) as u8
}

impl Values {
    /// Values where words are numbers modulo a power of two.
    pub fn new(random: &mut Random, modulus: i128) -> Values {
        let mut word = |id: u32| {
            let any = random.next() as u32;
            if id < TABLES { any } else { any & 0xffff_ff00 }
        };
        let words = [0, 1, 2, 3, 4, 5, TABLES, TABLES + 1].map(|id| (id, word(id))).into();
        Values { seed: random.next(), words, modulus }
    }

    /// An arbitrary byte for a name.
    fn any(&self, name: &str) -> u8 {
        let mut mixed = self.seed;
        for byte in name.bytes() {
            mixed = (mixed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        (mixed >> 32) as u8
    }

    fn word(&self, word: &Linear) -> i128 {
        (word.constant + word.terms.iter().map(|(id, c)| c * i128::from(self.words[id])).sum::<i128>())
            .rem_euclid(self.modulus)
    }

    fn atom(&self, terms: &Terms, atom: &Atom) -> u8 {
        match atom {
            Atom::Half(word, half) => (self.word(word) >> (8 * half)) as u8,
            Atom::Indexed(word, index, k) => {
                let index = u32::from_le_bytes(index.map(|byte| self.byte(terms, byte)));
                ((self.word(word) + i128::from(index)) >> (8 * k)) as u8
            }
            Atom::Sbox(is_inverse, byte) => sbox(*is_inverse, self.byte(terms, *byte)),
            Atom::Plus(byte, number) => self.byte(terms, *byte).wrapping_add(*number),
            Atom::Function(byte, table) => {
                let value = self.byte(terms, *byte);
                (table[usize::from(value / 128)] >> (value % 128) & 1) as u8
            }
            Atom::PlusBit(byte, bit) => self.byte(terms, *byte).wrapping_add(self.byte(terms, *bit)),
            Atom::Is(condition) => u8::from(match condition {
                Condition::Zero(byte) => self.byte(terms, *byte) == 0,
                Condition::ZeroWord(word) => self.word(word).rem_euclid(self.modulus) == 0,
                Condition::Carry(word, number) => self.word(word).rem_euclid(256) + number >= 256,
                Condition::CarryWord(word, number) => {
                    self.word(word).rem_euclid(self.modulus) + number >= 65536
                }
                Condition::CarryBit(byte, bit) => {
                    self.byte(terms, *byte) == 255 && self.byte(terms, *bit) == 1
                }
                Condition::Less(a, b) => {
                    self.word(a).rem_euclid(self.modulus) < self.word(b).rem_euclid(self.modulus)
                }
            }),
            Atom::Interrupts => self.any("interrupts") & 1,
            _ => self.any(&format!("{atom:?}")),
        }
    }

    /// The value of a byte.
    pub fn byte(&self, terms: &Terms, byte: ByteId) -> u8 {
        let byte = terms.get(byte);
        byte.parts.iter().fold(byte.constant, |sum, (atom, columns)| {
            let value = self.atom(terms, terms.get_atom(*atom));
            (0..8).filter(|bit| value >> bit & 1 == 1).fold(sum, |sum, bit| sum ^ columns[bit])
        })
    }
}

/// True if a term has an unknown that was made by an operation, of which nothing is claimed.
pub fn is_open(terms: &Terms, byte: ByteId) -> bool {
    let is_open_atom = |atom: &Atom| match atom {
        Atom::Unknown(..) => true,
        Atom::Indexed(_, index, _) => index.iter().any(|&byte| is_open(terms, byte)),
        Atom::Sbox(_, byte)
        | Atom::Plus(byte, _)
        | Atom::Function(byte, _)
        | Atom::Is(Condition::Zero(byte)) => is_open(terms, *byte),
        Atom::PlusBit(byte, bit) | Atom::Is(Condition::CarryBit(byte, bit)) => {
            is_open(terms, *byte) || is_open(terms, *bit)
        }
        _ => false,
    };
    terms.get(byte).parts.iter().any(|part| is_open_atom(terms.get_atom(part.0)))
}

/// A term and its value.
type Known = (ByteId, u8);

/// A term and its value, by an operation on two or three earlier ones.
fn combined(
    terms: &mut Terms,
    random: &mut Random,
    values: &Values,
    (all, bits): (&[Known], &[Known]),
) -> (ByteId, u8, bool) {
    let pick = |random: &mut Random, from: &[Known]| from[random.below(from.len() as u64) as usize];
    let (a, mut b, mut c) = (pick(random, all), pick(random, all), pick(random, bits));
    let number = |terms: &mut Terms, value: u8| (terms.constant(value), value);
    if random.below(2) == 0 {
        let any = [0, 1, 255, 0x80, random.next() as u8][random.below(5) as usize];
        b = number(terms, any);
    }
    if random.below(8) == 0 {
        let ones = terms.constant(255);
        b = (terms.xor(a.0, ones), !a.1);
    }
    if random.below(2) == 0 {
        let any = random.below(2) as u8;
        c = number(terms, any);
    }
    let sum = |bits: u32| u32::from(a.1) % (1 << bits) + u32::from(b.1) % (1 << bits) + u32::from(c.1);
    match random.below(9) {
        0 => (terms.xor(a.0, b.0), a.1 ^ b.1, false),
        1 => (terms.and(a.0, b.0), a.1 & b.1, false),
        2 | 3 => (terms.sum(a.0, b.0, c.0), sum(8) as u8, false),
        4 => (terms.carry(a.0, b.0, c.0, 8), u8::from(sum(8) > 255), true),
        5 => (terms.carry(a.0, b.0, c.0, 4), u8::from(sum(4) > 15), true),
        6 => (terms.zero(a.0), u8::from(a.1 == 0), true),
        7 => {
            let columns: [u8; 8] = std::array::from_fn(|_| random.next() as u8);
            let image = (0..8).filter(|bit| a.1 >> bit & 1 == 1).fold(0, |sum, bit| sum ^ columns[bit]);
            (terms.mapped(a.0, columns), image, false)
        }
        _ => {
            // A word plus a number, as two bytes; or one of two values.
            if random.below(2) == 0 {
                return (terms.chosen(c.0, a.0, b.0), if c.1 == 1 { a.1 } else { b.1 }, false);
            }
            let id = [0, 4, 5, TABLES][random.below(4) as usize];
            let word = Linear {
                constant: random.below(65536) as i128,
                terms: [(id, 1 + random.below(3) as i128)].into(),
            };
            let half = random.below(2) as u8;
            let value = values.word(&word) >> (8 * half);
            (terms.half(&word, half), value as u8, false)
        }
    }
}

#[test]
fn bytes_have_the_values_of_their_operations() {
    let mut random = Random(17);
    let (mut known, mut open) = (0, 0);
    for _ in 0..400 {
        let (mut terms, values) = (Terms::new(2), Values::new(&mut random, 65536));
        let (mut all, mut bits) = (Vec::new(), Vec::new());
        for atom in [Atom::Key(0), Atom::Key(1), Atom::Entry(3), Atom::Counter(Linear::default(), 15)] {
            let byte = terms.atom(atom);
            all.push((byte, values.byte(&terms, byte)));
            all.push((terms.sbox(false, byte), sbox(false, values.byte(&terms, byte))));
        }
        // Both halves of words, and sums of them in two steps.
        for id in [4, 5, TABLES] {
            let word = Linear { constant: random.below(65536) as i128, terms: [(id, 1)].into() };
            let number = random.below(65536) as u16;
            let total = (values.word(&word) as u16).wrapping_add(number);
            let [low, high] = [0, 1].map(|half| terms.half(&word, half));
            let [x, y, zero] = [number as u8, (number >> 8) as u8, 0].map(|value| terms.constant(value));
            let carry = terms.carry(low, x, zero, 8);
            let sums = [terms.sum(low, x, zero), terms.sum(high, y, carry)];
            for (half, sum) in sums.into_iter().enumerate() {
                assert_eq!(values.byte(&terms, sum), (total >> (8 * half)) as u8);
                all.push((sum, (total >> (8 * half)) as u8));
            }
            let again = terms.as_word(sums).expect("a word");
            assert_eq!(values.word(&again), total.into());
            let [low, high] = sums.map(|sum| terms.zero(sum));
            bits.push((terms.and(low, high), u8::from(total == 0)));
        }
        let interrupts = terms.atom(Atom::Interrupts);
        bits.push((interrupts, values.byte(&terms, interrupts)));
        for _ in 0..200 {
            let (byte, value, is_bit) = combined(&mut terms, &mut random, &values, (&all, &bits));
            if is_open(&terms, byte) {
                open += 1;
                continue;
            }
            known += 1;
            assert_eq!(values.byte(&terms, byte), value, "{:?}", terms.get(byte));
            if is_bit {
                bits.push((byte, value));
            }
            all.push((byte, value));
        }
    }
    println!("{known} terms with the right values, {open} unknown");
    assert!(known > 30_000, "{known}");
}

#[test]
fn tables_are_found_on_all_values() {
    let mut terms = Terms::new(2);
    let index = terms.atom(Atom::Key(0));
    let mut random = Random(23);
    let values = Values::new(&mut random, 65536);
    let of = |f: &dyn Fn(u8) -> u8| std::array::from_fn(|a| f(a as u8));
    let good: [[u8; 256]; 6] = [
        of(&|a| sbox(false, a)),
        of(&|a| sbox(true, a)),
        of(&|a| product(2, a)),
        of(&|a| product(3, sbox(false, a))),
        of(&|a| sbox(true, a).rotate_left(3) ^ 0x5a),
        of(&|a| a ^ 0x11),
    ];
    for table in &good {
        let entry = terms.entry(table, index).expect("a table");
        let key = values.byte(&terms, index);
        assert_eq!(values.byte(&terms, entry), table[usize::from(key)]);
        for at in 0..256 {
            let mut changed = *table;
            changed[at] ^= 1 << random.below(8);
            assert_eq!(terms.entry(&changed, index), None, "{at}");
        }
    }
}

#[test]
fn the_specification_over_bytes_is_that_over_numbers() {
    let mut random = Random(29);
    for name in
        ["aes128-ecb", "aes192-ecb", "aes256-ecb", "aes128-ecb-dec", "aes192-ecb-dec", "aes256-ecb-dec"]
    {
        let contract = Contract::named(name).expect("a contract");
        let key = random.bytes(4 * (usize::from(contract.rounds) - 6));
        let text = u128::from(random.next()) << 64 | u128::from(random.next());
        let (schedule, inverse) = (key_schedule(&key), inverse_key_schedule(&key));
        let own = if contract.is_inverse { &inverse } else { &schedule };
        let expected = model::cipher(own, text, contract.is_inverse).to_le_bytes();
        let flat = |keys: &[u128]| keys.iter().flat_map(|key| key.to_le_bytes()).collect::<Vec<u8>>();
        let mut forms = vec![(Keys::Round, flat(own))];
        if contract.is_inverse {
            forms.push((Keys::Forward, flat(&schedule)));
        }
        forms.push((Keys::Cipher, key.clone()));
        for (form, memory) in forms {
            assert_eq!(form.bytes(&contract), memory.len());
            // The key and the text are constants: all is computed.
            let mut terms = Terms::new(2);
            let memory: Vec<ByteId> = memory.iter().map(|&byte| terms.constant(byte)).collect();
            let mut keys = round_keys(&mut terms, form, contract.rounds, &memory);
            if contract.is_inverse && form == Keys::Cipher {
                keys = inverted(&mut terms, &keys);
            }
            let block: Block = text.to_le_bytes().map(|byte| terms.constant(byte));
            let is_forward = form == Keys::Forward;
            let out = cipher(&mut terms, contract.is_inverse, is_forward, &keys, &block);
            assert_eq!(
                out.map(|byte| terms.as_constant(byte).expect("a number")),
                expected,
                "{name} {form:?}"
            );
        }
    }
}

#[test]
fn functions_of_a_byte_have_one_term_and_its_values() {
    for is_inverse in [false, true] {
        let mut random = Random(31);
        let (mut terms, values) = (Terms::new(4), Values::new(&mut random, 1 << 32));
        terms.with_functions(is_inverse);
        // The S-box of two bytes, whose bits are at one place of words.
        let key: [ByteId; 4] = std::array::from_fn(|k| terms.atom(Atom::Key(k as u8)));
        let five = terms.constant(5);
        let first = terms.xor(key[0], key[1]);
        let second = terms.times(key[2], 3);
        let second = terms.xor(second, five);
        let boxes = [first, second].map(|byte| (byte, terms.sbox(is_inverse, byte)));
        let mut same = 0;
        for (byte, of_box) in boxes {
            let bit = |terms: &mut Terms, byte: ByteId, at: usize| {
                terms.mapped(byte, std::array::from_fn(|k| if k == at { 4 } else { 0 }))
            };
            let mut all: Vec<ByteId> = (0..8).map(|at| bit(&mut terms, byte, at)).collect();
            let mut tables: Vec<[bool; 256]> =
                (0..8).map(|at| std::array::from_fn(|v| v >> at & 1 == 1)).collect();
            for _ in 0..300 {
                let [a, b] = [0; 2].map(|_| random.below(all.len() as u64) as usize);
                let is_and = random.below(2) == 0;
                let new = if is_and { terms.and(all[a], all[b]) } else { terms.xor(all[a], all[b]) };
                let table: [bool; 256] = std::array::from_fn(|v| {
                    let (a, b) = (tables[a][v], tables[b][v]);
                    if is_and { a & b } else { a ^ b }
                });
                let known = values.byte(&terms, byte);
                assert!(!is_open(&terms, new));
                assert_eq!(values.byte(&terms, new), u8::from(table[usize::from(known)]) << 2);
                // Equal functions are equal terms, and others are not.
                for (other, own) in all.iter().zip(&tables) {
                    assert_eq!(*other == new, *own == table);
                    same += usize::from(*other == new);
                }
                all.push(new);
                tables.push(table);
            }
            // A bit of the S-box as a sum of products of bits is that of the S-box itself.
            for at in 0..8 {
                let boxed = bit(&mut terms, of_box, at);
                let mut sum = terms.constant(0);
                let values: Vec<bool> = (0..256).map(|v| sbox(is_inverse, v as u8) >> at & 1 == 1).collect();
                for monomial in 0..256 {
                    let below = (0..256).filter(|v| v & monomial == *v);
                    if below.filter(|&v| values[v]).count() % 2 == 0 {
                        continue;
                    }
                    let mut product = terms.constant(4);
                    for k in (0..8).filter(|k| monomial >> k & 1 == 1) {
                        let factor = bit(&mut terms, byte, k);
                        product = terms.and(product, factor);
                    }
                    sum = terms.xor(sum, product);
                }
                assert_eq!(sum, boxed, "{at}");
            }
        }
        assert!(same > 100, "{same}");
        // Bits of two bytes have no product.
        let bits = [first, second].map(|byte| terms.mapped(byte, [1, 0, 0, 0, 0, 0, 0, 0]));
        let product = terms.and(bits[0], bits[1]);
        assert!(is_open(&terms, product));
    }
}
