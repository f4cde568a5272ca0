//! A function on one block.

use crate::dimensions;
use aesmith_cipher::problem::Direction;
use aesmith_isa::assemble::Section;

use super::plan::{EVEN, LR, OUT, PC, SAVED, SP, TABLE, TEMPORARY, Tables, section};
use super::rounds::{Frame, Shape, Tail, all};
use super::writer::Code;
use aesmith_arrange::Variant;

/// The loop structure that a variant selects; `count` is a register for counting.
pub fn shape(variant: &Variant, count: i32) -> Shape {
    match (variant.is(dimensions::Rounds::Looped), variant.is(dimensions::Body::One)) {
        (true, true) => Shape::One(count),
        (true, false) => Shape::Two(count),
        (false, _) => Shape::Unrolled,
    }
}

/// The tables that a variant needs, and their use in the last round.
pub fn tables(variant: &Variant, direction: Direction, base: i32) -> (Tables, Tail) {
    let alone = variant.is(dimensions::Last::Table);
    let tables =
        Tables { mixed: Some(direction), substitution: (!alone).then_some(direction), schedule: false };
    let tail = match alone {
        true => Tail::Table,
        false if tables.below() => Tail::Below,
        false => Tail::Substitution { offset: tables.offset(), base },
    };
    (tables, tail)
}

/// `void name(const void *key, const uint8_t in[16], uint8_t out[16])`
pub fn function(variant: &Variant, symbol: &str, direction: Direction) -> Section {
    let shape = shape(variant, LR);
    let loops = shape != Shape::Unrolled;
    let (tables, tail) = tables(variant, direction, TABLE);
    let mut before = Code::default();
    let saved: Vec<i32> = SAVED.into_iter().chain(loops.then_some(LR)).collect();
    before.several("stmdb_pre", SP, &saved);
    let mut code = Code::default();
    code.several("ldmia", TEMPORARY[0], &EVEN);
    let frame = Frame { name: symbol, direction, shape, tail };
    let result = all(&mut code, frame, variant.problem.key.rounds());
    code.several("stmia", OUT, &result);
    if loops {
        let back: Vec<i32> = SAVED.into_iter().chain([PC]).collect();
        code.several("ldmia_pre", SP, &back);
    } else {
        code.several("ldmia_pre", SP, &SAVED);
        code.mov(PC, LR);
    }
    section(symbol, tables, before, code)
}
