//! A technique writes what one block needs as typed values and operations (SSA). It knows no
//! processor, no registers and no loop: those are the business of the stages below.
//!
//! ```
//! use aesmith_dataflow::circuits::Gates;
//! use aesmith_dataflow::{Choices, Round, Technique, technique};
//!
//! // A round of AES by GF(2^8) instructions: state and key in, state out.
//! let round = technique::round(Technique::Gfni, Choices::default(), Round::Encrypt).unwrap();
//! assert_eq!(round.run(&[0, 0]).len(), 1);
//! assert_eq!(Gates::of(0, false).size().and, 32, "AND gates of the S-box");
//! ```

pub mod aes;
pub mod bitsliced;
pub mod byteslices;
pub mod bytewise;
pub mod circuits;
pub mod count;
pub mod gfni;
pub mod logic;
pub mod memory;
pub mod program;
pub mod quads;
pub mod simplify;
pub mod slices;
pub mod steps;
pub mod table;
pub mod technique;
pub mod tower;
pub mod vbmi;
pub mod vperm;

pub use technique::{Choices, Technique};

/// Number of a value: the index of the operation that makes it.
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

/// One operation on 128-bit blocks. Every operation but [`Op::Store`] makes a value.
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
    /// The source text of the block before (the IV for the first).
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
    /// The values it reads.
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

/// What one block needs: operations in an order in which each follows its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dataflow {
    /// The operations; operation `i` makes [`Value`] `i`.
    pub ops: Vec<Op>,
}

impl Dataflow {
    /// Appends an operation and returns the value it makes.
    pub fn push(&mut self, op: Op) -> Value {
        self.ops.push(op);
        Value(self.ops.len() as u16 - 1)
    }

    /// Operations of the kind that execute on the AES unit: what a throughput bound counts.
    pub fn aes_rounds(&self) -> usize {
        self.ops.iter().filter(|op| matches!(op, Op::Aes(..))).count()
    }
}
