//! The code that a variant becomes on a processor: entry, loop, tail, and their bytes.
//!
//! [`build`] is a pure function: the same variant and target always give the same bytes.

pub mod asm;
pub mod body;
mod cbc;
pub mod dispatch;
mod parallel;
mod schedule;
pub mod target;
pub mod vector;
mod words;

pub use dispatch::{Dispatch, dispatch};
pub use target::Target;

use aesmith_arrange::{Dim, Variant};
use aesmith_cipher::Task;
use asm::{Assembled, Assembler};
use iced_x86::{Code, Instruction};
use std::fmt;
use vector::register;

/// A variant's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// What it was made from.
    pub variant: Variant,
    /// Machine code with its entry at offset 0, then its constants.
    pub bytes: Vec<u8>,
    /// Where the code ends.
    pub code_end: usize,
    /// Named places in the code: `entry`, `loop`, `body`, `body end`, `tail`, ...
    pub places: Vec<(&'static str, usize)>,
    /// The round keys that really stand in registers in the main loop: the mask as far as it fits.
    pub keys_in_registers: u16,
    /// Vector instructions of the main loop's body: what an order may move.
    pub loop_instructions: u16,
    /// Blocks that one pass of the main loop finishes.
    pub loop_blocks: usize,
}

/// Why a variant becomes no kernel on a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It needs more registers than there are.
    Registers {
        /// Live at once.
        needed: usize,
        /// The target's.
        available: usize,
    },
    /// Its choices do not go together, for this reason.
    Shape(String),
    /// The target lacks the instructions for it.
    Unsupported(String),
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Registers { needed, available } => {
                write!(f, "it needs {needed} registers and there are {available}")
            }
            Unfit::Shape(reason) | Unfit::Unsupported(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Unfit {}

/// What the writers of the kinds of kernel return.
struct Parts {
    assembled: Assembled,
    keys_in_registers: u16,
    loop_instructions: u16,
    loop_blocks: usize,
}

impl Parts {
    /// Of a writer that moves no instructions.
    fn plain(assembled: Assembled, keys_in_registers: u16, loop_blocks: usize) -> Parts {
        Parts { assembled, keys_in_registers, loop_instructions: 0, loop_blocks }
    }
}

/// The kernel of `variant` for `target`.
pub fn build(variant: &Variant, target: &Target) -> Result<Kernel, Unfit> {
    if !variant.technique.on_words() && target.lanes() == 0 {
        return Err(Unfit::Unsupported(
            "the target has no AES instructions, which every technique here is made of".into(),
        ));
    }
    if !variant.technique.on_words() && variant.lanes() > target.lanes() {
        let width = ["xmm", "ymm", "", "zmm"][variant.lanes() - 1];
        return Err(Unfit::Unsupported(format!(
            "{width} registers with AES are wanted, and the target has {target}"
        )));
    }
    let parts = match variant.problem.task {
        _ if variant.technique.on_words() => words::write(variant, target)?,
        Task::Ctr | Task::Ecb(_) | Task::CbcDecrypt => parallel::write(variant, target)?,
        Task::CbcEncrypt { .. } => cbc::write(variant, target)?,
        Task::KeySchedule(_) => schedule::write(variant)?,
        Task::CtrTable => schedule::write_table(variant, target)?,
    };
    Ok(Kernel {
        variant: variant.clone(),
        bytes: parts.assembled.bytes,
        code_end: parts.assembled.code_end,
        places: parts.assembled.labels,
        keys_in_registers: parts.keys_in_registers,
        loop_instructions: parts.loop_instructions,
        loop_blocks: parts.loop_blocks,
    })
}

/// The way out: registers cleared if the variant asks for it, upper halves clean, return.
fn leave(asm: &mut Assembler, variant: &Variant, lanes: usize, evex: bool) {
    if variant.on(Dim::Wipe) {
        if evex {
            for number in 16..32 {
                let r = register(4, number);
                asm.made(Instruction::with3(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, r, r, r));
            }
        }
        asm.push(&Instruction::with(Code::VEX_Vzeroall));
    } else if lanes > 1 {
        asm.push(&Instruction::with(Code::VEX_Vzeroupper));
    }
    asm.push(&Instruction::with(Code::Retnq));
}
