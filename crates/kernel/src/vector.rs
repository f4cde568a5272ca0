//! Selection: a vector operation and a width become one instruction form.

use crate::asm::{Assembler, Constant, at, constant_operand, indexed};
use aesmith_dataflow::Round;
use aesmith_order::{Effects, Instruction as Ordered, Reg, Text};
use iced_x86::{Code, Instruction, MemoryOperand, Register};

/// Bytes of a register with this many 128-bit lanes.
pub const fn bytes(lanes: usize) -> i32 {
    16 * lanes as i32
}

/// What a vector instruction does. Operands are `dst, a, b` as far as they exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// An AES round of `a` with key `b`.
    Aes(Round),
    /// InvMixColumns of `b`.
    InvMix,
    /// `a ^ b`.
    Xor,
    /// Sums of 64-bit elements.
    Add64,
    /// Sums of 32-bit elements.
    Add32,
    /// Bytes of `a` picked by `b`, in each lane.
    Shuffle,
    /// `dst = b`.
    Load,
    /// Every lane of `dst` is the 128-bit memory operand `b`.
    Broadcast,
    /// The lane before: the last lane of `a`, then all but the last of `b` (`a` is the register
    /// before `b` in memory; one lane: `a` itself).
    Previous,
    /// `a` with this lane replaced by the 128 bits `b`.
    Insert(u8),
    /// `b (memory, 128 bits) = ` this lane of `a`.
    Extract(u8),
    /// Lanes of `a`, then lanes of `b`, picked as by VSHUFI32X4's immediate.
    Lanes(u8),
    /// `b (memory) = a`.
    Store,
    /// The same past the caches, aligned.
    Stream,
    /// Fetch the line of `b` into the cache.
    Prefetch,
}

/// The last operand.
#[derive(Clone, Copy, Debug)]
pub enum Src {
    /// A register.
    Reg(Reg),
    /// Memory at a general register and displacement; with the message text that is touched.
    Mem(Register, i32, bool),
    /// Message text of one of several streams: the array of pointers, the stream, and the
    /// displacement from the pointer plus [`POSITION`]. Takes [`POINTER`] to load the pointer.
    Stream(Register, u8, i32),
    /// A constant of the pool.
    Constant(Constant),
}

/// Bytes that all streams have processed, in kernels of several streams.
pub const POSITION: Register = Register::R9;
/// The register that pointers of streams are loaded into, one instruction before their use.
pub const POINTER: Register = Register::RAX;

/// One vector instruction before or after it has registers.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    /// What it does.
    pub operation: Operation,
    /// 128-bit lanes of its registers.
    pub lanes: u8,
    /// Result.
    pub dst: Option<Reg>,
    /// First operand.
    pub a: Option<Reg>,
    /// Last operand.
    pub b: Option<Src>,
}

impl Vector {
    /// `dst = operation(a, b)`.
    pub fn new(operation: Operation, lanes: usize, dst: Reg, a: Reg, b: Src) -> Vector {
        Vector { operation, lanes: lanes as u8, dst: Some(dst), a: Some(a), b: Some(b) }
    }

    /// `dst = operation(b)`.
    pub fn from(operation: Operation, lanes: usize, dst: Reg, b: Src) -> Vector {
        Vector { operation, lanes: lanes as u8, dst: Some(dst), a: None, b: Some(b) }
    }

    /// A store of `a`.
    pub fn store(operation: Operation, lanes: usize, a: Reg, memory: Src) -> Vector {
        Vector { operation, lanes: lanes as u8, dst: None, a: Some(a), b: Some(memory) }
    }
}

impl Ordered for Vector {
    fn effects(&self) -> Effects {
        let b = match self.b {
            Some(Src::Reg(r)) => Some(r),
            _ => None,
        };
        let text = match self.b {
            Some(Src::Mem(_, start, true)) if self.operation != Operation::Prefetch => Some(Text {
                start,
                end: start
                    + if self.operation == Operation::Broadcast { 16 } else { bytes(self.lanes as usize) },
                write: matches!(self.operation, Operation::Store | Operation::Stream),
            }),
            _ => None,
        };
        Effects { reads: [self.a, b, None], writes: self.dst, text }
    }

    fn rename(&mut self, mut map: impl FnMut(Reg) -> Reg) {
        self.a = self.a.map(&mut map);
        if let Some(Src::Reg(r)) = self.b {
            self.b = Some(Src::Reg(map(r)));
        }
        self.dst = self.dst.map(map);
    }
}

