//! Counter tables of two rounds on the stack: proofs that they are as [`crate::lanes::cache`] assumes, and the identity
//! of tables.
//!
//! The blocks of a table are counted from the bytes processed so far, like everything in a proof, but the rest of a
//! round that a table leaves may be kept in a register while blocks are processed. So a table is not identified by its
//! blocks: each proof of a table has a number of its own, which names its rests. A number stands for the contents of
//! memory at that proof, and does not change when blocks are processed.
//!
//! Two proofs give the same number only if the path knows that both tables are made of the same blocks. It keeps the
//! blocks of its proved tables, and these do move: when a loop's iteration ends, each table's blocks must be those of
//! one iteration later, or they are forgotten (`crate::lanes::induction`).

use aesmith_cipher::contract::TABLE_BYTES;
use aesmith_isa::lanes::AesRound;

use crate::lanes::forms::{ByteAtom, Form};
use crate::lanes::memory::Place;
use crate::lanes::rename::{Renamed, Window};
use crate::lanes::scalar::Word;
use crate::lanes::symbolic::{Stop, Symbolic, refuse};
use crate::lanes::terms::{Atom, Index, Lane, Order};

/// The most tables whose blocks a path knows; kernels keep rests of the last one.
const MOST_KNOWN: usize = 4;

/// A table that was proved, and the blocks that it was made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownTable {
    /// Its number.
    pub number: u16,
    /// The block with the last byte zero, under key 0.
    pub block: [Form; 16],
}

impl Symbolic {
    /// The start of the table on the stack to which `at` points (including the offset of the entry that the caller's
    /// index is relative to), and its number; proves the table when it is first read.
    pub(super) fn proved_table(&mut self, at: Place) -> Result<(i64, u16), Stop> {
        let carries = self.mode.counts() && self.path.carry.is_none_or(|c| c.overflows);
        if self.path.upper_fixed.is_none() || carries {
            return refuse(
                "a table of two rounds is right only while counter bytes 0 to 10 stay, which is not known",
            );
        }
        match self.path.table {
            Some((base, start, table)) if base == at.base => Ok((start, table)),
            _ => {
                let table = self.prove_table(at)?;
                self.path.table = Some((at.base, at.offset, table));
                Ok((at.offset, table))
            }
        }
    }

    /// Proves that entry `v` is the state after two rounds and key 2, for a block whose last byte is `v`, with the
    /// counter's own bytes 0, 5 and 10, and other bytes that do not depend on `v`. Returns the number of the table.
    pub(crate) fn prove_table(&mut self, at: Place) -> Result<u16, Stop> {
        let mut block: Option<[Form; 16]> = None;
        let mut opened: Option<(Lane, [Form; 16])> = None;
        for v in 0..=255u8 {
            let here = at.plus(16 * i64::from(v));
            let (low, high) = (self.load_slot(here)?, self.load_slot(here.plus(8))?);
            let entry = self.pair(low, high);
            let Some(first) = self.under_two_rounds(entry) else {
                return refuse(format!("entry {v} of the counter table is not a state after two rounds"));
            };
            let constant = self.terms.constant_part(first);
            let constant_lane = self.terms.constant(constant);
            let open = self.terms.xor(first, constant_lane);
            let mut bytes = match opened {
                Some((lane, bytes)) if lane == open => bytes,
                _ => {
                    let Some(bytes) = self.terms.bytes(open) else {
                        return refuse(format!("entry {v} of the counter table is not known"));
                    };
                    opened = Some((open, bytes));
                    bytes
                }
            };
            for (byte, &c) in bytes.iter_mut().zip(&constant.to_le_bytes()) {
                if c != 0 {
                    *byte = self.terms.forms.add(*byte, Form(u32::from(c)));
                }
            }
            // Byte 15 without `v` is that of entry 0.
            bytes[15] = self.terms.forms.add(bytes[15], Form(u32::from(v)));
            match block {
                None => {
                    self.check_table_block(&bytes)?;
                    block = Some(bytes);
                }
                Some(expected) if expected == bytes => {}
                Some(_) => return refuse(format!("entry {v} of the counter table is not that of byte {v}")),
            }
        }
        for slot in 0..TABLE_BYTES as i64 / 8 {
            self.set_slot(at.plus(8 * slot), Word::TableEntry)?;
        }
        self.table_number(block.expect("a table has entries"))
    }

