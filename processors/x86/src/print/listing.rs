//! The instructions of a kernel, reached by following control flow from its entry, and its constants. No layout
//! is assumed, so any byte string can be listed.

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, OpKind};
use std::collections::{BTreeMap, BTreeSet};

/// The decoding address of kernels: so high that no displacement or immediate looks like an address.
pub const BASE: u64 = 1 << 40;

/// Alignment of constants, by which they are ordered: a cache line, in bytes.
pub const CONSTANTS_ALIGNMENT: usize = 64;

/// The padding between code and constants: `int3`, which is never executed.
pub const PADDING: u8 = 0xcc;

/// A disassembled kernel.
#[derive(Clone, Debug)]
pub struct Listing {
    /// Instructions by offset.
    pub code: BTreeMap<usize, Instruction>,
    /// Offsets of jump targets.
    pub targets: BTreeSet<usize>,
    /// Offsets of constants that instructions address, with the number of bytes read (0 if only the address is
    /// taken).
    pub constants: BTreeMap<usize, usize>,
}

impl Listing {
    /// Follows control flow from offset 0.
    ///
    /// # Errors
    /// The bytes are not a self-contained kernel: an undecodable instruction, a jump out of it or into the
    /// middle of an instruction, an indirect jump, a call, or a constant outside its bytes.
    pub fn new(bytes: &[u8]) -> Result<Listing, String> {
        let mut listing =
            Listing { code: BTreeMap::new(), targets: BTreeSet::new(), constants: BTreeMap::new() };
        let mut decoder = Decoder::with_ip(64, bytes, BASE, DecoderOptions::NONE);
        let mut work = vec![0usize];
        while let Some(start) = work.pop() {
            let mut at = start;
            while !listing.code.contains_key(&at) {
                let bad = |what: &str| Err(format!("at offset {at:#x}: {what}"));
                if at >= bytes.len() || decoder.set_position(at).is_err() {
                    return bad("execution leaves the kernel's bytes");
                }
                decoder.set_ip(BASE + at as u64);
                let instruction = decoder.decode();
                if instruction.is_invalid() {
                    return bad("these bytes are no instruction");
                }
                listing.note_constant(&instruction, bytes.len())?;
                let next = at + instruction.len();
                let flow = instruction.flow_control();
                listing.code.insert(at, instruction);
                match flow {
                    FlowControl::Next => {}
                    FlowControl::Return => break,
                    FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch
                        if instruction.op0_kind() == OpKind::NearBranch64 =>
                    {
                        let target = instruction.near_branch_target().wrapping_sub(BASE);
                        if target >= bytes.len() as u64 {
                            return bad("a jump leaves the kernel's bytes");
                        }
                        listing.targets.insert(target as usize);
                        work.push(target as usize);
                        if flow == FlowControl::UnconditionalBranch {
                            break;
                        }
                    }
                    _ => return bad("a kernel has no calls, indirect jumps or traps"),
                }
                at = next;
            }
        }
        listing.check_overlaps()?;
        Ok(listing)
    }

    /// The offset of the constants, which are separate from the code in a file: the first multiple of 64 after
    /// the code. Without constants, the number of bytes.
    ///
    /// # Errors
    /// Constants elsewhere.
    pub(crate) fn constants_at(&self, bytes: &[u8]) -> Result<usize, String> {
        let code_end = self.code_end();
        let at = code_end.next_multiple_of(CONSTANTS_ALIGNMENT);
        if self.constants.is_empty() && bytes.len() <= at {
            return Ok(bytes.len());
        }
        let padded = bytes.get(code_end..at).is_some_and(|between| between.iter().all(|b| *b == PADDING));
        match self.constants.keys().find(|constant| **constant < at) {
            None if padded => Ok(at),
            None => Err(format!("at offset {code_end:#x}: what is behind the code is no padding")),
            Some(constant) => Err(format!(
                "at offset {constant:#x}: a constant that is not behind all of the code, at the first multiple of \
                 {CONSTANTS_ALIGNMENT} or later"
            )),
        }
    }

    /// The end of the last instruction.
    pub fn code_end(&self) -> usize {
        self.code.last_key_value().map_or(0, |(at, instruction)| at + instruction.len())
    }

    fn note_constant(&mut self, instruction: &Instruction, size: usize) -> Result<(), String> {
        if !instruction.is_ip_rel_memory_operand() {
            return Ok(());
        }
        let address = instruction.ip_rel_memory_address().wrapping_sub(BASE) as usize;
        let read = instruction.memory_size().size();
        if address.checked_add(read).is_none_or(|end| end > size) {
            let at = instruction.ip() - BASE;
            return Err(format!("at offset {at:#x}: a constant lies outside the kernel's bytes"));
        }
        let known = self.constants.entry(address).or_insert(0);
        *known = read.max(*known);
        Ok(())
    }

    fn check_overlaps(&self) -> Result<(), String> {
        let mut end = 0;
        for (&at, instruction) in &self.code {
            if at < end {
                return Err(format!("at offset {at:#x}: a jump into the middle of an instruction"));
            }
            end = at + instruction.len();
        }
        let inside =
            |&at: &usize| self.code.range(..=at).next_back().is_some_and(|(&start, i)| at < start + i.len());
        match self.constants.keys().find(|at| inside(at)) {
            Some(at) => Err(format!("at offset {at:#x}: code is read as a constant")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_kernel_is_refused() {
        // (bytes, reason): jump out, jump into its own middle, call, end without return, indirect jump.
        for (bytes, why) in [
            (&[0xeb, 0x10][..], "leaves"),
            (&[0xeb, 0xff, 0xc0, 0xc3], "middle"),
            (&[0xe8, 0, 0, 0, 0, 0xc3], "calls"),
            (&[0x90], "leaves"),
            (&[0xff, 0xe0], "indirect"),
            (&[0x06], "no instruction"),
            (&[0x48, 0x8b, 0x05, 0x00, 0x10, 0, 0, 0xc3], "outside"),
            (&[0x48, 0x8b, 0x05, 0xf9, 0xff, 0xff, 0xff, 0xc3], "read as a constant"),
        ] {
            let error = Listing::new(bytes).unwrap_err();
            assert!(error.contains(why), "{bytes:02x?}: {error}");
        }
    }

    #[test]
    fn constants_stand_behind_all_code() {
        // mov rax, [rip + N]; ret; padding; sixteen bytes.
        let kernel = |n: u8, padding: u8| {
            let mut bytes = vec![0x48, 0x8b, 0x05, n, 0, 0, 0, 0xc3];
            bytes.resize(64, padding);
            bytes.resize(80, 7);
            bytes
        };
        let at = |bytes: &[u8]| Listing::new(bytes).unwrap().constants_at(bytes);
        assert_eq!(at(&kernel(64 - 7, 0xcc)), Ok(64));
        assert_eq!(at(&kernel(72 - 7, 0xcc)), Ok(64));
        assert!(at(&kernel(56 - 7, 0xcc)).unwrap_err().contains("not behind"));
        assert!(at(&kernel(64 - 7, 0x90)).unwrap_err().contains("no padding"));
        assert_eq!(at(&[0xc3]), Ok(1));
    }

    #[test]
    fn constants_are_not_code() {
        // mov rax, [rip + 1]; ret; eight bytes that are not instructions.
        let bytes = [0x48, 0x8b, 0x05, 1, 0, 0, 0, 0xc3, 6, 6, 6, 6, 6, 6, 6, 6];
        let listing = Listing::new(&bytes).unwrap();
        assert_eq!(listing.code.len(), 2);
        assert_eq!(listing.constants, BTreeMap::from([(8, 8)]));
    }
}
