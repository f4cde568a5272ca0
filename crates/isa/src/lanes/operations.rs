//! The operations of the semantics, with their parameters: widths, halves, conditions and flags.

/// The AES round functions without the key addition: `aesenc a, k` is
/// `xor(aes_round(Encrypt, a), k)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AesRound {
    /// ShiftRows, SubBytes, MixColumns.
    Encrypt,
    /// ShiftRows, SubBytes.
    EncryptLast,
    /// InvShiftRows, InvSubBytes, InvMixColumns.
    Decrypt,
    /// InvShiftRows, InvSubBytes.
    DecryptLast,
}

/// Size of an element of a vector, or of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Width {
    /// 8 bits.
    B8,
    /// 16 bits.
    B16,
    /// 32 bits.
    B32,
    /// 64 bits.
    B64,
}

impl Width {
    /// Size in bytes.
    pub const fn bytes(self) -> usize {
        1 << self as usize
    }

    /// Size in bits.
    pub const fn bits(self) -> u32 {
        8 << self as u32
    }

    /// The bits of a value of this width, as a mask of the low bits of 64.
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }
}

/// Half of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Half {
    /// Bits 0 to 63.
    Low,
    /// Bits 64 to 127.
    High,
}

/// Bitwise operations of two lanes, without XOR.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Logic {
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `!a & b`
    AndNot,
}

/// Scalar operations of two operands that set the flags.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// Sum.
    Add,
    /// Sum and carry.
    Adc,
    /// Difference (also `cmp`).
    Sub,
    /// Difference less borrow.
    Sbb,
    /// Bitwise AND (also `test`).
    And,
    /// Bitwise OR.
    Or,
    /// Bitwise XOR.
    Xor,
    /// Clears the bits of the first operand from the bit index in the low byte of the second one upwards.
    Bzhi,
}

/// Scalar operations of one operand. `Inc` and `Dec` keep CF; `Not` and `Bswap` keep all flags.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// Plus one.
    Inc,
    /// Minus one.
    Dec,
    /// Two's complement.
    Neg,
    /// Bitwise complement.
    Not,
    /// Byte reversal.
    Bswap,
}

/// Shifts by a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shift {
    /// Towards the high bits.
    Left,
    /// Towards the low bits, zeros entering.
    Right,
    /// Rotation towards the low bits.
    RotateRight,
}

/// Conditions of jumps, moves and sets, in the order of their encoding (0 to 15).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// OF
    Overflow,
    /// not OF
    NoOverflow,
    /// CF (unsigned `<`)
    Below,
    /// not CF (unsigned `>=`)
    AboveEqual,
    /// ZF
    Equal,
    /// not ZF
    NotEqual,
    /// CF or ZF (unsigned `<=`)
    BelowEqual,
    /// neither CF nor ZF (unsigned `>`)
    Above,
    /// SF
    Sign,
    /// not SF
    NoSign,
    /// PF
    Parity,
    /// not PF
    NoParity,
    /// SF differs from OF (signed `<`)
    Less,
    /// SF equals OF (signed `>=`)
    GreaterEqual,
    /// ZF, or SF differs from OF (signed `<=`)
    LessEqual,
    /// not ZF, and SF equals OF (signed `>`)
    Greater,
}

/// A set of the status flags.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FlagSet {
    /// CF
    pub carry: bool,
    /// PF
    pub parity: bool,
    /// ZF
    pub zero: bool,
    /// SF
    pub sign: bool,
    /// OF
    pub overflow: bool,
}

impl FlagSet {
    /// The empty set.
    pub const NONE: FlagSet =
        FlagSet { carry: false, parity: false, zero: false, sign: false, overflow: false };
}

impl Condition {
    /// The flags that the condition reads.
    pub const fn reads(self) -> FlagSet {
        use Condition::*;
        FlagSet {
            carry: matches!(self, Below | AboveEqual | BelowEqual | Above),
            parity: matches!(self, Parity | NoParity),
            zero: matches!(self, Equal | NotEqual | BelowEqual | Above | LessEqual | Greater),
            sign: matches!(self, Sign | NoSign | Less | GreaterEqual | LessEqual | Greater),
            overflow: matches!(self, Overflow | NoOverflow | Less | GreaterEqual | LessEqual | Greater),
        }
    }
}

/// A domain's decision about a condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Decision {
    /// The condition holds.
    Taken,
    /// The condition does not hold.
    NotTaken,
    /// Both outcomes are possible: the driver of the execution follows both.
    Both,
}

/// The address requirement of a whole-vector access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// None.
    Unaligned,
    /// A multiple of the vector's size; otherwise the CPU faults.
    Aligned,
    /// An aligned access that bypasses the caches.
    Streaming,
}
