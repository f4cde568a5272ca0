//! What functions of many blocks keep on the stack, as the rounds leave no register for it, and how
//! they begin and end.

use super::plan::{KEY, LR, OUT, PC, SAVED, SP, TABLE};
use super::rounds::{Shape, Tail};
use super::writer::Code;

/// Offsets from the stack pointer. What each block begins with stands first, for one LDM.
#[derive(Clone, Copy, Debug)]
pub struct Stack {
    /// Bytes in all, saved registers above them not counted.
    pub size: i32,
    /// The address of round keys.
    pub key: i32,
    /// The address of the vector.
    pub vector: i32,
    /// The address of the next text.
    pub text: i32,
    /// How many blocks are left, unless the link register holds it.
    pub count: i32,
    /// Whether it does.
    pub held: bool,
}

impl Stack {
    /// With so many bytes before the addresses, of which the first is the key's.
    pub fn new(before: i32, shape: Shape, tail: Tail) -> Stack {
        // Neither loops of rounds nor a second table need the link register.
        let held = shape == Shape::Unrolled && matches!(tail, Tail::Table | Tail::Below);
        let [vector, text, count] = [4, 8, 12].map(|k| before + k);
        Stack { size: before + 16, key: 0, vector, text, count, held }
    }

    /// Saves registers: before the address of tables is made.
    pub fn save(code: &mut Code) {
        let saved: Vec<i32> = SAVED.into_iter().chain([LR]).collect();
        code.several("stmdb_pre", SP, &saved);
    }

    /// Stores the arguments; the key's address is the first word, plus `ahead`. Changes r4.
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

    /// Before blocks are counted, the number of those left into a register.
    pub fn load(self, code: &mut Code, register: i32) {
        if !self.held {
            code.memory("ldr", register, SP, self.count);
        }
    }

    /// Counts a block, and goes back to the start unless it was the last.
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

    /// The tail of rounds in a loop over blocks: the S-box's address is made once where the link
    /// register is free to hold it.
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
