//! Instructions of x86-64: their encodings, as far as kernels use them.
//!
//! A row of `ROWS` gives the operation, the encoding and the operands. Bytes are decoded by a row, encoded again from
//! the result, and refused unless both are equal. References are to Intel's manual, volume 2 (2.1 to 2.7).

use crate::execute::{AND, OR};
use crate::spec::Round;
use alloc::vec::Vec;

/// An operation. Its meaning is in [`crate::execute`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are those of the manual")]
pub enum Op {
    Nothing,
    Add,
    Sub,
    Adc,
    Sbb,
    And,
    Or,
    Xor,
    Cmp,
    Test,
    Mov,
    MovZeroExtended,
    Lea,
    Inc,
    Dec,
    Neg,
    Not,
    Shl,
    Shr,
    Ror,
    Bswap,
    Push,
    Pop,
    Jump,
    JumpIf,
    MoveIf,
    Return,
    Prefetch,
    StoreFence,
    /// A load, store or move of a vector; true if memory must be aligned.
    Move(bool),
    /// A store past the caches; memory must be aligned.
    Stream,
    /// A load of one lane into all lanes.
    Broadcast,
    /// The lowest number of 32 bits in all places.
    BroadcastDouble,
    VectorXor,
    /// A function of both bits, by its table; see [`crate::execute::Domain::logic`].
    Logic(u8),
    /// A table of three bits, the first of which is that of the result's register; the table is the immediate operand.
    Ternary,
    /// A shift of elements with this number of bits.
    ShiftBits(u8, Shift),
    /// Words of a half, the high one if true.
    ShuffleHalf(bool),
    /// Elements of this number of bytes of halves in turn, the high halves if true.
    Unpack(u8, bool),
    GreaterBytes,
    AddBytes,
    /// An affine map of bytes, or of their inverses in the field if true.
    Affine(bool),
    Multiply,
    /// Bytes of two tables, looked up by the bytes of the result's register.
    PermuteTwo,
    /// The highest bits of bytes to an opmask.
    SignsToMask,
    /// An opmask to whole bytes.
    MaskToBytes,
    /// Bytes of the last operand where the opmask has a bit, else of the other.
    Blend,
    AddQuads,
    AddDoubles,
    /// The carry-less product of halves that the number selects.
    Carryless,
    Shuffle,
    ShuffleWords,
    Align,
    ShiftLeft,
    ShiftRight,
    UnpackLow,
    UnpackHigh,
    /// A general register or memory to the low word of a vector register.
    ToVector,
    /// The low word of a vector register to a general register or memory.
    FromVector,
    InsertQuad,
    ExtractQuad,
    ExtractDouble,
    /// The low bits of a general register, by their number.
    LowBits,
    ToMask,
    MaskXor,
    /// A load or store of the bytes that a mask selects.
    MoveBytes,
    ShuffleLanes,
    /// For each lane one of the four of both operands, or zero.
    PermuteLanes,
    AlignQuads,
    ExtractLane,
    InsertLane,
    Aes(Round),
    /// SubWord of two words, with and without RotWord and a constant.
    KeyAssist,
    ZeroUpper,
    ZeroAll,
}

/// The direction of a shift.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Shift {
    Left,
    Right,
    RotateRight,
}

/// Encoding of an instruction: how the prefix and the opcode are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coding {
    /// Legacy prefixes and REX.
    Legacy,
    /// VEX, of two or three bytes.
    Vex,
    /// EVEX.
    Evex,
}

/// The places of operands. `reg` and `rm` are fields of ModRM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// None.
    None,
    /// reg, rm.
    RegRm,
    /// rm, reg.
    RmReg,
    /// reg, vvvv, rm; legacy encodings have reg twice.
    RegVRm,
    /// reg, rm, vvvv.
    RegRmV,
    /// vvvv, rm, with an opcode extension in reg; legacy encodings have rm twice.
    VRm(u8),
    /// rm, with an opcode extension in reg.
    Rm(u8),
    /// A general register in the low bits of the opcode.
    Low,
    /// A distance to the next instruction.
    Relative,
}

/// The kind of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A general register.
    General,
    /// A vector register.
    Vector,
    /// An opmask.
    Mask,
    /// None, or only memory.
    Absent,
}

/// An encoding.
#[derive(Debug)]
struct Row {
    op: Op,
    /// The W bit of REX, VEX and EVEX, in order of [`Coding`]: 0, 1, `x` if the processor ignores it, or `s` if it
    /// selects 64 bits, else 32. There is no such encoding if it is `-`.
    codings: &'static [u8; 3],
    /// Mandatory prefix: 0, 0x66, 0xf3 or 0xf2.
    prefix: u8,
    /// Opcode map: 0, 1 (0F), 2 (0F 38), 3 (0F 3A).
    map: u8,
    opcode: u8,
    form: Form,
    reg: Kind,
    rm: Kind,
    has_memory: bool,
    /// Bytes of the immediate operand.
    immediate: u8,
    /// Bits of general operands or memory; 0 selects by W or the vector's length.
    bits: u16,
}

/// A place in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// The base register.
    pub base: Base,
    /// The index register, and the logarithm of its factor.
    pub index: Option<(u8, u8)>,
    /// The displacement.
    pub displacement: i32,
    /// The bytes of the displacement: 0, 1 or 4.
    stored: u8,
}

