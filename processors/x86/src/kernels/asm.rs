//! A small assembler over the encoder of iced-x86: labels, a pool of constants after the code, and alignment. It
//! makes one pass and writes every forward jump in its long form.

use iced_x86::{Code, Encoder, Instruction, MemoryOperand, OpKind, Register};

/// A position in the code, to be bound once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(u32);

/// A constant of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constant(u16);

/// Conditions of the jumps in kernels, with their encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum If {
    /// Always.
    Always = 0xff,
    /// Unsigned `<`, or carry.
    Below = 2,
    /// Unsigned `>=`, or no carry.
    AboveEqual = 3,
    /// Zero.
    Zero = 4,
    /// Not zero.
    NotZero = 5,
    /// Unsigned `<=`.
    BelowEqual = 6,
    /// Unsigned `>`.
    Above = 7,
}

/// The bytes of a kernel and their layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembled {
    /// Code, followed by the constants.
    pub bytes: Vec<u8>,
    /// Offset at which the code ends and padding and constants begin, in bytes.
    pub code_end: usize,
    /// Offsets of the named labels, in bytes.
    pub labels: Vec<(&'static str, usize)>,
}

/// Code in the making.
pub struct Assembler {
    encoder: Encoder,
    offsets: Vec<Option<usize>>,
    jumps: Vec<(usize, Label)>,
    constants: Vec<(usize, Vec<u8>)>,
    uses: Vec<(usize, usize, Constant)>,
    names: Vec<(&'static str, usize)>,
    error: Option<String>,
    at: usize,
    bytes: Vec<u8>,
}

/// Alignment of the constants relative to the first byte of the kernel: one cache line, in bytes.
pub(crate) const POOL_ALIGNMENT: usize = 64;

/// Recommended multi-byte NOPs (Intel SDM volume 2, NOP, table 4-12).
const NOPS: [&[u8]; 9] = [
    &[0x90],
    &[0x66, 0x90],
    &[0x0f, 0x1f, 0x00],
    &[0x0f, 0x1f, 0x40, 0x00],
    &[0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
    &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
];

impl Assembler {
    /// Empty code.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Assembler {
        Assembler {
            encoder: Encoder::new(64),
            offsets: Vec::new(),
            jumps: Vec::new(),
            constants: Vec::new(),
            uses: Vec::new(),
            names: Vec::new(),
            error: None,
            at: 0,
            bytes: Vec::with_capacity(4096),
        }
    }

    /// The start of a function: `endbr64`, so that a system that enforces indirect branch tracking (Intel SDM volume
    /// 1, 17.3) allows indirect calls and jumps to it. It is a NOP elsewhere. It is written here and not by a
    /// printer, so that the emitted bytes are the proved ones.
    pub fn function() -> Assembler {
        let mut asm = Assembler::new();
        asm.push(&Instruction::with(Code::Endbr64));
        asm
    }

    /// A label to be bound later.
    pub fn label(&mut self) -> Label {
        self.offsets.push(None);
        Label(self.offsets.len() as u32 - 1)
    }

    /// Binds a label here.
    pub(crate) fn bind(&mut self, label: Label) {
        self.offsets[label.0 as usize] = Some(self.at);
    }

    /// Names this position in listings and for `explain`.
    pub fn name(&mut self, name: &'static str) {
        self.names.push((name, self.at));
    }

    /// The constant with these bytes, added to the pool if it is missing.
    pub fn constant(&mut self, bytes: &[u8]) -> Constant {
        let known = self.constants.iter().position(|(_, c)| c.as_slice() == bytes);
        Constant(known.unwrap_or_else(|| {
            self.constants.push((0, bytes.to_vec()));
            self.constants.len() - 1
        }) as u16)
    }

    /// Appends an instruction.
    pub fn push(&mut self, instruction: &Instruction) {
        match self.encoder.encode(instruction, self.at as u64) {
            Ok(length) => self.at += length,
            Err(error) => {
                self.error.get_or_insert(format!("{instruction:?}: {error}"));
            }
        }
    }

    /// Appends an instruction whose memory operand, built by [`constant_operand`], is `constant`.
    pub(crate) fn push_constant(&mut self, instruction: &Instruction, constant: Constant) {
        let start = self.at;
        self.push(instruction);
        let offsets = self.encoder.get_constant_offsets();
        self.uses.push((start + offsets.displacement_offset(), self.at, constant));
    }

    /// Appends a jump.
    pub fn jump(&mut self, condition: If, label: Label) {
        let target = self.offsets[label.0 as usize];
        let near = target.and_then(|t| i8::try_from(t as i64 - (self.at as i64 + 2)).ok());
        match (near, condition) {
            (Some(d), If::Always) => self.raw(&[0xeb, d as u8]),
            (Some(d), c) => self.raw(&[0x70 | c as u8, d as u8]),
            (None, If::Always) => {
                self.raw(&[0xe9]);
                self.displacement(label);
            }
            (None, c) => {
                self.raw(&[0x0f, 0x80 | c as u8]);
                self.displacement(label);
            }
        }
    }

    fn displacement(&mut self, label: Label) {
        self.jumps.push((self.at, label));
        self.raw(&[0; 4]);
    }

    /// Pads with NOPs to a multiple of `alignment` bytes from the kernel's first byte.
    pub fn align(&mut self, alignment: usize) {
        let mut missing = self.at.next_multiple_of(alignment) - self.at;
        while missing > 0 {
            let nop = NOPS[missing.min(NOPS.len()) - 1];
            self.raw(nop);
            missing -= nop.len();
        }
    }

    /// Pads with bytes that are never executed (int3) to a multiple of `alignment`.
    pub fn pad(&mut self, alignment: usize) {
        let missing = self.at.next_multiple_of(alignment) - self.at;
        self.raw(&vec![0xcc; missing]);
    }

    /// Appends finished code that refers to nothing outside itself.
    pub fn append(&mut self, code: &[u8]) {
        self.raw(code);
    }

    fn raw(&mut self, bytes: &[u8]) {
        // The encoder owns the buffer, so raw bytes are written through it.
        for &byte in bytes {
            self.encoder.write_u8(byte);
        }
        self.at += bytes.len();
    }

    /// Offset of the next instruction.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Lays out the constants and resolves every reference.
    ///
    /// # Errors
    /// A sentence, if an instruction could not be encoded or a label was never bound.
    pub fn finish(mut self) -> Result<Assembled, String> {
        if let Some(error) = self.error {
            return Err(error);
        }
        self.bytes = self.encoder.take_buffer();
        let code_end = self.bytes.len();
        // Only the used constants; largest first, so that each is aligned to its own size.
        let used = |i: &usize| self.uses.iter().any(|(.., constant)| usize::from(constant.0) == *i);
        let mut order: Vec<usize> = (0..self.constants.len()).filter(used).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(self.constants[i].1.len()));
        if !order.is_empty() {
            // int3 is never executed; it stops a decoder that runs past the code.
            self.bytes.resize(code_end.next_multiple_of(POOL_ALIGNMENT), 0xcc);
        }
        for i in order {
            self.constants[i].0 = self.bytes.len();
            self.bytes.extend_from_slice(&self.constants[i].1);
        }
        for (at, label) in self.jumps {
            let target = self.offsets[label.0 as usize].ok_or("a label was never bound")?;
            let displacement = target as i32 - (at as i32 + 4);
            self.bytes[at..at + 4].copy_from_slice(&displacement.to_le_bytes());
        }
        for (at, end, constant) in self.uses {
            let displacement = self.constants[constant.0 as usize].0 as i32 - end as i32;
            self.bytes[at..at + 4].copy_from_slice(&displacement.to_le_bytes());
        }
        Ok(Assembled { bytes: self.bytes, code_end, labels: self.names })
    }

