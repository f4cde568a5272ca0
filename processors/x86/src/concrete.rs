//! The domain of bytes: the semantics become a simulator that knows every byte it may touch.

mod domain;
mod elements;

use crate::registers::{ARGUMENTS, gpr::RSP};
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

/// Mapped bytes.
#[derive(Clone, Debug)]
pub struct Region {
    /// Address of the first byte.
    pub base: u64,
    /// Its contents.
    pub bytes: Vec<u8>,
    /// Whether stores are allowed.
    pub writable: bool,
}

/// Memory: only what is mapped may be touched.
#[derive(Clone, Debug, Default)]
pub struct Bytes {
    /// What is mapped; an access lies within one region.
    pub regions: Vec<Region>,
    /// What the decoder's instruction pointer 0 is as an address.
    pub code_base: u64,
}

/// Why the simulator stops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// An instruction outside the table.
    Unsupported(Unsupported),
    /// An access outside what is mapped.
    Unmapped {
        /// First byte of the access.
        address: u64,
        /// Its size in bytes.
        size: usize,
        /// Whether it is a store.
        store: bool,
    },
    /// An access that must be aligned and is not.
    Misaligned {
        /// First byte of the access.
        address: u64,
        /// The alignment that it needs.
        alignment: usize,
    },
    /// Too many instructions.
    TooLong(u64),
    /// The function returned with rsp elsewhere than at its return address.
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
    /// They are not mapped, or not for that.
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

    /// Calls a function at `entry` in the mapped code with these arguments and runs it to its
    /// return; `stack` is where its return address lies. Gives the number of instructions.
    ///
    /// # Errors
    /// Whatever stopped it.
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

/// A machine of zeros.
pub fn zeroed() -> Machine<Bytes> {
    Machine { gpr: [0; 16], vector: [[[0; 16]; 4]; 32], mask: [0; 8], flags: Flags::default() }
}
