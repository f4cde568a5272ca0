//! Memory of an interpreted grid, with numbers as values.

use aesmith_isa::numbers::Numbers;
use aesmith_isa::values::{Binary, ByteFunction, Shift, Space, Values};

/// Base addresses of the buffers, the input first.
pub(super) const BUFFERS: [u64; 2] = [0x7000_0000_0000, 0x7100_0000_0000];
/// Base address of arrays of streams; each array is at 2^32 times its parameter's offset from it.
pub(super) const ARRAYS: u64 = 0x7200_0000_0000;
/// Base addresses of shared memory and constants in a program; misuse of these numbers shows in its output.
pub(super) const SHARED: u64 = 0x400;
pub(super) const CONSTANTS: u64 = 0x1_0000;

/// An access of a thread.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub at: u64,
    pub bytes: u8,
    pub written: bool,
}

/// Memory of a block of threads, with numbers as values.
pub(super) struct Memory<'a> {
    pub numbers: Numbers,
    /// Parameters, each with its offset.
    pub parameters: Vec<(u64, Vec<u8>)>,
    pub constants: &'a [u8],
    /// Arrays of streams, each with its address.
    pub arrays: Vec<(u64, Vec<u8>)>,
    pub shared: Vec<u8>,
    /// True for each byte of shared memory that was written.
    pub written: Vec<bool>,
    pub input: &'a [u8],
    pub output: Vec<u8>,
    /// True if the result overwrites the text.
    pub in_place: bool,
    /// The current instruction's access to shared memory.
    pub access: Option<Access>,
}

impl Memory<'_> {
    /// The buffer of a global address: true for the input, and the offset in it.
    fn buffer(&self, address: u64, bytes: u8) -> Result<(bool, usize), String> {
        let inside = |base: u64, size: usize| {
            let at = address.checked_sub(base)?;
            (at.checked_add(bytes.into())? <= size as u64).then_some(at as usize)
        };
        let [input, output] = [self.input.len(), self.output.len()];
        let found = inside(BUFFERS[0], input).map(|at| (true, at));
        let found = found.or(inside(BUFFERS[1], output).map(|at| (false, at)));
        let (first, at) = found
            .ok_or_else(|| format!("{bytes} bytes at {address:#x} are accessed, which are in no buffer"))?;
        if !at.is_multiple_of(bytes.into()) {
            return Err(format!("{bytes} bytes at {address:#x} are accessed, at no multiple of their size"));
        }
        Ok((first, at))
    }

    fn place(&mut self, address: u64, bytes: u8, written: bool) -> Result<usize, String> {
        let at = address.wrapping_sub(SHARED) & 0xffff_ffff;
        if at + u64::from(bytes) > self.shared.len() as u64 {
            return Err(format!(
                "{bytes} bytes at {at:#x} of shared memory are accessed, of which a launch gives {:#x}",
                self.shared.len()
            ));
        }
        if !at.is_multiple_of(bytes.into()) {
            return Err(format!(
                "{bytes} bytes at {at:#x} of shared memory are accessed, at no multiple of their size"
            ));
        }
        self.access = Some(Access { at, bytes, written });
        Ok(at as usize)
    }
}

/// The `bytes` bytes at an address of a memory, if they exist and the address is a multiple of their number.
fn part(memory: &[u8], at: u64, bytes: u8) -> Option<&[u8]> {
    let end = at.checked_add(bytes.into()).filter(|_| at.is_multiple_of(bytes.into()))?;
    memory.get(at as usize..end as usize)
}

/// The number in some bytes, lowest first.
fn number(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |n, &byte| n << 8 | u128::from(byte))
}