    // Scalar instructions, named as in the manuals.

    /// `mov dst, src` (64 bits).
    pub fn mov(&mut self, dst: Register, src: Register) {
        self.two(Code::Mov_r64_rm64, dst, src);
    }

    /// `op dst, src` for any form of two registers.
    pub fn two(&mut self, code: Code, dst: Register, src: Register) {
        self.made(Instruction::with2(code, dst, src));
    }

    /// `op dst` for any form of one register.
    pub fn one(&mut self, code: Code, dst: Register) {
        self.made(Instruction::with1(code, dst));
    }

    /// `op dst, imm`: picks the sign-extended byte form where the value fits.
    pub fn immediate(&mut self, short: Code, long: Code, dst: Register, value: i32) {
        let code = if i8::try_from(value).is_ok() { short } else { long };
        self.made(Instruction::with2(code, dst, value));
    }

    /// `add dst, imm` (64 bits).
    pub fn add(&mut self, dst: Register, value: i32) {
        self.immediate(Code::Add_rm64_imm8, Code::Add_rm64_imm32, dst, value);
    }

    /// `sub dst, imm` (64 bits).
    pub fn sub(&mut self, dst: Register, value: i32) {
        self.immediate(Code::Sub_rm64_imm8, Code::Sub_rm64_imm32, dst, value);
    }

    /// `cmp dst, imm` (64 bits).
    pub fn cmp(&mut self, dst: Register, value: i32) {
        self.immediate(Code::Cmp_rm64_imm8, Code::Cmp_rm64_imm32, dst, value);
    }

    /// `mov dst, [memory]` (64 bits).
    pub fn load(&mut self, dst: Register, memory: MemoryOperand) {
        self.made(Instruction::with2(Code::Mov_r64_rm64, dst, memory));
    }

    /// `mov [memory], src` (64 bits).
    pub fn store(&mut self, memory: MemoryOperand, src: Register) {
        self.made(Instruction::with2(Code::Mov_rm64_r64, memory, src));
    }

    /// `lea dst, [memory]`.
    pub fn lea(&mut self, dst: Register, memory: MemoryOperand) {
        self.made(Instruction::with2(Code::Lea_r64_m, dst, memory));
    }

    /// `shr dst, imm` or `shl dst, imm` (64 bits).
    pub fn shift(&mut self, code: Code, dst: Register, count: u32) {
        self.made(Instruction::with2(code, dst, count));
    }

