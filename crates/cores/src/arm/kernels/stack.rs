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
    /// How many blocks are left.
    pub count: i32,
}

impl Stack {
    /// With so many bytes before the addresses, of which the first is the key's.
    pub const fn new(before: i32) -> Stack {
        Stack { size: before + 16, key: 0, vector: before + 4, text: before + 8, count: before + 12 }
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
        code.memory("ldr", 4, SP, self.size + 36);
        code.memory("str", 4, SP, self.count);
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
