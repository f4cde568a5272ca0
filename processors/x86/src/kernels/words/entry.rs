//! Entry and exit of a kernel on words: saves registers, stores arguments in their homes, prepares keys and
//! chaining values; wipes and restores.

use super::homes::{ALL, ARRAYS, Home, PADDED, TABLE, Var};
use super::select::{r32, r64, xmm};
use super::{CHAIN, SAVED, Writer};
use crate::dimensions::Dim;
use crate::kernels::asm::{If, at, constant_operand, indexed};
use iced_x86::{Code, Instruction, Register};

/// Registers of the arguments, in order.
const ARGUMENTS: [u8; 5] = [7, 6, 2, 1, 8];

impl Writer<'_> {
    /// Saves the caller's registers, opens the frame, and points to the tables.
    pub(super) fn entry(&mut self) {
        self.asm.name("entry");
        for r in SAVED {
            self.asm.one(Code::Push_r64, r64(r));
        }
        let frame = self.frame();
        crate::kernels::frame::lower(&mut self.asm, frame);
        let contents = self.regions.contents();
        let tables = self.asm.constant(&contents);
        match Instruction::with2(Code::Lea_r64_m, r64(TABLE), constant_operand()) {
            Ok(lea) => self.asm.push_constant(&lea, tables),
            Err(error) => unreachable!("lea of a register and memory: {error}"),
        }
    }

    /// Moves the arguments of the only stream to their homes.
    pub(super) fn arguments(&mut self) {
        let all: &[Var] = match self.variant.problem.has_iv() {
            true => &[Var::Key, Var::Iv, Var::Input, Var::Output, Var::Length],
            false => &[Var::Key, Var::Input, Var::Output, Var::Length],
        };
        for (&var, r) in all.iter().zip(ARGUMENTS) {
            if var != Var::Key || !self.keys_in_vectors() {
                self.set(var, r64(r));
            }
        }
    }

    /// The arguments of several streams are arrays: stores their addresses in the frame.
    pub(super) fn arrays(&mut self) {
        for (i, r) in ARGUMENTS.into_iter().enumerate() {
            self.asm.store(at(Register::RSP, ARRAYS + 8 * i as i32), r64(r));
        }
        let Home::Register(stream) = self.home(Var::Stream) else {
            unreachable!("what counts streams has a register")
        };
        self.asm.two(Code::Xor_r32_rm32, r32(stream), r32(stream));
    }

    /// Loads the arguments of the current stream from the arrays; key and IV also into the registers that
    /// [`Writer::prepare`] reads.
    pub(super) fn next_stream(&mut self) {
        let Home::Register(stream) = self.home(Var::Stream) else {
            unreachable!("what counts streams has a register")
        };
        let all = [Var::Key, Var::Iv, Var::Input, Var::Output, Var::Length];
        for (i, (var, r)) in all.into_iter().zip(ARGUMENTS).enumerate() {
            self.asm.load(r64(r), at(Register::RSP, ARRAYS + 8 * i as i32));
            self.asm.load(r64(r), indexed(r64(r), r64(stream), 1, 0));
            if var != Var::Key || !self.keys_in_vectors() {
                self.set(var, r64(r));
            }
        }
    }

    /// Prepares the round keys of a stream, and its chaining value if registers hold it; key and IV are in
    /// their argument registers.
    pub(super) fn prepare(&mut self) {
        let (key, iv) = (r64(ARGUMENTS[0]), r64(ARGUMENTS[1]));
        if self.keys_in_vectors() {
            for round in 0..=self.cipher.rounds {
                let from = at(key, 16 * round as i32);
                self.asm.made(Instruction::with2(Code::Movdqu_xmm_xmmm128, xmm(round as u8), from));
            }
        }
        if self.cipher.tables.padded() {
            self.pad_keys(key);
        }
        if self.chain_in_registers() {
            for (w, r) in CHAIN.into_iter().enumerate() {
                let from = at(iv, 4 * w as i32);
                self.asm.made(Instruction::with2(Code::Mov_r32_rm32, r32(r), from));
            }
        }
    }

    /// Stores the chaining value of a stream from registers to the caller's IV.
    pub(super) fn keep_chain(&mut self) {
        if !self.chain_in_registers() {
            return;
        }
        let iv = self.get(Var::Iv, ARGUMENTS[1]);
        for (half, pair) in CHAIN.chunks(2).enumerate() {
            let [low, high] = [pair[0], pair[1]].map(r64);
            self.asm.shift(Code::Shl_rm64_imm8, high, 32);
            self.asm.two(Code::Xor_r64_rm64, low, high);
            self.asm.store(at(iv, 8 * half as i32), low);
        }
    }

    /// Padded words of the round keys between the first and the last: each byte times 16, the bytes 16 bits
    /// apart.
    fn pad_keys(&mut self, key: Register) {
        let (word, moved, halves, bytes, i) =
            (Register::RAX, Register::RBX, Register::RBP, Register::R8, Register::RSI);
        // The arguments are in their homes, except the IV, which is read again from here.
        let keep = Register::RDX;
        self.asm.mov(keep, i);
        self.asm.made(Instruction::with2(Code::Mov_r64_imm64, halves, 0x0000_ffff_0000_ffffu64));
        self.asm.made(Instruction::with2(Code::Mov_r64_imm64, bytes, 0x00ff_00ff_00ff_00ffu64));
        self.asm.two(Code::Xor_r32_rm32, Register::ESI, Register::ESI);
        let again = self.asm.label();
        self.asm.bind(again);
        self.asm.made(Instruction::with2(Code::Mov_r32_rm32, Register::EAX, indexed(key, i, 4, 16)));
        for (shift, mask) in [(16, halves), (8, bytes)] {
            self.asm.mov(moved, word);
            self.asm.shift(Code::Shl_rm64_imm8, moved, shift);
            self.asm.two(Code::Xor_r64_rm64, word, moved);
            self.asm.two(Code::And_r64_rm64, word, mask);
        }
        self.asm.shift(Code::Shl_rm64_imm8, word, 4);
        self.asm.store(indexed(Register::RSP, i, 8, PADDED), word);
        self.asm.add(i, 1);
        self.asm.cmp(i, 4 * (self.cipher.rounds as i32 - 1));
        self.asm.jump(If::Below, again);
        self.asm.mov(i, keep);
    }

    /// The exit.
    pub(super) fn leave(&mut self) {
        self.asm.bind(self.leave);
        self.asm.name("leave");
        let frame = self.frame();
        if self.variant.on(Dim::Wipe) {
            for slot in 0..frame / 8 {
                let to = at(Register::RSP, 8 * slot);
                self.asm.made(Instruction::with2(Code::Mov_rm64_imm32, to, 0));
            }
            for r in (0..16).filter(|r| ALL >> r & 1 == 1 && !SAVED.contains(r)) {
                self.asm.two(Code::Xor_r32_rm32, r32(r), r32(r));
            }
            if self.keys_in_vectors() {
                for r in 0..=self.cipher.rounds as u8 {
                    self.asm.two(Code::Pxor_xmm_xmmm128, xmm(r), xmm(r));
                }
            }
        }
        self.asm.add(Register::RSP, frame);
        for r in SAVED.into_iter().rev() {
            self.asm.one(Code::Pop_r64, r64(r));
        }
        self.asm.push(&Instruction::with(Code::Retnq));
    }
}