    /// Appends the result of a constructor of [`Instruction`].
    pub fn made(&mut self, instruction: Result<Instruction, iced_x86::IcedError>) {
        match instruction {
            Ok(instruction) => self.push(&as_assemblers_choose(instruction)),
            Err(error) => {
                self.error.get_or_insert(error.to_string());
            }
        }
    }
}

/// The shortest form of an instruction with an immediate, which assemblers choose for its text: so emitted assembly
/// assembles to the proved bytes.
fn as_assemblers_choose(mut instruction: Instruction) -> Instruction {
    use Code::*;
    let long = instruction.code();
    let value = || instruction.immediate(1);
    let (short, accumulator) = match long {
        Shl_rm32_imm8 if value() == 1 => (Shl_rm32_1, None),
        Shr_rm32_imm8 if value() == 1 => (Shr_rm32_1, None),
        Ror_rm32_imm8 if value() == 1 => (Ror_rm32_1, None),
        Shl_rm64_imm8 if value() == 1 => (Shl_rm64_1, None),
        Shr_rm64_imm8 if value() == 1 => (Shr_rm64_1, None),
        Ror_rm64_imm8 if value() == 1 => (Ror_rm64_1, None),
        Test_rm8_imm8 if instruction.op_register(0) == Register::AL => (Test_AL_imm8, None),
        Or_rm32_imm32 => (Or_rm32_imm8, Some(Or_EAX_imm32)),
        And_rm32_imm32 => (And_rm32_imm8, Some(And_EAX_imm32)),
        Xor_rm32_imm32 => (Xor_rm32_imm8, Some(Xor_EAX_imm32)),
        _ => return instruction,
    };
    if let Some(accumulator) = accumulator {
        let word = instruction.immediate32().cast_signed();
        if i8::try_from(word).is_ok() {
            instruction.set_op1_kind(OpKind::Immediate8to32);
            instruction.set_immediate8to32(word);
        } else if instruction.op_register(0) == Register::EAX {
            instruction.set_code(accumulator);
            return instruction;
        } else {
            return instruction;
        }
    }
    instruction.set_code(short);
    instruction
}

/// `[base + displacement]`.
pub fn at(base: Register, displacement: i32) -> MemoryOperand {
    let size = u32::from(displacement != 0);
    MemoryOperand::with_base_displ_size(base, i64::from(displacement), size)
}

/// `[base + index * scale + displacement]`.
pub fn indexed(base: Register, index: Register, scale: u32, displacement: i32) -> MemoryOperand {
    let size = u32::from(displacement != 0);
    MemoryOperand::with_base_index_scale_displ_size(base, index, scale, i64::from(displacement), size)
}

/// The placeholder memory operand for [`Assembler::push_constant`].
pub(crate) fn constant_operand() -> MemoryOperand {
    MemoryOperand::with_base_displ_size(Register::RIP, 0, 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions};

    #[test]
    fn jumps_constants_and_alignment_resolve() {
        let mut a = Assembler::new();
        let (head, exit) = (a.label(), a.label());
        a.add(Register::RAX, 1);
        a.align(16);
        a.bind(head);
        let c = a.constant(&[7; 16]);
        let load = Instruction::with2(Code::VEX_Vmovdqu_xmm_xmmm128, Register::XMM3, constant_operand());
        a.push_constant(&load.unwrap(), c);
        a.sub(Register::RAX, 1000);
        a.jump(If::Zero, exit);
        a.jump(If::Always, head);
        a.bind(exit);
        a.push(&Instruction::with(Code::Retnq));
        let done = a.finish().unwrap();
        let code: Vec<_> =
            Decoder::with_ip(64, &done.bytes[..done.code_end], 0, DecoderOptions::NONE).into_iter().collect();
        let load = code.iter().find(|i| i.code() == Code::VEX_Vmovdqu_xmm_xmmm128).unwrap();
        assert_eq!(load.ip() % 16, 0);
        let target = load.ip_rel_memory_address() as usize;
        assert_eq!(done.bytes[target..target + 16], [7; 16]);
        let exit = code.iter().find(|i| i.code() == Code::Je_rel32_64).unwrap();
        assert_eq!(exit.near_branch_target(), code.last().unwrap().ip());
        let back = code.iter().find(|i| i.code() == Code::Jmp_rel8_64).unwrap();
        assert_eq!(back.near_branch_target(), load.ip());
    }

    #[test]
    fn a_constant_that_nothing_uses_is_left_out() {
        let mut a = Assembler::new();
        a.constant(&[1; 64]);
        let used = a.constant(&[2; 16]);
        let load = Instruction::with2(Code::VEX_Vmovdqu_xmm_xmmm128, Register::XMM3, constant_operand());
        a.push_constant(&load.unwrap(), used);
        a.push(&Instruction::with(Code::Retnq));
        let done = a.finish().unwrap();
        assert_eq!(done.bytes[done.code_end.next_multiple_of(POOL_ALIGNMENT)..], [2; 16]);
    }
}
