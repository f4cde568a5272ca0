//! Programs that a grid of GPU threads executes: instructions without a binary encoding, shared memory of a thread
//! block, constants, parameters. The interpreter and the prover both use these types.

use aesmith_cipher::Problem;
use aesmith_cipher::mode::Role;

use crate::table::Insn;

/// The register assignments and sizes common to the tables of such processors. Registers are numbers of
/// [`crate::Description::registers`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launch {
    /// The register of the thread's index in its block.
    pub thread: u8,
    /// The register of the block's index in the grid.
    pub block: u8,
    /// The register of the number of blocks in the grid.
    pub blocks: u8,
    /// The register of the address of shared memory.
    pub shared: u8,
    /// The register of the address of the constants.
    pub constants: u8,
    /// The register of the address of the key among the parameters.
    pub key: u8,
    /// The number of threads that execute one instruction together.
    pub warp: u8,
    /// The number of banks of shared memory, each 4 bytes wide: a word lies in the bank of its index modulo this
    /// number.
    pub banks: u8,
}

/// The arguments of a launch: those of a call, or for a key schedule the cipher keys as input, the round keys as
/// output, and their number.
pub fn roles(problem: Problem) -> Vec<Role> {
    match problem.mode().writes {
        Some(_) => vec![Role::Input, Role::Output, Role::Length],
        None => problem.mode().arguments.iter().map(|argument| argument.role).collect(),
    }
}

/// The timing class of a barrier, at which all threads of a block wait for each other.
pub const BARRIER: &str = "barrier";
/// The timing class of the instruction that ends a thread.
pub const EXIT: &str = "exit";
/// A parameter of a launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// The role: a pointer, a number, or for [`Parameter::by_value`] the bytes themselves.
    pub role: Role,
    /// The name in the text.
    pub name: String,
    /// The offset in the parameter space, in bytes.
    pub at: u64,
    /// The size in bytes.
    pub bytes: u32,
    /// True if it is the address of an array with an element for each stream: pointers, numbers, or the bytes
    /// themselves.
    pub each: bool,
}

impl Parameter {
    /// True if the parameter holds the bytes themselves, as the key and the counter of a launch do.
    pub fn by_value(&self) -> bool {
        matches!(self.role, Role::Key | Role::Iv) && !self.each
    }
}

/// A program for a grid of threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GridProgram {
    /// The name of the program.
    pub symbol: String,
    /// The instructions; the address of an instruction is its index.
    pub insns: Vec<Insn>,
    /// The parameters of a launch.
    pub parameters: Vec<Parameter>,
    /// The bytes of constant memory.
    pub constants: Vec<u8>,
    /// Size in bytes of the shared memory that a launch gives each block.
    pub shared: u32,
    /// The number of threads in a block: a launch with another number fails.
    pub threads: u32,
    /// The maximum number of registers per thread, if the vendor compiler (ptxas) is given a limit.
    pub registers: Option<u32>,
}

impl GridProgram {
    /// True if a launch processes several streams, each with its own key, text and length; the launch then takes their
    /// number as an argument.
    pub fn has_streams(&self) -> bool {
        self.parameters.iter().any(|parameter| parameter.each)
    }

    /// The parameter with this role.
    pub fn parameter(&self, role: Role) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.role == role)
    }
}
