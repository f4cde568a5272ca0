//! Instruction fields that hold the distance to a constant.

use super::listing::{BASE, Listing};
use aesmith_processor::dialect::{Addressed, Field, Split};
use iced_x86::{Decoder, DecoderOptions, Instruction};
use std::collections::BTreeMap;

/// The offsets of the end of the code and the start of the constants.
pub(super) fn split(bytes: &[u8]) -> Result<Split, String> {
    let listing = Listing::new(bytes)?;
    Ok(Split { constants: listing.constants_at(bytes)?, code: listing.code_end() })
}

/// The constants that instructions address.
pub(super) fn addressed(bytes: &[u8]) -> Result<Addressed, String> {
    let addresses = |(at, i): (&usize, &Instruction)| {
        let target = i.is_ip_rel_memory_operand().then(|| i.ip_rel_memory_address())?;
        let mut decoder = Decoder::with_ip(64, &bytes[*at..], i.ip(), DecoderOptions::NONE);
        let again = decoder.decode();
        let field = decoder.get_constant_offsets(&again).displacement_offset();
        let target = target.wrapping_sub(BASE) as usize;
        Some(Field { at: at + field, end: at + i.len(), target })
    };
    let listing = Listing::new(bytes)?;
    Ok(Addressed { fields: listing.code.iter().filter_map(addresses).collect(), code: listing.code_end() })
}

/// The targets of the fields of linked code, whose first byte is at `address`.
pub(super) fn linked(code: &[u8], address: u64) -> BTreeMap<usize, i64> {
    let mut targets = BTreeMap::new();
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    while decoder.can_decode() {
        let instruction = decoder.decode();
        if instruction.is_ip_rel_memory_operand() {
            let field = decoder.get_constant_offsets(&instruction).displacement_offset() as u64;
            let behind = instruction.len() as i64 - field as i64;
            let target = (instruction.ip_rel_memory_address() as i64).wrapping_sub(behind);
            targets.insert((instruction.ip() - address + field) as usize, target);
        }
    }
    targets
}