/// The base of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// A general register.
    Register(u8),
    /// The address of the next instruction.
    Next,
}

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A general register.
    General(u8),
    /// The second byte of a general register.
    High(u8),
    /// A vector register.
    Vector(u8),
    /// An opmask.
    Mask(u8),
    /// Memory.
    Memory(Memory),
    /// An immediate operand, extended by its sign.
    Number(i64),
    /// None.
    Absent,
}

/// A decoded instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// The operation.
    pub op: Op,
    /// The kind of its encoding. Legacy encodings keep the upper parts of vector registers; others make them zero.
    pub coding: Coding,
    /// The size of operands in bits.
    pub bits: u16,
    /// The operands; the first is the destination.
    pub operands: [Operand; 3],
    /// The immediate operand, extended by its sign.
    pub number: i64,
    /// The condition of a jump or a conditional move, as in the opcode.
    pub condition: u8,
    /// The length in bytes.
    pub length: usize,
    row: u16,
    fields: Fields,
}

impl Instruction {
    /// The opmask.
    pub fn mask(&self) -> u8 {
        self.fields.mask
    }

    /// The place among its bytes of a 32-bit distance from the next instruction to an operand in memory.
    pub fn distance_at(&self) -> Option<usize> {
        let is_next = |operand: &Operand| matches!(operand, Operand::Memory(m) if m.base == Base::Next);
        let row = ROWS.get(usize::from(self.row)).filter(|_| self.operands.iter().any(is_next))?;
        // Only an immediate operand stands behind it.
        Some(self.length - usize::from(row.immediate) - 4)
    }

    /// The bytes of an element in memory that stands for all in its operand.
    pub fn repeated(&self) -> Option<u16> {
        self.fields.repeats.then_some(4 << u16::from(self.fields.w))
    }

    /// The number of lanes of its vector registers.
    pub fn lanes(&self) -> usize {
        1 << self.fields.l
    }
}

/// The fields of an encoding as bytes hold them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Fields {
    w: bool,
    /// The vector length: 0 is 128 bits, 1 is 256, 2 is 512.
    l: u8,
    /// The number in ModRM.reg, with its upper bits.
    reg: u8,
    /// The number in vvvv.
    v: u8,
    /// True if the prefix is the three bytes of VEX.
    is_long: bool,
    /// True if a REX prefix stands there that byte registers need.
    has_rex: bool,
    /// The opmask.
    mask: u8,
    /// True if bytes that the opmask does not select become zero.
    zeroes: bool,
    /// True if an operand in memory is one element, in all places.
    repeats: bool,
}

const fn row(op: Op, codings: &'static [u8; 3], prefix: u8, map: u8, opcode: u8, form: Form) -> Row {
    let reg = Kind::Absent;
    Row { op, codings, prefix, map, opcode, form, reg, rm: reg, has_memory: false, immediate: 0, bits: 0 }
}

/// General operands of 64 or 32 bits by W.
const fn general(op: Op, map: u8, opcode: u8, form: Form) -> Row {
    let has_memory = !matches!(form, Form::Low | Form::Relative | Form::None);
    let kind = Kind::General;
    Row { reg: kind, rm: kind, has_memory, ..row(op, b"s--", 0, map, opcode, form) }
}

/// Vector operands.
const fn vector(op: Op, codings: &'static [u8; 3], prefix: u8, map: u8, opcode: u8, form: Form) -> Row {
    let kind = Kind::Vector;
    Row { reg: kind, rm: kind, has_memory: true, ..row(op, codings, prefix, map, opcode, form) }
}

/// A distance to the next instruction of this number of bytes.
const fn jump(op: Op, map: u8, opcode: u8, bytes: u8) -> Row {
    general(op, map, opcode, Relative).with(bytes, 0).coded(b"0--")
}

/// A row with other properties.
impl Row {
    const fn coded(self, codings: &'static [u8; 3]) -> Row {
        Row { codings, ..self }
    }

    const fn with(self, immediate: u8, bits: u16) -> Row {
        Row { immediate, bits, ..self }
    }

    const fn register_only(self) -> Row {
        Row { has_memory: false, ..self }
    }

    const fn memory_only(self) -> Row {
        Row { rm: Kind::Absent, ..self }
    }

    const fn general_source(self) -> Row {
        Row { rm: Kind::General, ..self }
    }
}

use Coding::{Evex, Legacy, Vex};
use Form::{Low, RegRm, RegVRm, Relative, Rm, RmReg, VRm};

