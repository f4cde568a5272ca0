//! Counters of the main loop: from their numbers, by additions to their last bytes, or states after two rounds from a table.
//!
//! Within 256 blocks only the last byte of the counter changes, unless it wraps. A loop that rests on this is two: the body is
//! written once more, from numbers, and a group takes that one if the last byte wraps within it. The table on the stack is
//! right for a whole message, for a counter of 32 bits changes none of the bytes 0, 5 and 10, on which with byte 15 the states
//! after two rounds depend in more than a sum (Bernstein and Schwabe 2008, section 4; Park and Lee, TCHES 2018).

use super::{BLOCKS, COUNTER, FIRST, HIGH, INPUT, IV, KEY_NOW, LEN, LOW, MIXED, Main, OUTPUT, SECOND, Vectors, Writer};
use super::{in_register, on};
use crate::kernels::asm::{If, Label, at};
use crate::kernels::body::low_byte;
use crate::kernels::vector::{Operation, Src, Vector, bytes};
use aesmith_cipher::contract;
use aesmith_cipher::mode::Hashed;
use aesmith_dataflow::Round;
use aesmith_order::Reg;
use iced_x86::{Code, Instruction, Register};

/// Size of the table of states on the stack, in bytes.
pub(super) const FRAME: i32 = contract::TABLE_BYTES as i32;