impl Values for Memory<'_> {
    type V = u128;
    type Error = String;

    fn constant(&mut self, width: u8, value: u64) -> u128 {
        self.numbers.constant(width, value)
    }

    fn binary(&mut self, op: Binary, width: u8, a: &u128, b: &u128) -> Result<u128, String> {
        self.numbers.binary(op, width, a, b)
    }

    fn shift(&mut self, op: Shift, width: u8, a: &u128, by: u8, count: &u128) -> Result<u128, String> {
        self.numbers.shift(op, width, a, by, count)
    }

    fn not(&mut self, width: u8, a: &u128) -> Result<u128, String> {
        self.numbers.not(width, a)
    }

    fn slice(&mut self, width: u8, a: &u128, low: u8, count: u8) -> Result<u128, String> {
        self.numbers.slice(width, a, low, count)
    }

    fn join(&mut self, high: (u8, &u128), low: (u8, &u128)) -> Result<u128, String> {
        self.numbers.join(high, low)
    }

    fn extend(&mut self, signed: bool, from: u8, to: u8, a: &u128) -> Result<u128, String> {
        self.numbers.extend(signed, from, to, a)
    }

    fn select(&mut self, width: u8, condition: &u128, yes: &u128, no: &u128) -> Result<u128, String> {
        self.numbers.select(width, condition, yes, no)
    }

    fn undefined(&mut self, width: u8, of: &u128) -> u128 {
        self.numbers.undefined(width, of)
    }

    fn function(&mut self, f: ByteFunction, a: &u128) -> Result<u128, String> {
        self.numbers.function(f, a)
    }

    fn pick(&mut self, high: &u128, low: &u128, index: &u128) -> Result<u128, String> {
        self.numbers.pick(high, low, index)
    }

    fn load(&mut self, space: Space, bytes: u8, _: u8, address: &u128) -> Result<u128, String> {
        let (address, count) = (*address as u64, usize::from(bytes));
        match space {
            Space::Shared => {
                let at = self.place(address, bytes, false)?;
                if self.written[at..at + count].contains(&false) {
                    return Err(format!("shared memory at {at:#x} is read before it is written"));
                }
                Ok(number(&self.shared[at..at + count]))
            }
            Space::Program => {
                let found = address.checked_sub(CONSTANTS).and_then(|at| part(self.constants, at, bytes));
                Ok(number(found.ok_or_else(|| format!("{address:#x} is no constant"))?))
            }
            Space::Parameter => {
                let mut parameters = self.parameters.iter();
                let found =
                    parameters.find_map(|(from, memory)| part(memory, address.checked_sub(*from)?, bytes));
                Ok(number(found.ok_or_else(|| format!("{bytes} bytes at {address:#x} are no parameter"))?))
            }
            Space::Data => {
                let mut arrays = self.arrays.iter();
                if let Some(found) =
                    arrays.find_map(|(from, memory)| part(memory, address.checked_sub(*from)?, bytes))
                {
                    return Ok(number(found));
                }
                let (first, at) = self.buffer(address, bytes)?;
                let from = if first && !self.in_place { self.input } else { &self.output };
                Ok(number(&from[at..at + count]))
            }
        }
    }

    fn store(&mut self, space: Space, bytes: u8, _: u8, address: &u128, value: &u128) -> Result<(), String> {
        let (address, stored) = (*address as u64, &value.to_le_bytes()[..usize::from(bytes)]);
        match space {
            Space::Shared => {
                let at = self.place(address, bytes, true)?;
                self.shared[at..at + stored.len()].copy_from_slice(stored);
                self.written[at..at + stored.len()].fill(true);
            }
            Space::Program | Space::Parameter => return Err("constants or parameters are written".into()),
            Space::Data => {
                let (first, at) = self.buffer(address, bytes)?;
                if first && !self.in_place {
                    return Err(format!("the input is written at {at:#x}"));
                }
                self.output[at..at + stored.len()].copy_from_slice(stored);
            }
        }
        Ok(())
    }

    fn decide(&mut self, condition: &u128) -> Result<bool, String> {
        Ok(*condition != 0)
    }

    fn number(&mut self, width: u8, a: &u128) -> Result<u64, String> {
        self.numbers.number(width, a)
    }
}