/// The encodings.
const ROWS: &[Row] = &[
    general(Op::Add, 0, 0x01, RmReg),
    general(Op::Add, 0, 0x03, RegRm),
    general(Op::Add, 0, 0x81, Rm(0)).with(4, 0),
    general(Op::Add, 0, 0x83, Rm(0)).with(1, 0),
    general(Op::Add, 0, 0x80, Rm(0)).with(1, 8).coded(b"0--"),
    general(Op::Or, 0, 0x09, RmReg),
    general(Op::Or, 0, 0x0b, RegRm),
    general(Op::Or, 0, 0x83, Rm(1)).with(1, 0),
    general(Op::Adc, 0, 0x11, RmReg),
    general(Op::Adc, 0, 0x13, RegRm),
    general(Op::Adc, 0, 0x83, Rm(2)).with(1, 0),
    general(Op::Sbb, 0, 0x83, Rm(3)).with(1, 0),
    general(Op::And, 0, 0x21, RmReg),
    general(Op::And, 0, 0x23, RegRm),
    general(Op::And, 0, 0x25, Form::None).with(4, 0),
    general(Op::And, 0, 0x81, Rm(4)).with(4, 0),
    general(Op::And, 0, 0x83, Rm(4)).with(1, 0),
    general(Op::Sub, 0, 0x29, RmReg),
    general(Op::Sub, 0, 0x2b, RegRm),
    general(Op::Sub, 0, 0x81, Rm(5)).with(4, 0),
    general(Op::Sub, 0, 0x83, Rm(5)).with(1, 0),
    general(Op::Xor, 0, 0x31, RmReg),
    general(Op::Xor, 0, 0x33, RegRm),
    general(Op::Xor, 0, 0x35, Form::None).with(4, 0),
    general(Op::Xor, 0, 0x81, Rm(6)).with(4, 0),
    general(Op::Xor, 0, 0x83, Rm(6)).with(1, 0),
    general(Op::Cmp, 0, 0x39, RmReg),
    general(Op::Cmp, 0, 0x3b, RegRm),
    general(Op::Cmp, 0, 0x81, Rm(7)).with(4, 0),
    general(Op::Cmp, 0, 0x83, Rm(7)).with(1, 0),
    general(Op::Xor, 0, 0x32, RegRm).with(0, 8).coded(b"0--"),
    general(Op::Cmp, 0, 0x80, Rm(7)).with(1, 8).coded(b"0--"),
    general(Op::Test, 0, 0x84, RmReg).with(0, 8).coded(b"0--"),
    general(Op::Test, 0, 0x85, RmReg),
    general(Op::Mov, 0, 0x88, RmReg).with(0, 8).coded(b"0--"),
    general(Op::Mov, 0, 0x89, RmReg),
    general(Op::Mov, 0, 0x8a, RegRm).with(0, 8).memory_only().coded(b"0--"),
    general(Op::Mov, 0, 0x8b, RegRm),
    general(Op::Lea, 0, 0x8d, RegRm).memory_only(),
    general(Op::Test, 0, 0xa8, Form::None).with(1, 8).coded(b"0--"),
    general(Op::Mov, 0, 0xb8, Low).with(4, 32).coded(b"0--"),
    general(Op::Mov, 0, 0xb8, Low).with(8, 64).coded(b"1--"),
    general(Op::Shl, 0, 0xc1, Rm(4)).with(1, 0).register_only(),
    general(Op::Shr, 0, 0xc1, Rm(5)).with(1, 0).register_only(),
    general(Op::Ror, 0, 0xc1, Rm(1)).with(1, 0).register_only(),
    general(Op::Shl, 0, 0xd1, Rm(4)).register_only(),
    general(Op::Shr, 0, 0xd1, Rm(5)).register_only(),
    general(Op::Mov, 0, 0xc7, Rm(0)).with(4, 0),
    general(Op::Test, 0, 0xf6, Rm(0)).with(1, 8).coded(b"0--"),
    general(Op::Test, 0, 0xf7, Rm(0)).with(4, 0),
    general(Op::Not, 0, 0xf7, Rm(2)).register_only(),
    general(Op::Neg, 0, 0xf7, Rm(3)).register_only(),
    general(Op::Inc, 0, 0xff, Rm(0)).register_only(),
    general(Op::Dec, 0, 0xff, Rm(1)).register_only(),
    general(Op::Push, 0, 0x50, Low).with(0, 64).coded(b"0--"),
    general(Op::Pop, 0, 0x58, Low).with(0, 64).coded(b"0--"),
    general(Op::Bswap, 1, 0xc8, Low),
    general(Op::MovZeroExtended, 1, 0xb6, RegRm).with(0, 8).coded(b"0--"),
    general(Op::MovZeroExtended, 1, 0xb7, RegRm).with(0, 16).coded(b"0--"),
    jump(Op::Jump, 0, 0xeb, 1),
    jump(Op::Jump, 0, 0xe9, 4),
    jump(Op::JumpIf, 0, 0x70, 1),
    jump(Op::JumpIf, 1, 0x80, 4),
    general(Op::MoveIf, 1, 0x40, RegRm),
    row(Op::Return, b"0--", 0, 0, 0xc3, Form::None),
    general(Op::Prefetch, 1, 0x18, Rm(0)).memory_only().coded(b"0--"),
    general(Op::Prefetch, 1, 0x18, Rm(1)).memory_only().coded(b"0--"),
    general(Op::Prefetch, 1, 0x18, Rm(2)).memory_only().coded(b"0--"),
    general(Op::Prefetch, 1, 0x18, Rm(3)).memory_only().coded(b"0--"),
    general(Op::Prefetch, 1, 0x0d, Rm(1)).memory_only().coded(b"0--"),
    // Moves of vectors.
    vector(Op::Move(false), b"0xx", 0xf3, 1, 0x6f, RegRm),
    vector(Op::Move(false), b"0xx", 0xf3, 1, 0x7f, RmReg),
    vector(Op::Move(true), b"0x-", 0x66, 1, 0x6f, RegRm),
    vector(Op::Move(true), b"0x-", 0x66, 1, 0x7f, RmReg),
    vector(Op::Move(false), b"0--", 0, 1, 0x10, RegRm),
    vector(Op::Move(false), b"0--", 0, 1, 0x11, RmReg),
    vector(Op::Move(true), b"0--", 0, 1, 0x28, RegRm),
    vector(Op::Move(true), b"0--", 0, 1, 0x29, RmReg),
    vector(Op::Stream, b"0x0", 0x66, 1, 0xe7, RmReg).memory_only(),
    vector(Op::Broadcast, b"-00", 0x66, 2, 0x5a, RegRm).with(0, 128).memory_only(),
    // Sums, moves of bytes.
    vector(Op::BroadcastDouble, b"-00", 0x66, 2, 0x58, RegRm),
    vector(Op::Affine(false), b"011", 0x66, 3, 0xce, RegVRm).with(1, 0),
    vector(Op::Affine(true), b"011", 0x66, 3, 0xcf, RegVRm).with(1, 0),
    vector(Op::Multiply, b"000", 0x66, 2, 0xcf, RegVRm),
    vector(Op::PermuteTwo, b"--0", 0x66, 2, 0x75, RegVRm),
    vector(Op::Blend, b"--0", 0x66, 2, 0x66, RegVRm),
    Row { reg: Kind::Mask, ..vector(Op::SignsToMask, b"--0", 0xf3, 2, 0x29, RegRm).register_only() },
    Row { rm: Kind::Mask, ..vector(Op::MaskToBytes, b"--0", 0xf3, 2, 0x28, RegRm).register_only() },
    vector(Op::GreaterBytes, b"0x-", 0x66, 1, 0x64, RegVRm),
    vector(Op::Ternary, b"--x", 0x66, 3, 0x25, RegVRm).with(1, 0),
    vector(Op::ShiftBits(32, Shift::RotateRight), b"--0", 0x66, 1, 0x72, VRm(0)).with(1, 0).register_only(),
    vector(Op::ShiftBits(64, Shift::RotateRight), b"--1", 0x66, 1, 0x72, VRm(0)).with(1, 0).register_only(),
    // Between general and vector registers.
    vector(Op::ToVector, b"11-", 0x66, 1, 0x6e, RegRm).with(0, 64).general_source(),
    vector(Op::ToVector, b"0x-", 0xf3, 1, 0x7e, RegRm).with(0, 64).memory_only(),
    vector(Op::FromVector, b"11-", 0x66, 1, 0x7e, RmReg).with(0, 64).general_source(),
    vector(Op::FromVector, b"0x-", 0x66, 1, 0xd6, RmReg).with(0, 64).memory_only(),
    vector(Op::ToVector, b"00-", 0x66, 1, 0x6e, RegRm).with(0, 32).general_source(),
    vector(Op::FromVector, b"00-", 0x66, 1, 0x7e, RmReg).with(0, 32).general_source(),
    vector(Op::InsertQuad, b"11-", 0x66, 3, 0x22, RegVRm).with(1, 64).general_source(),
    vector(Op::ExtractQuad, b"11-", 0x66, 3, 0x16, RmReg).with(1, 64).general_source(),
    vector(Op::ExtractDouble, b"00-", 0x66, 3, 0x16, RmReg).with(1, 32).general_source(),
    Row { reg: Kind::General, rm: Kind::General, ..row(Op::LowBits, b"-1-", 0, 2, 0xf5, Form::RegRmV) }
        .with(0, 64),
    Row { reg: Kind::Mask, rm: Kind::General, ..row(Op::ToMask, b"-1-", 0xf2, 1, 0x92, RegRm) }.with(0, 64),
    Row { reg: Kind::Mask, rm: Kind::Mask, ..row(Op::MaskXor, b"-1-", 0, 1, 0x47, RegVRm) }.with(0, 64),
    vector(Op::MoveBytes, b"--0", 0xf2, 1, 0x6f, RegRm),
    vector(Op::MoveBytes, b"--0", 0xf2, 1, 0x7f, RmReg).memory_only(),
    // Moves between lanes.
    vector(Op::ShuffleLanes, b"--0", 0x66, 3, 0x43, RegVRm).with(1, 0),
    vector(Op::PermuteLanes, b"-0-", 0x66, 3, 0x46, RegVRm).with(1, 0),
    vector(Op::AlignQuads, b"--1", 0x66, 3, 0x03, RegVRm).with(1, 0),
    vector(Op::InsertLane, b"-00", 0x66, 3, 0x38, RegVRm).with(1, 0),
    vector(Op::ExtractLane, b"-00", 0x66, 3, 0x39, RmReg).with(1, 0),
    // Rounds.
    vector(Op::Aes(Round::InverseMix), b"0x-", 0x66, 2, 0xdb, RegRm),
    vector(Op::KeyAssist, b"0x-", 0x66, 3, 0xdf, RegRm).with(1, 0),
    // In all three encodings.
    vector(Op::AddQuads, b"0x1", 0x66, 1, 0xd4, RegVRm),
    vector(Op::AddDoubles, b"0x0", 0x66, 1, 0xfe, RegVRm),
    vector(Op::Shuffle, b"0x0", 0x66, 2, 0x00, RegVRm),
    vector(Op::Carryless, b"0x0", 0x66, 3, 0x44, RegVRm).with(1, 0),
    vector(Op::ShuffleWords, b"0x0", 0x66, 1, 0x70, RegRm).with(1, 0),
    vector(Op::Align, b"0x0", 0x66, 3, 0x0f, RegVRm).with(1, 0),
    vector(Op::ShiftRight, b"0x0", 0x66, 1, 0x73, VRm(3)).with(1, 0).register_only(),
    vector(Op::ShiftLeft, b"0x0", 0x66, 1, 0x73, VRm(7)).with(1, 0).register_only(),
    vector(Op::UnpackLow, b"0x1", 0x66, 1, 0x6c, RegVRm),
    vector(Op::UnpackHigh, b"0x1", 0x66, 1, 0x6d, RegVRm),
    vector(Op::Aes(Round::Encrypt), b"0xx", 0x66, 2, 0xdc, RegVRm),
    vector(Op::Aes(Round::EncryptLast), b"0xx", 0x66, 2, 0xdd, RegVRm),
    vector(Op::Aes(Round::Decrypt), b"0xx", 0x66, 2, 0xde, RegVRm),
    vector(Op::Aes(Round::DecryptLast), b"0xx", 0x66, 2, 0xdf, RegVRm),
    vector(Op::VectorXor, b"0xx", 0x66, 1, 0xef, RegVRm),
    vector(Op::AddBytes, b"0x0", 0x66, 1, 0xfc, RegVRm),
    vector(Op::Logic(AND), b"0xx", 0x66, 1, 0xdb, RegVRm),
    vector(Op::Logic(0x22), b"0xx", 0x66, 1, 0xdf, RegVRm),
    vector(Op::Logic(OR), b"0xx", 0x66, 1, 0xeb, RegVRm),
    vector(Op::Unpack(1, false), b"0x0", 0x66, 1, 0x60, RegVRm),
    vector(Op::Unpack(2, false), b"0x0", 0x66, 1, 0x61, RegVRm),
    vector(Op::Unpack(4, false), b"0x0", 0x66, 1, 0x62, RegVRm),
    vector(Op::Unpack(1, true), b"0x0", 0x66, 1, 0x68, RegVRm),
    vector(Op::Unpack(2, true), b"0x0", 0x66, 1, 0x69, RegVRm),
    vector(Op::Unpack(4, true), b"0x0", 0x66, 1, 0x6a, RegVRm),
    vector(Op::ShuffleHalf(false), b"0x0", 0xf2, 1, 0x70, RegRm).with(1, 0),
    vector(Op::ShuffleHalf(true), b"0x0", 0xf3, 1, 0x70, RegRm).with(1, 0),
    vector(Op::ShiftBits(16, Shift::Right), b"0x0", 0x66, 1, 0x71, VRm(2)).with(1, 0).register_only(),
    vector(Op::ShiftBits(16, Shift::Left), b"0x0", 0x66, 1, 0x71, VRm(6)).with(1, 0).register_only(),
    vector(Op::ShiftBits(32, Shift::Right), b"0x0", 0x66, 1, 0x72, VRm(2)).with(1, 0).register_only(),
    vector(Op::ShiftBits(32, Shift::Left), b"0x0", 0x66, 1, 0x72, VRm(6)).with(1, 0).register_only(),
    vector(Op::ShiftBits(64, Shift::Right), b"0x1", 0x66, 1, 0x73, VRm(2)).with(1, 0).register_only(),
    vector(Op::ShiftBits(64, Shift::Left), b"0x1", 0x66, 1, 0x73, VRm(6)).with(1, 0).register_only(),
];

