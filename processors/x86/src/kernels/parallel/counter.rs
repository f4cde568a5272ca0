//! CTR: the counter block at entry and across its carries, counters in registers, and the counter-mode cache.

use super::{HIGH, LOW, Plan, SCRATCH, SPARE, TABLE, Writer, low};
use crate::dimensions::Dim;
use crate::kernels::asm::{Constant, If, Label, at, indexed};
use crate::kernels::body::{Context, Counter, lane_numbers, low_byte, reversal};
use crate::kernels::forms::register;
use crate::kernels::target::Encoding;
use crate::kernels::vector::{Operation, Src, Vector, bytes};
use aesmith_cipher::contract;
use aesmith_order::Reg;
use iced_x86::{Code, Instruction, Register};

impl Writer<'_> {
    /// The entry: returns at once for an empty message; CTR updates the counter block here, since the update
    /// depends only on lengths. Returns the label of the carry out of the counter's lower half.
    pub(super) fn entry(&mut self, cached: u8) -> Option<Label> {
        let a = self.arguments;
        self.asm.name("entry");
        if !self.ctr() {
            if self.chained() {
                let iv =
                    Vector::from(Operation::Broadcast, self.lanes, Reg::Fixed(0), Src::Mem(a.iv, 0, false));
                self.push(iv);
            }
            return None;
        }
        let carry = self.asm.label();
        self.asm.two(Code::Test_rm64_r64, a.len, a.len);
        self.asm.jump(If::Zero, self.leave);
        self.asm.load(LOW, at(a.iv, 8));
        self.asm.load(HIGH, at(a.iv, 0));
        self.asm.one(Code::Bswap_r64, LOW);
        self.asm.one(Code::Bswap_r64, HIGH);
        self.asm.lea(SCRATCH, at(a.len, 15));
        self.asm.shift(Code::Shr_rm64_imm8, SCRATCH, 4);
        self.asm.mov(TABLE, LOW);
        self.asm.two(Code::Add_r64_rm64, TABLE, SCRATCH);
        self.asm.jump(If::Below, carry);
        if cached == 2 {
            self.asm.mov(SCRATCH, LOW);
            self.asm.two(Code::Xor_r64_rm64, SCRATCH, TABLE);
        }
        self.asm.one(Code::Bswap_r64, TABLE);
        self.asm.store(at(a.iv, 8), TABLE);
        if cached == 2 {
            // The table is valid as long as the three other bytes of column 0 in round 1 are unchanged: byte 10
            // is bits 40 to 47 of the lower half.
            self.asm.shift(Code::Shr_rm64_imm8, SCRATCH, 40);
            self.asm.jump(If::NotZero, self.single);
        }
        Some(carry)
    }

    /// The lower half of the counter overflows within this message: computes the new value, then processes
    /// block by block.
    pub(super) fn carry(&mut self, label: Label) {
        let iv = self.arguments.iv;
        self.asm.bind(label);
        self.asm.name("carry");
        self.asm.one(Code::Bswap_r64, TABLE);
        self.asm.store(at(iv, 8), TABLE);
        self.asm.lea(SCRATCH, at(HIGH, 1));
        self.asm.one(Code::Bswap_r64, SCRATCH);
        self.asm.store(at(iv, 0), SCRATCH);
        self.asm.jump(If::Always, self.single);
    }

    /// Processes blocks until the counter's low byte is a multiple of the group: single blocks until it is a
    /// multiple of a register's lanes, then register by register.
    pub(super) fn head(&mut self, group: usize, need: i32) {
        self.asm.name("head");
        if self.lanes > 1 {
            self.step_until(self.lanes, 1, need);
        }
        if group > self.lanes {
            self.step_until(group, self.lanes, need);
        }
    }

    /// Processes `blocks` blocks at a time until the counter's low byte is a multiple of `multiple`.
    fn step_until(&mut self, multiple: usize, blocks: usize, need: i32) {
        let (again, aligned) = (self.asm.label(), self.asm.label());
        self.asm.bind(again);
        self.asm.made(Instruction::with2(Code::Test_rm8_imm8, low(LOW), multiple as u32 - 1));
        self.asm.jump(If::Zero, aligned);
        if blocks == 1 {
            self.scalar_counter();
            self.one_block(Some(1));
        } else {
            self.vector_counter(SPARE);
            self.group_of(1);
        }
        self.advance(16 * blocks as i32, blocks as i32);
        self.asm.cmp(self.arguments.len, need);
        self.asm.jump(If::AboveEqual, again);
        self.asm.jump(If::Always, self.tail);
        self.asm.bind(aligned);
    }

    /// Loads the counter block into xmm1 from its two halves.
    pub(super) fn scalar_counter(&mut self) {
        self.halves(1, SPARE);
        let control = reversal(&mut self.asm, 1);
        let swap = Vector::new(Operation::Shuffle, 1, Reg::Fixed(1), Reg::Fixed(1), Src::Constant(control));
        self.push(swap);
    }

    /// Loads the two halves of the counter into an xmm register; `spare` is a temporary.
    pub(super) fn halves(&mut self, into: u8, spare: u8) {
        let counter = register(1, into);
        if self.select.encoding(1) == Encoding::Legacy {
            let high = register(1, spare);
            self.asm.two(Code::Movq_xmm_rm64, counter, LOW);
            self.asm.two(Code::Movq_xmm_rm64, high, HIGH);
            self.asm.two(Code::Punpcklqdq_xmm_xmmm128, counter, high);
        } else {
            self.asm.two(Code::VEX_Vmovq_xmm_rm64, counter, LOW);
            self.asm.made(Instruction::with4(Code::VEX_Vpinsrq_xmm_xmm_rm64_imm8, counter, counter, HIGH, 1));
        }
    }

    /// Byte-swapped counters of the next blocks, one per lane, in register 0.
    pub(super) fn vector_counter(&mut self, spare: u8) {
        let counter = Register::XMM0;
        self.halves(0, spare);
        match self.lanes {
            1 => return,
            2 => {
                let wide = Register::YMM0;
                let code = Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8;
                self.asm.made(Instruction::with4(code, wide, wide, counter, 1));
            }
            _ => {
                let wide = Register::ZMM0;
                let code = Code::EVEX_Vshufi32x4_zmm_k1z_zmm_zmmm512b32_imm8;
                self.asm.made(Instruction::with4(code, wide, wide, wide, 0));
            }
        }
        let numbers = lane_numbers(&mut self.asm, self.lanes);
        let zero = Reg::Fixed(0);
        self.push(Vector::new(Operation::Add64, self.lanes, zero, zero, Src::Constant(numbers)));
    }

    /// Big-endian counters of the next blocks, one per lane, in register 0.
    fn big_endian_counter(&mut self, spare: u8) {
        self.vector_counter(spare);
        let control = reversal(&mut self.asm, self.lanes);
        let zero = Reg::Fixed(0);
        self.push(Vector::new(Operation::Shuffle, self.lanes, zero, zero, Src::Constant(control)));
    }

    /// The table of states after two rounds, indexed by the low counter byte, for the current other bytes.
    /// Register 0: counters with the byte cleared and round key 0 added; 1: the values of the byte; 2 and 3:
    /// round keys 1 and 2; 4 and 5: states.
    pub(super) fn build_table(&mut self) {
        let lanes = self.lanes;
        let r = Reg::Fixed;
        self.asm.name("table");
        // The lower half with its low byte cleared, in a register that the refresh sets again.
        self.asm.mov(TABLE, LOW);
        self.asm.immediate(Code::And_rm64_imm8, Code::And_rm64_imm32, LOW, -256);
        self.big_endian_counter(SPARE);
        self.asm.mov(LOW, TABLE);
        for (reg, key) in [(4, 0), (2, 1), (3, 2)] {
            self.key_into(reg, key);
        }
        self.push(Vector::new(Operation::Xor, lanes, r(0), r(0), Src::Reg(r(4))));
        let step = low_byte(&mut self.asm, lanes, lanes);
        const UNROLL: i32 = 4;
        let again = self.asm.label();
        self.push(Vector::new(Operation::Xor, lanes, r(1), r(1), Src::Reg(r(1))));
        self.asm.mov(TABLE, Register::RSP);
        self.asm.made(Instruction::with2(Code::Mov_r32_imm32, Register::EAX, 256 / (lanes as i32 * UNROLL)));
        self.asm.align(32);
        self.asm.bind(again);
        for i in 0..UNROLL {
            let state = r(4 + i as u8);
            self.push(Vector::new(Operation::Xor, lanes, state, r(0), Src::Reg(r(1))));
            self.push(Vector::new(Operation::Add32, lanes, r(1), r(1), Src::Constant(step)));
        }
        for key in [2, 3] {
            for i in 0..UNROLL {
                let state = r(4 + i as u8);
                let round = Operation::Aes(aesmith_dataflow::Round::Encrypt);
                self.push(Vector::new(round, lanes, state, state, Src::Reg(r(key))));
            }
        }
        for i in 0..UNROLL {
            let to = Src::Mem(TABLE, i * bytes(lanes), false);
            self.push(Vector::store(Operation::Store, lanes, r(4 + i as u8), to));
        }
        self.asm.add(TABLE, UNROLL * bytes(lanes));
        self.asm.one(Code::Dec_rm32, Register::EAX);
        self.asm.jump(If::NotZero, again);
    }

    pub(super) fn wipe_frame(&mut self, size: i32) {
        let zero = Reg::Fixed(0);
        self.push(Vector::new(Operation::Xor, self.lanes, zero, zero, Src::Reg(zero)));
        for i in 0..size / bytes(self.lanes) {
            let to = Src::Mem(Register::RSP, i * bytes(self.lanes), false);
            self.push(Vector::store(Operation::Store, self.lanes, zero, to));
        }
    }

    /// Computes the values that depend on the upper counter bytes, at the start and after each 256 blocks: the
    /// counter itself, or the constant of the cache and its table pointer.
    pub(super) fn refresh(&mut self, context: &Context, plan: &Plan) {
        // Uses the registers of the pool: no value of a pass is live between passes.
        let scratch = std::mem::replace(&mut self.scratch, plan.pool.clone());
        self.refreshed(context, plan);
        self.scratch = scratch;
    }

    fn refreshed(&mut self, context: &Context, plan: &Plan) {
        let spare = plan.pool[0];
        self.big_endian_counter(spare);
        let lanes = self.lanes;
        let base = Reg::Fixed(0);
        let cached = match context.counter {
            Counter::Cached(..) => self.variant.get(Dim::Cached) as u8,
            _ => return,
        };
        self.asm.two(Code::Movzx_r32_rm8, Register::R11D, low(LOW));
        self.asm.shift(Code::Shl_rm64_imm8, TABLE, 4);
        let frame = if cached == 1 { self.arguments.key } else { Register::RSP };
        if cached == 1 {
            self.asm.lea(TABLE, indexed(frame, TABLE, 1, contract::TABLE_OFFSET as i32));
        } else {
            self.asm.two(Code::Add_r64_rm64, TABLE, frame);
        }
        self.scratch.remove(0);
        for r in 0..=cached {
            let key = if lanes == 1 {
                Src::Mem(self.arguments.key, 16 * i32::from(r), false)
            } else {
                self.key_into(spare, r);
                Src::Reg(Reg::Fixed(spare))
            };
            let operation =
                if r == 0 { Operation::Xor } else { Operation::Aes(aesmith_dataflow::Round::Encrypt) };
            self.push(Vector::new(operation, lanes, base, base, key));
        }
        self.push(Vector::new(Operation::Xor, lanes, base, base, Src::Mem(TABLE, 0, false)));
    }

    /// Within 256 blocks: advances the counter or the table pointer by a group.
    pub(super) fn step_on(&mut self, context: &Context, group: usize) {
        if matches!(context.counter, Counter::Cached(..)) {
            self.asm.add(TABLE, 16 * group as i32);
        } else {
            let step: Constant = low_byte(&mut self.asm, self.lanes, group);
            let zero = Reg::Fixed(0);
            self.push(Vector::new(Operation::Add32, self.lanes, zero, zero, Src::Constant(step)));
        }
    }
}
