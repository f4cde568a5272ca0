//! Kernels of XTS for whole blocks of a data unit, from the tweak of the first of them.
//!
//! ```text
//! entry    the tweaks of the first register, round keys into registers
//! loop     groups of registers, each with a register of tweaks, which go on by a group
//! tail     registers one at a time
//! last     less than a register, block by block
//! leave    the tweak of the next block, for the next call
//! ```
//!
//! A tweak k blocks further on is a product with x^k, modulo x^128 + x^7 + x^2 + x + 1: a shift by k bits, and the k bits that
//! leave it times x^7 + x^2 + x + 1 (IEEE 1619, 5.2). If k is a multiple of 8, bytes shift.

use crate::dimensions::Dim;
use crate::features;
use crate::kernels::asm::If;
use crate::kernels::fixed::{
    Fixed, INPUT, IV, KEY, LEN, OUTPUT, Vectors, alone, from, in_register, on, xor_both,
};
use crate::kernels::target::encoding;
use crate::kernels::vector::{Operation, Src, Vector, bytes};
use crate::kernels::{Parts, Unfit, fixed};
use aesmith_arrange::Variant;
use aesmith_cipher::Direction;
use aesmith_dataflow::Round;
use aesmith_dataflow::program::Element;
use aesmith_order::Reg;
use aesmith_processor::measured::{Lengths, Target};

/// Temporaries.
const FIRST: u8 = 0;
const SECOND: u8 = 1;
/// A round key that is loaded where it is needed, or a tweak on its way into a lane.
const KEY_NOW: u8 = 2;
/// The registers of tweaks, the next ones first, and behind them those of blocks.
const TWEAKS: u8 = 3;

/// The most blocks by which a shift of halves goes on.
const MOST_BLOCKS: usize = 63;

struct Writer {
    to: Fixed,
    rounds: u8,
    direction: Direction,
    registers: usize,
}

/// Writes the kernel of a variant of XTS.
pub(super) fn write(variant: &Variant, target: &Target, lengths: Lengths) -> Result<Parts, Unfit> {
    let lanes = variant.lanes();
    let encoding = encoding(target, lanes);
    let needed = if lanes == 1 { features::PCLMULQDQ } else { features::VPCLMULQDQ };
    if !target.has(needed) {
        return Err(Unfit::Unsupported(
            "XTS needs PCLMULQDQ, and on ymm and zmm registers VPCLMULQDQ".to_owned(),
        ));
    }
    let registers = usize::from(variant.get(Dim::Interleave)).max(1);
    let available = fixed::available(encoding);
    let first_free = usize::from(TWEAKS) + 2 * registers;
    if first_free > available.into() {
        return Err(Unfit::Registers { needed: first_free, available: available.into() });
    }
    if registers * lanes > MOST_BLOCKS {
        return Err(Unfit::Shape(format!(
            "tweaks go on by at most {MOST_BLOCKS} blocks at once, and a group has {}",
            registers * lanes
        )));
    }
    let rounds = variant.problem.key.rounds() as u8;
    let direction = variant.problem.mode().direction;
    let mut to = Fixed::function(lanes, encoding);
    to.keep_keys(0..=rounds, first_free as u8..available);
    let mut w = Writer { to, rounds, direction, registers };
    let looped = lengths.reach(bytes(lanes) as u64 * registers as u64);
    w.entry();
    if registers > 1 && looped {
        w.turns(registers, true);
    }
    if lengths.reach(bytes(lanes) as u64) {
        w.turns(1, registers == 1);
    }
    if lanes > 1 {
        w.to.asm.name("last");
        w.narrow_turns();
    }
    w.to.asm.name("leave");
    let to = Src::Mem(IV, 0, false);
    w.to.push(Vector::store(Operation::Store, 1, Reg::Fixed(TWEAKS), to));
    crate::kernels::leave(&mut w.to.asm, variant, lanes, encoding);
    let in_registers = w.to.kept_keys();
    Ok(Parts::plain(w.to.asm.finish().map_err(Unfit::Shape)?, in_registers, registers * lanes))
}

impl Writer {
    /// The tweaks of the first register, and the round keys.
    fn entry(&mut self) {
        self.to.asm.name("entry");
        let mut code = vec![from(1, Operation::Load, TWEAKS, Src::Mem(IV, 0, false))];
        for lane in 1..self.to.lanes {
            code.extend(self.further(1, KEY_NOW, TWEAKS, lane));
            // The tweak before stays in the lowest lane.
            let lanes = Operation::Insert(lane as u8);
            code.push(self.to.op(lanes, TWEAKS, TWEAKS, in_register(KEY_NOW)));
        }
        code.extend(self.to.load_keys());
        self.to.write(code);
    }

