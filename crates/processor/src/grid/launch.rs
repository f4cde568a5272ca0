//! The bytes of a launch's parameters, for all that launch a program: our interpreter and a GPU alike.

use aesmith_cipher::mode::Role;
use aesmith_isa::grid::{GridProgram, Parameter};

/// The arguments of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a> {
    /// The key in its memory layout, by the kernel's packing.
    pub key: &'a [u8],
    /// The counter of the first block, if there is one.
    pub iv: [u8; 16],
    /// The address of the text.
    pub input: u64,
    /// The address of the result.
    pub output: u64,
    /// Blocks of text.
    pub blocks: u64,
    /// The arrays of a launch with several streams.
    pub streams: Option<Arrays>,
}

/// The addresses of the arrays of a launch with several streams, with one element per stream.
#[derive(Clone, Copy, Debug)]
pub struct Arrays {
    /// The array of keys, by the kernel's packing.
    pub keys: u64,
    /// The array of initial vectors, if there are any.
    pub ivs: u64,
    /// The array of the addresses of texts.
    pub input: u64,
    /// The array of the addresses of results.
    pub output: u64,
    /// The array of the numbers of blocks.
    pub blocks: u64,
    /// Number of streams.
    pub count: u64,
}

impl Arrays {
    /// The value of a parameter.
    fn of(&self, parameter: &Parameter) -> u64 {
        match parameter.role {
            Role::Key | Role::CipherKey => self.keys,
            Role::Iv => self.ivs,
            Role::Input => self.input,
            Role::Output => self.output,
            Role::Length if parameter.each => self.blocks,
            Role::Length => self.count,
        }
    }
}

/// The bytes of each parameter of a program, in their order.
///
/// # Errors
/// A parameter's size differs from that of its argument, or the program is for several streams and the launch is not.
pub fn parameter_bytes(program: &GridProgram, given: &Arguments) -> Result<Vec<Vec<u8>>, String> {
    let streams = match given.streams {
        None if program.has_streams() => {
            return Err("the kernel is of several streams, and this launch is of one".into());
        }
        streams => streams.filter(|_| program.has_streams()),
    };
    let bytes = |parameter: &Parameter| -> Vec<u8> {
        if let Some(arrays) = streams {
            return arrays.of(parameter).to_le_bytes().to_vec();
        }
        match parameter.role {
            Role::Key | Role::CipherKey => given.key.to_vec(),
            Role::Iv => given.iv.to_vec(),
            Role::Input => given.input.to_le_bytes().to_vec(),
            Role::Output => given.output.to_le_bytes().to_vec(),
            Role::Length => given.blocks.to_le_bytes().to_vec(),
        }
    };
    let one = |parameter: &Parameter| {
        let bytes = bytes(parameter);
        if bytes.len() == parameter.bytes as usize {
            return Ok(bytes);
        }
        Err(format!("{} has {} bytes, {} are given", parameter.name, parameter.bytes, bytes.len()))
    };
    program.parameters.iter().map(one).collect()
}
