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

/// The machine's number in the head of an ELF file; `None` if the bytes are none.
pub fn machine(file: &[u8]) -> Option<u16> {
    let header = file.get(..20).filter(|header| header.starts_with(b"\x7fELF"))?;
    let order = if header[5] == 2 { ByteOrder::Big } else { ByteOrder::Little };
    Some(order.number(&header[18..20]) as u16)
}
