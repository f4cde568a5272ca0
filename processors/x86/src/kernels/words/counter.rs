//! CTR by words: the counter at entry and its carry, the counters of a group, the loop that shares rounds among
//! 256 counters, and the last bytes.

use super::flow::Flow;
use super::homes::{CACHED, COUNTERS, FAST_KEY, Home, Var};
use super::select::{r8, r32, r64};
use super::{FAST, Work, Writer};
use crate::dimensions::Dim;
use crate::kernels::Unfit;
use crate::kernels::asm::{If, Label, at, indexed};
use iced_x86::{Code, Instruction, Register};

impl Writer<'_> {
    /// CTR's counter at entry; stores the counter after the message in the caller's memory.
    pub(super) fn counter(&mut self, cached: bool) -> Label {
        let (key, iv) = (Register::RDI, Register::RSI);
        let (low, high, end) = (Register::RAX, Register::RBX, Register::RBP);
        let carry = self.asm.label();
        let len = self.get(Var::Length, 8);
        self.asm.two(Code::Test_rm64_r64, len, len);
        self.asm.jump(If::Zero, self.leave);
        self.asm.load(low, at(iv, 8));
        self.asm.load(high, at(iv, 0));
        self.asm.one(Code::Bswap_r64, low);
        self.asm.one(Code::Bswap_r64, high);
        self.set(Var::Low, low);
        self.set(Var::High, high);
        if cached {
            // Byte 15 of round key 0 is kept with the fast byte.
            self.asm.made(Instruction::with2(Code::Movzx_r32_rm8, Register::EDI, at(key, 15)));
            self.asm.store(at(Register::RSP, FAST_KEY), Register::RDI);
        }
        self.asm.lea(end, at(len, 15));
        self.asm.shift(Code::Shr_rm64_imm8, end, 4);
        self.asm.two(Code::Add_r64_rm64, low, end);
        self.asm.jump(If::Below, carry);
        self.asm.one(Code::Bswap_r64, low);
        self.asm.store(at(iv, 8), low);
        carry
    }

    /// The lower half of the counter overflows within this message: computes the new value, then processes
    /// block by block.
    pub(super) fn carry(&mut self, label: Label) {
        let (low, high) = (Register::RAX, Register::RBX);
        self.asm.bind(label);
        self.asm.name("carry");
        self.asm.one(Code::Bswap_r64, low);
        self.asm.store(at(Register::RSI, 8), low);
        self.asm.add(high, 1);
        self.asm.one(Code::Bswap_r64, high);
        self.asm.store(at(Register::RSI, 0), high);
        self.asm.jump(If::Always, self.single);
    }

    /// Stores the counter blocks of a group in the frame.
    pub(super) fn counters(&mut self, blocks: usize) {
        let (low, high) = (Register::RAX, Register::RBX);
        for block in 0..blocks as i32 {
            for (register, var) in [(low, Var::Low), (high, Var::High)] {
                let from = self.get(var, register as u8 - Register::RAX as u8);
                if from != register {
                    self.asm.mov(register, from);
                }
            }
            if block > 0 {
                self.asm.add(low, block);
                self.asm.immediate(Code::Adc_rm64_imm8, Code::Adc_rm64_imm32, high, 0);
            }
            self.asm.one(Code::Bswap_r64, low);
            self.asm.one(Code::Bswap_r64, high);
            self.asm.store(at(Register::RSP, COUNTERS + 16 * block + 8), low);
            self.asm.store(at(Register::RSP, COUNTERS + 16 * block), high);
        }
    }

    /// The fast counter bytes of a group, with the round key byte added.
    pub(super) fn fast_bytes(&mut self, blocks: usize) {
        for (block, r) in FAST.into_iter().take(blocks).enumerate() {
            let low = self.get(Var::Low, r);
            let byte = match low {
                low if block == 0 => r8((low as u32 - Register::RAX as u32) as u8),
                low => {
                    self.asm.lea(r64(r), at(low, block as i32));
                    r8(r)
                }
            };
            self.asm.two(Code::Movzx_r32_rm8, r32(r), byte);
            self.asm.made(Instruction::with2(Code::Xor_r32_rm32, r32(r), at(Register::RSP, FAST_KEY)));
        }
    }

    /// CTR groups that share the rounds of counters that differ only in the last byte.
    pub(super) fn cached_loop(&mut self, main: Work, single: Work, refresh: &Flow) -> Result<(), Unfit> {
        let blocks = main.blocks();
        let text = 16 * blocks as i32;
        let top = self.variant.on(Dim::Loop);
        let (fresh, again, over, done) =
            (self.asm.label(), self.asm.label(), self.asm.label(), self.asm.label());
        if blocks > 1 {
            // Repeats until the low byte of the counter is a multiple of the group.
            let aligned = self.asm.label();
            self.asm.name("head");
            let low = self.get(Var::Low, 0);
            let low = r8((low as u32 - Register::RAX as u32) as u8);
            self.asm.made(Instruction::with2(Code::Test_rm8_imm8, low, blocks as u32 - 1));
            self.asm.jump(If::Zero, aligned);
            self.small(Code::Cmp_rm64_imm8, Var::Length, 16);
            self.asm.jump(If::Below, done);
            self.blocks(single)?;
            self.asm.bind(aligned);
        }
        if !top {
            self.small(Code::Cmp_rm64_imm8, Var::Length, text);
            self.asm.jump(If::Below, done);
        }
        self.asm.bind(fresh);
        if top {
            self.small(Code::Cmp_rm64_imm8, Var::Length, text);
            self.asm.jump(If::Below, done);
        }
        self.counters(1);
        let constants = self.run(refresh)?;
        for (i, r) in constants.into_iter().enumerate() {
            self.asm.store(at(Register::RSP, CACHED + 8 * i as i32), r64(r));
        }
        self.align();
        self.asm.bind(again);
        if top {
            self.small(Code::Cmp_rm64_imm8, Var::Length, text);
            self.asm.jump(If::Below, done);
        }
        self.asm.name("body");
        self.blocks(main)?;
        self.asm.name("body end");
        match self.home(Var::Low) {
            Home::Register(r) => self.asm.two(Code::Test_rm8_r8, r8(r), r8(r)),
            Home::Frame(place) => {
                self.asm.made(Instruction::with2(Code::Cmp_rm8_imm8, at(Register::RSP, place), 0));
            }
        }
        if top {
            self.asm.jump(If::Zero, fresh);
            self.asm.jump(If::Always, again);
        } else {
            self.asm.jump(If::Zero, over);
            self.small(Code::Cmp_rm64_imm8, Var::Length, text);
            self.asm.jump(If::AboveEqual, again);
            self.asm.jump(If::Always, done);
            self.asm.bind(over);
            self.small(Code::Cmp_rm64_imm8, Var::Length, text);
            self.asm.jump(If::AboveEqual, fresh);
        }
        self.asm.bind(done);
        Ok(())
    }

    /// 1 to 15 bytes of CTR: stores their key stream on the stack, then processes byte by byte.
    pub(super) fn last_bytes(&mut self, stream: Work) -> Result<(), Unfit> {
        self.asm.name("tail");
        match self.home(Var::Length) {
            Home::Register(r) => self.asm.two(Code::Test_rm64_r64, r64(r), r64(r)),
            Home::Frame(_) => self.small(Code::Cmp_rm64_imm8, Var::Length, 0),
        }
        self.asm.jump(If::Zero, self.leave);
        self.counters(1);
        match stream {
            Work::Program { flow, .. } => {
                for (i, r) in self.run(flow)?.into_iter().enumerate() {
                    let to = at(Register::RSP, COUNTERS + 4 * i as i32);
                    self.asm.made(Instruction::with2(Code::Mov_rm32_r32, to, r32(r)));
                }
            }
            Work::Steps => self.rounds()?,
        }
        let again = self.asm.label();
        let (input, output) = (self.get(Var::Input, 6), self.get(Var::Output, 1));
        let length = self.get(Var::Length, 2);
        self.asm.two(Code::Xor_r32_rm32, Register::EAX, Register::EAX);
        self.asm.bind(again);
        let byte = |base, d| indexed(base, Register::RAX, 1, d);
        self.asm.made(Instruction::with2(Code::Movzx_r32_rm8, Register::EBX, byte(input, 0)));
        self.asm.made(Instruction::with2(Code::Xor_r8_rm8, Register::BL, byte(Register::RSP, COUNTERS)));
        self.asm.made(Instruction::with2(Code::Mov_rm8_r8, byte(output, 0), Register::BL));
        self.asm.add(Register::RAX, 1);
        self.asm.two(Code::Cmp_r64_rm64, Register::RAX, length);
        self.asm.jump(If::Below, again);
        Ok(())
    }
}
