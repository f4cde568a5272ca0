//! The accepted encodings of an instruction: the bytes that our encoder makes of it, and a short list of exceptions.
//!
//! An instruction can also be written with prefixes that one processor ignores and another does not (Intel ignores
//! 0x66 before a jump or a return; AMD then uses 16 bits), with prefixes in an order that makes the CPU drop one, or
//! with fields that are ignored today. None of these forms is needed: a decoded instruction is encoded again, and
//! bytes that differ are refused.

use iced_x86::{Decoder, DecoderOptions, Encoder, Instruction, Register};

/// The paddings that GNU as and LLVM put between instructions, longest first: suffixes of these bytes. Beyond 11
/// bytes assemblers write several instructions, or add 0x66 prefixes up to 15 bytes.
const LONG_NOP: [u8; 15] =
    [0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00];

/// The shorter ones.
const NOPS: [&[u8]; 9] = [
    &[0x90],
    &[0x66, 0x90],
    &[0x0f, 0x1f, 0x00],
    &[0x0f, 0x1f, 0x40, 0x00],
    &[0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
    &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
];

/// True if the bytes are one of the paddings that assemblers write.
pub(crate) fn is_padding(bytes: &[u8]) -> bool {
    NOPS.contains(&bytes) || (bytes.len() >= 10 && LONG_NOP.ends_with(bytes))
}

/// Refuses bytes that are not the encoding of the instruction that they were decoded to. Besides the encoder's own
/// form, paddings and the long form of the VEX prefix are accepted. The encoder keeps the opcode among several and
/// the widths of displacements and immediates.
///
/// # Errors
/// A sentence that describes the bytes.
pub fn check(instruction: &Instruction, bytes: &[u8]) -> Result<(), String> {
    if instruction.is_invalid() {
        return Err("these bytes are no instruction, or one of more than 15 bytes".to_owned());
    }
    if is_padding(bytes) {
        return Ok(());
    }
    let repeats = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    if instruction.segment_prefix() != Register::None || instruction.has_lock_prefix() || repeats {
        return Err("segment, lock and repeat prefixes have no meaning here".to_owned());
    }
    let read_by_amd = Decoder::with_ip(64, bytes, instruction.ip(), DecoderOptions::AMD).decode();
    if read_by_amd != *instruction || read_by_amd.len() != instruction.len() {
        return Err("processors of Intel and of AMD read these bytes differently".to_owned());
    }
    // The encoder keeps the scale even without an index register.
    let mut plain = *instruction;
    if plain.memory_index() == Register::None {
        plain.set_memory_index_scale(1);
    }
    for long_vex in [false, true] {
        let mut encoder = Encoder::new(64);
        encoder.set_prevent_vex2(long_vex);
        if encoder.encode(&plain, plain.ip()).is_ok() && encoder.take_buffer() == bytes {
            return Ok(());
        }
    }
    Err("these bytes are not how the instruction is encoded: a prefix is surplus or out of order, or an ignored \
         field is set, which another processor may read otherwise"
        .to_owned())
}
