//! Code generation for a variant on a processor: entry, loop, tail, and their bytes.
//!
//! [`build`] is a pure function: the same variant and target always give the same bytes.
//!
//! ```
//! use aesmith_x86::kernels::build;
//! use aesmith_x86::{dimensions, targets};
//!
//! let variant = dimensions::variant("aes256-ctr width=ymm interleave=4").unwrap();
//! let kernel = build(&variant, &targets::ALL).unwrap();
//! assert_eq!(kernel.bytes, build(&variant, &targets::ALL).unwrap().bytes);
//! ```

pub mod asm;
pub mod body;
mod cbc;
pub mod dispatch;
mod fixed;
pub mod forms;
mod frame;
mod gcm;
mod left;
mod parallel;
mod schedule;
pub mod select;
pub mod target;
pub mod translate;
pub mod vector;
mod words;
mod xts;

pub use aesmith_processor::measured::{Kernel, Lengths, Target, Unfit};
pub use dispatch::dispatch;
pub use target::Encoding;

use crate::dimensions::Dim;
use aesmith_arrange::Variant;
use aesmith_cipher::Task;
use aesmith_dataflow::Technique;
use aesmith_order::Spills;
use asm::{Assembled, Assembler};
use forms::{SIGNS, register};
use iced_x86::{Code, Instruction};

/// The result of the writers of each kind of kernel.
struct Parts {
    assembled: Assembled,
    keys_in_registers: u16,
    loop_instructions: u16,
    loop_blocks: usize,
    spills: Spills,
    /// True if no length reaches the main loop, or what a variant caches for it.
    without_cache: bool,
}

impl Parts {
    /// The parts from a writer that moves no instructions and spills nothing.
    fn plain(assembled: Assembled, keys_in_registers: u16, loop_blocks: usize) -> Parts {
        Parts {
            assembled,
            keys_in_registers,
            loop_instructions: 0,
            loop_blocks,
            spills: Spills::default(),
            without_cache: false,
        }
    }
}

/// The kernel of `variant` for `target`.
pub fn build(variant: &Variant, target: &Target) -> Result<Kernel, Unfit> {
    build_for(variant, target, Lengths::ALL)
}

/// The kernel of `variant` for `target`, for messages of some lengths only: code that these do not reach is
/// left out. Its variant is the given one, except that it caches nothing if the main loop, the only reader of
/// the cache, is left out.
pub(crate) fn build_for(variant: &Variant, target: &Target, lengths: Lengths) -> Result<Kernel, Unfit> {
    variant.check().map_err(|error| Unfit::Shape(error.0))?;
    supported(variant, target)?;
    // The number of stack slots is known only once the code is written: if it exceeds the estimate, the code is
    // written again.
    let mut slots = target::slots(variant.technique);
    let parts = loop {
        let parts = match variant.problem.task {
            _ if variant.technique.on_words() => words::write(variant, target, lengths)?,
            Task::Ctr | Task::Ecb(_) | Task::CbcDecrypt => parallel::write(variant, target, slots, lengths)?,
            Task::Gcm(_) => gcm::write(variant, target, lengths)?,
            Task::Xts(_) => xts::write(variant, target, lengths)?,
            Task::CbcEncrypt { .. } => cbc::write(variant, target, slots, lengths)?,
            Task::KeySchedule(_) => schedule::write(variant, target, slots)?,
            Task::CtrTable => schedule::write_table(variant, target, slots)?,
            Task::GcmTable => gcm::table::write(variant, target)?,
        };
        if parts.spills.slots <= slots {
            break parts;
        }
        slots = parts.spills.slots;
    };
    if parts.without_cache && variant.get(Dim::Cached) > 0 {
        return build_for(&variant.clone().with(Dim::Cached, 0), target, lengths);
    }
    let size = parts.assembled.bytes.len();
    if size > target.most_bytes {
        return Err(Unfit::Shape(format!(
            "its code and constants would be {size} bytes, and the most is {}; fewer blocks together are shorter",
            target.most_bytes
        )));
    }
    Ok(Kernel {
        processor: target.processor,
        variant: variant.clone(),
        bytes: parts.assembled.bytes,
        code_end: parts.assembled.code_end,
        places: parts.assembled.labels,
        keys_in_registers: parts.keys_in_registers,
        loop_instructions: parts.loop_instructions,
        loop_blocks: parts.loop_blocks,
        spills: parts.spills,
        lengths,
    })
}

/// Checks that the target has the features that the variant's technique and width need.
fn supported(variant: &Variant, target: &Target) -> Result<(), Unfit> {
    let (technique, available) = (variant.technique, target.lanes_of(variant.technique));
    let names = ["xmm", "ymm", "", "zmm"];
    if matches!(variant.problem.task, Task::Gcm(_) | Task::GcmTable | Task::Xts(_))
        && !technique.is_instruction()
    {
        return Err(Unfit::Unsupported(format!(
            "technique {technique} has no kernels of {} yet; technique aes has",
            variant.problem
        )));
    }
    if available == 0 {
        let others: Vec<&str> = target.techniques().map(Technique::name).collect();
        let others = match others.is_empty() {
            true => "no technique here works on it".to_owned(),
            false => format!("{} work on it", others.join(", ")),
        };
        return Err(Unfit::Unsupported(format!(
            "technique {technique} needs {}, which the CPU set {} lacks; {others}",
            target.needs(technique).words,
            target.set()
        )));
    }
    if variant.lanes() > available {
        return Err(Unfit::Unsupported(format!(
            "width={} is wanted, and {} is the widest that technique {technique} can use in the CPU set {}",
            names[variant.lanes() - 1],
            names[available - 1],
            target.set()
        )));
    }
    Ok(())
}

/// The exit: clears registers if the variant asks for it, clears upper halves, returns.
fn leave(asm: &mut Assembler, variant: &Variant, lanes: usize, encoding: Encoding) {
    let evex = encoding == Encoding::Evex;
    if encoding == Encoding::Legacy {
        for number in 0..if variant.on(Dim::Wipe) { 16 } else { 0 } {
            let r = register(1, number);
            asm.two(Code::Pxor_xmm_xmmm128, r, r);
        }
    } else if variant.on(Dim::Wipe) {
        if evex {
            for number in 16..32 {
                let r = register(4, number);
                asm.made(Instruction::with3(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, r, r, r));
            }
        }
        if target::leaves_signs(variant.technique) {
            // The look-ups leave sign bits of bytes in this opmask.
            asm.made(Instruction::with3(Code::VEX_Kxorq_kr_kr_kr, SIGNS, SIGNS, SIGNS));
        }
        asm.push(&Instruction::with(Code::VEX_Vzeroall));
    } else if lanes > 1 || target::leaves_signs(variant.technique) {
        asm.push(&Instruction::with(Code::VEX_Vzeroupper));
    }
    asm.push(&Instruction::with(Code::Retnq));
}
