//! One entry for several kernels of a problem: selects by message length. Each kernel is written for the lengths that
//! select it, so it contains no unreachable code.

use crate::kernels::asm::{Assembler, If, POOL_ALIGNMENT, at};
use aesmith_processor::measured::{Choice, Joined, Kernel, Lengths, Unfit};
use iced_x86::{Decoder, DecoderOptions, Register};

/// Joins kernels, each with the greatest length it is meant for, ascending; the last has no limit.
///
/// # Errors
/// If the limits do not ascend, one is missing before the end, the kernels differ in problem, or one was written for
/// other lengths than those that select it.
pub fn dispatch(kernels: &[Choice<'_>]) -> Result<Joined, Unfit> {
    let Some(((None, last), others)) = kernels.split_last() else {
        return Err(Unfit::Shape(
            "the last kernel of a dispatch takes every length, so it has no limit".into(),
        ));
    };
    let problem = last.variant.problem;
    if !problem.is_message() {
        return Err(Unfit::Shape(format!("{problem} has no length to choose by")));
    }
    let given = if problem.has_iv() { Register::R8 } else { Register::RCX };
    let mut asm = Assembler::function();
    // With several streams the length of the first decides: it affects only which kernel is fastest, not correctness.
    let length = if problem.streams() > 1 {
        asm.load(Register::RAX, at(given, 0));
        Register::RAX
    } else {
        given
    };
    let mut before = 0;
    let labels: Vec<_> = kernels.iter().map(|_| asm.label()).collect();
    for ((limit, kernel), label) in others.iter().zip(&labels) {
        let limit = limit.and_then(|limit| i32::try_from(limit).ok()).filter(|&limit| limit > before);
        let Some(limit) = limit else {
            return Err(Unfit::Shape("the limits of a dispatch ascend and are below 2^31".into()));
        };
        if kernel.variant.problem != problem {
            return Err(Unfit::Shape(format!("{} cannot stand in for {problem}", kernel.variant.problem)));
        }
        asm.cmp(length, limit);
        asm.jump(If::BelowEqual, *label);
        before = limit;
    }
    let wanted = Lengths::between(kernels.iter().map(|(limit, _)| *limit));
    if let Some(((_, kernel), wanted)) =
        kernels.iter().zip(wanted).find(|((_, kernel), wanted)| !kernel.lengths.include(*wanted))
    {
        return Err(Unfit::Shape(format!(
            "`{}` was written for messages of {}, and would be chosen for {wanted}",
            kernel.variant, kernel.lengths
        )));
    }
    let mut code = Vec::new();
    code.push(0..asm.offset());
    let mut parts = Vec::new();
    for ((limit, kernel), label) in kernels.iter().rev().zip(labels.iter().rev()) {
        // The kernel for every length comes first and is reached by falling through; a lone kernel has nothing before
        // it. The constants of a kernel require its start at a multiple of a cache line.
        if !asm.offset().is_multiple_of(64) {
            if parts.is_empty() {
                asm.align(64);
            } else {
                asm.pad(64);
            }
        }
        asm.bind(*label);
        let start = asm.offset();
        parts.push((start, *limit));
        code.push(start..start + kernel.code_end);
        asm.append(&kernel.bytes[..kernel.code_end]);
    }
    parts.reverse();
    let mut bytes = asm.finish().map_err(Unfit::Shape)?.bytes;
    for ((_, kernel), (start, _)) in kernels.iter().zip(&parts) {
        append_constants(&mut bytes, kernel, *start);
    }
    Ok(Joined { bytes, parts, code })
}

/// Appends the constants of a kernel whose code starts at `start`, at a multiple of a cache line as before, and
/// adjusts the references of the code.
fn append_constants(bytes: &mut Vec<u8>, kernel: &Kernel, start: usize) {
    let pool = kernel.code_end.next_multiple_of(POOL_ALIGNMENT);
    let Some(constants) = kernel.bytes.get(pool..).filter(|constants| !constants.is_empty()) else { return };
    // int3, as after a kernel's code.
    bytes.resize(bytes.len().next_multiple_of(POOL_ALIGNMENT), 0xcc);
    let farther = (bytes.len() - (start + pool)) as i32;
    bytes.extend_from_slice(constants);
    let mut decoder = Decoder::with_ip(64, &kernel.bytes[..kernel.code_end], 0, DecoderOptions::NONE);
    while decoder.can_decode() {
        let instruction = decoder.decode();
        if instruction.is_ip_rel_memory_operand() {
            let field = decoder.get_constant_offsets(&instruction).displacement_offset();
            let at = start + instruction.ip() as usize + field;
            let displacement = i32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
            bytes[at..at + 4].copy_from_slice(&(displacement + farther).to_le_bytes());
        }
    }
}
