//! Masks and flags of the symbolic domain.

use crate::lanes::scalar::{Linear, Word};
use crate::lanes::terms::Index;

/// An opmask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mask {
    /// These bits.
    Bits(u64),
    /// The lowest so many, at most 64.
    Lowest(Linear),
    /// The highest bits of bytes, by number: perhaps secret.
    Signs(u32),
    /// Anything public.
    Unknown,
    /// Anything.
    Secret,
}

impl Mask {
    /// Whether a secret may be in it.
    pub fn is_secret(self) -> bool {
        matches!(self, Mask::Signs(_) | Mask::Secret)
    }

    /// Nothing is known of it any more but whether a secret may be in it.
    pub fn forgotten(self) -> Self {
        if self.is_secret() { Mask::Secret } else { Mask::Unknown }
    }
}

/// Status flags, as what they are the flags of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flags {
    /// Anything; `secret` if they may depend on a secret.
    Unknown {
        /// Whether a secret may be in them.
        secret: bool,
    },
    /// Of `left - right`, in so many bits.
    Difference {
        /// Minuend.
        left: Word,
        /// Subtrahend.
        right: Word,
        /// Width in bits.
        bits: u32,
    },
    /// Zero and sign of a value; carry and overflow apart, since some instructions change those
    /// alone (rotations), or all but the carry (inc, dec).
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
    /// Known.
    Known(bool),
    /// Public, and not known.
    Unknown,
    /// It may depend on a secret, or the manual leaves it undefined.
    Secret,
}

/// The carry flag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CarryFlag {
    /// Known.
    Known(bool),
    /// Whether the counter's low half overflows between these.
    Counter(i32, Index),
    /// Public, and not known.
    Unknown,
    /// It may depend on a secret, or the manual leaves it undefined.
    Secret,
}
