//! Vector instructions before they have registers and forms: an operation, a width, operands.

use crate::kernels::asm::Constant;
use aesmith_dataflow::Round;
use aesmith_dataflow::program::Element;
use aesmith_order::{Effects, Instruction as Ordered, Reg, Text};
use iced_x86::Register;

/// Bytes of a register with this many 128-bit lanes.
pub const fn bytes(lanes: usize) -> i32 {
    16 * lanes as i32
}

/// What a vector instruction does. Operands are `dst, a, b, c` as far as they exist.
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
    /// Bytes of ones where `a > b`, signed.
    GreaterBytes,
    /// Elements of `a` shifted towards the high bits.
    ShiftLeft(Element, u8),
    /// Elements of `a` shifted towards the low bits.
    ShiftRight(Element, u8),
    /// Elements of `b` rotated towards the low bits.
    Rotate(Element, u8),
    /// `a` by so many bytes up.
    BytesLeft(u8),
    /// `a` by so many bytes down.
    BytesRight(u8),
    /// `a:b` by so many bytes down.
    AlignBytes(u8),
    /// Double words of `b` in this order.
    ShuffleDwords(u8),
    /// Words of the low half of `b` in this order.
    ShuffleLow(u8),
    /// Words of the high half of `b` in this order.
    ShuffleHigh(u8),
    /// Bytes of `a`, or their inverses in GF(2^8), times the matrices `b`, plus a constant.
    Affine {
        /// Inverses.
        inverse: bool,
        /// Added last.
        constant: u8,
    },
    /// Products of bytes in GF(2^8).
    Multiply,
    /// Elements of one half of `a` and of `b` in turn: the low half, or the high one.
    Interleave(Element, bool),
    /// Bytes of `b:a` picked by the low seven bits of the bytes of `c`.
    PermuteTwo,
    /// Bytes of `b` where the byte of `c` is negative, of `a` elsewhere. Takes opmask 2.
    Select,
    /// Bytes of ones where the byte of `b` is negative. Takes opmask 2.
    Sign,
    /// AESKEYGENASSIST of `b` with this round constant.
    KeyAssist(u8),
    /// The low quadword is that of the memory operand `b`, the rest zero.
    LoadLow,
    /// Every double word of `dst` is the memory operand `b`.
    BroadcastDword,
    /// `b (memory, a double word) =` the lowest of `a`.
    StoreDword,
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
    /// A double word of memory at a general register and displacement, for every double word of
    /// the operand.
    Dword(Register, i32),
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
    /// Third operand, of operations that have one.
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
