//! Vector instructions before allocation and encoding: an operation, a width, operands.

use crate::kernels::asm::Constant;
use aesmith_dataflow::Round;
use aesmith_dataflow::program::Element;
use aesmith_order::{Effects, Instruction as Ordered, Reg, Text};
use iced_x86::Register;

/// Bytes of a register with this many 128-bit lanes.
pub const fn bytes(lanes: usize) -> i32 {
    16 * lanes as i32
}

/// The operation of a vector instruction. Operands are `dst, a, b, c` as far as they exist.
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
    /// The preceding lane: the last lane of `a`, then all but the last of `b` (`a` is the register before `b`
    /// in memory; one lane: `a` itself).
    Previous,
    /// `a` with this lane replaced by the 128 bits `b`.
    Insert(u8),
    /// `b (memory, 128 bits) = ` this lane of `a`.
    Extract(u8),
    /// Lanes of `a`, then lanes of `b`, selected as by the immediate of VSHUFI32X4.
    Lanes(u8),
    /// `b (memory) = a`.
    Store,
    /// A non-temporal, aligned store.
    Stream,
    /// Prefetches the line of `b` into the cache.
    Prefetch,
    /// `a & b`.
    And,
    /// `a | b`.
    Or,
    /// `!a & b`.
    AndNot,
    /// The function of three bits with this table, whose index is `c a b`.
    Ternary(u8),
    /// Sums of bytes.
    AddBytes,
    /// All-ones bytes where `a > b`, signed.
    GreaterBytes,
    /// Elements of `a` shifted towards the high bits.
    ShiftLeft(Element, u8),
    /// Elements of `a` shifted towards the low bits.
    ShiftRight(Element, u8),
    /// Elements of `b` rotated towards the low bits.
    Rotate(Element, u8),
    /// `a` shifted up by this many bytes.
    BytesLeft(u8),
    /// `a` shifted down by this many bytes.
    BytesRight(u8),
    /// `a:b` shifted down by this many bytes.
    AlignBytes(u8),
    /// Doublewords of `b` in this order.
    ShuffleDwords(u8),
    /// Words of the low half of `b` in this order.
    ShuffleLow(u8),
    /// Words of the high half of `b` in this order.
    ShuffleHigh(u8),
    /// Bytes of `a`, or their inverses in GF(2^8), times the matrices `b`, plus a constant.
    Affine {
        /// True to invert first.
        inverse: bool,
        /// Added last.
        constant: u8,
    },
    /// Products of bytes in GF(2^8).
    Multiply,
    /// The carry-less product of the halves of `a` and `b` that bits 0 and 4 choose.
    Carryless(u8),
    /// Alternating elements of one half of `a` and `b`: the low half, or the high one if true.
    Interleave(Element, bool),
    /// Bytes of `b:a` selected by the low seven bits of the bytes of `c`.
    PermuteTwo,
    /// Bytes of `b` where the byte of `c` is negative, of `a` elsewhere. Overwrites opmask 2.
    Select,
    /// All-ones bytes where the byte of `b` is negative. Overwrites opmask 2.
    Sign,
    /// AESKEYGENASSIST of `b` with this round constant.
    KeyAssist(u8),
    /// The low quadword is the memory operand `b`, the rest is zero.
    LoadLow,
    /// Every doubleword of `dst` is the memory operand `b`.
    BroadcastDword,
    /// `b (memory, a doubleword) =` the lowest doubleword of `a`.
    StoreDword,
}

/// The last operand.
#[derive(Clone, Copy, Debug)]
pub enum Src {
    /// A register.
    Reg(Reg),
    /// Memory at a general register and displacement; true for message text.
    Mem(Register, i32, bool),
    /// Message text of one of several streams: the array of pointers, the stream, and the displacement from the
    /// pointer plus `POSITION`. Overwrites `POINTER` to load the pointer.
    Stream(Register, u8, i32),
    /// A doubleword of memory at a general register and displacement, broadcast to every doubleword of the
    /// operand.
    Dword(Register, i32),
    /// A constant of the pool.
    Constant(Constant),
}

/// Number of bytes that all streams have processed, in kernels of several streams.
pub(crate) const POSITION: Register = Register::R9;
/// The register that stream pointers are loaded into, one instruction before their use.
pub(crate) const POINTER: Register = Register::RAX;

/// One vector instruction, with virtual or machine registers.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    /// The operation.
    pub operation: Operation,
    /// 128-bit lanes of its registers.
    pub lanes: u8,
    /// Result.
    pub dst: Option<Reg>,
    /// First operand.
    pub a: Option<Reg>,
    /// Last operand.
    pub b: Option<Src>,
    /// Third operand, if the operation has one.
    pub c: Option<Reg>,
}

impl Vector {
    /// `dst = operation(a, b)`.
    pub fn new(operation: Operation, lanes: usize, dst: Reg, a: Reg, b: Src) -> Vector {
        Vector { operation, lanes: lanes as u8, dst: Some(dst), a: Some(a), b: Some(b), c: None }
    }

    /// `dst = operation(b)`.
    pub fn from(operation: Operation, lanes: usize, dst: Reg, b: Src) -> Vector {
        Vector { operation, lanes: lanes as u8, dst: Some(dst), a: None, b: Some(b), c: None }
    }

    /// `dst = operation(a)`.
    pub fn of(operation: Operation, lanes: usize, dst: Reg, a: Reg) -> Vector {
        Vector { operation, lanes: lanes as u8, dst: Some(dst), a: Some(a), b: None, c: None }
    }

    /// A prefetch of the line at `memory`.
    pub fn prefetch(lanes: usize, memory: Src) -> Vector {
        let operation = Operation::Prefetch;
        Vector { operation, lanes: lanes as u8, dst: None, a: None, b: Some(memory), c: None }
    }

    /// A store of `a`.
    pub fn store(operation: Operation, lanes: usize, a: Reg, memory: Src) -> Vector {
        Vector { operation, lanes: lanes as u8, dst: None, a: Some(a), b: Some(memory), c: None }
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
        Effects { reads: [self.a, b, self.c], writes: self.dst, text }
    }

    fn rename(&mut self, mut map: impl FnMut(Reg) -> Reg) {
        self.a = self.a.map(&mut map);
        self.c = self.c.map(&mut map);
        if let Some(Src::Reg(r)) = self.b {
            self.b = Some(Src::Reg(map(r)));
        }
        self.dst = self.dst.map(map);
    }
}
