//! The key schedule (FIPS-197, 5.2), and a second pass over the round keys for the equivalent inverse cipher
//! (5.3.5): it reverses their order and applies InvMixColumns to all except the outer two.

use crate::dimensions;
use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_isa::assemble::Section;

use super::gates;
use super::mix::Mix;
use super::plan::{LR, PC, SAVED, SP, TABLE, Tables, section};
use super::sliced::slice_keys;
use super::writer::Code;
use aesmith_arrange::Variant;
use aesmith_order::inorder::Search;

/// Words of the key being expanded; eight at most.
const WORDS: [i32; 8] = SAVED;
/// The address at which round keys are written; in the second pass the lower of two that are exchanged.
const KEY: i32 = 0;
/// The address of the cipher key, then a temporary; in the second pass the upper of two round keys.
const FROM: i32 = 1;
/// Values between extraction and use.
const TEMPORARY: [i32; 3] = [1, 2, 3];

/// `a ^= SubWord(RotWord(b))`, or without the rotation; `base` points to the S-box, in byte 0 of entries of `1
/// << scale` bytes. Two or three of `places` are changed.
pub fn substitute(code: &mut Code, a: i32, b: i32, rotate: bool, base: i32, scale: i32, places: &[i32]) {
    let load = |code: &mut Code, to: i32, from: i32, row: i32| {
        let (name, by) = match 8 * row - scale {
            0 => ("ldrb_r", 0),
            by if by < 0 => ("ldrb_lsl", -by),
            by => ("ldrb_lsr", by),
        };
        let fields = [("rd", to), ("rn", base), ("rm", from), ("sh", by)];
        code.put(name, &fields[..if by == 0 { 3 } else { 4 }]);
    };
    let add = |code: &mut Code, from: i32, row: i32| {
        let to = if rotate { (row + 3) % 4 } else { row };
        code.op_sh("eor", a, a, from, "lsl", 8 * to);
    };
    let extract = |code: &mut Code, to: i32, row: i32| {
        // The highest byte can be an index without a mask, unless the load shifts it by less.
        if scale > 0 || row < 3 {
            code.op_i("and", to, b, 0xff << (8 * row));
        }
    };
    let index = |place: i32, row: i32| if scale == 0 && row == 3 { b } else { place };
    if let &[x, y] = places {
        for rows in [[0, 1], [2, 3]] {
            let pairs = [(x, rows[0]), (y, rows[1])];
            pairs.iter().for_each(|&(place, row)| extract(code, place, row));
            pairs.iter().for_each(|&(place, row)| load(code, place, index(place, row), row));
            pairs.iter().for_each(|&(place, row)| add(code, place, row));
        }
        return;
    }
    for (row, &place) in (0..).zip(places) {
        extract(code, place, row);
    }
    for (row, &place) in (0..).zip(places) {
        load(code, place, place, row);
    }
    add(code, places[0], 0);
    extract(code, places[0], 3);
    load(code, places[0], index(places[0], 3), 3);
    add(code, places[1], 1);
    add(code, places[2], 2);
    add(code, places[0], 3);
}

/// The next words of the schedule: all of `words` or, at the end, the first four.
fn step(code: &mut Code, words: &[i32], until: usize, constant: impl FnOnce(&mut Code)) {
    let last = words[words.len() - 1];
    substitute(code, words[0], last, true, TABLE, 0, &TEMPORARY);
    constant(code);
    for k in 1..until {
        if words.len() == 8 && k == 4 {
            substitute(code, words[4], words[3], false, TABLE, 0, &TEMPORARY);
        } else {
            code.op("eor", words[k], words[k], words[k - 1]);
        }
    }
}

