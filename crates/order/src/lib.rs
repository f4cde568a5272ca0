//! Instruction order and registers of straight-line code: dependences, moves of single instructions, and allocation of
//! virtual vector registers. Code that needs more registers than there are is either refused, with the number that it
//! needs, or given counted stack slots; it is never spilled silently.
//!
//! ```
//! use aesmith_order::{Effects, Instruction, Reg, apply_moves};
//!
//! #[derive(Clone, Debug, PartialEq)]
//! struct Add(u8, u8);
//!
//! impl Instruction for Add {
//!     fn effects(&self) -> Effects {
//!         let [to, from] = [self.0, self.1].map(|r| Some(Reg::Fixed(r)));
//!         Effects { reads: [to, from, None], writes: to, text: None }
//!     }
//!     fn rename(&mut self, _: impl FnMut(Reg) -> Reg) {}
//! }
//!
//! // The first instruction moves back past independent ones and stops before the reader of its result.
//! let mut code = [Add(0, 1), Add(2, 3), Add(4, 0), Add(5, 6)];
//! apply_moves(&mut code, [(0, 3)]);
//! assert_eq!(code, [Add(2, 3), Add(0, 1), Add(4, 0), Add(5, 6)]);
//! ```

pub mod allocate;
pub mod function;
pub mod inorder;
pub mod modulo;
pub mod moves;
pub mod spill;
#[cfg(test)]
mod toy;

pub use allocate::{Pressure, allocate};
pub use moves::apply_moves;
pub use spill::{Machine, Spills, TooFew, allocate_spilling};

/// A vector register of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reg {
    /// A machine register, by its number.
    Fixed(u8),
    /// A value without a register yet. It is written once or more within one straight run of code and is not live
    /// outside it.
    Virtual(u16),
}

/// A part of the message that an instruction accesses: bytes `start..end` relative to the loop's position. Source and
/// destination may be the same buffer, so they count as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// First byte.
    pub start: i32,
    /// One past the last byte.
    pub end: i32,
    /// True if it is written.
    pub write: bool,
}

/// The reads and writes of an instruction that matter for order and registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Vector registers that are read.
    pub reads: [Option<Reg>; 3],
    /// The vector register that is written.
    pub writes: Option<Reg>,
    /// The part of the message that is accessed.
    pub text: Option<Text>,
}

/// An instruction that can be moved and given registers.
pub trait Instruction {
    /// Its reads and writes.
    fn effects(&self) -> Effects;
    /// Replaces each register by its image under `map`.
    fn rename(&mut self, map: impl FnMut(Reg) -> Reg);
}

impl Effects {
    /// True if two neighbours, `self` first, must keep their order.
    pub fn conflicts(&self, later: &Effects) -> bool {
        let reads = |e: &Effects, r: Reg| e.reads.contains(&Some(r));
        self.writes.is_some_and(|w| reads(later, w) || later.writes == Some(w))
            || later.writes.is_some_and(|w| reads(self, w))
            || match (self.text, later.text) {
                (Some(a), Some(b)) => (a.write || b.write) && a.start < b.end && b.start < a.end,
                _ => false,
            }
    }
}