/// The form of an operation at each width: VEX xmm and ymm, EVEX xmm, ymm and zmm.
fn code(operation: Operation, store: bool) -> [Code; 5] {
    use Code::*;
    match operation {
        Operation::Aes(Round::Encrypt) => [
            VEX_Vaesenc_xmm_xmm_xmmm128,
            VEX_Vaesenc_ymm_ymm_ymmm256,
            EVEX_Vaesenc_xmm_xmm_xmmm128,
            EVEX_Vaesenc_ymm_ymm_ymmm256,
            EVEX_Vaesenc_zmm_zmm_zmmm512,
        ],
        Operation::Aes(Round::EncryptLast) => [
            VEX_Vaesenclast_xmm_xmm_xmmm128,
            VEX_Vaesenclast_ymm_ymm_ymmm256,
            EVEX_Vaesenclast_xmm_xmm_xmmm128,
            EVEX_Vaesenclast_ymm_ymm_ymmm256,
            EVEX_Vaesenclast_zmm_zmm_zmmm512,
        ],
        Operation::Aes(Round::Decrypt) => [
            VEX_Vaesdec_xmm_xmm_xmmm128,
            VEX_Vaesdec_ymm_ymm_ymmm256,
            EVEX_Vaesdec_xmm_xmm_xmmm128,
            EVEX_Vaesdec_ymm_ymm_ymmm256,
            EVEX_Vaesdec_zmm_zmm_zmmm512,
        ],
        Operation::Aes(Round::DecryptLast) => [
            VEX_Vaesdeclast_xmm_xmm_xmmm128,
            VEX_Vaesdeclast_ymm_ymm_ymmm256,
            EVEX_Vaesdeclast_xmm_xmm_xmmm128,
            EVEX_Vaesdeclast_ymm_ymm_ymmm256,
            EVEX_Vaesdeclast_zmm_zmm_zmmm512,
        ],
        Operation::InvMix => [VEX_Vaesimc_xmm_xmmm128; 5],
        Operation::Xor => [
            VEX_Vpxor_xmm_xmm_xmmm128,
            VEX_Vpxor_ymm_ymm_ymmm256,
            EVEX_Vpxorq_xmm_k1z_xmm_xmmm128b64,
            EVEX_Vpxorq_ymm_k1z_ymm_ymmm256b64,
            EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
        ],
        Operation::Add64 => [
            VEX_Vpaddq_xmm_xmm_xmmm128,
            VEX_Vpaddq_ymm_ymm_ymmm256,
            EVEX_Vpaddq_xmm_k1z_xmm_xmmm128b64,
            EVEX_Vpaddq_ymm_k1z_ymm_ymmm256b64,
            EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
        ],
        Operation::Add32 => [
            VEX_Vpaddd_xmm_xmm_xmmm128,
            VEX_Vpaddd_ymm_ymm_ymmm256,
            EVEX_Vpaddd_xmm_k1z_xmm_xmmm128b32,
            EVEX_Vpaddd_ymm_k1z_ymm_ymmm256b32,
            EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
        ],
        Operation::Shuffle => [
            VEX_Vpshufb_xmm_xmm_xmmm128,
            VEX_Vpshufb_ymm_ymm_ymmm256,
            EVEX_Vpshufb_xmm_k1z_xmm_xmmm128,
            EVEX_Vpshufb_ymm_k1z_ymm_ymmm256,
            EVEX_Vpshufb_zmm_k1z_zmm_zmmm512,
        ],
        Operation::Load | Operation::Store if store => [
            VEX_Vmovdqu_xmmm128_xmm,
            VEX_Vmovdqu_ymmm256_ymm,
            EVEX_Vmovdqu64_xmmm128_k1z_xmm,
            EVEX_Vmovdqu64_ymmm256_k1z_ymm,
            EVEX_Vmovdqu64_zmmm512_k1z_zmm,
        ],
        Operation::Load | Operation::Store => [
            VEX_Vmovdqu_xmm_xmmm128,
            VEX_Vmovdqu_ymm_ymmm256,
            EVEX_Vmovdqu64_xmm_k1z_xmmm128,
            EVEX_Vmovdqu64_ymm_k1z_ymmm256,
            EVEX_Vmovdqu64_zmm_k1z_zmmm512,
        ],
        Operation::Broadcast => [
            VEX_Vmovdqu_xmm_xmmm128,
            VEX_Vbroadcasti128_ymm_m128,
            EVEX_Vmovdqu64_xmm_k1z_xmmm128,
            EVEX_Vbroadcasti32x4_ymm_k1z_m128,
            EVEX_Vbroadcasti32x4_zmm_k1z_m128,
        ],
        Operation::Previous => [
            VEX_Vmovdqu_xmm_xmmm128,
            VEX_Vperm2i128_ymm_ymm_ymmm256_imm8,
            EVEX_Vmovdqu64_xmm_k1z_xmmm128,
            EVEX_Valignq_ymm_k1z_ymm_ymmm256b64_imm8,
            EVEX_Valignq_zmm_k1z_zmm_zmmm512b64_imm8,
        ],
        Operation::Insert(_) => [
            INVALID,
            VEX_Vinserti128_ymm_ymm_xmmm128_imm8,
            INVALID,
            EVEX_Vinserti32x4_ymm_k1z_ymm_xmmm128_imm8,
            EVEX_Vinserti32x4_zmm_k1z_zmm_xmmm128_imm8,
        ],
        Operation::Lanes(_) => [
            INVALID,
            VEX_Vperm2i128_ymm_ymm_ymmm256_imm8,
            INVALID,
            EVEX_Vshufi32x4_ymm_k1z_ymm_ymmm256b32_imm8,
            EVEX_Vshufi32x4_zmm_k1z_zmm_zmmm512b32_imm8,
        ],
        Operation::Extract(_) => [
            INVALID,
            VEX_Vextracti128_xmmm128_ymm_imm8,
            INVALID,
            EVEX_Vextracti32x4_xmmm128_k1z_ymm_imm8,
            EVEX_Vextracti32x4_xmmm128_k1z_zmm_imm8,
        ],
        Operation::Stream => [
            VEX_Vmovntdq_m128_xmm,
            VEX_Vmovntdq_m256_ymm,
            EVEX_Vmovntdq_m128_xmm,
            EVEX_Vmovntdq_m256_ymm,
            EVEX_Vmovntdq_m512_zmm,
        ],
        Operation::Prefetch => [Prefetcht0_m8; 5],
    }
}

