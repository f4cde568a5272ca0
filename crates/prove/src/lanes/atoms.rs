//! Parts of lanes: numbers of lanes, positions in a message, byte orders, and atoms, about which only equality is
//! known.

use aesmith_isa::lanes::AesRound;

/// A lane, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Lane(pub u32);

impl Lane {
    /// The zero lane.
    pub const ZERO: Lane = Lane(0);
    /// An unknown lane without secrets.
    pub const PUBLIC: Lane = Lane(1);
    /// An unknown lane.
    pub const UNKNOWN: Lane = Lane(2);

    /// True if the value is unknown.
    pub fn is_unknown(self) -> bool {
        self == Lane::PUBLIC || self == Lane::UNKNOWN
    }
}

/// The index of a counter block, from the bytes processed so far or from the message's end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Index {
    /// The counter of block `n / 16 + i`, after `n` processed bytes.
    At(i32),
    /// The counter `i` after the message's last one, partial block included.
    End(i32),
}

impl Index {
    /// The index `by` blocks further on in the message, whose end stays; `None` if out of range for an index.
    pub(crate) fn plus_blocks(self, by: i32) -> Option<Self> {
        match self {
            Index::At(_) => self.plus(by),
            Index::End(_) => Some(self),
        }
    }

    /// The index `by` further on; `None` if out of range for an index.
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
    /// Memory order: big-endian.
    pub const MEMORY: Order = Order(0);
    /// The two 64-bit halves exchanged.
    pub(crate) const SWAPPED_HALVES: Order = Order(1);
    /// The bytes of each 64-bit half reversed.
    pub(crate) const SWAPPED_BYTES: Order = Order(2);
    /// All 16 bytes reversed: a little-endian 128-bit integer.
    pub(crate) const REVERSED: Order = Order(3);

    /// The position in memory order of byte `i` of a lane in this order.
    pub fn source(self, i: usize) -> usize {
        i ^ if self.0 & 1 != 0 { 8 } else { 0 } ^ if self.0 & 2 != 0 { 7 } else { 0 }
    }
}

/// The summands of lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atom {
    /// Round key `round` of a stream.
    Key {
        /// Stream.
        stream: u8,
        /// Round, in order of use.
        round: u8,
    },
    /// Input block, counted from the bytes processed so far; zeros follow the end of the message.
    Input {
        /// Stream.
        stream: u8,
        /// Block.
        block: i32,
    },
    /// A counter block.
    Counter {
        /// Its index.
        index: Index,
        /// Its byte order.
        order: Order,
    },
    /// CBC encryption: the ciphertext block before the next one (at first the IV).
    Chain {
        /// Stream.
        stream: u8,
    },
    /// A round function of a lane, without the key addition.
    Round {
        /// The round function.
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
        /// The index of these 16 bytes.
        part: u8,
    },
    /// The part of the state after `rounds` rounds that the counter table does not hold: the state of counter `index`
    /// without the contribution of its last byte ([`crate::lanes::cache`]).
    Rest {
        /// Rounds in the table.
        rounds: u8,
        /// The table: 0 is that of the key structure, others are proofs of one on the stack ([`crate::lanes::tables`]).
        table: u16,
        /// A counter of the 256 that share all other bytes.
        index: i32,
    },
    /// The value of GHASH before block 0 of the rest of the message.
    Hash,
    /// An output block for GHASH, counted from the bytes processed so far, in place of what it is made of.
    Cipher {
        /// Block.
        block: i32,
    },
    /// The hash key: the cipher of a block of zeros.
    HashBlock,
    /// A stored power of the hash key ([`aesmith_cipher::contract::hash_entry`]).
    HashKey {
        /// The exponent.
        power: u16,
    },
    /// The product of a block and a power of the hash key in GHASH's field, as a block in memory.
    Power {
        /// The block: a lane of one atom, whose bits a map may move.
        of: Lane,
        /// The exponent.
        power: u16,
    },
    /// The carry-less product of a half of a block with its bytes reversed and a half of a stored power of the hash key.
    Product {
        /// The block: a lane of one atom, whose bits a map may move.
        of: Lane,
        /// The exponent.
        power: u16,
        /// The number of the block's half, doubled, plus that of the power's half.
        halves: u8,
    },
    /// The first bytes of a lane, as many as the message has beyond whole blocks, and zeros.
    Partial {
        /// The lane.
        of: Lane,
    },
    /// The contents of memory before the kernel wrote there; never read.
    Stale {
        /// True if they may be secret.
        secret: bool,
    },
    /// 16 byte forms, entry `index` of the list of these.
    Bytes {
        /// Number.
        index: u32,
    },
    /// The argument lane of the functions of cones ([`crate::lanes::terms`]).
    Argument,
    /// A function of a lane: `function`, which is written over [`Atom::Argument`], with `of` substituted for the
    /// argument.
    Cone {
        /// The function.
        function: Lane,
        /// The argument.
        of: Lane,
    },
    /// A bitwise function of up to eight lanes without an affine part, entry `index` of the list of these
    /// ([`crate::lanes::bitwise`]).
    Table {
        /// Number.
        index: u32,
    },
    /// Bit `bit` of the S-box, at each position, of the byte that eight lanes hold a bit each of.
    Sliced {
        /// The eight lanes and the S-box, as an entry of the list of these.
        instance: u32,
        /// The index of the output bit.
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
            Atom::Hash => 15 << 56,
            Atom::Cipher { block } => 20 << 56 | u64::from(block as u32),
            Atom::HashBlock => 21 << 56,
            Atom::HashKey { power } => 16 << 56 | u64::from(power),
            Atom::Power { of, power } => 17 << 56 | u64::from(power) << 32 | u64::from(of.0),
            Atom::Product { of, power, halves } => {
                18 << 56 | u64::from(halves) << 48 | u64::from(power) << 32 | u64::from(of.0)
            }
            Atom::Partial { of } => 19 << 56 | u64::from(of.0),
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
