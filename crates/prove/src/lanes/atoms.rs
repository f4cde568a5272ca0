//! What lanes are made of: numbers of lanes, places in a message, orders of bytes, and atoms, of which nothing is
//! known but that equal ones are equal.

use aesmith_isa::lanes::AesRound;

/// A lane, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Lane(pub u32);

impl Lane {
    /// All zero.
    pub const ZERO: Lane = Lane(0);
    /// Nothing is known of it, but that no secret is in it.
    pub const PUBLIC: Lane = Lane(1);
    /// Nothing is known of it.
    pub const UNKNOWN: Lane = Lane(2);

    /// Whether nothing is known of its value.
    pub fn is_unknown(self) -> bool {
        self == Lane::PUBLIC || self == Lane::UNKNOWN
    }
}

/// Which counter block: counted from the bytes processed so far, or from the message's end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Index {
    /// The counter of block `n / 16 + i`, where `n` bytes are processed.
    At(i32),
    /// The counter `i` after the message's last one, partial block included.
    End(i32),
}

impl Index {
    /// The index `by` blocks further on in the message, whose end stays; nothing if that is too far for an index.
    pub fn plus_blocks(self, by: i32) -> Option<Self> {
        match self {
            Index::At(_) => self.plus(by),
            Index::End(_) => Some(self),
        }
    }

    /// The index `by` further on, if that is not too far for an index.
    pub fn plus(self, by: i32) -> Option<Self> {
        let further = |i: i32| i.checked_add(by).filter(|i| i.unsigned_abs() < 1 << 28);
        match self {
            Index::At(i) => further(i).map(Index::At),
            Index::End(i) => further(i).map(Index::End),
        }
    }
}

/// Byte orders in which a counter block lies in a lane. As numbers, composition is XOR.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Order(pub u8);

impl Order {
    /// As in memory: big-endian.
    pub const MEMORY: Order = Order(0);
    /// The two 64-bit halves exchanged.
    pub const SWAPPED_HALVES: Order = Order(1);
    /// The bytes of each 64-bit half reversed.
    pub const SWAPPED_BYTES: Order = Order(2);
    /// All 16 bytes reversed: a little-endian 128-bit integer.
    pub const REVERSED: Order = Order(3);

    /// Where byte `i` of a lane in this order lies in memory order.
    pub fn source(self, i: usize) -> usize {
        i ^ if self.0 & 1 != 0 { 8 } else { 0 } ^ if self.0 & 2 != 0 { 7 } else { 0 }
    }
}

/// What lanes are sums of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atom {
    /// Round key `round` of a stream.
    Key {
        /// Stream.
        stream: u8,
        /// Round, in order of use.
        round: u8,
    },
    /// Input block, counted from the bytes processed so far.
    Input {
        /// Stream.
        stream: u8,
        /// Block.
        block: i32,
    },
    /// A counter block.
    Counter {
        /// Which.
        index: Index,
        /// Its byte order.
        order: Order,
    },
    /// CBC encryption: the ciphertext block before the next one (at first the IV).
    Chain {
        /// Stream.
        stream: u8,
    },
    /// A round function, without the key addition, of a lane.
    Round {
        /// Which one.
        round: AesRound,
        /// Its argument.
        of: Lane,
    },
    /// InvMixColumns of a lane.
    InvMix {
        /// Its argument.
        of: Lane,
    },
    /// 16 bytes of the cipher key, from byte `16 part`.
    CipherKey {
        /// Which 16.
        part: u8,
    },
    /// What the counter table leaves of the state after so many rounds: the state of counter
    /// `index` without what its last byte contributes ([`crate::lanes::cache`]).
    Rest {
        /// Rounds in the table.
        rounds: u8,
        /// Which table: 0 is that of the key structure, others are proofs of one on the stack
        /// ([`crate::lanes::tables`]).
        table: u16,
        /// A counter of the 256 that share all other bytes.
        index: i32,
    },
    /// What memory held before the kernel wrote anything there: never read.
    Stale {
        /// Whether a secret may be in it.
        secret: bool,
    },
    /// 16 byte forms, number `index` of the list of such.
    Bytes {
        /// Number.
        index: u32,
    },
    /// The lane that the functions of cones are functions of ([`crate::lanes::terms`]).
    Argument,
    /// A function of a lane: `function`, which is written over [`Atom::Argument`], with `of` in its place.
    Cone {
        /// The function.
        function: Lane,
        /// What it is of.
        of: Lane,
    },
    /// Bit by bit, a function of up to eight lanes without an affine part, number `index` of the
    /// list of such ([`crate::lanes::bitwise`]).
    Table {
        /// Number.
        index: u32,
    },
    /// Bit by bit, bit `bit` of the S-box of the byte that eight lanes hold a bit each of.
    Sliced {
        /// Which eight lanes, and which S-box: number of the list of such.
        instance: u32,
        /// Which of its output bits.
        bit: u8,
    },
}

pub(super) fn round_code(round: AesRound) -> u64 {
    round as u64
}

impl Atom {
    pub(super) fn code(self) -> u64 {
        let index = |i: Index| match i {
            Index::At(i) => u64::from(i as u32),
            Index::End(i) => 1 << 32 | u64::from(i as u32),
        };
        match self {
            Atom::Key { stream, round } => 1 << 56 | u64::from(stream) << 40 | u64::from(round),
            Atom::Input { stream, block } => 2 << 56 | u64::from(stream) << 40 | u64::from(block as u32),
            Atom::Counter { index: i, order } => 3 << 56 | u64::from(order.0) << 40 | index(i),
            Atom::Chain { stream } => 4 << 56 | u64::from(stream),
            Atom::Round { round, of } => 5 << 56 | round_code(round) << 40 | u64::from(of.0),
            Atom::InvMix { of } => 6 << 56 | u64::from(of.0),
            Atom::CipherKey { part } => 7 << 56 | u64::from(part),
            Atom::Bytes { index } => 8 << 56 | u64::from(index),
            Atom::Stale { secret } => 12 << 56 | u64::from(secret),
            Atom::Table { index } => 10 << 56 | u64::from(index),
            Atom::Sliced { instance, bit } => 11 << 56 | u64::from(bit) << 32 | u64::from(instance),
            Atom::Argument => 13 << 56,
            Atom::Cone { function, of } => 14 << 60 | u64::from(function.0) << 30 | u64::from(of.0),
            Atom::Rest { rounds, table, index } => {
                9 << 56 | u64::from(table) << 40 | u64::from(rounds) << 32 | u64::from(index as u32)
            }
        }
    }
}