/// Instructions that are taken as they stand.
const FIXED: &[(&[u8], Op)] = &[
    (&[0xf3, 0x0f, 0x1e, 0xfa], Op::Nothing), // endbr64
    (&[0x90], Op::Nothing),
    (&[0x66, 0x90], Op::Nothing),
    (&[0x0f, 0x1f, 0x00], Op::Nothing),
    (&[0x0f, 0x1f, 0x40, 0x00], Op::Nothing),
    (&[0x0f, 0x1f, 0x44, 0x00, 0x00], Op::Nothing),
    (&[0x0f, 0x1f, 0x80, 0, 0, 0, 0], Op::Nothing),
    (&[0x0f, 0x1f, 0x84, 0x00, 0, 0, 0, 0], Op::Nothing),
    (&[0x0f, 0xae, 0xf8], Op::StoreFence),
    (&[0xc5, 0xf8, 0x77], Op::ZeroUpper),
    (&[0xc5, 0xfc, 0x77], Op::ZeroAll),
];

/// The longest instruction in bytes.
const LONGEST: usize = 15;

/// An instruction that is taken as it stands. Assemblers put prefixes before the longer ones that do nothing.
fn fixed(bytes: &[u8]) -> Option<Instruction> {
    let padding = bytes.iter().take_while(|&&byte| byte == 0x66).count();
    let padding = padding + usize::from(bytes.get(padding) == Some(&0x2e));
    let found = |skip: usize| {
        let is_nop = |text: &[u8]| text[..] == [0x0f, 0x1f, 0x44, 0, 0] || text.len() == 8;
        let mut all = FIXED.iter();
        let &(text, op) =
            all.find(|(text, _)| bytes[skip..].starts_with(text) && (skip == 0 || is_nop(text)))?;
        Some((op, skip + text.len()))
    };
    let (op, length) = found(0).or_else(|| found(padding))?;
    (length <= LONGEST).then_some(Instruction {
        op,
        coding: if bytes[0] == 0xc5 { Vex } else { Legacy },
        bits: 0,
        operands: [Operand::Absent; 3],
        number: 0,
        condition: 0,
        length,
        row: u16::MAX,
        fields: Fields::default(),
    })
}

