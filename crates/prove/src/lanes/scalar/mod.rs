//! Scalars as linear forms over what is public: addresses of the caller's objects, the remaining
//! length, and numbers derived from it; with what a path knows about the length.
//!
//! All of it is counted from the bytes processed so far: with `R` bytes remaining, `R = 16 Q + T`
//! where `Q` whole blocks and `T < 16` bytes remain, and `P` is 1 if `T > 0`.

mod lengths;
mod linear;

pub use lengths::{Facts, Length, MOST_BYTES, Quantity, Range, Split};
pub use linear::{Base, Linear, NO_COUNT};

use crate::lanes::terms::Lane;

/// A scalar register's or memory word's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// A public number or address.
    Linear(Linear),
    /// 64 bits of a lane: bytes 8 to 15 with `high`, reversed with `swapped`.
    Quad {
        /// The lane.
        lane: Lane,
        /// Which half.
        high: bool,
        /// Whether the bytes are reversed.
        swapped: bool,
    },
    /// Eight byte forms, by number.
    Bytes(u32),
    /// The lowest so many bits set, all of them above 64.
    Ones(Linear),
    /// What this register held at entry.
    Initial(u8),
    /// Where the caller goes on.
    ReturnAddress,
    /// `base + scale (b & mask)`, where `b` is the last byte of counter `index`.
    CounterByte {
        /// Which counter.
        index: i32,
        /// Low bits of the byte.
        mask: u8,
        /// Factor.
        scale: u8,
        /// What it is added to.
        base: Linear,
    },
    /// Eight bytes of the stack's counter table, which [`crate::lanes::cache`] has proved.
    TableEntry,
    /// `base` plus a number that a byte decides, by number ([`crate::lanes::lookups`]).
    Lookup {
        /// What it is added to.
        base: Linear,
        /// Which number.
        index: u32,
    },
    /// The low bits, under a mask, of an address.
    LowBits {
        /// The address.
        address: Linear,
        /// The mask, one less than a power of two.
        mask: u16,
    },
    /// Nothing is known, but that no secret is in it.
    Public,
    /// Nothing is known.
    Unknown,
}

impl Word {
    /// A number.
    pub const fn number(value: u64) -> Self {
        Word::Linear(Linear::number(value as i64))
    }

    /// The number that it is.
    pub fn as_number(self) -> Option<u64> {
        match self {
            Word::Linear(linear) => linear.as_number().map(|n| n as u64),
            _ => None,
        }
    }
}
