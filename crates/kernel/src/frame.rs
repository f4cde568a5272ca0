//! A kernel's part of the stack, aligned to a cache line.

use crate::asm::Assembler;
use iced_x86::{Code, Register};

/// Opens a frame of `size` bytes at the stack pointer; the old one is kept in `rbp`.
pub fn open(asm: &mut Assembler, size: i32) {
    asm.one(Code::Push_r64, Register::RBP);
    asm.mov(Register::RBP, Register::RSP);
    asm.sub(Register::RSP, size);
    asm.immediate(Code::And_rm64_imm8, Code::And_rm64_imm32, Register::RSP, -64);
}

/// Closes it.
pub fn close(asm: &mut Assembler) {
    asm.mov(Register::RSP, Register::RBP);
    asm.one(Code::Pop_r64, Register::RBP);
}
