//! Facts known on a path, and the memory of the contract.

use crate::bytes::Proof;
use crate::bytes::claim::Block;
use crate::bytes::terms::{Atom, Byte, ByteId, Condition, Terms, VARIABLES, reduced};
use crate::linear::{AtomId, Facts, Linear};
use crate::spec::Mode;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// The most bytes of output between two heads.
const FARTHEST: i128 = 256;
/// Numbers of [`crate::bytes::terms::WORDS`].
pub const KEY: AtomId = 0;
/// The memory of the IV.
pub const IV: AtomId = 1;
/// The text.
pub const INPUT: AtomId = 2;
/// The output.
pub const OUTPUT: AtomId = 3;
/// The stack pointer at entry.
pub const STACK: AtomId = 4;
/// The number of blocks.
pub const BLOCKS: AtomId = 5;

/// The reason to refuse an access.
pub const OUTSIDE: &str = "an access is outside the function's own stack";

/// A reason not to go on.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The path has to be split by this condition.
    Split(Condition),
    /// The kernel or its proof is refused.
    Refused(String),
}

/// A refusal.
///
/// # Errors
/// Always.
pub fn refused<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Refused(reason.into()))
}

/// All that is known on a path, besides registers.
#[derive(Clone, Debug)]
pub struct Path {
    /// Inequalities.
    pub facts: Facts,
    /// Conditions that split the path, and whether they are true.
    pub decided: Vec<(Condition, bool)>,
    /// Bytes of the stack, by their distance from the stack pointer at entry.
    pub cells: BTreeMap<i128, ByteId>,
    /// The stack pointer, by its distance from that at entry.
    pub pointer: i128,
    /// The memory of the IV.
    pub iv: Block,
    /// The number of blocks that are done at the beginning of the piece.
    pub done: Linear,
    /// Bytes that are stored since, by their distance.
    pub stored: BTreeMap<i128, ByteId>,
}

/// The terms, and the memory of a path.
#[derive(Debug)]
pub struct Memory<'a> {
    /// The proof.
    pub proof: &'a Proof,
    /// All terms.
    pub terms: Terms,
    /// All that is known on the path.
    pub path: Path,
    /// The bytes of the key.
    pub key: Vec<ByteId>,
    /// The end of what may be used on the stack, by its distance from the stack pointer at entry: behind arguments there; 1 where that
    /// is the next free byte.
    pub free: i128,
    /// The lowest byte of the stack that may be used.
    pub lowest: i128,
    /// The lowest byte that the instruction has stored, where the stack pointer is compared with it behind the instruction.
    pub reach: Option<i128>,
}

