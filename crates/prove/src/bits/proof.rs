//! What a proof hands over: evidence for one function of one program, or what is wrong and where.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A place in a program where a secret decides something.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// Its address.
    pub address: u64,
    /// The instruction.
    pub instruction: String,
    /// What hangs on a secret there: `address`, `branch`, `condition`, `count` or, of a division, `operand`.
    pub what: String,
}

/// A product of which a factor depends on a secret. Where the processor's multiplier stops early, its time does.
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

/// Which bytes of a buffer are touched: offsets `from .. until`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Touched {
    /// The buffer.
    pub buffer: String,
    /// The first.
    pub from: i64,
    /// The end.
    pub until: i64,
}

/// Numbers of blocks that a proof of messages is of: any, also none.
pub const ANY_BLOCKS: &str = "0 and more";
/// Numbers of blocks that a proof of messages is of where the function must be given one.
pub const SOME_BLOCKS: &str = "1 and more";

/// What is proved of a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Proof {
    /// The problem, by name.
    pub problem: String,
    /// How the key lies in memory.
    pub packing: String,
    /// For which numbers of blocks.
    pub blocks: String,
    /// Whether no secret decides an address, a branch or a shift's count.
    pub constant_time: bool,
    /// Where secrets do.
    pub hangs: Vec<Place>,
    /// Products of secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub products: Vec<Product>,
    /// Bytes of stack below the stack pointer at entry, that of the return address included where
    /// calls push it.
    pub stack_bytes: u64,
    /// What is read of each buffer.
    pub reads: Vec<Touched>,
    /// What is written.
    pub writes: Vec<Touched>,
    /// Bytes of the program's tables within reach of what is read: lowest address and end.
    pub tables: Option<(u64, u64)>,
    /// Whether any of these lies where the program could write.
    pub tables_in_ram: bool,
    /// Buffers must lie at multiples of so many bytes, as the contract of the processor allows: the largest access to one,
    /// or what the code rounds an address of one down to.
    pub alignment: u8,
    /// Instructions executed, on the longest path followed.
    pub instructions: u64,
    /// Registers that hold something that depends on a secret at return, besides those that hold
    /// nothing at entry either.
    pub secret_registers: Vec<String>,
    /// Whether the stack below the stack pointer holds something that depends on a secret at return.
    pub secret_stack: bool,
    /// The instruction by which it returns to callers in ARM state alone, on a processor that runs Thumb code, too. No
    /// certificate has it: kernels that are handed out return to both.
    #[serde(skip)]
    pub own_state: Option<String>,
    /// What the proof rests on.
    pub assumptions: Vec<String>,
    /// Further conditions, which not every function on the processor asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// How long it took.
    pub microseconds: u64,
}

impl Proof {
    /// The fewest blocks of a call, or 1 for keys.
    pub fn blocks_a_call(&self) -> u8 {
        self.blocks.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(1)
    }

    /// Whether neither registers nor stack hold secrets at return.
    pub fn wiped(&self) -> bool {
        self.secret_registers.is_empty() && !self.secret_stack
    }
}

/// Why a function is not proved: it is wrong, or does something that the proof cannot follow.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Refutation {
    /// Where.
    pub address: u64,
    /// The instruction there, or nothing.
    pub instruction: String,
    /// What.
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
