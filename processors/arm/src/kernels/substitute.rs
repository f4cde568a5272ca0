//! A block with an S-box table and MixColumns in plain code, as in small programs: the baseline for custom
//! instructions (Bertoni et al., ASAP 2006, section 5).

use crate::dimensions;
use aesmith_cipher::problem::Direction;
use aesmith_isa::assemble::Section;

use super::mix::Mix;
use super::plan::{EVEN, KEY, LR, ODD, OUT, PC, SAVED, SP, TABLE, TEMPORARY, Tables, section};
use super::rounds::{Last, column, extract, load_byte, next_key};
use super::writer::Code;
use aesmith_arrange::Variant;

/// Registers of MixColumns; the output pointer is on the stack.
pub const MIX: Mix = Mix { high: LR, low: OUT, changed: TEMPORARY };

/// The place of the S-box.
const BOX: Last = Last::Substitution(TABLE);

/// SubBytes and ShiftRows, or their inverses, from the even registers to the odd ones.
pub fn substituted(code: &mut Code, direction: Direction) {
    for (to, from) in ODD.into_iter().zip(EVEN) {
        extract(code, to, from, 0);
    }
    ODD.into_iter().for_each(|to| load_byte(code, to, to, 0, BOX));
    for (word, source) in EVEN.into_iter().enumerate() {
        let places = [TEMPORARY[0], TEMPORARY[1], source];
        for row in [1, 2] {
            extract(code, places[row - 1], source, row);
        }
        // The highest byte is an index after a shift, without a mask.
        load_byte(code, source, source, 3, BOX);
        for row in [1, 2] {
            load_byte(code, places[row - 1], places[row - 1], row, BOX);
        }
        for row in [3, 1, 2] {
            let to = ODD[column(direction, word, row)];
            code.op_sh("eor", to, to, places[row - 1], "lsl", 8 * row as i32);
        }
    }
}

/// A round from the even registers to themselves.
fn round(code: &mut Code, direction: Direction, mixes: bool) {
    substituted(code, direction);
    if mixes {
        ODD.into_iter().for_each(|w| MIX.column(code, direction, w, w));
    }
    next_key(code, EVEN);
    for (s, k) in ODD.into_iter().zip(EVEN) {
        code.op("eor", k, s, k);
    }
}

/// `void name(const void *key, const uint8_t in[16], uint8_t out[16])`
pub fn function(variant: &Variant, symbol: &str, direction: Direction) -> Section {
    let rounds = variant.problem.key.rounds();
    let loops = variant.is(dimensions::Rounds::Looped);
    let end = TEMPORARY[1];
    // On the stack: the address of the output, and in a loop the address of the last round key.
    let aside: Vec<i32> = [OUT].into_iter().chain(loops.then_some(end)).collect();
    let mut before = Code::default();
    if loops {
        before.op_i("add", end, KEY, 16 * rounds as u32);
    }
    let saved: Vec<i32> = aside.iter().copied().chain(SAVED).chain([LR]).collect();
    before.several("stmdb_pre", SP, &saved);
    let mut code = Code::default();
    code.several("ldmia", TEMPORARY[0], &EVEN);
    next_key(&mut code, ODD);
    for (s, k) in EVEN.into_iter().zip(ODD) {
        code.op("eor", s, s, k);
    }
    MIX.numbers(&mut code);
    if loops {
        let start = format!(".L{symbol}_rounds");
        code.label(&start);
        round(&mut code, direction, true);
        code.memory("ldr", end, SP, 4);
        code.put("cmp", &[("rn", KEY), ("rm", end)]);
        // Not equal.
        code.branch_if(1, &start);
    } else {
        (1..rounds).for_each(|_| round(&mut code, direction, true));
    }
    round(&mut code, direction, false);
    code.memory("ldr", OUT, SP, 0);
    code.several("stmia", OUT, &EVEN);
    code.op_i("add", SP, SP, 4 * aside.len() as u32);
    let back: Vec<i32> = SAVED.into_iter().chain([PC]).collect();
    code.several("ldmia_pre", SP, &back);
    let tables = Tables { mixed: None, substitution: Some(direction), schedule: false };
    section(symbol, tables, before, code)
}