/// Reads the bytes of an instruction.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// A little-endian number, extended by its sign.
    fn number(&mut self, bytes: usize) -> Option<i64> {
        let mut value = 0;
        for k in 0..bytes {
            value |= u64::from(self.byte()?) << (8 * k);
        }
        let unused = 64 - 8 * bytes as u32;
        Some(if bytes == 0 { 0 } else { ((value << unused) as i64) >> unused })
    }
}

/// The prefixes of an instruction.
struct Prefixes {
    coding: Coding,
    prefix: u8,
    map: u8,
    /// Upper bits of reg, index, and rm or base.
    r: u8,
    x: u8,
    b: u8,
    fields: Fields,
}

const PREFIXES: [u8; 4] = [0, 0x66, 0xf3, 0xf2];

fn prefixes(reader: &mut Reader) -> Option<Prefixes> {
    let first = *reader.bytes.first()?;
    let bit = |byte: u8, at: u8| byte >> at & 1;
    let mut fields = Fields::default();
    if first == 0xc5 || first == 0xc4 || first == 0x62 {
        reader.at = 1;
        // Bits are inverted but for W, L and the map.
        let one = !reader.byte()?;
        let (mut map, mut two) = (1, one);
        let (mut x, mut b, mut r) = (0, 0, bit(one, 7) << 3);
        if first != 0xc5 {
            two = !reader.byte()?;
            map = !one & if first == 0xc4 { 0x1f } else { 7 };
            (x, b) = (bit(one, 6) << 3, bit(one, 5) << 3);
            fields.w = bit(two, 7) == 0;
            fields.is_long = true;
        }
        fields.v = two >> 3 & 15;
        fields.l = bit(!two, 2);
        if first == 0x62 {
            let three = reader.byte()?;
            r |= bit(one, 4) << 4;
            fields.v |= bit(!three, 3) << 4;
            fields.l = three >> 5 & 3;
            (fields.mask, fields.zeroes) = (three & 7, bit(three, 7) == 1);
            fields.repeats = bit(three, 4) == 1;
        }
        let coding = if first == 0x62 { Evex } else { Vex };
        return Some(Prefixes { coding, prefix: PREFIXES[usize::from(!two & 3)], map, r, x, b, fields });
    }
    let mut prefix = 0;
    if PREFIXES[1..].contains(&first) {
        prefix = reader.byte()?;
    }
    let (mut r, mut x, mut b) = (0, 0, 0);
    if reader.bytes.get(reader.at)? & 0xf0 == 0x40 {
        let rex = reader.byte()?;
        (fields.w, fields.has_rex) = (bit(rex, 3) == 1, true);
        (r, x, b) = (bit(rex, 2) << 3, bit(rex, 1) << 3, bit(rex, 0) << 3);
    }
    let mut map = 0;
    if *reader.bytes.get(reader.at)? == 0x0f {
        reader.at += 1;
        map = match reader.bytes.get(reader.at)? {
            0x38 => 2,
            0x3a => 3,
            _ => 1,
        };
        reader.at += usize::from(map > 1);
    }
    Some(Prefixes { coding: Legacy, prefix, map, r, x, b, fields })
}

