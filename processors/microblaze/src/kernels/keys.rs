//! Key schedules (FIPS-197, 5.2), for encryption and for the equivalent inverse cipher, whose round keys are in
//! reverse order with InvMixColumns applied to all but the first and the last.

use crate::dimensions;
use aesmith_cipher::Direction;
use aesmith_isa::assemble::Item;
use aesmith_words::keys::is_sum;
use aesmith_words::slices;

use super::function::{Function, Part};
use super::gates;
use super::rounds::{scheduled, substituted};
use super::tables::Table;
use super::writer::{Shape, Writer, region};
use aesmith_arrange::Variant;

const SBOX: Table = Table::Bytes(Direction::Encrypt);

/// The function of a variant: `r5` is the address of the round keys, `r6` that of the cipher key.
pub fn schedule(variant: &Variant, shape: Shape, direction: Direction) -> Function {
    let circuit = variant.is(dimensions::Sbox::Circuit);
    let scratch = !circuit && (shape.extract_by_memory || shape.join_by_stores);
    let looped = variant.is(dimensions::Rounds::Looped);
    let (parts, tables, fixed) =
        if looped { with_loops(variant, shape, direction) } else { straight(variant, shape) };
    Function { parts, tables, fixed, scratch, behind: Vec::new() }
}

type BuiltKernel = (Vec<Part>, Vec<Table>, Vec<u8>);

/// The unrolled schedule of the equivalent inverse cipher; other unrolled schedules are written in shared word
/// operations.
fn straight(variant: &Variant, shape: Shape) -> BuiltKernel {
    let size = variant.problem.key;
    let mut w = Writer::new(shape);
    let [key, cipher_key] = [5, 6].map(|r| w.block.enter(r));
    let sbox = w.address(SBOX);
    let rounds = size.rounds();
    let mut words: Vec<i32> = Vec::new();
    let mut unmixed: Vec<Option<i32>> = Vec::new();
    for i in 0..4 * (rounds + 1) {
        let word = if i < size.bits() / 32 {
            w.load("lwi", cipher_key, 4 * i as i32, None)
        } else {
            scheduled(&mut w, &words, size, sbox)
        };
        words.push(word);
        let round = i / 4;
        let at = 4 * (rounds - round) + i % 4;
        let is_middle = round > 0 && round < rounds;
        let mut stored = word;
        if is_middle {
            // InvMixColumns is linear: its value for a sum is the sum of its values for the terms.
            let of = |i: Option<usize>| i.and_then(|i| unmixed[i]);
            stored = match (is_sum(size, i), of(i.checked_sub(size.bits() / 32)), of(i.checked_sub(1))) {
                (true, Some(a), Some(b)) => w.xor(a, b),
                _ => w.unmixed(word),
            };
        }
        unmixed.push(is_middle.then_some(stored));
        w.store("swi", stored, key, 4 * at as i32, region::KEY_WORDS + at as u16);
    }
    (vec![Part::Block(w.block)], vec![SBOX], Vec::new())
}

/// Registers for words of the schedule.
const WORDS: [u8; 8] = [19, 20, 21, 22, 23, 24, 25, 26];
/// The address of the next words; the S-box; the next constant; the number of iterations left.
const NEXT: i32 = 5;
const BOX: u8 = 7;
const CONSTANT: i32 = 8;
const LEFT: i32 = 9;
/// The ends of the schedule, for the reversal.
const FRONT: i32 = 5;
const BACK: i32 = 6;

fn with_loops(variant: &Variant, shape: Shape, direction: Direction) -> BuiltKernel {
    let size = variant.problem.key;
    let count = size.bits() / 32;
    let total = 4 * (size.rounds() + 1);
    let turns = (total - count) / count;
    let kept = &WORDS[..count];
    let circuit = variant.is(dimensions::Sbox::Circuit);
    let mut tables = vec![Table::Constants];
    let mut fixed: Vec<u8> = [5, 6, 8, 9].into_iter().chain(kept.iter().copied()).collect();
    if !circuit {
        tables.insert(0, SBOX);
        fixed.push(BOX);
    }
    let mut parts = Vec::new();
    let mut w = Writer::new(shape);
    // Keys that are sliced afterwards are stored in the upper half, where the slices never overtake the reads.
    let sliced = variant.is(dimensions::Keys::Sliced);
    let bytes = 4 * total as i32;
    if sliced {
        w.advance(NEXT, bytes);
    }
    for (i, &r) in kept.iter().enumerate() {
        let word = w.load("lwi", 6, 4 * i as i32, None);
        w.store("swi", word, NEXT, 4 * i as i32, region::KEY);
        w.block.leave(word, Some(r));
    }
    if !circuit {
        w.address_in(i32::from(BOX), SBOX);
    }
    w.address_in(CONSTANT, Table::Constants);
    w.offset_in(LEFT, 0, turns as i32);
    parts.push(Part::Block(w.block));
    parts.push(Part::Items(vec![Item::Label(".Lturn".into())]));
    let mut w = Writer::new(shape);
    turn(&mut w, kept, count, circuit);
    w.advance(CONSTANT, 1);
    w.advance(LEFT, -1);
    w.advance(NEXT, 4 * count as i32);
    parts.push(Part::Block(w.block));
    parts.push(Part::Branch { name: "bneid", register: LEFT, label: ".Lturn".into(), slot: None });
    let rest = total - count * (turns + 1);
    let mut w = Writer::new(shape);
    if rest > 0 {
        turn(&mut w, kept, rest, circuit);
    }
    if direction == Direction::Decrypt {
        // The pointer is where the last whole iteration began to write.
        let start = 4 * (count * turns) as i32;
        w.offset_in(BACK, NEXT, 4 * (total as i32 - 4) - start);
        w.advance(FRONT, -start);
        parts.push(Part::Block(w.block));
        reverse(&mut parts, shape, size.rounds());
    } else if rest > 0 {
        parts.push(Part::Block(w.block));
    }
    if sliced {
        let moved = match direction {
            Direction::Encrypt => 4 * (count * turns) as i32,
            Direction::Decrypt => 16 * (size.rounds() as i32 / 2),
        };
        slices(&mut parts, shape, (moved, bytes));
    }
    (parts, tables, fixed)
}

