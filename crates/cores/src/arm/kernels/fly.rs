//! AES-128 of one block from the cipher key itself: each round's key is made from the one before,
//! which stands on the stack meanwhile; the S-box is byte 0 of the T-table's entries.

use aesmith_cipher::problem::Direction;
use aesmith_isa::assemble::Section;

use super::expand::substitute;
use super::plan::{EVEN, KEY, LR, ODD, OUT, PC, SAVED, SP, TABLE, TEMPORARY, Tables, section};
use super::rounds::{Last, last, mixed};
use super::writer::Code;
use crate::variant::Variant;

const CONSTANTS: [u32; 10] = [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

/// The next round key from that on the stack.
fn advance(code: &mut Code, to: [i32; 4], constant: impl FnOnce(&mut Code)) {
    code.several("ldmia", SP, &to);
    substitute(code, to[0], to[3], true, TABLE, 2, [TEMPORARY[0], TEMPORARY[1], LR]);
    constant(code);
    for k in 1..4 {
        code.op("eor", to[k], to[k], to[k - 1]);
    }
    code.several("stmia", SP, &to);
}

/// `void name(const uint8_t key[16], const uint8_t in[16], uint8_t out[16])`
pub fn function(variant: &Variant, symbol: &str) -> Section {
    let tables = Tables { mixed: Some(Direction::Encrypt), substitution: None };
    let mut before = Code::default();
    let saved: Vec<i32> = SAVED.into_iter().chain([LR]).collect();
    before.several("stmdb_pre", SP, &saved);
    let mut code = Code::default();
    code.several("ldmia", TEMPORARY[0], &EVEN);
    code.several("ldmia", KEY, &ODD);
    code.several("stmdb_pre", SP, &ODD);
    for (s, k) in EVEN.iter().zip(ODD) {
        code.op("eor", *s, *s, k);
    }
    let (from, to) = if variant.is("rounds", "unrolled") {
        let mut sides = (EVEN, ODD);
        for constant in &CONSTANTS[..9] {
            advance(&mut code, sides.1, |c| c.op_i("eor", sides.1[0], sides.1[0], *constant));
            mixed(&mut code, Direction::Encrypt, sides.0, sides.1);
            sides = (sides.1, sides.0);
        }
        advance(&mut code, sides.1, |c| c.op_i("eor", sides.1[0], sides.1[0], CONSTANTS[9]));
        sides
    } else {
        // The register of the key holds the constant, which also tells the last round.
        let (start, end) = (format!(".L{symbol}_rounds"), format!(".L{symbol}_last"));
        code.number(KEY, 1);
        code.label(&start);
        advance(&mut code, ODD, |c| c.op("eor", ODD[0], ODD[0], KEY));
        code.put("cmp_i", &[("rn", KEY), ("con", 0x36)]);
        code.branch_if(0, &end);
        // The constant is doubled in GF(2^8).
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
    code.op_i("add", SP, SP, 16);
    let back: Vec<i32> = SAVED.into_iter().chain([PC]).collect();
    code.several("ldmia_pre", SP, &back);
    section(symbol, tables, before, code)
}