impl Row {
    /// The bits of the opcode that are part of an operand or a condition.
    fn opcode_operand(&self) -> u8 {
        match self.op {
            Op::JumpIf | Op::MoveIf => 15,
            _ if self.form == Low => 7,
            _ => 0,
        }
    }

    /// True if ModRM follows the opcode.
    fn has_modrm(&self) -> bool {
        !matches!(self.form, Low | Relative | Form::None)
    }

    fn extension(&self) -> Option<u8> {
        match self.form {
            VRm(extension) | Rm(extension) => Some(extension),
            _ => None,
        }
    }

    /// True if it has the encoding, and W and the vector length are possible.
    fn takes(&self, coding: Coding, fields: &Fields) -> bool {
        let is_w = match self.codings[coding as usize] {
            b'0' => !fields.w,
            b'1' => fields.w,
            b's' | b'x' => true,
            _ => false,
        };
        let lengths = match self.op {
            Op::ToVector | Op::FromVector | Op::InsertQuad | Op::ExtractQuad => 0..=0,
            Op::ExtractDouble => 0..=0,
            Op::LowBits | Op::ToMask => 0..=0,
            Op::Aes(Round::InverseMix) | Op::KeyAssist => 0..=0,
            Op::PermuteLanes | Op::MaskXor => 1..=1,
            Op::Broadcast | Op::ShuffleLanes | Op::ExtractLane | Op::InsertLane => 1..=2,
            _ if coding == Evex => 0..=2,
            _ => 0..=1,
        };
        is_w && lengths.contains(&fields.l)
    }

    fn bits(&self, fields: &Fields) -> u16 {
        match (self.bits, self.reg) {
            (0, _) if self.op == Op::SignsToMask => 128 << fields.l,
            (0, Kind::Vector) => 128 << fields.l,
            (0, _) => 32 << u8::from(fields.w),
            (bits, _) => bits,
        }
    }

