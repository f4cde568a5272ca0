//! The stack frame of functions over many blocks, as the rounds leave no register for its content, and their
//! prologue and epilogue.

use super::plan::{KEY, LR, OUT, PC, SAVED, SP, TABLE};
use super::rounds::{Shape, Tail};
use super::writer::Code;

/// Offsets from the stack pointer, in bytes. The inputs of each block come first, for one LDM.
#[derive(Clone, Copy, Debug)]
pub struct Stack {
    /// Size in bytes, without the saved registers above it.
    pub size: i32,
    /// The address of the round keys.
    pub key: i32,
    /// The address of the vector.
    pub vector: i32,
    /// The address of the next text.
    pub text: i32,
    /// The number of remaining blocks, unless the link register holds it.
    pub count: i32,
    /// True if the link register holds it.
    pub held: bool,
}

impl Stack {
    /// A frame with `before` bytes below the addresses, of which the first is that of the key.
    pub fn new(before: i32, shape: Shape, tail: Tail) -> Stack {
        // If neither loops of rounds nor a second table need the link register.
        let held = shape == Shape::Unrolled && matches!(tail, Tail::Table | Tail::Below);
        let [vector, text, count] = [4, 8, 12].map(|k| before + k);
        Stack { size: before + 16, key: 0, vector, text, count, held }
    }

    /// Saves registers; must precede the computation of the tables' address.
    pub fn save(code: &mut Code) {
        let saved: Vec<i32> = SAVED.into_iter().chain([LR]).collect();
        code.several("stmdb_pre", SP, &saved);
    }

    /// Stores the arguments; the first word is the key's address plus `ahead`. Changes r4.
    pub fn enter(self, code: &mut Code, ahead: u32) {
        code.op_i("sub", SP, SP, self.size as u32);
        if ahead > 0 {
            code.op_i("add", KEY, KEY, ahead);
        }
        code.memory("str", KEY, SP, self.key);
        code.memory("str", 1, SP, self.vector);
        code.memory("str", 2, SP, self.text);
        code.mov(OUT, 3);
        // The fifth argument is above the nine saved registers.
        if self.held {
            code.memory("ldr", LR, SP, self.size + 36);
        } else {
            code.memory("ldr", 4, SP, self.size + 36);
            code.memory("str", 4, SP, self.count);
        }
    }

    /// Loads the number of remaining blocks into a register, before blocks are counted.
    pub fn load(self, code: &mut Code, register: i32) {
        if !self.held {
            code.memory("ldr", register, SP, self.count);
        }
    }

    /// Counts a block, and branches back to the start unless it was the last.
    pub fn count(self, code: &mut Code, register: i32, start: &str) {
        let count = if self.held { LR } else { register };
        code.op_i("subs", count, count, 1);
        if !self.held {
            code.memory("str", register, SP, self.count);
        }
        // Not zero.
        code.branch_if(1, start);
    }

    /// Restores registers and returns.
    pub fn leave(self, code: &mut Code) {
        code.op_i("add", SP, SP, self.size as u32);
        let back: Vec<i32> = SAVED.into_iter().chain([PC]).collect();
        code.several("ldmia_pre", SP, &back);
    }

    /// The tail of rounds in a loop over blocks: the S-box's address is computed once if the link register is
    /// free to hold it.
    pub fn tail(code: &mut Code, shape: Shape, tail: Tail) -> Tail {
        match (shape, tail) {
            (Shape::Unrolled, Tail::Substitution { offset, base }) => {
                code.op_i("add", base, TABLE, offset);
                Tail::Ready(base)
            }
            _ => tail,
        }
    }
}
