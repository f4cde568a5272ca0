//! Counter mode that caches what 256 counters share (counter=cached): only the last counter byte changes, so only one
//! column of the first round and one byte of each column of the second round depend on it.
//!
//! ```text
//! stack, upwards:  address of round key 3 | 16 sums of round 2 | 4 of round 1 | key byte 15 | key | iv
//! ```
//!
//! Each sum includes the round key and everything except the changing byte; the sums are read downwards. The
//! arguments are those of [`super::message`].

use aesmith_cipher::block::MIX;

use super::block::{Block, Rounds};
use super::column::{Doubling, Form};
use super::function;
use super::writer::{self, Reg, Writer, XH, XL, YL, ZH, ZL};
use aesmith_arrange::Variant;

/// Bytes on the stack that are recomputed every 256 blocks.
const KEPT: u8 = 23;

/// The function of a variant.
pub fn counter(variant: &Variant, name: &str) -> Result<Writer, String> {
    let block = function::block(variant)?;
    if block.rounds != Rounds::Unrolled {
        return Err("counter=cached leaves no registers for a loop of rounds".into());
    }
    // The number of blocks stays in its argument register.
    let (blocks, input) = (16, 14);
    let (output, count): (Reg, Reg) = match block.columns.doubling {
        Doubling::Table => (12, 11),
        Doubling::Branch => (12, YL),
        Doubling::Mask => (YL, 13),
    };
    let mut code = Writer::default();
    for r in [23, 22, 25, 24] {
        code.one("push", r);
    }
    code.movw(input, 20);
    code.movw(output, 18);
    // One is added, as the blocks are counted before each block.
    code.constant("subi", blocks, 0xff);
    code.constant("sbci", blocks + 1, 0xff);
    let [fresh, next, wrap, last, end] = ["fresh", "block", "wrap", "last", "end"].map(|n| code.fresh(n));
    code.label(&fresh);
    keep(&mut code, &block, count);
    code.jump("rjmp", &next);
    // The target is out of the range of a branch.
    code.label(&last);
    code.jump("rjmp", &end);
    // Here the counter in memory is complete except for its last byte, and the sums are those of its block, even if
    // there is none: so this holds at each block.
    code.label(&next);
    code.constant("subi", blocks, 1);
    code.constant("sbci", blocks + 1, 0);
    code.jump("breq", &last);
    above(&mut code, KEPT + 1);
    first_rounds(&mut code, &block, count);
    let mut now = block.state;
    block.inner(&mut code, &mut now, usize::from(block.count) - 3)?;
    let out = block.last(&mut code, &now, |code, to| {
        code.one("ld_x_inc", ZL);
        code.eor(to, ZL);
    });
    code.movw(XL, input);
    code.movw(ZL, output);
    let through = block.through(&out);
    for r in out {
        code.one("ld_x_inc", through);
        code.eor(r, through);
        code.one("st_z_inc", r);
    }
    code.movw(input, XL);
    code.movw(output, ZL);
    block.sbox_page(&mut code);
    code.one("inc", count);
    code.jump("breq", &wrap);
    code.back(&next);
    code.label(&wrap);
    carry(&mut code);
    drop(&mut code, KEPT);
    code.back(&fresh);
    code.label(&end);
    above(&mut code, KEPT + 3);
    code.one("ld_x_inc", ZL);
    code.one("ld_x", ZH);
    code.displaced("std_z", count, 15);
    drop(&mut code, KEPT + 4);
    let after = code.items.len();
    Ok(writer::function(name, code, after))
}

/// Sets X to this many bytes above the stack pointer.
fn above(code: &mut Writer, bytes: u8) {
    code.one("in_spl", XL);
    code.one("in_sph", XH);
    code.word("adiw", XL, bytes);
}

/// Removes bytes from the stack; the state registers are free.
fn drop(code: &mut Writer, bytes: u8) {
    let again = code.fresh("drop");
    code.constant("ldi", 18, bytes);
    code.label(&again);
    code.one("pop", 0);
    code.one("dec", 18);
    code.jump("brne", &again);
}