    /// The factor of a displacement of one byte (Intel, volume 2, 2.7.5).
    fn displacement_factor(&self, coding: Coding, fields: &Fields) -> i32 {
        match (coding, self.op) {
            (Evex, Op::BroadcastDouble) => 4,
            (Evex, _) if fields.repeats => 4 << u8::from(fields.w),
            (Evex, Op::Broadcast | Op::InsertLane | Op::ExtractLane) => 16,
            (Evex, _) => 16 << fields.l,
            _ => 1,
        }
    }
}

fn register(kind: Kind, number: u8) -> Option<Operand> {
    match kind {
        Kind::General if number < 16 => Some(Operand::General(number)),
        Kind::Vector => Some(Operand::Vector(number)),
        Kind::Mask if number < 8 => Some(Operand::Mask(number)),
        _ => None,
    }
}

/// The instruction at the beginning of some bytes; none unless it has a row, and encoding it gives the same bytes.
pub fn decode(bytes: &[u8]) -> Option<Instruction> {
    if let Some(instruction) = fixed(bytes) {
        return Some(instruction);
    }
    let bytes = &bytes[..bytes.len().min(LONGEST)];
    let mut reader = Reader { bytes, at: 0 };
    let p = prefixes(&mut reader)?;
    let opcode = reader.byte()?;
    let modrm = bytes.get(reader.at).copied().unwrap_or(0);
    let matches = |row: &Row| {
        (row.prefix, row.map, row.opcode) == (p.prefix, p.map, opcode & !row.opcode_operand())
            && row.extension().is_none_or(|extension| extension == modrm >> 3 & 7)
            && row.takes(p.coding, &p.fields)
            && (modrm >> 6 == 3 || !row.has_modrm() || row.has_memory)
            && (modrm >> 6 != 3 || !row.has_modrm() || row.rm != Kind::Absent)
    };
    let number = ROWS.iter().position(matches)?;
    let row = &ROWS[number];
    let mut fields = p.fields;
    let (mut rm, mut reg) = (Operand::Absent, Operand::Absent);
    if row.has_modrm() {
        reader.at += 1;
        fields.reg = p.r | modrm >> 3 & 7;
        if row.extension().is_none() {
            reg = register(row.reg, fields.reg)?;
        }
        rm = if modrm >> 6 == 3 {
            // EVEX has the fifth bit of a vector register in X.
            let x = if p.coding == Evex && row.rm == Kind::Vector { p.x << 1 } else { 0 };
            register(row.rm, x | p.b | modrm & 7)?
        } else {
            Operand::Memory(memory(&mut reader, modrm, &p, row.displacement_factor(p.coding, &fields))?)
        };
    }
    let immediate = reader.number(usize::from(row.immediate))?;
    let v = register(row.reg, fields.v);
    let source = |first: Operand| if p.coding == Legacy { Some(first) } else { v };
    let mut operands = match row.form {
        RegRm => [reg, rm, Operand::Absent],
        RmReg => [rm, reg, Operand::Absent],
        RegVRm => [reg, source(reg)?, rm],
        Form::RegRmV => [reg, rm, v?],
        VRm(_) => [source(rm)?, rm, Operand::Absent],
        // A shift without a count is by one place.
        Rm(_) if row.opcode == 0xd1 => [rm, Operand::Number(1), Operand::Absent],
        Rm(_) => [rm, Operand::Number(immediate), Operand::Absent],
        Low => [register(row.reg, p.b | opcode & 7)?, Operand::Number(immediate), Operand::Absent],
        Relative => [Operand::Absent; 3],
        Form::None if row.immediate > 0 => [Operand::General(0), Operand::Number(immediate), Operand::Absent],
        Form::None => [Operand::Absent; 3],
    };
    // Byte registers 4 to 7 are the second bytes of the first four without REX.
    let first = usize::from(row.op == Op::MovZeroExtended);
    for operand in operands[first..2].iter_mut().filter(|_| row.bits == 8 && !fields.has_rex) {
        if let Operand::General(number @ 4..=7) = *operand {
            *operand = Operand::High(number - 4);
        }
    }
    let instruction = Instruction {
        op: row.op,
        coding: p.coding,
        bits: row.bits(&fields),
        operands,
        number: immediate,
        condition: opcode & 15,
        length: reader.at,
        row: number as u16,
        fields,
    };
    // The bytes may end before ModRM.
    (encode(&instruction)? == *bytes.get(..instruction.length)?).then_some(instruction)
}

/// The memory operand of an instruction.
fn memory(reader: &mut Reader, modrm: u8, p: &Prefixes, factor: i32) -> Option<Memory> {
    let (mode, mut low) = (modrm >> 6, modrm & 7);
    let mut index = None;
    if low == 4 {
        let sib = reader.byte()?;
        let number = p.x | sib >> 3 & 7;
        index = (number != 4).then_some((number, sib >> 6));
        low = sib & 7;
        if low == 5 && mode == 0 {
            return None;
        }
    }
    let is_next = mode == 0 && modrm & 7 == 5;
    let stored = if is_next { 4 } else { [0, 1, 4][usize::from(mode)] };
    let displacement = reader.number(usize::from(stored))? as i32;
    Some(Memory {
        base: if is_next { Base::Next } else { Base::Register(p.b | low) },
        index,
        displacement: if stored == 1 { displacement * factor } else { displacement },
        stored,
    })
}

