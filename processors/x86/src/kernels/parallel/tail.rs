//! The input after the main loop: registers of whole blocks, the last bytes, and single blocks.

use super::{HIGH, LOW, SCRATCH, SPARE, Writer};
use crate::dimensions::{self, Dim};
use crate::kernels::asm::{If, at, indexed};
use crate::kernels::body::{Body, Counter, Prefetch, reversal};
use crate::kernels::forms::register;
use crate::kernels::frame;
use crate::kernels::left::Left;
use crate::kernels::target::Encoding;
use crate::kernels::vector::{Operation, Src, Vector, bytes};
use aesmith_arrange::Pipeline;
use aesmith_dataflow::{Round, aes};
use aesmith_order::Reg;
use iced_x86::{Code, Instruction, Register};

impl Writer<'_> {
    /// One block in an xmm register, keys from memory; `counter` holds the counter, if any.
    pub(super) fn one_block(&mut self, counter: Option<u8>) {
        let problem = self.variant.problem;
        let plain = aes::block(problem, aes::Options { fold: true, ..Default::default() });
        let base = dimensions::baseline(problem);
        let pipeline = Pipeline::new(&plain, dimensions::interleaving(&base));
        let mut context = self.context(&plain, &pipeline);
        context.lanes = 1;
        context.prefetch = Prefetch::Off;
        context.counter = counter.map_or(Counter::None, |c| Counter::Given(Reg::Fixed(c)));
        let body = Body::pass(&context, &mut self.asm, pipeline.body.iter(), |_| 0);
        let (code, virtuals) = (body.code, body.virtuals);
        let pool: Vec<u8> = (2..16).collect();
        let written = self.select.write(&mut self.asm, code, virtuals, &pool);
        written.expect("one block needs fewer than 14 registers");
    }

    /// Processes the input after the main loop: registers of whole blocks, then a masked last register if the
    /// encoding has masks; the single blocks process the rest. `left` is the number of bytes that may be left
    /// here.
    pub(super) fn tail(&mut self, registers: usize, left: &mut Left) {
        let a = self.arguments;
        self.asm.bind(self.tail);
        self.asm.name("tail");
        let masked = self.ctr() && self.evex;
        if self.lanes == 1 && (registers < 4 || self.variant.get(Dim::Tail) == 0) {
            return;
        }
        if self.ctr() {
            self.asm.two(Code::Test_rm64_r64, a.len, a.len);
            self.asm.jump(If::Zero, self.leave);
            self.vector_counter(SPARE);
        }
        if self.variant.get(Dim::Tail) == 1 {
            let mut half = registers.next_power_of_two().min(16) / 2;
            while half >= 2 {
                let skip = self.asm.label();
                let text = half as i32 * bytes(self.lanes);
                if left.reaches(text as u64) {
                    self.asm.cmp(a.len, text);
                    self.asm.jump(If::Below, skip);
                    self.group_of(half);
                    self.advance(text, text / 16);
                    self.asm.bind(skip);
                    left.after(text as u64);
                }
                half /= 2;
            }
        }
        if self.lanes > 1 && left.reaches(bytes(self.lanes) as u64) {
            let (again, rest) = (self.asm.label(), self.asm.label());
            let text = bytes(self.lanes);
            self.asm.bind(again);
            self.asm.cmp(a.len, text);
            self.asm.jump(If::Below, rest);
            self.group_of(1);
            self.advance(text, text / 16);
            self.asm.jump(If::Always, again);
            self.asm.bind(rest);
            left.after_all(text as u64);
        }
        if masked {
            self.asm.two(Code::Test_rm64_r64, a.len, a.len);
            self.asm.jump(If::Zero, self.leave);
            self.masked_last();
            self.asm.jump(If::Always, self.leave);
        } else if self.chained() && self.lanes > 1 {
            // Moves the last ciphertext block from the last lane to xmm0.
            let (wide, code) = match (self.lanes, self.evex) {
                (2, false) => (Register::YMM0, Code::VEX_Vextracti128_xmmm128_ymm_imm8),
                (2, true) => (Register::YMM0, Code::EVEX_Vextracti32x4_xmmm128_k1z_ymm_imm8),
                _ => (Register::ZMM0, Code::EVEX_Vextracti32x4_xmmm128_k1z_zmm_imm8),
            };
            self.asm.made(Instruction::with3(code, Register::XMM0, wide, self.lanes as i32 - 1));
        }
    }

    /// Processes `registers` registers of whole blocks in lockstep, with keys broadcast from memory.
    pub(super) fn group_of(&mut self, registers: usize) {
        let problem = self.variant.problem;
        let flow = aes::block(problem, aes::Options { fold: true, ..Default::default() });
        let base = dimensions::baseline(problem).with(Dim::Interleave, registers as u16);
        let pipeline = Pipeline::new(&flow, dimensions::interleaving(&base));
        let mut context = self.context(&flow, &pipeline);
        context.prefetch = Prefetch::Off;
        if self.ctr() {
            context.counter = Counter::Swap(Reg::Fixed(0));
        }
        let body = Body::pass(&context, &mut self.asm, pipeline.body.iter(), |_| 0);
        let (code, virtuals) = (body.code, body.virtuals);
        let pool: Vec<u8> = (1..self.count()).collect();
        let written = self.select.write(&mut self.asm, code, virtuals, &pool);
        written.expect("eight registers of blocks need at most eleven");
    }

    /// The operation on the state with round key `number` in encryption.
    fn round(&self, number: u8) -> Operation {
        match number {
            0 => Operation::Xor,
            n if n == self.rounds => Operation::Aes(Round::EncryptLast),
            _ => Operation::Aes(Round::Encrypt),
        }
    }

    /// The last bytes of a CTR message, fewer than a register: loaded and stored under a mask. Register 0 holds
    /// byte-swapped counters; 1 the state, 2 a round key, 3 the text.
    pub(super) fn masked_last(&mut self) {
        let a = self.arguments;
        let lanes = self.lanes;
        let r = Reg::Fixed;
        self.asm.made(Instruction::with2(Code::Mov_rm64_imm32, SCRATCH, -1));
        self.asm.made(Instruction::with3(Code::VEX_Bzhi_r64_rm64_r64, SCRATCH, SCRATCH, a.len));
        self.asm.two(Code::VEX_Kmovq_kr_r64, Register::K1, SCRATCH);
        let control = reversal(&mut self.asm, lanes);
        self.push(Vector::new(Operation::Shuffle, lanes, r(1), r(0), Src::Constant(control)));
        for round in 0..=self.rounds {
            self.key_into(2, round);
            let operation = self.round(round);
            self.push(Vector::new(operation, lanes, r(1), r(1), Src::Reg(r(2))));
        }
        let (load, store) = match lanes {
            2 => (Code::EVEX_Vmovdqu8_ymm_k1z_ymmm256, Code::EVEX_Vmovdqu8_ymmm256_k1z_ymm),
            _ => (Code::EVEX_Vmovdqu8_zmm_k1z_zmmm512, Code::EVEX_Vmovdqu8_zmmm512_k1z_zmm),
        };
        let loaded = Instruction::with2(load, register(lanes, 3), at(a.input, 0));
        self.asm.made(loaded.map(|mut masked| {
            masked.set_op_mask(Register::K1);
            masked.set_zeroing_masking(true);
            masked
        }));
        self.push(Vector::new(Operation::Xor, lanes, r(1), r(1), Src::Reg(r(3))));
        let stored = Instruction::with2(store, at(a.output, 0), register(lanes, 1));
        self.asm.made(stored.map(|mut masked| {
            masked.set_op_mask(Register::K1);
            masked
        }));
    }

    /// Processes block by block to the end, with full carries, and CTR's last bytes one at a time. `left` is
    /// the number of bytes that the tail may leave; a carry arrives with any number.
    pub(super) fn single_blocks(&mut self, left: &Left) {
        let a = self.arguments;
        let (again, rest) = (self.asm.label(), self.asm.label());
        self.asm.bind(self.single);
        self.asm.name("single");
        if left.reaches(16) || self.ctr() {
            self.asm.bind(again);
            self.asm.cmp(a.len, 16);
            self.asm.jump(If::Below, rest);
            if self.ctr() {
                self.scalar_counter();
                self.one_block(Some(1));
                self.asm.add(a.input, 16);
                self.asm.add(a.output, 16);
                self.asm.sub(a.len, 16);
                self.asm.add(LOW, 1);
                self.asm.immediate(Code::Adc_rm64_imm8, Code::Adc_rm64_imm32, HIGH, 0);
            } else {
                self.one_block(None);
                self.advance(16, 1);
            }
            self.asm.jump(If::Always, again);
            self.asm.bind(rest);
        }
        if self.ctr() {
            self.asm.two(Code::Test_rm64_r64, a.len, a.len);
            self.asm.jump(If::Zero, self.leave);
            self.scalar_counter();
            self.last_bytes();
        } else if self.chained() {
            let iv = Src::Mem(a.iv, 0, false);
            self.push(Vector::store(Operation::Store, 1, Reg::Fixed(0), iv));
        }
    }

    /// 1 to 15 bytes with the counter in xmm1: the key stream leaves the register byte by byte, lowest first.
    /// No byte of it is stored on the stack, so that systems whose interrupts write below the stack pointer can
    /// call the kernel.
    pub(super) fn last_bytes(&mut self) {
        let a = self.arguments;
        let (state, stream) = (Reg::Fixed(1), Register::R11D);
        for round in 0..=self.rounds {
            let operation = self.round(round);
            let key = Src::Mem(a.key, 16 * i32::from(round), false);
            self.push(Vector::new(operation, 1, state, state, key));
        }
        let to_general = match self.select.encoding(1) {
            Encoding::Legacy => Code::Movd_rm32_xmm,
            _ => Code::VEX_Vmovd_rm32_xmm,
        };
        let again = self.asm.label();
        self.asm.two(Code::Xor_r32_rm32, Register::EAX, Register::EAX);
        self.asm.bind(again);
        let byte = |base| indexed(base, Register::RAX, 1, 0);
        self.asm.two(to_general, stream, Register::XMM1);
        self.push(Vector::of(Operation::BytesRight(1), 1, state, state));
        self.asm.made(Instruction::with2(Code::Xor_r8_rm8, Register::R11L, byte(a.input)));
        self.asm.made(Instruction::with2(Code::Mov_rm8_r8, byte(a.output), Register::R11L));
        self.asm.add(Register::RAX, 1);
        self.asm.two(Code::Cmp_r64_rm64, Register::RAX, a.len);
        self.asm.jump(If::Below, again);
        if self.variant.on(Dim::Wipe) {
            self.push(Vector::new(Operation::Xor, 1, state, state, Src::Reg(state)));
            self.asm.two(Code::Xor_r32_rm32, stream, stream);
        }
    }

    pub(super) fn leave(&mut self) {
        self.asm.bind(self.leave);
        self.asm.name("leave");
        if self.frame > 0 {
            if self.variant.on(Dim::Wipe) {
                self.wipe_frame(self.frame);
            }
            frame::close(&mut self.asm);
        }
        let encoding = self.select.encoding(self.lanes);
        crate::kernels::leave(&mut self.asm, self.variant, self.lanes, encoding);
    }
}
