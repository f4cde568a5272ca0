//! A block with T-table look-ups from the cipher key itself: round keys are expanded during the rounds; the
//! S-box is byte 0 of the table's entries.

use crate::dimensions;
use aesmith_cipher::problem::Direction;
use aesmith_isa::assemble::Section;

use super::plan::{EVEN, KEY, LR, ODD, OUT, PC, SAVED, SP, TABLE, TEMPORARY, Tables, section};
use super::ring::Ring;
use super::rounds::{Last, last, mixed};
use super::writer::Code;
use aesmith_arrange::Variant;

/// `void name(const void *cipher_key, const uint8_t in[16], uint8_t out[16])`
pub fn function(variant: &Variant, symbol: &str) -> Section {
    let size = variant.problem.key;
    let rounds = size.rounds();
    let ring =
        Ring { size, base: TABLE, offset: 0, scale: 2, places: &[TEMPORARY[0], TEMPORARY[1], LR], last: KEY };
    let tables = Tables { mixed: Some(Direction::Encrypt), substitution: None, schedule: false };
    let mut before = Code::default();
    let saved: Vec<i32> = SAVED.into_iter().chain([LR]).collect();
    before.several("stmdb_pre", SP, &saved);
    let mut code = Code::default();
    ring.load_cipher_key(&mut code);
    ring.whiten(&mut code, &[]);
    let (from, to) = if variant.is(dimensions::Rounds::Unrolled) {
        let mut sides = (EVEN, ODD);
        for round in 1..rounds {
            ring.forwards(&mut code, round, sides.1);
            mixed(&mut code, Direction::Encrypt, sides.0, sides.1);
            sides = (sides.1, sides.0);
        }
        ring.forwards(&mut code, rounds, sides.1);
        sides
    } else {
        // The register of the key holds the round constant, which also identifies the last round.
        let (start, end) = (format!(".L{symbol}_rounds"), format!(".L{symbol}_last"));
        code.number(KEY, 1);
        code.label(&start);
        ring.forwards_with(&mut code, 1, ODD, |c, k| c.op("eor", k, k, KEY));
        code.put("cmp_i", &[("rn", KEY), ("con", 0x36)]);
        code.branch_if(0, &end);
        // Doubles the constant in GF(2^8).
        code.put("mov_lsl", &[("rd", KEY), ("rm", KEY), ("sh", 1)]);
        code.put("tst_i", &[("rn", KEY), ("con", 0x100)]);
        code.put("mov_i", &[("cond", 1), ("rd", KEY), ("con", 0x1b)]);
        mixed(&mut code, Direction::Encrypt, EVEN, ODD);
        for (to, from) in EVEN.iter().zip(ODD) {
            code.mov(*to, from);
        }
        code.branch(&start);
        code.label(&end);
        (EVEN, ODD)
    };
    last(&mut code, Direction::Encrypt, from, to, Last::Table);
    code.several("stmia", OUT, &to);
    code.op_i("add", SP, SP, size.bytes() as u32);
    let back: Vec<i32> = SAVED.into_iter().chain([PC]).collect();
    code.several("ldmia_pre", SP, &back);
    section(symbol, tables, before, code)
}