    /// The tweaks this many blocks further on, 1 to 63, on the lowest lanes.
    fn further(&mut self, lanes: usize, dst: u8, of: u8, blocks: usize) -> Vectors {
        let polynomial = Src::Constant(self.to.asm.constant(&0x87u128.to_le_bytes().repeat(lanes)));
        let count = blocks as u8;
        if count.is_multiple_of(8) {
            return vec![
                alone(lanes, Operation::BytesRight(16 - count / 8), FIRST, of),
                on(lanes, Operation::Carryless(0x00), FIRST, FIRST, polynomial),
                alone(lanes, Operation::BytesLeft(count / 8), dst, of),
                on(lanes, Operation::Xor, dst, dst, in_register(FIRST)),
            ];
        }
        // The bits that leave the lower half enter the upper one; those that leave the upper one are multiplied.
        let mut code = vec![
            alone(lanes, Operation::ShiftRight(Element::B64, 64 - count), FIRST, of),
            on(lanes, Operation::Carryless(0x01), SECOND, FIRST, polynomial),
            alone(lanes, Operation::BytesLeft(8), FIRST, FIRST),
            alone(lanes, Operation::ShiftLeft(Element::B64, count), dst, of),
        ];
        code.extend(xor_both(lanes, self.to.encoding, dst, FIRST, SECOND));
        code
    }

    /// Groups of registers as long as there is text for one.
    fn turns(&mut self, registers: usize, is_main: bool) {
        let group = registers as i32 * bytes(self.to.lanes);
        let (again, after) = (self.to.asm.label(), self.to.asm.label());
        if !is_main {
            self.to.asm.name("tail");
        }
        self.to.asm.cmp(LEN, group);
        self.to.asm.jump(If::Below, after);
        let mut code = Vectors::new();
        for k in 1..registers {
            code.extend(self.further(self.to.lanes, TWEAKS + k as u8, TWEAKS, k * self.to.lanes));
        }
        self.to.write(code);
        self.to.asm.align(64);
        self.to.asm.bind(again);
        if is_main {
            self.to.asm.name("body");
        }
        let code = self.group(registers);
        self.to.write(code);
        self.to.advance(group);
        self.to.asm.jump(If::AboveEqual, again);
        if is_main {
            self.to.asm.name("body end");
        }
        self.to.asm.bind(after);
    }

    fn round(&self, round: u8) -> Operation {
        let is_last = round == self.rounds;
        match (round, self.direction) {
            (0, _) => Operation::Xor,
            (_, Direction::Encrypt) => {
                Operation::Aes(if is_last { Round::EncryptLast } else { Round::Encrypt })
            }
            (_, Direction::Decrypt) => {
                Operation::Aes(if is_last { Round::DecryptLast } else { Round::Decrypt })
            }
        }
    }

    /// One group, and the tweaks of the next.
    fn group(&mut self, registers: usize) -> Vectors {
        let first = TWEAKS + self.registers as u8;
        let all =
            || (0..registers as u8).map(|k| (first + k, TWEAKS + k, i32::from(k) * bytes(self.to.lanes)));
        let text = |(block, tweak, at)| self.to.op(Operation::Xor, block, tweak, Src::Mem(INPUT, at, true));
        let mut code: Vectors = all().map(text).collect();
        for round in 0..=self.rounds {
            let key = self.to.round_key(round, KEY_NOW, &mut code);
            code.extend(all().map(|(block, ..)| self.to.op(self.round(round), block, block, key)));
        }
        for (block, tweak, at) in all() {
            code.push(self.to.xor(block, block, tweak));
            let to = Src::Mem(OUTPUT, at, true);
            code.push(Vector::store(Operation::Store, self.to.lanes, Reg::Fixed(block), to));
        }
        let blocks = registers * self.to.lanes;
        for k in 0..registers as u8 {
            code.extend(self.further(self.to.lanes, TWEAKS + k, TWEAKS + k, blocks));
        }
        code
    }

    /// Blocks one at a time, with the tweak in the lowest lane.
    fn narrow_turns(&mut self) {
        let (again, after) = (self.to.asm.label(), self.to.asm.label());
        self.to.asm.cmp(LEN, 16);
        self.to.asm.jump(If::Below, after);
        self.to.asm.bind(again);
        let mut code = vec![on(1, Operation::Xor, KEY_NOW, TWEAKS, Src::Mem(INPUT, 0, true))];
        for round in 0..=self.rounds {
            let key = Src::Mem(KEY, 16 * i32::from(round), false);
            code.push(on(1, self.round(round), KEY_NOW, KEY_NOW, key));
        }
        code.push(on(1, Operation::Xor, KEY_NOW, KEY_NOW, in_register(TWEAKS)));
        code.push(Vector::store(Operation::Store, 1, Reg::Fixed(KEY_NOW), Src::Mem(OUTPUT, 0, true)));
        code.extend(self.further(1, TWEAKS, TWEAKS, 1));
        self.to.write(code);
        self.to.advance(16);
        self.to.asm.jump(If::AboveEqual, again);
        self.to.asm.bind(after);
    }
}
