//! Masks and flags of the symbolic domain.

use crate::lanes::scalar::{Linear, Word};
use crate::lanes::terms::Index;

/// An opmask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mask {
    /// Known bits.
    Bits(u64),
    /// The lowest bits, this many, at most 64.
    Lowest(Linear),
    /// The highest bits of bytes, by number; possibly secret.
    Signs(u32),
    /// Any public mask.
    Unknown,
    /// Any mask.
    Secret,
}

impl Mask {
    /// True if it may hold a secret.
    pub fn is_secret(self) -> bool {
        matches!(self, Mask::Signs(_) | Mask::Secret)
    }

    /// An unknown mask; secret if this one is.
    pub fn forgotten(self) -> Self {
        if self.is_secret() { Mask::Secret } else { Mask::Unknown }
    }
}

/// Status flags, by the operation that they result from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flags {
    /// Any flags; `secret` if they may depend on a secret.
    Unknown {
        /// True if they may depend on a secret.
        secret: bool,
    },
    /// The flags of `left - right`.
    Difference {
        /// Minuend.
        left: Word,
        /// Subtrahend.
        right: Word,
        /// Width in bits.
        bits: u32,
    },
    /// Zero and sign of a value, with separate carry and overflow, since some instructions change only those
    /// (rotations), or all but the carry (inc, dec).
    Value {
        /// The value.
        value: Word,
        /// Width in bits.
        bits: u32,
        /// The carry.
        carry: CarryFlag,
        /// The overflow.
        overflow: OverflowFlag,
    },
}

/// The overflow flag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OverflowFlag {
    /// A known value.
    Known(bool),
    /// Public, but unknown.
    Unknown,
    /// Possibly secret-dependent, or left undefined by the manual.
    Secret,
}

/// The carry flag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CarryFlag {
    /// A known value.
    Known(bool),
    /// True if the counter's low half overflows between these.
    Counter(i32, Index),
    /// Public, but unknown.
    Unknown,
    /// Possibly secret-dependent, or left undefined by the manual.
    Secret,
}