/// The number of bytes of a message from which on the table pays: it costs about as much as 4 KiB of text.
const LONG: i32 = 8192;

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
    pub(super) fn counted_turns(&mut self, main: &Main, after: Label) {
        let Main { registers, counting, .. } = *main;
        let blocks = (registers * self.lanes) as i32;
        let group = registers as i32 * bytes(self.lanes);
        let [next, fast, slow, drain] = std::array::from_fn(|_| self.asm.label());
        let lags = self.hashed == Some(Hashed::Output);
        let highest = 256 - blocks;
        if counting.is_cached() {
            self.asm.made(Instruction::with2(Code::Mov_r32_imm32, HAS_TABLE, 0));
        }
        self.asm.cmp(LEN, group);
        self.asm.jump(If::Below, after);
        self.asm.made(Instruction::with2(Code::Movzx_r32_rm8, Register::EAX, at(IV, 15)));
        if counting.is_cached() {
            self.table_of_states();
        }
        let sums = main.sums(self);
        self.write(sums);
        if lags {
            let (cipher, kept) = (self.group(registers, Counting::Swapped), self.kept(registers));
            self.write([cipher, kept].concat());
            self.step(group, blocks);
            self.asm.jump(If::Below, drain);
        }
        self.asm.bind(next);
        if counting.is_cached() {
            self.asm.two(Code::Test_rm32_r32, HAS_TABLE, HAS_TABLE);
            self.asm.jump(If::Zero, slow);
        }
        self.compare_last_byte(highest);
        self.asm.jump(If::Above, slow);
        if let Counting::Cached(common) = counting {
            self.refresh(common);
        }
        self.asm.align(64);
        self.asm.bind(fast);
        self.asm.name("body");
        let parts = self.parts(main, counting, lags);
        self.write(parts);
        if counting.is_cached() {
            self.asm.add(ENTRY, 16 * blocks);
        }
        self.step(group, blocks);
        self.asm.jump(If::Below, drain);
        if counting.is_cached() {
            self.asm.two(Code::Test_rm8_r8, LAST_BYTE, LAST_BYTE);
            self.asm.jump(If::Zero, next);
        }
        self.compare_last_byte(highest);
        self.asm.jump(If::BelowEqual, fast);
        self.asm.name("body end");
        self.asm.bind(slow);
        let parts = self.parts(main, Counting::Swapped, lags);
        self.write(parts);
        self.step(group, blocks);
        self.asm.jump(If::AboveEqual, next);
        self.asm.bind(drain);
        if lags {
            let absorbed = self.absorb_group(main);
            self.write(absorbed);
        }
    }

    fn compare_last_byte(&mut self, with: i32) {
        self.asm.made(Instruction::with2(Code::Cmp_rm8_imm8, LAST_BYTE, with as u32));
    }

    /// Advances by a group, and compares what is left with the next one.
    fn step(&mut self, group: i32, blocks: i32) {
        self.asm.add(INPUT, group);
        self.asm.add(OUTPUT, group);
        self.asm.made(Instruction::with2(Code::Add_rm8_imm8, LAST_BYTE, blocks as u32));
        self.asm.sub(LEN, group);
        self.asm.cmp(LEN, group);
    }

    /// The counters of all registers of a group, for those that do not come register by register.
    pub(super) fn counters(&mut self, registers: usize, counting: Counting) -> Vectors {
        let mut code = Vectors::new();
        if counting == Counting::Swapped {
            return code;
        }
        if counting == Counting::Added {
            code.push(self.reversed(BLOCKS, COUNTER));
            for k in 1..registers {
                let more = Src::Constant(low_byte(&mut self.asm, self.lanes, k * self.lanes));
                code.push(self.op(Operation::Add32, BLOCKS + k as u8, BLOCKS, more));
            }
        }
        let group = Src::Constant(self.numbers((registers * self.lanes) as u32));
        code.push(self.op(Operation::Add32, COUNTER, COUNTER, group));
        code
    }

    /// The table of states after two rounds by the last byte of the counter, and its other bytes from the IV; none for a short
    /// message.
    fn table_of_states(&mut self) {
        const UNROLL: u8 = 4;
        let skip = self.asm.label();
        self.asm.cmp(LEN, LONG);
        self.asm.jump(If::Below, skip);
        let (base, numbers, keys) = (LOW, HIGH, [MIXED, FIRST]);
        // Registers of no block yet.
        let states = [SECOND, KEY_NOW, BLOCKS, BLOCKS + 1];
        let others = self.asm.constant(&(u128::MAX >> 8).to_le_bytes().repeat(self.lanes));
        let first: Vec<u8> = (0..self.lanes as u128).flat_map(|lane| (lane << 120).to_le_bytes()).collect();
        let first = Src::Constant(self.asm.constant(&first));
        let step = Src::Constant(low_byte(&mut self.asm, self.lanes, self.lanes));
        let counter = Src::Mem(IV, 0, false);
        let mut code = vec![
            Vector::from(Operation::Broadcast, self.lanes, Reg::Fixed(base), counter),
            self.op(Operation::And, base, base, Src::Constant(others)),
            self.load_key(KEY_NOW, 0),
            self.xor(base, base, KEY_NOW),
            self.load(numbers, first),
        ];
        code.extend((1..3).zip(keys).map(|(round, key)| self.load_key(key, round)));
        self.write(code);
        self.asm.mov(ENTRY, Register::RSP);
        let turns = 256 / (self.lanes as i32 * i32::from(UNROLL));
        self.asm.made(Instruction::with2(Code::Mov_r32_imm32, TURNS, turns));
        let again = self.asm.label();
        self.asm.align(32);
        self.asm.bind(again);
        let mut code = Vectors::new();
        for state in states {
            code.push(self.xor(state, base, numbers));
            code.push(self.op(Operation::Add32, numbers, numbers, step));
        }
        for key in keys {
            code.extend(states.map(|s| self.op(Operation::Aes(Round::Encrypt), s, s, in_register(key))));
        }
        for (i, state) in states.into_iter().enumerate() {
            let to = Src::Mem(ENTRY, i as i32 * bytes(self.lanes), false);
            code.push(Vector::store(Operation::Store, self.lanes, Reg::Fixed(state), to));
        }
        self.write(code);
        self.asm.add(ENTRY, i32::from(UNROLL) * bytes(self.lanes));
        self.asm.one(Code::Dec_rm32, TURNS);
        self.asm.jump(If::NotZero, again);
        self.asm.made(Instruction::with2(Code::Mov_r32_imm32, HAS_TABLE, 1));
        self.asm.bind(skip);
    }

    /// What the states of the next counters share, and the place of their entries.
    fn refresh(&mut self, common: u8) {
        self.asm.made(Instruction::with2(Code::Movzx_r32_rm8, ENTRY.full_register32(), LAST_BYTE));
        self.asm.shift(Code::Shl_rm64_imm8, ENTRY, 4);
        self.asm.two(Code::Add_r64_rm64, ENTRY, Register::RSP);
        let mut code = vec![self.reversed(common, COUNTER)];
        for (round, operation) in
            (0..).zip([Operation::Xor, Operation::Aes(Round::Encrypt), Operation::Aes(Round::Encrypt)])
        {
            code.push(self.load_key(KEY_NOW, round));
            code.push(self.op(operation, common, common, in_register(KEY_NOW)));
        }
        code.push(self.op(Operation::Xor, common, common, Src::Mem(ENTRY, 0, false)));
        self.write(code);
    }

    /// The entry of the table for a register of a group.
    pub(super) fn entry_of_states(&self, k: usize) -> Src {
        Src::Mem(ENTRY, k as i32 * bytes(self.lanes), false)
    }

    /// Overwrites the table with zeros, if there is one.
    pub(super) fn wipe_table(&mut self) {
        let skip = self.asm.label();
        self.asm.two(Code::Test_rm32_r32, HAS_TABLE, HAS_TABLE);
        self.asm.jump(If::Zero, skip);
        self.push(on(self.lanes, Operation::Xor, FIRST, FIRST, in_register(FIRST)));
        for i in 0..FRAME / bytes(self.lanes) {
            let to = Src::Mem(Register::RSP, i * bytes(self.lanes), false);
            self.push(Vector::store(Operation::Store, self.lanes, Reg::Fixed(FIRST), to));
        }
        self.asm.bind(skip);
    }
}
