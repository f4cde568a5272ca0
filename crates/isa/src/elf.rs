//! The head of ELF files.

use crate::ByteOrder;

/// The head of every ELF file for a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    /// The machine's number (`object::elf::EM_*`).
    pub number: u16,
    /// The machine's name in a sentence.
    pub name: &'static str,
    /// The class of its files: 32 or 64 bits.
    pub bits: u8,
    /// The order of bytes.
    pub order: ByteOrder,
}
