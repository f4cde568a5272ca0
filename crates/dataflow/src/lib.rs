//! Techniques write the computation of one block as typed values and operations (SSA), independent of processor,
//! registers and loops, which later stages handle.
//!
//! ```
//! use aesmith_dataflow::circuits::Gates;
//! use aesmith_dataflow::{Choices, Round, Technique, technique};
//!
//! // A round of AES with GF(2^8) instructions: state and key in, state out.
//! let round = technique::round(Technique::Gfni, Choices::default(), Round::Encrypt).unwrap();
//! assert_eq!(round.run(&[0, 0]).len(), 1);
//! assert_eq!(Gates::of(0, false).size().and, 32, "AND gates of the S-box");
//! ```

pub mod aes;
pub mod bitsliced;
mod byteslices;
pub mod bytewise;
pub mod circuits;
pub mod count;
pub mod gfni;
pub mod logic;
pub mod memory;
pub mod program;
pub mod quads;
mod simplify;
pub mod slices;
pub mod steps;
pub mod table;
pub mod technique;
pub mod tower;
pub mod vbmi;
pub mod vperm;

pub use technique::{Choices, Technique};

/// The number of a value: the index of the operation that produces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u16);

/// A round function of FIPS-197, with the addition of the key that follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Round {
    /// SubBytes, ShiftRows, MixColumns, AddRoundKey.
    Encrypt,
    /// SubBytes, ShiftRows, AddRoundKey.
    EncryptLast,
    /// InvSubBytes, InvShiftRows, InvMixColumns, AddRoundKey (equivalent inverse cipher).
    Decrypt,
    /// InvSubBytes, InvShiftRows, AddRoundKey.
    DecryptLast,
}

/// An operation on 128-bit blocks. Every operation but [`Op::Store`] produces a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// The block's counter, big-endian.
    Counter,
    /// The block's counter with round key 0 added.
    KeyedCounter,
    /// The state after this many rounds of the block's counter, from the counter-mode cache.
    CachedState(u8),
    /// The block's source text.
    Source,
    /// The source text of the previous block (the IV for the first).
    PreviousSource,
    /// A round key, in order of use.
    RoundKey(u8),
    /// XOR of two values.
    Xor(Value, Value),
    /// A round of the state (first) with a key (second).
    Aes(Round, Value, Value),
    /// Stores the block's result.
    Store(Value),
}

impl Op {
    /// The values that it reads.
    pub fn arguments(self) -> impl Iterator<Item = Value> {
        match self {
            Op::Xor(a, b) | Op::Aes(_, a, b) => [Some(a), Some(b)],
            Op::Store(a) => [Some(a), None],
            _ => [None, None],
        }
        .into_iter()
        .flatten()
    }
}

/// The computation of one block: operations in an order in which each follows its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dataflow {
    /// The operations; operation `i` produces [`Value`] `i`.
    pub ops: Vec<Op>,
}

impl Dataflow {
    /// Appends an operation and returns the value that it produces.
    pub fn push(&mut self, op: Op) -> Value {
        self.ops.push(op);
        Value(self.ops.len() as u16 - 1)
    }

    /// The number of operations that execute on the AES unit, for throughput bounds.
    pub fn aes_rounds(&self) -> usize {
        self.ops.iter().filter(|op| matches!(op, Op::Aes(..))).count()
    }
}
