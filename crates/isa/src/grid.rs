//! Programs that a grid of threads executes: instructions that are text alone, the memory that a block of threads shares,
//! constants, parameters. Whoever interprets or proves one goes by this.

use aesmith_cipher::Problem;
use aesmith_cipher::mode::Role;

use crate::table::Insn;

/// What the tables of such processors have in common. Registers are numbers of [`crate::Description::registers`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launch {
    /// The register that holds a thread's number in its block.
    pub thread: u8,
    /// That of the block's number in the grid.
    pub block: u8,
    /// That of the number of blocks of the grid.
    pub blocks: u8,
    /// That of the address of shared memory.
    pub shared: u8,
    /// That of the address of the constants.
    pub constants: u8,
    /// That of the address of the key among the parameters.
    pub key: u8,
    /// Threads that execute one instruction together.
    pub warp: u8,
    /// Banks of shared memory, each of 4 bytes: a word lies in the bank of its number modulo these.
    pub banks: u8,
}

/// The arguments of a launch: those of a call, or for a key schedule cipher keys as input, round keys as output, and how many
/// they are.
pub fn roles(problem: Problem) -> Vec<Role> {
    match problem.mode().writes {
        Some(_) => vec![Role::Input, Role::Output, Role::Length],
        None => problem.mode().arguments.iter().map(|argument| argument.role).collect(),
    }
}

/// The timing class of an instruction at which all threads of a block wait for each other.
pub const BARRIER: &str = "barrier";
/// The timing class of the instruction that ends a thread.
pub const EXIT: &str = "exit";
/// A parameter of a launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// What it is: a pointer, a number, or for [`Parameter::by_value`] the bytes themselves.
    pub role: Role,
    /// Its name in the text.
    pub name: String,
    /// Where it stands for loads of parameters.
    pub at: u64,
    /// Its bytes.
    pub bytes: u32,
    /// Whether it is the address of an array with an element for each stream: pointers, numbers, or the bytes themselves.
    pub each: bool,
}

impl Parameter {
    /// Whether it is the bytes themselves: the key of a launch and its counter are.
    pub fn by_value(&self) -> bool {
        matches!(self.role, Role::Key | Role::Iv) && !self.each
    }
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GridProgram {
    /// Its name.
    pub symbol: String,
    /// The instructions; the address of one is its number.
    pub insns: Vec<Insn>,
    /// The parameters of a launch.
    pub parameters: Vec<Parameter>,
    /// Constants.
    pub constants: Vec<u8>,
    /// Bytes of shared memory that a launch gives each block.
    pub shared: u32,
    /// Threads of a block: a launch of another number fails.
    pub threads: u32,
    /// The most registers that a translator may give a thread, if it is told.
    pub registers: Option<u32>,
}

impl GridProgram {
    /// Whether a launch is of several streams, each with its key, its text and a length of its own: then it is told how many.
    pub fn has_streams(&self) -> bool {
        self.parameters.iter().any(|parameter| parameter.each)
    }

    /// The parameter in a role.
    pub fn parameter(&self, role: Role) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.role == role)
    }
}
