//! The concrete domain of bytes, which turns the semantics into a simulator that knows every byte it may access.

mod domain;
mod elements;

use crate::registers::{ARGUMENTS, COUNTS, gpr::RSP};
use crate::semantics::execute;
use aesmith_isa::instructions::Flow;
use aesmith_isa::lanes::{Decision, Machine, Unsupported};
use iced_x86::{Decoder, DecoderOptions};
use std::fmt;

/// The status flags.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flags {
    /// CF
    pub carry: bool,
    /// PF
    pub parity: bool,
    /// ZF
    pub zero: bool,
    /// SF
    pub sign: bool,
    /// OF
    pub overflow: bool,
}

/// A region of mapped bytes.
#[derive(Clone, Debug)]
pub struct Region {
    /// Address of the first byte.
    pub base: u64,
    /// Its contents.
    pub bytes: Vec<u8>,
    /// True if stores are allowed.
    pub writable: bool,
}

/// Memory; only mapped bytes may be accessed.
#[derive(Clone, Debug, Default)]
pub struct Bytes {
    /// The mapped regions; an access lies within one region.
    pub regions: Vec<Region>,
    /// The address of the decoder's instruction pointer 0.
    pub code_base: u64,
}

/// Reasons why the simulator stops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// An instruction outside the table.
    Unsupported(Unsupported),
    /// An access outside the mapped regions.
    Unmapped {
        /// First byte of the access.
        address: u64,
        /// Its size in bytes.
        size: usize,
        /// True for a store.
        store: bool,
    },
    /// A misaligned access that must be aligned.
    Misaligned {
        /// First byte of the access.
        address: u64,
        /// The required alignment.
        alignment: usize,
    },
    /// Too many instructions.
    TooLong(u64),
    /// The function returned with rsp different from the address of its return address.
    Unbalanced(u64),
}

impl From<Unsupported> for Stop {
    fn from(unsupported: Unsupported) -> Stop {
        Stop::Unsupported(unsupported)
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Unsupported(unsupported) => {
                write!(f, "{unsupported}; add it to the table in processors/x86/src/table.rs")
            }
            Stop::Unmapped { address, size, store } => {
                let what = if *store { "store" } else { "load" };
                write!(f, "{what} of {size} bytes at {address:#x}, which is not mapped for it")
            }
            Stop::Misaligned { address, alignment } => {
                write!(f, "access at {address:#x}, which is no multiple of {alignment}")
            }
            Stop::TooLong(limit) => write!(f, "no return after {limit} instructions"),
            Stop::Unbalanced(rsp) => write!(f, "return with rsp at {rsp:#x}, not at the return address"),
        }
    }
}

impl std::error::Error for Stop {}

impl Bytes {
    /// Maps bytes at an address.
    pub fn map(&mut self, base: u64, bytes: Vec<u8>, writable: bool) {
        self.regions.push(Region { base, bytes, writable });
    }

    /// The bytes of an access.
    ///
    /// # Errors
    /// The bytes are not mapped, or not writable for a store.
    pub fn at(&mut self, address: u64, size: usize, store: bool) -> Result<&mut [u8], Stop> {
        self.regions
            .iter_mut()
            .filter(|r| r.writable || !store)
            .find_map(|r| {
                let start = usize::try_from(address.checked_sub(r.base)?).ok()?;
                r.bytes.get_mut(start..start.checked_add(size)?)
            })
            .ok_or(Stop::Unmapped { address, size, store })
    }

    /// Calls the function at `entry` in the mapped code with these arguments and runs it until it returns; `stack` is
    /// the address of its return address. Returns the number of instructions.
    ///
    /// # Errors
    /// The reason why it stopped.
    pub fn call(
        &mut self,
        machine: &mut Machine<Bytes>,
        entry: u64,
        stack: u64,
        arguments: &[u64],
        limit: u64,
    ) -> Result<u64, Stop> {
        machine.gpr[RSP] = stack;
        for (place, argument) in ARGUMENTS.iter().zip(arguments) {
            machine.gpr[*place] = *argument;
        }
        let mut address = entry;
        for step in 1..=limit {
            let region =
                self.regions.iter().find(|r| (r.base..r.base + r.bytes.len() as u64).contains(&address));
            let Some(region) = region else {
                return Err(Stop::Unmapped { address, size: 1, store: false });
            };
            let code = &region.bytes[(address - region.base) as usize..];
            let ip = address - self.code_base;
            let instruction = Decoder::with_ip(64, code, ip, DecoderOptions::NONE).decode();
            let next = match execute(machine, self, &instruction)? {
                Flow::Next => instruction.next_ip(),
                Flow::Jump(target) | Flow::Branch { target, decision: Decision::Taken } => target,
                Flow::Branch { .. } => instruction.next_ip(),
                Flow::Return if machine.gpr[RSP] == stack + 8 => return Ok(step),
                Flow::Return => return Err(Stop::Unbalanced(machine.gpr[RSP] - 8)),
            };
            address = self.code_base + next;
        }
        Err(Stop::TooLong(limit))
    }
}

/// A machine whose registers and flags are all zero.
pub fn zeroed() -> Machine<Bytes> {
    Machine::filled(COUNTS, 0, [0; 16], 0, Flags::default())
}