/// The bytes of an instruction.
fn encode(instruction: &Instruction) -> Option<Vec<u8>> {
    let row = ROWS.get(usize::from(instruction.row))?;
    let fields = &instruction.fields;
    let number = |operand: &Operand| match *operand {
        Operand::General(number) | Operand::Vector(number) | Operand::Mask(number) => number,
        Operand::High(number) => number + 4,
        _ => 0,
    };
    let operands = &instruction.operands;
    let rm = match row.form {
        RegRm | Form::RegRmV | VRm(_) => &operands[1],
        RmReg | Rm(_) | Low => &operands[0],
        RegVRm => &operands[2],
        Relative | Form::None => &Operand::Absent,
    };
    let (mut x, mut b) = (0, number(rm));
    if let Operand::Memory(memory) = rm {
        x = memory.index.map_or(0, |(index, _)| index);
        b = if let Base::Register(base) = memory.base { base } else { 0 };
    } else if instruction.coding == Evex {
        x = b >> 1;
    }
    let upper = |number: u8, bit: u8| number >> bit & 1;
    let pp = PREFIXES.iter().position(|&prefix| prefix == row.prefix)? as u8;
    let (r, w) = (fields.reg, u8::from(fields.w));
    let r = if row.extension().is_some() { 0 } else { r };
    // Without an operand there, vvvv is zero (all ones as written), as the processor demands.
    let v = if matches!(row.form, RegVRm | Form::RegRmV | VRm(_)) { fields.v } else { 0 };
    let mut bytes = Vec::new();
    match instruction.coding {
        Legacy => {
            bytes.extend((row.prefix != 0).then_some(row.prefix));
            let rex = 0x40 | w << 3 | upper(r, 3) << 2 | upper(x, 3) << 1 | upper(b, 3);
            // REX without bits is for byte registers only.
            let is_for_byte = fields.has_rex
                && row.bits == 8
                && operands[..2].iter().any(|o| matches!(o, Operand::General(4..=7)));
            bytes.extend((rex != 0x40 || is_for_byte).then_some(rex));
            bytes.extend_from_slice([&[][..], &[0x0f], &[0x0f, 0x38], &[0x0f, 0x3a]][usize::from(row.map)]);
        }
        Vex if !fields.is_long => {
            bytes.extend([0xc5, !(upper(r, 3) << 7 | v << 3) & 0xf8 | fields.l << 2 | pp]);
        }
        Vex => {
            let one = !(upper(r, 3) << 7 | upper(x, 3) << 6 | upper(b, 3) << 5) & 0xe0 | row.map;
            bytes.extend([0xc4, one, w << 7 | !(v << 3) & 0x78 | fields.l << 2 | pp]);
        }
        Evex => {
            let one = upper(r, 3) << 7 | upper(x, 3) << 6 | upper(b, 3) << 5 | upper(r, 4) << 4;
            bytes.extend([0x62, !one & 0xf0 | row.map, w << 7 | !((v & 15) << 3) & 0x78 | 4 | pp]);
            let mut three = fields.l << 5 | (1 - upper(v, 4)) << 3;
            // Only these rows have an opmask. They must have one, and zero what a load does not read.
            if matches!(row.op, Op::MoveBytes | Op::Blend) {
                three |= fields.mask | u8::from(fields.zeroes) << 7;
                if fields.mask == 0 || fields.zeroes != (row.form == RegRm) {
                    return None;
                }
            }
            if fields.repeats {
                let is_repeated = matches!(row.op, Op::VectorXor | Op::Logic(_) | Op::Ternary);
                if !is_repeated || !matches!(rm, Operand::Memory(_)) {
                    return None;
                }
                three |= 0x10;
            }
            bytes.push(three);
        }
    }
    let low = match row.op {
        Op::JumpIf | Op::MoveIf => instruction.condition,
        _ if row.form == Low => b & 7,
        _ => 0,
    };
    bytes.push(row.opcode | low);
    if row.has_modrm() {
        let reg = row.extension().unwrap_or(r & 7) << 3;
        match rm {
            Operand::Memory(memory) => {
                let mode = match (memory.base, memory.stored) {
                    (Base::Next, 4) | (_, 0) => 0,
                    (_, 1) => 1,
                    _ => 2,
                };
                match (memory.base, memory.index) {
                    (Base::Next, _) => bytes.push(reg | 5),
                    (_, None) if b & 7 != 4 => bytes.push(mode << 6 | reg | b & 7),
                    (_, index) => {
                        let (index, scale) = index.unwrap_or((4, 0));
                        bytes.extend([mode << 6 | reg | 4, scale << 6 | (index & 7) << 3 | b & 7]);
                    }
                }
                let factor =
                    if memory.stored == 1 { row.displacement_factor(instruction.coding, fields) } else { 1 };
                let displacement = (memory.displacement / factor).to_le_bytes();
                bytes.extend_from_slice(&displacement[..usize::from(memory.stored)]);
            }
            _ => bytes.push(0xc0 | reg | b & 7),
        }
    }
    bytes.extend_from_slice(&instruction.number.to_le_bytes()[..usize::from(row.immediate)]);
    Some(bytes)
}
