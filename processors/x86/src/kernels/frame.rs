//! A kernel's part of the stack, aligned to a cache line.

use crate::kernels::asm::{Assembler, at};
use iced_x86::{Code, Instruction, Register};

/// How far the stack pointer may go down before what it points to is touched: the least that lies
/// unmapped below a stack is a page, and a cache line of it may have gone into alignment.
const STEP: i32 = 4096 - LINE;

/// What may be used below the stack pointer where it ends up: the red zone (System V ABI, 3.2.2).
const BELOW: i32 = 128;

/// What frames are aligned to: a cache line.
const LINE: i32 = 64;

/// Lowers the stack pointer by `size` bytes. A frame that could reach past the guard below the stack
/// is touched page by page on the way, highest first, so that a stack that is too small ends in a
/// fault and not in the memory of others; compilers do the same under `-fstack-clash-protection`.
pub fn lower(asm: &mut Assembler, size: i32) {
    let mut left = size;
    while left + BELOW > STEP {
        let step = left.min(STEP);
        asm.sub(Register::RSP, step);
        asm.made(Instruction::with2(Code::Mov_rm64_imm32, at(Register::RSP, 0), 0));
        left -= step;
    }
    if left > 0 {
        asm.sub(Register::RSP, left);
    }
}

/// Opens a frame of `size` bytes at the stack pointer; the old one is kept in `rbp`.
pub fn open(asm: &mut Assembler, size: i32) {
    asm.one(Code::Push_r64, Register::RBP);
    open_behind_saved(asm, size);
}

/// The same where `rbp` is saved already.
pub fn open_behind_saved(asm: &mut Assembler, size: i32) {
    asm.mov(Register::RBP, Register::RSP);
    // First, so that what is touched on the way down is the frame's.
    asm.immediate(Code::And_rm64_imm8, Code::And_rm64_imm32, Register::RSP, -LINE);
    lower(asm, (size + LINE - 1) & -LINE);
}

/// Closes it.
pub fn close(asm: &mut Assembler) {
    asm.mov(Register::RSP, Register::RBP);
    asm.one(Code::Pop_r64, Register::RBP);
}
