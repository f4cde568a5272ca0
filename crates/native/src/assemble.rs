//! Assembles machine code from iced-x86 instructions; supports backward branches only.

use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};

/// Code under construction; instruction pointers are offsets from its start.
pub struct Assembly {
    encoder: Encoder,
    length: u64,
}

impl Default for Assembly {
    fn default() -> Self {
        Assembly { encoder: Encoder::new(64), length: 0 }
    }
}

impl Assembly {
    /// Offset of the next instruction, in bytes.
    pub fn here(&self) -> u64 {
        self.length
    }

    /// Appends an instruction.
    ///
    /// # Errors
    /// The encoder knows no such operand combination.
    pub fn push(&mut self, instruction: Instruction) -> Result<(), IcedError> {
        self.length += self.encoder.encode(&instruction, self.length)? as u64;
        Ok(())
    }

    /// Appends an instruction of one register operand.
    pub fn r(&mut self, code: Code, a: Register) -> Result<(), IcedError> {
        self.push(Instruction::with1(code, a)?)
    }

    /// Appends an instruction of two register operands.
    pub fn rr(&mut self, code: Code, a: Register, b: Register) -> Result<(), IcedError> {
        self.push(Instruction::with2(code, a, b)?)
    }

    /// Appends an instruction of three register operands.
    pub fn rrr(&mut self, code: Code, a: Register, b: Register, c: Register) -> Result<(), IcedError> {
        self.push(Instruction::with3(code, a, b, c)?)
    }

    /// Appends an instruction of a register and an immediate.
    pub fn ri(&mut self, code: Code, a: Register, value: i32) -> Result<(), IcedError> {
        self.push(Instruction::with2(code, a, value)?)
    }

    /// Appends a load: register, then `[base + displacement]`.
    pub fn rm(&mut self, code: Code, a: Register, base: Register, at: i64) -> Result<(), IcedError> {
        self.push(Instruction::with2(code, a, MemoryOperand::with_base_displ(base, at))?)
    }

    /// Appends a store: `[base + displacement]`, then register.
    pub fn mr(&mut self, code: Code, base: Register, at: i64, a: Register) -> Result<(), IcedError> {
        self.push(Instruction::with2(code, MemoryOperand::with_base_displ(base, at), a)?)
    }

    /// Appends a conditional or unconditional near branch to an earlier [`Assembly::here`].
    pub fn branch(&mut self, code: Code, target: u64) -> Result<(), IcedError> {
        self.push(Instruction::with_branch(code, target)?)
    }

    /// Appends an instruction without operands.
    pub fn plain(&mut self, code: Code) -> Result<(), IcedError> {
        self.push(Instruction::with(code))
    }

    /// The bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.encoder.take_buffer()
    }
}