/// The machine register with this number and lanes.
pub fn register(lanes: usize, number: u8) -> Register {
    let first = match lanes {
        1 => Register::XMM0,
        2 => Register::YMM0,
        _ => Register::ZMM0,
    };
    first + u32::from(number)
}

/// Appends a vector instruction whose registers are all fixed. `evex` picks the encoding, and with
/// it the 32 registers.
///
/// # Panics
/// If a register is still virtual.
pub fn push(asm: &mut Assembler, v: &Vector, evex: bool) {
    let lanes = v.lanes as usize;
    let width = lanes.ilog2() as usize;
    let fixed = |r: Reg| match r {
        Reg::Fixed(number) => register(lanes, number),
        Reg::Virtual(n) => panic!("virtual register {n} was never given a machine register"),
    };
    let code = code(v.operation, v.dst.is_none())[width + if evex { 2 } else { 0 }];
    let mut constant = None;
    let memory = |src: Src, constant: &mut Option<Constant>| -> Option<MemoryOperand> {
        match src {
            Src::Reg(_) => None,
            Src::Mem(base, displacement, _) => Some(at(base, displacement)),
            Src::Stream(_, _, displacement) => Some(indexed(POINTER, POSITION, 1, displacement)),
            Src::Constant(c) => {
                *constant = Some(c);
                Some(constant_operand())
            }
        }
    };
    let b = v.b.expect("every vector instruction has a last operand");
    let memory = memory(b, &mut constant);
    if let Src::Stream(pointers, stream, _) = b {
        asm.load(POINTER, at(pointers, 8 * i32::from(stream)));
    }
    let made = match (v.operation, v.dst, v.a) {
        (Operation::Store | Operation::Stream, _, Some(a)) => {
            Instruction::with2(code, memory.unwrap(), fixed(a))
        }
        (Operation::Extract(lane), _, Some(a)) => {
            Instruction::with3(code, memory.unwrap(), fixed(a), i32::from(lane))
        }
        (Operation::Insert(lane), Some(dst), Some(a)) => {
            Instruction::with4(code, fixed(dst), fixed(a), memory.unwrap(), i32::from(lane))
        }
        (Operation::Lanes(pick), Some(dst), Some(a)) => {
            let Src::Reg(b) = b else { panic!("the later register of Lanes is in memory") };
            // VPERM2I128 numbers the lanes of both operands together, four bits a choice.
            let vex = u32::from(pick & 1) | u32::from(2 + (pick >> 1 & 1)) << 4;
            let pick = if code == Code::VEX_Vperm2i128_ymm_ymm_ymmm256_imm8 { vex } else { pick.into() };
            Instruction::with4(code, fixed(dst), fixed(a), fixed(b), pick)
        }
        (Operation::Prefetch, ..) => Instruction::with1(code, memory.unwrap()),
        (Operation::Previous, Some(dst), Some(a)) if lanes == 1 => {
            Instruction::with2(code, fixed(dst), fixed(a))
        }
        (Operation::Previous, Some(dst), Some(a)) => {
            let Src::Reg(b) = b else { panic!("the later register of Previous is in memory") };
            if code == Code::VEX_Vperm2i128_ymm_ymm_ymmm256_imm8 {
                // Low half from the high half of the first operand, high from the low of the second.
                Instruction::with4(code, fixed(dst), fixed(a), fixed(b), 0x21)
            } else {
                // The concatenation b:a shifted right by all quadwords of a but the last two.
                Instruction::with4(code, fixed(dst), fixed(b), fixed(a), 2 * lanes as i32 - 2)
            }
        }
        (_, Some(dst), Some(a)) => match (memory, b) {
            (Some(m), _) => Instruction::with3(code, fixed(dst), fixed(a), m),
            (None, Src::Reg(b)) => Instruction::with3(code, fixed(dst), fixed(a), fixed(b)),
            _ => unreachable!("a source is a register or memory"),
        },
        (_, Some(dst), None) => match (memory, b) {
            (Some(m), _) => Instruction::with2(code, fixed(dst), m),
            (None, Src::Reg(b)) => Instruction::with2(code, fixed(dst), fixed(b)),
            _ => unreachable!("a source is a register or memory"),
        },
        _ => panic!("{v:?} has no result and is no store"),
    };
    match (made, constant) {
        (Ok(instruction), Some(c)) => asm.push_constant(&instruction, c),
        (made, _) => asm.made(made),
    }
}
