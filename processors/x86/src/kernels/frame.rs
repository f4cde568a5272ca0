//! The stack frame of a kernel, aligned to a cache line.

use crate::kernels::asm::{Assembler, at};
use iced_x86::{Code, Instruction, Register};

/// The greatest step by which the stack pointer may move down before its target is touched: the guard below a stack
/// is at least one page, and alignment may have used a cache line of it.
const STEP: i32 = 4096 - LINE;

/// Bytes that may be used below the final stack pointer: the red zone (System V ABI, 3.2.2).
const BELOW: i32 = 128;

/// Alignment of frames: a cache line, in bytes.
const LINE: i32 = 64;

/// Lowers the stack pointer by `size` bytes. A frame that could reach past the guard below the stack is touched page
/// by page on the way, highest first, so that a stack overflow ends in a fault and not in other memory; compilers do
/// the same under `-fstack-clash-protection`.
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

/// Opens a frame of `size` bytes at the stack pointer; `rbp` keeps the old stack pointer.
pub fn open(asm: &mut Assembler, size: i32) {
    asm.one(Code::Push_r64, Register::RBP);
    open_behind_saved(asm, size);
}

/// Like [`open`], if `rbp` is saved already.
pub(crate) fn open_behind_saved(asm: &mut Assembler, size: i32) {
    asm.mov(Register::RBP, Register::RSP);
    // Alignment comes first, so that only the frame is touched on the way down.
    asm.immediate(Code::And_rm64_imm8, Code::And_rm64_imm32, Register::RSP, -LINE);
    lower(asm, (size + LINE - 1) & -LINE);
}

/// Closes the frame.
pub fn close(asm: &mut Assembler) {
    asm.mov(Register::RSP, Register::RBP);
    asm.one(Code::Pop_r64, Register::RBP);
}