/// Round constants (FIPS-197, 5.2).
pub const CONSTANTS: [u32; 10] = [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

/// All steps; `made` gets the words of each. The S-box is at the address of the tables.
pub fn schedule(code: &mut Code, size: KeySize, words: &[i32], made: impl Fn(&mut Code, &[i32])) {
    let all = 4 * (size.rounds() + 1);
    for (k, constant) in CONSTANTS.iter().enumerate() {
        let from = (k + 1) * words.len();
        if from >= all {
            break;
        }
        let until = words.len().min(all - from);
        step(code, words, until, |code| code.op_i("eor", words[0], words[0], *constant));
        made(code, &words[..until]);
    }
}

fn looped(code: &mut Code, size: KeySize, words: &[i32], symbol: &str) {
    let all = 4 * (size.rounds() + 1);
    let steps = all.div_ceil(words.len()) - 1;
    let whole = all.is_multiple_of(words.len());
    let (start, end) = (format!(".L{symbol}_step"), format!(".L{symbol}_end"));
    code.number(LR, 1);
    code.label(&start);
    step(code, words, 4, |code| {
        code.op("eor", words[0], words[0], LR);
        // Doubles the constant in GF(2^8): 0x100 becomes 0x1b; the tenth is the only one after it.
        code.put("mov_lsl", &[("rd", LR), ("rm", LR), ("sh", 1)]);
        code.put("tst_i", &[("rn", LR), ("con", 0x100)]);
        code.put("mov_i", &[("cond", 1), ("rd", LR), ("con", 0x1b)]);
    });
    code.several("stmia_pre", KEY, &words[..4]);
    // The constant after the last step.
    let after = CONSTANTS.get(steps).copied().unwrap_or(0x6c);
    code.put("cmp_i", &[("rn", LR), ("con", after as i32)]);
    if whole {
        code.branch_if(1, &start);
        return;
    }
    code.branch_if(0, &end);
    for k in 4..words.len() {
        if words.len() == 8 && k == 4 {
            substitute(code, words[4], words[3], false, TABLE, 0, &TEMPORARY);
        } else {
            code.op("eor", words[k], words[k], words[k - 1]);
        }
    }
    code.several("stmia_pre", KEY, &words[4..]);
    code.branch(&start);
    code.label(&end);
}

/// Registers of InvMixColumns.
const MIX: Mix = Mix { high: TABLE, low: LR, changed: [2, 3] };

/// The second pass; the register of the key holds its end.
fn invert(code: &mut Code, size: KeySize, symbol: &str) {
    let (lower, upper) = (&SAVED[..4], &SAVED[4..]);
    let start = format!(".L{symbol}_invert");
    MIX.numbers(code);
    let exchange = |code: &mut Code| {
        code.several("stmia_pre", KEY, upper);
        code.several("stmia", FROM, lower);
        code.op_i("sub", FROM, FROM, 16);
    };
    code.op_i("sub", FROM, KEY, 16);
    code.op_i("sub", KEY, KEY, 16 * (size.rounds() as u32 + 1));
    code.several("ldmia", KEY, lower);
    code.several("ldmia", FROM, upper);
    exchange(code);
    code.label(&start);
    code.several("ldmia", KEY, lower);
    code.several("ldmia", FROM, upper);
    SAVED.iter().for_each(|&w| MIX.column(code, Direction::Decrypt, w, w));
    exchange(code);
    // The number of round keys is odd, so one stays in place.
    code.put("cmp", &[("rn", KEY), ("rm", FROM)]);
    code.branch_if(1, &start);
    code.several("ldmia", KEY, lower);
    lower.iter().for_each(|&w| MIX.column(code, Direction::Decrypt, w, w));
    code.several("stmia", KEY, lower);
}

/// `void name(void *key, const uint8_t *cipher_key)`
pub fn function(variant: &Variant, symbol: &str, direction: Direction) -> Result<Section, String> {
    let size = variant.problem.key;
    let words = &WORDS[..size.bytes() / 4];
    let loops = variant.is(dimensions::Rounds::Looped);
    let inverts = direction == Direction::Decrypt;
    let circuit = variant.is(dimensions::Sbox::Circuit);
    let substitution = if circuit { None } else { Some(Direction::Encrypt) };
    let tables = Tables { mixed: None, substitution, schedule: false };
    let slices = variant.is(dimensions::Technique::Bitsliced);
    let kept = if inverts || slices || circuit { &SAVED } else { words };
    let calls = loops || inverts || slices;
    let mut before = Code::default();
    let saved: Vec<i32> = kept.iter().copied().chain(calls.then_some(LR)).collect();
    before.several("stmdb_pre", SP, &saved);
    let mut code = Code::default();
    code.several("ldmia", FROM, words);
    let bytes = 16 * (size.rounds() as u32 + 1);
    if slices {
        code.op_i("add", KEY, KEY, bytes);
    }
    if circuit {
        code.several("stmia", KEY, words);
        code.op_i("sub", SP, SP, gates::FRAME);
        let search = Search { seed: variant.seed, moves: if variant.seed > 0 { 20_000 } else { 0 } };
        gates::words(&mut code, size, symbol, search)?;
        code.op_i("add", SP, SP, gates::FRAME);
    } else {
        code.several("stmia_pre", KEY, words);
        if loops {
            looped(&mut code, size, words, symbol);
        } else {
            schedule(&mut code, size, words, |code, made| code.several("stmia_pre", KEY, made));
        }
    }
    if inverts {
        invert(&mut code, size, symbol);
    }
    if slices {
        // The second pass ends in the middle of the round keys.
        let behind = if inverts { 8 * size.rounds() as u32 } else { bytes };
        code.op_i("sub", KEY, KEY, behind + bytes);
        slice_keys(&mut code, size.rounds(), symbol);
    }
    let back: Vec<i32> = kept.iter().copied().chain(calls.then_some(PC)).collect();
    code.several("ldmia_pre", SP, &back);
    if !calls {
        code.mov(PC, LR);
    }
    Ok(section(symbol, tables, before, code))
}