    /// The number of a table that was made of this block: that of a table that the path knows to be made of the same
    /// block, or a new one.
    fn table_number(&mut self, block: [Form; 16]) -> Result<u16, Stop> {
        let block = self.in_lasting_names(block);
        let mut memo = Renamed::default();
        memo.window = Some(Window::still(self.path.low_byte));
        let mut same = |a: Form, b: Form| a == b || self.terms.same_byte_in_window(a, b, &mut memo);
        let known = &self.path.known_tables;
        if let Some(table) = known.iter().find(|table| (0..16).all(|i| same(table.block[i], block[i]))) {
            return Ok(table.number);
        }
        let Some(number) = self.tables.checked_add(1) else {
            return refuse("more counter tables than have numbers");
        };
        self.tables = number;
        if self.path.known_tables.len() == MOST_KNOWN {
            self.path.known_tables.remove(0);
        }
        self.path.known_tables.push(KnownTable { number, block });
        Ok(number)
    }

    /// A block in which the counter's bytes that do not change until the end of the message are named by the counter
    /// there. These names hold for any number of processed blocks.
    fn in_lasting_names(&mut self, block: [Form; 16]) -> [Form; 16] {
        let last = i32::try_from(self.path.facts.counters()).unwrap_or(i32::MAX);
        let lasting = self.path.upper_fixed.map(|from| (from, last));
        let mut memo = Renamed::default();
        memo.window = Some(Window { lasting, ..Window::still(self.path.low_byte) });
        block.map(|byte| self.terms.rename_form(byte, &mut memo, &mut |_, _| None).unwrap_or(byte))
    }

    /// The lane to which two rounds with keys 1 and 2 were applied.
    fn under_two_rounds(&mut self, entry: Lane) -> Option<Lane> {
        let mut state = entry;
        for round in [2, 1] {
            let key = self.terms.atom(Atom::Key { stream: 0, round });
            let inner = self.terms.xor(state, key);
            let inner = self.terms.named(inner, false, true);
            let Some(Atom::Round { round: AesRound::Encrypt, of }) = self.terms.as_atom(inner) else {
                return None;
            };
            state = of;
        }
        Some(state)
    }

    fn check_table_block(&mut self, bytes: &[Form; 16]) -> Result<(), Stop> {
        let key = self.terms.atom(Atom::Key { stream: 0, round: 0 });
        let key = self.terms.bytes(key).expect("known");
        for i in [0, 5, 10, 15] {
            let byte = self.terms.forms.add(bytes[i], key[i]);
            let right = if i == 15 { byte == Form(0) } else { self.is_counter_byte(byte, i) };
            if !right {
                return refuse(format!("byte {i} of the counter table's blocks is not the counter's"));
            }
        }
        Ok(())
    }

    /// True if a form is byte `i` of a counter block of the message that shares the upper bytes.
    fn is_counter_byte(&mut self, form: Form, i: usize) -> bool {
        let atom = match (self.terms.forms.constant_part(form), self.terms.forms.terms(form).len()) {
            (0, 1) => self.terms.forms.terms(form).next(),
            _ => None,
        };
        match atom {
            Some((ByteAtom::Lane { atom, index }, 1)) if index as usize == i => {
                let lane = self.terms.single(atom);
                match (self.terms.as_atom(lane), self.path.upper_fixed) {
                    (Some(Atom::Counter { index: Index::At(i), order: Order::MEMORY }), Some(from)) => {
                        from <= i && i64::from(i) <= self.path.facts.counters()
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }
}
