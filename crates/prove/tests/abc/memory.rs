//! Memory as bytes of literals at concrete addresses, and calls of machine code on it.

use crate::bits::{self, Byte};
use crate::gates::{Gates, Refused, known};
use crate::graph::{Graph, Literal};
use aesmith_isa::instructions::Flow;
use aesmith_isa::lanes::{Access, Decision, Machine, Width};
use aesmith_x86::registers::{ARGUMENTS, COUNTS, gpr::RSP};
use aesmith_x86::semantics::execute;
use iced_x86::{Decoder, DecoderOptions};
use std::array::from_fn;

pub const CODE: u64 = 0x10_0000;
const KEY: u64 = 0x20_0000;
const INPUT: u64 = 0x30_0000;
const OUTPUT: u64 = 0x40_0000;
const STACK: u64 = 0x70_0000;
const STACK_BYTES: usize = 0x4000;
/// More instructions than any call here needs.
const MOST_INSTRUCTIONS: usize = 100_000;

/// Mapped bytes.
pub struct Region {
    pub base: u64,
    pub bytes: Vec<Byte>,
    pub writable: bool,
}

/// A call of an ECB kernel with all round keys and blocks free.
pub struct Call {
    pub graph: Graph,
    pub output: Vec<[Byte; 16]>,
    /// Offsets of the instructions that were executed, in order.
    pub trace: Vec<u64>,
}

/// Makes the inputs: round keys, then blocks.
pub fn inputs(graph: &mut Graph, keys: usize, blocks: usize) -> (Vec<[Byte; 16]>, Vec<[Byte; 16]>) {
    let mut take = |count: usize| -> Vec<[Byte; 16]> {
        (0..count).map(|_| from_fn(|_| from_fn(|_| graph.input()))).collect()
    };
    (take(keys), take(blocks))
}

/// Calls `code` on `blocks` blocks.
///
/// # Errors
/// The gates refuse an operation.
pub fn call(code: &[u8], keys: usize, blocks: usize) -> Result<Call, Refused> {
    let mut graph = Graph::new();
    let (key, input) = inputs(&mut graph, keys, blocks);
    let mut unknown =
        |count: usize| -> Vec<Byte> { (0..count).map(|_| from_fn(|_| graph.unknown())).collect() };
    let (output, stack) = (unknown(16 * blocks), unknown(STACK_BYTES + 8));
    let pool = code.iter().map(|byte| bits::constant(u64::from(*byte), 8).try_into().unwrap()).collect();
    let (zero, flags) = (word(0), from_fn(|_| graph.unknown()));
    let mut machine: Machine<Gates> = Machine::filled(COUNTS, zero, from_fn(|_| zero[0]), zero, flags);
    for bit in machine.gpr.iter_mut().chain(machine.mask.iter_mut()).flatten() {
        *bit = graph.unknown();
    }
    for bit in machine.vector.iter_mut().flatten().flatten() {
        *bit = graph.unknown();
    }
    let regions = vec![
        Region { base: CODE, bytes: pool, writable: false },
        Region { base: KEY, bytes: key.into_flattened(), writable: false },
        Region { base: INPUT, bytes: input.into_flattened(), writable: false },
        Region { base: OUTPUT, bytes: output, writable: true },
        Region { base: STACK - STACK_BYTES as u64, bytes: stack, writable: true },
    ];
    let mut gates = Gates { graph, regions };
    let arguments = [KEY, INPUT, OUTPUT, 16 * blocks as u64];
    for (place, value) in ARGUMENTS.into_iter().zip(arguments).chain([(RSP, STACK)]) {
        machine.gpr[place] = word(value);
    }
    let trace = run(&mut machine, &mut gates, code)?;
    let written = gates.regions.swap_remove(3).bytes;
    let output = written.chunks(16).map(|block| block.try_into().unwrap()).collect();
    Ok(Call { graph: gates.graph, output, trace })
}

/// A constant scalar.
pub fn word(value: u64) -> [Literal; 64] {
    bits::constant(value, 64).try_into().unwrap()
}

/// Executes from the entry to the return, and returns the offsets of the instructions.
fn run(machine: &mut Machine<Gates>, gates: &mut Gates, code: &[u8]) -> Result<Vec<u64>, Refused> {
    let (mut at, mut trace) = (0, Vec::new());
    while trace.len() < MOST_INSTRUCTIONS {
        let Some(rest) = code.get(at as usize..).filter(|rest| !rest.is_empty()) else {
            return Err(Refused(format!("execution leaves the code for offset {at:#x}")));
        };
        trace.push(at);
        let instruction = Decoder::with_ip(64, rest, at, DecoderOptions::NONE).decode();
        let flow = execute(machine, gates, &instruction)
            .map_err(|refused| Refused(format!("at offset {at:#x}: {}", refused.0)))?;
        at = match flow {
            Flow::Jump(target) | Flow::Branch { target, decision: Decision::Taken } => target,
            Flow::Next | Flow::Branch { .. } => instruction.next_ip(),
            Flow::Return if machine.gpr[RSP] == word(STACK + 8) => return Ok(trace),
            Flow::Return => {
                return Err(Refused("return with rsp elsewhere than at the return address".into()));
            }
        };
    }
    Err(Refused(format!("no return after {MOST_INSTRUCTIONS} instructions")))
}

type Word = [Literal; 64];

impl Gates {
    /// The bytes of an access.
    pub fn at(&mut self, address: Word, size: usize, store: bool) -> Result<&mut [Byte], Refused> {
        let address = known(&address, "an address")?;
        let bytes = self.regions.iter_mut().filter(|r| r.writable || !store).find_map(|r| {
            let start = usize::try_from(address.checked_sub(r.base)?).ok()?;
            r.bytes.get_mut(start..start.checked_add(size)?)
        });
        bytes.ok_or_else(|| {
            Refused(format!("{size} bytes at {address:#x} are not mapped, or not for a store"))
        })
    }

    /// Refuses an address that is not aligned as the access demands.
    pub fn aligned(access: Access, address: Word, size: usize) -> Result<(), Refused> {
        match access {
            Access::Unaligned => Ok(()),
            _ if known(&address, "an address")?.is_multiple_of(size as u64) => Ok(()),
            _ => Err(Refused(format!("an access of {size} bytes is not aligned"))),
        }
    }

    /// Stores whole bytes.
    pub fn write(&mut self, address: Word, bits: &[Literal]) -> Result<(), Refused> {
        for (to, from) in self.at(address, bits.len() / 8, true)?.iter_mut().zip(bits.chunks(8)) {
            to.copy_from_slice(from);
        }
        Ok(())
    }

    /// The elements that a constant mask selects: address and first bit.
    pub fn chosen(
        mask: Word,
        element: Width,
        address: Word,
        lanes: usize,
    ) -> Result<impl Iterator<Item = (Word, usize)>, Refused> {
        let count = 16 * lanes / element.bytes();
        let (mask, address) = (known(&mask[..count], "a mask of memory")?, known(&address, "an address")?);
        let at = move |i: usize| {
            (word(address.wrapping_add((i * element.bytes()) as u64)), i * element.bits() as usize)
        };
        Ok((0..count).filter(move |i| mask >> i & 1 == 1).map(at))
    }
}