/// Pushes the sums that 256 counters share.
fn keep(code: &mut Writer, block: &Block, count: Reg) {
    let [low, high] = [block.columns.free[0], block.columns.free[1]];
    above(code, 1);
    code.one("ld_x_inc", low);
    code.one("ld_x_inc", high);
    code.one("ld_x_inc", ZL);
    code.one("ld_x", ZH);
    code.mov(XL, low);
    code.mov(XH, high);
    for r in &block.state[..15] {
        code.one("ld_z_inc", *r);
    }
    code.displaced("ldd_z", count, 0);
    block.pages(code);
    for (i, &r) in block.state.iter().enumerate() {
        code.one("ld_x_inc", ZL);
        if i == 15 {
            code.one("push", ZL);
            code.eor(r, r);
        } else {
            code.eor(ZL, r);
            block.columns.sbox(code, r);
        }
    }
    let mut now = block.state;
    for round in 1..3 {
        let before = now;
        for c in 0..4 {
            let rows = block.columns.mix(code, block.shifted(&before, c), Form::InPlace);
            for r in 0..4 {
                if round == 1 && c > 0 {
                    block.columns.next(code, &rows.terms[r], rows.homes[r]);
                } else {
                    code.one("ld_x_inc", ZL);
                    for &term in &rows.terms[r] {
                        code.eor(ZL, term);
                    }
                    code.one("push", ZL);
                    // Without the changing column.
                    if round == 1 {
                        code.eor(rows.homes[r], rows.homes[r]);
                    }
                }
                now[4 * c + r] = rows.homes[r];
            }
        }
    }
    code.one("push", XH);
    code.one("push", XL);
}

/// The first two rounds from the sums below X; leaves X at the third round key.
fn first_rounds(code: &mut Writer, block: &Block, count: Reg) {
    let [v0, a, b, c] = [0, 4, 8, 12].map(|i| block.state[i]);
    let aside = block.columns.free[2];
    code.one("ld_x_dec", ZL);
    code.eor(ZL, count);
    block.columns.sbox(code, v0);
    // Byte 15 is row 3 of the first column after ShiftRows. The rows of the result go to columns 0, 3, 2 and 1; each
    // is held where it is not overwritten before it is used.
    let waiting = [a, aside, c, b];
    changed(code, block, v0, 3, waiting);
    for column in 0..4 {
        let row = (4 - column) % 4;
        let to = [0, 1, 2, 3].map(|r| block.state[4 * column + r]);
        changed(code, block, waiting[row], row, to);
    }
    let high = block.columns.free[0];
    code.one("ld_x_dec", high);
    code.one("ld_x_dec", ZL);
    code.mov(XL, ZL);
    code.mov(XH, high);
}

/// A column in which only byte `v` of row `row` is added to the cached sums, and its S-box.
fn changed(code: &mut Writer, block: &Block, v: Reg, row: usize, to: [Reg; 4]) {
    let columns = &block.columns;
    let [twice, thrice] = [columns.free[0], columns.free[1]];
    let factors = [0, 1, 2, 3].map(|r| MIX[(row + 4 - r) % 4]);
    if columns.doubling == Doubling::Table {
        code.mov(YL, v);
        code.displaced("ldd_y", twice, 0);
    } else {
        code.mov(twice, v);
        columns.double(code, twice);
    }
    // If v is not used after 3 v, 3 v replaces it.
    let last = factors.iter().rposition(|&f| f == 1);
    let in_place = last < factors.iter().position(|&f| f == 3);
    if !in_place {
        code.mov(thrice, v);
        code.eor(thrice, twice);
    }
    for (r, factor) in factors.into_iter().enumerate() {
        code.one("ld_x_dec", ZL);
        if factor == 3 && in_place {
            code.eor(v, twice);
        }
        let term = match factor {
            2 => twice,
            3 if !in_place => thrice,
            _ => v,
        };
        code.eor(ZL, term);
        columns.sbox(code, to[r]);
    }
}

/// Increments the counter in memory, whose last byte becomes zero.
fn carry(code: &mut Writer) {
    let (byte, left) = (18, 19);
    let (next, done) = (code.fresh("carry"), code.fresh("carried"));
    // Past the sums and the address of the key.
    above(code, KEPT + 3);
    code.one("ld_x_inc", ZL);
    code.one("ld_x", ZH);
    code.eor(byte, byte);
    code.displaced("std_z", byte, 15);
    code.word("adiw", ZL, 15);
    code.constant("ldi", left, 15);
    code.label(&next);
    code.one("ld_z_dec", byte);
    code.one("inc", byte);
    code.displaced("std_z", byte, 0);
    code.jump("brne", &done);
    code.one("dec", left);
    code.jump("brne", &next);
    code.label(&done);
}
