//! Counters of the main loop: from their numbers, by additions to their last bytes, or states after two rounds from a table.
//!
//! Within 256 blocks only the last byte of the counter changes, unless it wraps. A loop that rests on this is two: the body is
//! written once more, from numbers, and a group takes that one if the last byte wraps within it. The table on the stack is
//! right for a whole message, for a counter of 32 bits changes none of the bytes 0, 5 and 10, on which with byte 15 the states
//! after two rounds depend in more than a sum (Bernstein and Schwabe 2008, section 4; Park and Lee, TCHES 2018).

use super::groups::Group;
use super::{COUNTER, FIRST, HIGH, KEY_NOW, LOW, MIXED, SECOND, Writer};
use crate::kernels::asm::{If, Label, at};
use crate::kernels::body::low_byte;
use crate::kernels::fixed::{INPUT, IV, LEN, OUTPUT, Vectors, in_register, on};
use crate::kernels::target::Encoding;
use crate::kernels::vector::{Operation, Src, Vector, bytes};
use aesmith_cipher::contract;
use aesmith_dataflow::Round;
use aesmith_order::Reg;
use iced_x86::{Code, Instruction, Register};
use std::ops::Range;

/// Size of the table of states on the stack, in bytes.
pub(super) const FRAME: i32 = contract::TABLE_BYTES as i32;

/// The number of bytes of a message from which on the table pays: it costs about as much as 4 KiB of text.
pub(super) const LONG: i32 = 8192;

/// The last byte of the next counter.
const LAST_BYTE: Register = Register::AL;
/// One if there is a table, else zero.
const HAS_TABLE: Register = Register::R9D;
/// The entry of the next counter.
const ENTRY: Register = Register::R11;
const TURNS: Register = Register::R10D;

/// How the counters of a group are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counting {
    /// From numbers, whose bytes are reversed in each register.
    Swapped,
    /// By additions to the last byte of those in the first register.
    Added,
    /// The states after two rounds, by a table. The register holds what is common to 256 of them.
    Cached(u8),
}

impl Counting {
    /// The first round that is computed, 0 for the addition of the first round key.
    pub(super) fn first_round(self) -> u8 {
        match self {
            Counting::Swapped | Counting::Added => 0,
            Counting::Cached(_) => 3,
        }
    }

    pub(super) fn is_cached(self) -> bool {
        matches!(self, Counting::Cached(_))
    }
}

impl Writer {
    /// The main loop with counters that rest on the last byte, as long as there is text for a group.
    pub(super) fn counted_turns(&mut self, main: &Group, after: Label) {
        let Group { registers, counting, .. } = *main;
        let blocks = (registers * self.to.lanes) as i32;
        let group = registers as i32 * bytes(self.to.lanes);
        let [next, fast, slow, drain] = std::array::from_fn(|_| self.to.asm.label());
        let lags = self.lags();
        let highest = 256 - blocks;
        if counting.is_cached() {
            self.to.asm.made(Instruction::with2(Code::Mov_r32_imm32, HAS_TABLE, 0));
        }
        self.to.asm.cmp(LEN, group);
        self.to.asm.jump(If::Below, after);
        self.to.asm.made(Instruction::with2(Code::Movzx_r32_rm8, Register::EAX, at(IV, 15)));
        if counting.is_cached() {
            self.table_of_states();
        }
        let sums = self.kept_sums(main);
        self.to.write(sums);
        if lags {
            self.first_group(&main.swapped());
            self.step(group, blocks);
            self.to.asm.jump(If::Below, drain);
        }
        self.to.asm.bind(next);
        if counting.is_cached() {
            self.to.asm.two(Code::Test_rm32_r32, HAS_TABLE, HAS_TABLE);
            self.to.asm.jump(If::Zero, slow);
        }
        self.compare_last_byte(highest);
        self.to.asm.jump(If::Above, slow);
        if let Counting::Cached(common) = counting {
            self.refresh(common);
        }
        self.to.asm.align(64);
        self.to.asm.bind(fast);
        self.to.asm.name("body");
        let parts = self.parts(main);
        self.to.write(parts);
        if counting.is_cached() {
            self.to.asm.add(ENTRY, 16 * blocks);
        }
        self.step(group, blocks);
        self.to.asm.jump(If::Below, drain);
        if counting.is_cached() {
            self.to.asm.two(Code::Test_rm8_r8, LAST_BYTE, LAST_BYTE);
            self.to.asm.jump(If::Zero, next);
        }
        self.compare_last_byte(highest);
        self.to.asm.jump(If::BelowEqual, fast);
        self.to.asm.name("body end");
        self.to.asm.bind(slow);
        let parts = self.parts(&main.swapped());
        self.to.write(parts);
        self.step(group, blocks);
        self.to.asm.jump(If::AboveEqual, next);
        self.to.asm.bind(drain);
        if lags {
            let absorbed = self.absorb_group(main);
            self.to.write(absorbed);
        }
    }

    fn compare_last_byte(&mut self, with: i32) {
        self.to.asm.made(Instruction::with2(Code::Cmp_rm8_imm8, LAST_BYTE, with as u32));
    }

    /// Advances by a group, and compares what is left with the next one.
    fn step(&mut self, group: i32, blocks: i32) {
        self.to.asm.add(INPUT, group);
        self.to.asm.add(OUTPUT, group);
        self.to.asm.made(Instruction::with2(Code::Add_rm8_imm8, LAST_BYTE, blocks as u32));
        self.to.asm.sub(LEN, group);
        self.to.asm.cmp(LEN, group);
    }