/// Converts round keys to slices: the keys begin `moved` bytes before [`NEXT`] and have `bytes` bytes, and the
/// slices begin as many bytes before them. Starts with the first key: none is overwritten before it is read.
fn slices(parts: &mut Vec<Part>, shape: Shape, (moved, bytes): (i32, i32)) {
    let (to, from) = (NEXT, BACK);
    let mut w = Writer::new(shape);
    w.offset_in(from, NEXT, -moved);
    w.advance(to, -moved - bytes);
    w.offset_in(LEFT, 0, bytes / 16);
    parts.push(Part::Block(w.block));
    parts.push(Part::Items(vec![Item::Label(".Lslices".into())]));
    let mut w = Writer::new(shape);
    let words: [i32; 4] = std::array::from_fn(|k| w.load("lwi", from, 4 * k as i32, Some(region::KEY)));
    for (k, word) in slices::sliced(&mut w, std::array::from_fn(|j| words[j / 2])).into_iter().enumerate() {
        w.store("swi", word, to, 4 * k as i32, region::KEY);
    }
    w.advance(from, 16);
    w.advance(to, 32);
    w.advance(LEFT, -1);
    parts.push(Part::Block(w.block));
    parts.push(Part::Branch { name: "bneid", register: LEFT, label: ".Lslices".into(), slot: None });
}

/// Computes the next `made` words from the last ones in registers, and stores them after those.
fn turn(w: &mut Writer, kept: &[u8], made: usize, circuit: bool) {
    let count = kept.len();
    let sub_word = |w: &mut Writer, word: i32, rotated: usize| match circuit {
        true => gates::sub_word(w, word, rotated == 1),
        false => substituted(w, word, i32::from(BOX), rotated),
    };
    let mut words: Vec<i32> = kept.iter().map(|&r| w.block.enter(r)).collect();
    for i in 0..made {
        let mut changed = words[count + i - 1];
        if i == 0 {
            changed = sub_word(w, changed, 1);
            let constant = w.load("lbui", CONSTANT, 0, None);
            changed = w.xor(changed, constant);
        } else if count == 8 && i == 4 {
            changed = sub_word(w, changed, 0);
        }
        let word = w.xor(words[i], changed);
        w.store("swi", word, NEXT, 4 * (count + i) as i32, region::KEY);
        words.push(word);
        w.block.leave(word, Some(kept[i]));
    }
    for (&v, &r) in words[made..count].iter().zip(&kept[made..]) {
        w.block.leave(v, Some(r));
    }
}

/// Exchanges round keys from both ends, the inner ones after InvMixColumns.
fn reverse(parts: &mut Vec<Part>, shape: Shape, rounds: usize) {
    let swap = |w: &mut Writer, mixed: bool| {
        for at in (0..16).step_by(4) {
            let load = |w: &mut Writer, base| {
                let word = w.load("lwi", base, at, Some(region::KEY));
                if mixed { w.unmixed(word) } else { word }
            };
            let (front, back) = (load(w, FRONT), load(w, BACK));
            w.store("swi", front, BACK, at, region::KEY);
            w.store("swi", back, FRONT, at, region::KEY);
        }
        w.advance(FRONT, 16);
        w.advance(BACK, -16);
    };
    let mut w = Writer::new(shape);
    swap(&mut w, false);
    w.offset_in(LEFT, 0, rounds as i32 / 2 - 1);
    parts.push(Part::Block(w.block));
    parts.push(Part::Items(vec![Item::Label(".Lpair".into())]));
    let mut w = Writer::new(shape);
    swap(&mut w, true);
    w.advance(LEFT, -1);
    parts.push(Part::Block(w.block));
    parts.push(Part::Branch { name: "bneid", register: LEFT, label: ".Lpair".into(), slot: None });
    // The number of rounds is even: one key is left in the middle.
    let mut w = Writer::new(shape);
    for at in (0..16).step_by(4) {
        let word = w.load("lwi", FRONT, at, Some(region::KEY));
        let word = w.unmixed(word);
        w.store("swi", word, FRONT, at, region::KEY);
    }
    parts.push(Part::Block(w.block));
}
