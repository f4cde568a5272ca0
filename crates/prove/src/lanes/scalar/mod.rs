//! Scalars as linear forms over public values: addresses of the caller's objects, the remaining length, and numbers
//! derived from it; and the facts of a path about the length.
//!
//! Everything is counted from the bytes processed so far: with `R` bytes remaining, `R = 16 Q + T` where `Q` whole
//! blocks and `T < 16` bytes remain, and `P` is 1 if `T > 0`.

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
        /// True for the upper half.
        high: bool,
        /// True if the bytes are reversed.
        swapped: bool,
    },
    /// Eight byte forms, by number.
    Bytes(u32),
    /// This number of low bits set; all 64 if it is greater.
    Ones(Linear),
    /// The value of this register at entry.
    Initial(u8),
    /// The return address.
    ReturnAddress,
    /// `base + scale (b & mask)`, where `b` is the last byte of counter `index`.
    CounterByte {
        /// The counter's index.
        index: i32,
        /// Mask of low bits of the byte.
        mask: u8,
        /// Factor.
        scale: u8,
        /// The summand.
        base: Linear,
    },
    /// Eight bytes of the stack's counter table, which [`crate::lanes::cache`] has proved.
    TableEntry,
    /// `base` plus a number that depends on a byte, by number (`crate::lanes::lookups`).
    Lookup {
        /// The summand.
        base: Linear,
        /// The number's index.
        index: u32,
    },
    /// The low bits of an address.
    LowBits {
        /// The address.
        address: Linear,
        /// The mask, one less than a power of two.
        mask: u16,
    },
    /// An unknown value without secrets.
    Public,
    /// An unknown value.
    Unknown,
}

impl Word {
    /// A number.
    pub const fn number(value: u64) -> Self {
        Word::Linear(Linear::number(value as i64))
    }

    /// The last byte of a counter.
    pub(crate) const fn counter_byte(index: i32) -> Self {
        Word::CounterByte { index, mask: 0xff, scale: 1, base: Linear::number(0) }
    }

    /// The value, if it is a number.
    pub fn as_number(self) -> Option<u64> {
        match self {
            Word::Linear(linear) => linear.as_number().map(|n| n as u64),
            _ => None,
        }
    }
}
