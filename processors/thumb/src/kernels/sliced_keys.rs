//! Round keys in the form that [`super::sliced`] reads
//! ([`aesmith_cipher::firmware::Packing::FixslicedUnshifted`]): each as two equal blocks in bit slices, with as
//! many inverse ShiftRows as there were rounds before it, and with 0x63 added to all but the first. Keys of
//! decryption, for `super::sliced_inverse`, are sliced only.

use aesmith_cipher::problem::Direction;
use aesmith_isa::assemble::Item;

use super::sliced::{allocated_line, place, reversed, shifted_twice, transposed};
use super::writer::{Line, TEXT, branch};

/// The registers with the addresses of the slices and of the round keys.
const TO: u8 = 0;
const FROM: u8 = 1;

/// The stack offset of the loop count; everything else fits in registers.
const COUNT: i32 = 0;

/// Moves rows 1 and 3 up by one column: rotates their bytes by two bits.
pub(crate) fn odd_rows(line: &mut Line, x: i32) -> i32 {
    let kept = line.op_number("and", x, 0x00ff_00ff);
    let up = line.op_number("and", x, 0x3f00_3f00);
    let round = line.op_number("and", x, 0xc000_c000);
    let x = line.op_by("orr", kept, up, "lsl", 2);
    line.op_by("orr", x, round, "lsr", 6)
}

/// Moves two rows by two columns: exchanges the halves of their bytes.
pub fn two_rows(line: &mut Line, x: i32, mask: i32) -> i32 {
    let t = line.op_by("eor", x, x, "lsr", 4);
    let t = line.op("and", t, mask);
    let x = line.op("eor", x, t);
    line.op_by("eor", x, t, "lsl", 4)
}

/// A mask that is not encodable as an immediate.
pub fn mask(line: &mut Line, mask: u32) -> i32 {
    let m = line.made("movw", &[("imm", (mask & 0xffff) as i32)]);
    line.put("movt", &[("rd", m), ("imm", (mask >> 16) as i32)]);
    m
}

/// The slices of the next round key, after `behind` rounds modulo four.
fn one(behind: i32, constant: bool) -> Result<Vec<Item>, String> {
    let mut line = Line::new();
    let (to, from) = (line.block.enter(TO), line.block.enter(FROM));
    let words: [i32; 4] = std::array::from_fn(|_| {
        let rt = line.block.fresh();
        let insn = line.isa.insn("ldr.post_up", &[("rt", rt), ("rn", from), ("imm", 4)]);
        line.block.push_in(insn, TEXT);
        rt
    });
    let words = std::array::from_fn(|j| words[place(j) as usize % 16 / 4]);
    let mut words = reversed(transposed(&mut line, words));
    if behind % 2 == 1 {
        // Row r moves up by r or 3 r columns; this moves rows 2 and 3, or 1 and 2, by two columns.
        let m = mask(&mut line, if behind == 1 { 0x0f0f_0000 } else { 0x000f_0f00 });
        words = words.map(|x| {
            let x = odd_rows(&mut line, x);
            two_rows(&mut line, x, m)
        });
    } else if behind == 2 {
        words = words.map(|x| shifted_twice(&mut line, x));
    }
    for (w, x) in words.into_iter().enumerate() {
        let complemented = constant && matches!(w, 1 | 2 | 6 | 7);
        let x = if complemented { line.made("mvn.reg", &[("rm", x)]) } else { x };
        let insn = line.isa.insn("str.post_up", &[("rt", x), ("rn", to), ("imm", 4)]);
        line.block.push_in(insn, TEXT);
    }
    line.block.leave(to, Some(TO));
    line.block.leave(from, Some(FROM));
    allocated_line(&line, 0)
}

/// The code for the slices of all round keys, and the bytes of stack that it uses.
pub fn slices(rounds: i32, direction: Direction, symbol: &str) -> Result<(Vec<Item>, i32), String> {
    let isa = Line::new().isa;
    let again = format!(".L{symbol}_slices");
    // For decryption all keys are treated alike.
    let inverse = direction == Direction::Decrypt;
    let mut items = if inverse { Vec::new() } else { one(0, false)? };
    let turns = if inverse { rounds + 1 } else { rounds / 4 };
    let put = |items: &mut Vec<Item>, name: &str, fields: &[(&str, i32)]| {
        items.push(Item::Insn(isa.insn(name, fields)));
    };
    put(&mut items, "movs_imm", &[("rd", 2), ("imm", turns)]);
    put(&mut items, "str_sp", &[("rt", 2), ("imm", COUNT)]);
    items.push(Item::Label(again.clone()));
    for &behind in if inverse { &[0][..] } else { &[1, 2, 3, 0] } {
        items.extend(one(behind, !inverse)?);
    }
    put(&mut items, "ldr_sp", &[("rt", 2), ("imm", COUNT)]);
    put(&mut items, "subs_imm8", &[("rd", 2), ("imm", 1)]);
    put(&mut items, "str_sp", &[("rt", 2), ("imm", COUNT)]);
    items.push(branch(isa, "bne.w", &again));
    for behind in 1..=if inverse { 0 } else { rounds % 4 } {
        items.extend(one(behind, true)?);
    }
    Ok((items, COUNT + 8))
}