impl Memory<'_> {
    /// A number modulo that of words as one with a sign.
    pub fn signed(&self, number: i128) -> i128 {
        if 2 * number >= self.terms.modulus() { number - self.terms.modulus() } else { number }
    }

    /// True if `form >= 0` is known.
    pub fn is_natural(&self, form: &Linear) -> bool {
        let most = self.terms.modulus() - 1;
        self.path.facts.imply(form, &|atom| if atom < VARIABLES { Some(most) } else { None })
    }

    /// True if a form is known to be the integer that it is as a word.
    fn is_word(&self, form: &Linear) -> bool {
        let room = Linear::number(self.terms.modulus() - 1).checked(form, -1);
        self.is_natural(form) && room.is_some_and(|room| self.is_natural(&room))
    }

    /// The integer that a word is, if that is known.
    fn integer(&self, word: &Linear) -> Option<Linear> {
        // Words have no negative coefficients; the integer may have.
        let terms: Vec<_> = word.terms.iter().map(|&(id, c)| (id, self.signed(c))).collect();
        let forms = [word.constant, self.signed(word.constant)];
        let mut forms = forms.map(|constant| Linear { constant, terms: terms.clone() }).into_iter();
        forms.find(|form| self.is_word(form))
    }

    /// The inequality that a condition is, and the one that its opposite is.
    pub fn inequalities(&self, condition: &Condition) -> Option<[Linear; 2]> {
        let high = match condition {
            Condition::ZeroWord(word) => Linear::default().checked(&self.integer(word)?, -1),
            Condition::CarryWord(word, number) => self.integer(word)?.offset_checked(number - 65536),
            Condition::Less(a, b) => self.integer(b)?.checked(&self.integer(a)?, -1)?.offset_checked(-1),
            _ => None,
        }?;
        let low = Linear::number(-1).checked(&high, -1)?;
        Some([high, low])
    }

    /// The value of a condition, if it is known.
    pub fn known(&self, condition: &Condition) -> Option<bool> {
        if let Some(decided) = self.path.decided.iter().find(|decided| decided.0 == *condition) {
            return Some(decided.1);
        }
        let both = self.inequalities(condition)?;
        both.iter().position(|form| self.is_natural(form)).map(|which| which == 0)
    }

    /// The value of a public bit.
    ///
    /// # Errors
    /// If it is unknown, or the path has to be split.
    pub fn decided_bit(&self, bit: ByteId) -> Result<bool, Stop> {
        if self.terms.possible(bit) > 1 {
            return refused("a condition is no bit");
        }
        if let Some(value) = self.terms.as_constant(bit) {
            return Ok(value == 1);
        }
        if self.terms.is_secret(bit) {
            return refused("a condition depends on a secret");
        }
        let Byte { constant, parts } = self.terms.get(bit);
        let atom = parts.first().map(|part| self.terms.get_atom(part.0));
        let (Some(Atom::Is(condition)), 1) = (atom, parts.len()) else {
            return refused("a condition is unknown");
        };
        match self.known(condition) {
            Some(value) => Ok(value ^ (*constant == 1)),
            None => Err(Stop::Split(condition.clone())),
        }
    }

    /// The object at an address and the distance in it.
    ///
    /// # Errors
    /// If there is none.
    pub fn place<const N: usize>(&mut self, address: [ByteId; N]) -> Result<(AtomId, Linear), Stop> {
        let word = self.terms.as_word(address);
        let base = word.as_ref().and_then(|word| word.terms.iter().find(|t| t.0 < BLOCKS && t.1 == 1));
        let (Some(&(base, _)), Some(mut word)) = (base, word.clone()) else {
            return refused("an address is in no object, or depends on a secret");
        };
        word.terms.retain(|term| term.0 != base);
        Ok((base, word))
    }

    /// A known distance in the key, or the IV.
    fn fixed(offset: &Linear, below: usize) -> Result<usize, Stop> {
        match offset.as_number() {
            Some(at) if (0..below as i128).contains(&at) => Ok(at as usize),
            _ => refused("an access is outside the key, or the IV"),
        }
    }

    /// The distance of a byte of text from what is done, and its block.
    fn text(&self, offset: &Linear) -> Result<(i128, Linear), Stop> {
        let begin = Linear::default().checked(&self.path.done, 16);
        let distance = begin
            .and_then(|begin| offset.checked(&begin, -1))
            .map(|rest| reduced(&rest, self.terms.modulus()));
        let Some(distance) = distance.and_then(|rest| rest.as_number()).filter(|&d| d < FARTHEST) else {
            return refused("a byte of text is at no known distance from what is done");
        };
        let block = self.path.done.offset_checked(distance / 16);
        let rest = block.as_ref().and_then(|block| self.blocks().checked(block, -1)?.offset_checked(-1));
        match (rest, block) {
            (Some(rest), Some(block)) if self.is_natural(&rest) => Ok((distance, block)),
            _ => refused("an access may be behind the end of the text"),
        }
    }

    /// The number of blocks.
    pub fn blocks(&self) -> Linear {
        if self.proof.contract.mode == Mode::Ecb {
            Linear::number(self.proof.blocks.into())
        } else {
            Linear::atom(BLOCKS)
        }
    }

    /// The distance on the stack, of a byte that is in use, or of the next one, which is kept if it is then in use.
    fn cell(&self, offset: &Linear, least: i128) -> Result<i128, Stop> {
        match offset.as_number().map(|at| self.signed(at)) {
            Some(at) if (least.max(self.lowest)..self.free).contains(&at) => Ok(at),
            _ => refused(OUTSIDE),
        }
    }

    /// A byte of an object of the contract.
    ///
    /// # Errors
    /// If it may not be read.
    pub fn load_at(&mut self, base: AtomId, offset: &Linear) -> Result<ByteId, Stop> {
        match base {
            KEY => {
                let at = Self::fixed(offset, self.key.len())?;
                Ok(self.key[at])
            }
            IV if self.proof.contract.mode != Mode::Ecb => Ok(self.path.iv[Self::fixed(offset, 16)?]),
            INPUT => {
                let (distance, block) = self.text(offset)?;
                if self.path.stored.contains_key(&distance) {
                    return refused("text is read where output is stored");
                }
                Ok(self.terms.atom(Atom::Text(block, (distance % 16) as u8)))
            }
            OUTPUT => {
                let (distance, _) = self.text(offset)?;
                let value = self.path.stored.get(&distance).copied();
                value.map_or_else(|| refused("output is read that is not stored"), Ok)
            }
            STACK => {
                let value = self.path.cells.get(&self.cell(offset, self.path.pointer)?).copied();
                value.map_or_else(|| refused("a byte of the stack is read that is not written"), Ok)
            }
            _ => refused("a load is not allowed there"),
        }
    }

    /// Stores a byte.
    ///
    /// # Errors
    /// If it may not be written.
    pub fn store_at(&mut self, base: AtomId, offset: &Linear, value: ByteId) -> Result<(), Stop> {
        match base {
            OUTPUT => {
                let (distance, _) = self.text(offset)?;
                self.path.stored.insert(distance, value);
            }
            IV if self.proof.contract.mode != Mode::Ecb => self.path.iv[Self::fixed(offset, 16)?] = value,
            STACK => {
                // An instruction may move the stack pointer down to what it stores.
                let at = self.cell(offset, self.reach.map_or(self.path.pointer, |_| self.lowest))?;
                self.reach = self.reach.map(|reach| reach.min(at));
                self.path.cells.insert(at, value);
            }
            _ => return refused("a store is not allowed there"),
        }
        Ok(())
    }
}
