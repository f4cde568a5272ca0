//! The result of a proof: evidence for one function of one program, or a refutation that says what is wrong and where.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

/// A place in a program with a secret-dependent action.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The address of the instruction.
    pub address: u64,
    /// The instruction.
    pub instruction: String,
    /// The kind: `address`, `branch`, `condition`, `count`, or `operand` of a division.
    pub what: String,
}

/// A product with a secret-dependent factor. Its time depends on the secret if the processor's multiplier stops early.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Product {
    /// The instruction's address.
    pub address: u64,
    /// The instruction.
    pub instruction: String,
    /// Its timing class.
    pub class: String,
    /// Fields of the instruction whose registers hold secrets.
    pub factors: Vec<String>,
}

/// The bytes of a buffer that are touched: offsets `from .. until`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Touched {
    /// The buffer.
    pub buffer: String,
    /// The first offset.
    pub from: i64,
    /// The end.
    pub until: i64,
}

/// The numbers of blocks in a proof of messages: any number, including zero.
pub const ANY_BLOCKS: &str = "0 and more";
/// The numbers of blocks in a proof of messages if the function must be given at least one.
pub const SOME_BLOCKS: &str = "1 and more";

/// The assumption that a pointer behind a buffer is greater than those into it.
pub const NO_END: &str = "No buffer lies across the end of the address space or ends with its last byte.";
/// Earlier versions assumed the same, and left the last byte out.
const NO_END_EARLIER: &str = "No buffer lies across the end of the address space.";

/// Assumptions in a certificate, in the words of this version.
fn assumptions<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let mut all = Vec::<String>::deserialize(from)?;
    all.iter_mut().filter(|said| *said == NO_END_EARLIER).for_each(|said| NO_END.clone_into(said));
    Ok(all)
}

/// The claims proved about a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Proof {
    /// The problem, by name.
    pub problem: String,
    /// The packing of the key in memory.
    pub packing: String,
    /// The numbers of blocks.
    pub blocks: String,
    /// True if no address, branch or shift count depends on a secret.
    pub constant_time: bool,
    /// The places with secret-dependent actions.
    pub hangs: Vec<Place>,
    /// Products with secret-dependent factors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub products: Vec<Product>,
    /// Bytes of stack below the stack pointer at entry, including those of the return address where calls push it.
    pub stack_bytes: u64,
    /// The range read of each buffer.
    pub reads: Vec<Touched>,
    /// The range written of each buffer.
    pub writes: Vec<Touched>,
    /// The range of the program's tables that is read: lowest address and end.
    pub tables: Option<(u64, u64)>,
    /// True if any of these bytes lies where the program could write.
    pub tables_in_ram: bool,
    /// The alignment that buffers must have, in bytes, as the contract of the processor allows: the largest access to
    /// one, or the alignment to which the code rounds an address of one down.
    pub alignment: u8,
    /// Instructions executed on the longest path followed.
    pub instructions: u64,
    /// Registers that hold something secret-dependent at return, apart from bits of the results.
    pub secret_registers: Vec<String>,
    /// True if the stack below the stack pointer holds something secret-dependent at return.
    pub secret_stack: bool,
    /// The instruction that returns only to callers in ARM state, on a processor that also runs Thumb code.
    /// Certificates never have it: delivered kernels return to both states.
    #[serde(skip)]
    pub own_state: Option<String>,
    /// The assumptions of the proof.
    #[serde(deserialize_with = "assumptions")]
    pub assumptions: Vec<String>,
    /// Further conditions, which apply only to some functions on the processor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// The time of the proof, in microseconds.
    pub microseconds: u64,
}

impl Proof {
    /// The fewest blocks of a call, or 1 for keys.
    pub fn blocks_a_call(&self) -> u8 {
        self.blocks.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(1)
    }

    /// True if neither registers nor stack hold secrets at return.
    pub fn wiped(&self) -> bool {
        self.secret_registers.is_empty() && !self.secret_stack
    }
}

/// The reason why a function is not proved: it is wrong, or the proof cannot follow it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Refutation {
    /// The address of the instruction, or 0.
    pub address: u64,
    /// The instruction, or an empty string.
    pub instruction: String,
    /// The reason, in a sentence.
    pub sentence: String,
}

impl fmt::Display for Refutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.instruction.is_empty() {
            return f.write_str(&self.sentence);
        }
        write!(f, "at {:#x}, `{}`: {}", self.address, self.instruction, self.sentence)
    }
}

impl std::error::Error for Refutation {}