    /// The counters of some registers of a group, for those that do not come register by register, and the next ones.
    pub(super) fn counters(&mut self, group: &Group, part: Range<usize>) -> Vectors {
        let mut code = Vectors::new();
        let lanes = self.to.lanes;
        let goes_on = match group.counting {
            Counting::Swapped => return code,
            Counting::Added => part.len(),
            Counting::Cached(_) if part.start > 0 => return code,
            Counting::Cached(_) => group.registers,
        };
        if group.counting == Counting::Added {
            let first = self.block(part.start);
            code.push(self.reversed(first, COUNTER));
            for k in 1..part.len() {
                let more = Src::Constant(low_byte(&mut self.to.asm, lanes, k * lanes));
                code.push(self.to.op(Operation::Add32, self.block(part.start + k), first, more));
            }
        }
        let further = Src::Constant(self.numbers((goes_on * lanes) as u32));
        code.push(self.to.op(Operation::Add32, COUNTER, COUNTER, further));
        code
    }

    /// The table of states after two rounds by the last byte of the counter, and its other bytes from the IV; none for a short
    /// message.
    fn table_of_states(&mut self) {
        let skip = self.to.asm.label();
        self.to.asm.cmp(LEN, LONG);
        self.to.asm.jump(If::Below, skip);
        let (base, numbers, keys) = (LOW, HIGH, [MIXED, FIRST]);
        // Registers of no block yet; fewer on xmm, where the first of two blocks is that of a round key elsewhere.
        let states = [SECOND, KEY_NOW, KEY_NOW + 1, KEY_NOW + 2];
        let states = &states[..if self.to.encoding == Encoding::Evex { 4 } else { 2 }];
        let others = self.to.asm.constant(&(u128::MAX >> 8).to_le_bytes().repeat(self.to.lanes));
        let first: Vec<u8> =
            (0..self.to.lanes as u128).flat_map(|lane| (lane << 120).to_le_bytes()).collect();
        let first = Src::Constant(self.to.asm.constant(&first));
        let step = Src::Constant(low_byte(&mut self.to.asm, self.to.lanes, self.to.lanes));
        let counter = Src::Mem(IV, 0, false);
        let mut code = vec![
            Vector::from(Operation::Broadcast, self.to.lanes, Reg::Fixed(base), counter),
            self.to.op(Operation::And, base, base, Src::Constant(others)),
            self.to.load_key(KEY_NOW, 0),
            self.to.xor(base, base, KEY_NOW),
            self.to.load(numbers, first),
        ];
        code.extend((1..3).zip(keys).map(|(round, key)| self.to.load_key(key, round)));
        self.to.write(code);
        self.to.asm.mov(ENTRY, Register::RSP);
        let turns = 256 / (self.to.lanes * states.len()) as i32;
        self.to.asm.made(Instruction::with2(Code::Mov_r32_imm32, TURNS, turns));
        let again = self.to.asm.label();
        self.to.asm.align(32);
        self.to.asm.bind(again);
        let mut code = Vectors::new();
        for &state in states {
            code.push(self.to.xor(state, base, numbers));
            code.push(self.to.op(Operation::Add32, numbers, numbers, step));
        }
        for key in keys {
            code.extend(
                states.iter().map(|&s| self.to.op(Operation::Aes(Round::Encrypt), s, s, in_register(key))),
            );
        }
        for (i, &state) in states.iter().enumerate() {
            let to = Src::Mem(ENTRY, i as i32 * bytes(self.to.lanes), false);
            code.push(Vector::store(Operation::Store, self.to.lanes, Reg::Fixed(state), to));
        }
        self.to.write(code);
        self.to.asm.add(ENTRY, states.len() as i32 * bytes(self.to.lanes));
        self.to.asm.one(Code::Dec_rm32, TURNS);
        self.to.asm.jump(If::NotZero, again);
        self.to.asm.made(Instruction::with2(Code::Mov_r32_imm32, HAS_TABLE, 1));
        self.to.asm.bind(skip);
    }

    /// Makes the part that the states of the next counters share, and the place of their entries.
    fn refresh(&mut self, common: u8) {
        self.to.asm.made(Instruction::with2(Code::Movzx_r32_rm8, ENTRY.full_register32(), LAST_BYTE));
        self.to.asm.shift(Code::Shl_rm64_imm8, ENTRY, 4);
        self.to.asm.two(Code::Add_r64_rm64, ENTRY, Register::RSP);
        let mut code = vec![self.reversed(common, COUNTER)];
        for (round, operation) in
            (0..).zip([Operation::Xor, Operation::Aes(Round::Encrypt), Operation::Aes(Round::Encrypt)])
        {
            let key = self.to.round_key(round, KEY_NOW, &mut code);
            code.push(self.to.op(operation, common, common, key));
        }
        code.push(self.to.op(Operation::Xor, common, common, Src::Mem(ENTRY, 0, false)));
        self.to.write(code);
    }

    /// The entry of the table for a register of a group.
    pub(super) fn entry_of_states(&self, k: usize) -> Src {
        Src::Mem(ENTRY, k as i32 * bytes(self.to.lanes), false)
    }

    /// Overwrites the table with zeros, if there is one.
    pub(super) fn wipe_table(&mut self) {
        let skip = self.to.asm.label();
        self.to.asm.two(Code::Test_rm32_r32, HAS_TABLE, HAS_TABLE);
        self.to.asm.jump(If::Zero, skip);
        self.to.push(on(self.to.lanes, Operation::Xor, FIRST, FIRST, in_register(FIRST)));
        for i in 0..FRAME / bytes(self.to.lanes) {
            let to = Src::Mem(Register::RSP, i * bytes(self.to.lanes), false);
            self.to.push(Vector::store(Operation::Store, self.to.lanes, Reg::Fixed(FIRST), to));
        }
        self.to.asm.bind(skip);
    }
}
